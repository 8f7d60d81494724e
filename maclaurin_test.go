// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

var dotKernels = []struct {
	name   string
	kernel Kernel
}{
	{"Linear", Linear{}},
	{"Polynomial", Polynomial{Degree: 3, Scale: 0.5, Offset: 1}},
	{"HomogeneousPolynomial", Polynomial{Degree: 2, Scale: 1}},
	{"ExpDot", ExpDot{LengthScale: 1.2}},
	{"InfinitePolynomial", InfinitePolynomial{Scale: 0.3}},
	{"ReLUDual", Dot(ReLUDual{})},
}

var degreeLaws = []struct {
	name string
	law  DegreeLaw
}{
	{"default", nil},
	{"Geometric3", GeometricLaw{P: 3}},
	{"Optimal", OptimalLaw{Norm: 0.7}},
}

// maclaurinOptions are all combinations of sketches and flags with a law.
func maclaurinOptions(law DegreeLaw) (all []MaclaurinOptions) {
	for _, sketch := range []Sketch{RademacherSketch, GaussianSketch, TensorSRHT} {
		for i := range 4 {
			all = append(all, MaclaurinOptions{Law: law, Sketch: sketch, ExactLow: i&1 != 0, Complex: i&2 != 0})
		}
	}
	return all
}

func maclaurinName(o MaclaurinOptions) string {
	name := o.Sketch.String()
	if o.ExactLow {
		name += "/ExactLow"
	}
	if o.Complex {
		name += "/Complex"
	}
	return name
}

// inBall returns pairs of points of norm under r: equal ones, opposite ones, on an axis, on
// diagonals, at random.
func inBall(d int, r float64) []testkit.Pair {
	s := NewSampler(uint64(d))
	point := func(f func(i int) float64) []float64 {
		x := f64s(d, f)
		norm := mat.Norm(mat.NewVecDense(d, x), 2)
		for i := range x {
			x[i] *= r / norm
		}
		return x
	}
	axis := point(func(i int) float64 { return float64(1 / (i + 1)) })
	diagonal := point(func(i int) float64 { return 1 })
	random := point(func(int) float64 { return s.Normal() })
	other := point(func(int) float64 { return s.Normal() })
	opposite := point(func(i int) float64 { return -random[i] })
	return []testkit.Pair{
		{Name: "axis, axis", X: axis, Y: axis},
		{Name: "axis, diagonal", X: axis, Y: diagonal},
		{Name: "diagonal, diagonal", X: diagonal, Y: diagonal},
		{Name: "random, random", X: random, Y: random},
		{Name: "random, other", X: random, Y: other},
		{Name: "random, opposite", X: random, Y: opposite},
		{Name: "axis, origin", X: axis, Y: make([]float64, d)},
	}
}

// reads: constant features read nothing, those of exact degree 1 their coordinate. Maps with
// ExactLow have them first.
func reads(o MaclaurinOptions) func(m FeatureMap, feature, coordinate int) bool {
	return func(m FeatureMap, feature, coordinate int) bool {
		degrees := m.(*Maclaurin).Degrees()
		if degrees[feature] == 0 {
			return false
		}
		if o.ExactLow && degrees[feature] == 1 {
			exact := feature
			if degrees[0] == 0 {
				exact--
			}
			return exact == coordinate
		}
		return true
	}
}

func TestMaclaurin(t *testing.T) {
	for _, c := range dotKernels {
		if testing.Short() && c.name != "Polynomial" && c.name != "ExpDot" {
			continue
		}
		for _, l := range degreeLaws {
			for _, o := range maclaurinOptions(l.law) {
				if c.name == "Linear" && o.ExactLow {
					continue // nothing is left to draw: see TestNewMaclaurinRefuses
				}
				// One law for each combination of the others; the others for two series.
				two := c.name == "ExpDot" || c.name == "ReLUDual"
				if l.law != nil && !two || l.name == "Geometric3" && (o.ExactLow || o.Complex || o.Sketch != RademacherSketch) {
					continue
				}
				dims := []int{3}
				if l.law == nil && two {
					dims = []int{1, 3}
				}
				t.Run(c.name+"/"+l.name+"/"+maclaurinName(o), func(t *testing.T) {
					testkit.Map(t, testkit.MapCase{
						New: func(in, out int, s *Sampler) (FeatureMap, error) {
							return NewMaclaurin(c.kernel, in, out, s, &o)
						},
						Dims: dims,
						// Exact columns, and whole blocks of TensorSRHT and a part of one.
						Out: func(d int) int {
							out := 22
							if o.ExactLow {
								for _, n := range []int{0, 1} {
									if c.kernel.(DotProduct).Series().Coeff(n) > 0 {
										out += []int{1, d}[n]
									}
								}
							}
							return out
						},
						Pairs: func(d int) []testkit.Pair { return inBall(d, 0.8) },
						// The squares of ReLUDual's features are (aₙ/qₙ)·r²ⁿ with aₙ ~ n^{−5/2}, and
						// products of normal variates have heavy tails.
						HeavyTails: c.name == "ReLUDual" || o.Sketch == GaussianSketch && c.name != "Linear",
						RareTails:  true,
						Cancels:    true,
						Reads:      reads(o),
					})
				})
			}
		}
	}
}

// The variance of one degree against the enumeration of all draws of one or two features,
// for every sketch of signs, d ≤ 4 and degrees ≤ 3. The moments of one factor are found by
// enumeration; factors are independent, so those of n are powers of them.
func TestMaclaurinVarianceByEnumeration(t *testing.T) {
	s := NewSampler(9)
	for d := 1; d <= 4; d++ {
		p := 1
		for p < d {
			p *= 2
		}
		x, y := make([]float64, d), make([]float64, d)
		s.FillNormal(x)
		s.FillNormal(y)
		absolute, squared := complexMoments(x, y)
		real2 := realMoment(x, y)
		same := sharedMoment(x, y, p)
		sameComplex, sameConj := sharedComplexMoments(x, y, p)
		tt := dotOf(x, y)
		for n := 1; n <= 3; n++ {
			pow := func(v float64) float64 { return math.Pow(v, float64(n)) }
			for _, c := range []struct {
				o    MaclaurinOptions
				want float64
				out  int
			}{
				{MaclaurinOptions{}, pow(real2) - pow(tt*tt), 1},
				{MaclaurinOptions{Complex: true}, (pow(absolute)+pow(squared))/2 - pow(tt*tt), 2},
				// Two features in one block: half the variance of one, and half their covariance.
				{MaclaurinOptions{Sketch: TensorSRHT}, (pow(real2)-pow(tt*tt))/2 + (pow(same)-pow(tt*tt))/2, 2},
				{MaclaurinOptions{Sketch: TensorSRHT, Complex: true},
					((pow(absolute)+pow(squared))/2-pow(tt*tt))/2 + ((pow(sameComplex)+pow(sameConj))/2-pow(tt*tt))/2, 4},
			} {
				if c.o.Sketch == TensorSRHT && d == 1 {
					continue // blocks of one
				}
				m, err := NewMaclaurin(Dot(HermiteDual{N: n}), d, c.out, NewSampler(1), &c.o)
				if err != nil {
					t.Fatal(err)
				}
				if got := m.Variance(x, y); !(math.Abs(got-c.want) <= 1e-12*(pow(real2)+1)) {
					t.Errorf("d = %d, degree %d, %s: variance %v, by enumeration %v", d, n, maclaurinName(c.o), got, c.want)
				}
			}
		}
	}
}

// signVectors calls f with all 2^d vectors of signs.
func signVectors(d int, f func(w []float64)) {
	w := make([]float64, d)
	for bits := range 1 << d {
		for i := range w {
			w[i] = float64(1 - 2*(bits>>i&1))
		}
		f(w)
	}
}

func dotOf(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// realMoment is E (w·x)²(w·y)².
func realMoment(x, y []float64) (m float64) {
	n := float64(int(1) << len(x))
	signVectors(len(x), func(w []float64) { m += math.Pow(dotOf(w, x)*dotOf(w, y), 2) / n })
	return m
}

// complexMoments are E|z|² and E z², z = (w·x)·conj(w·y), over all w of {±1, ±i}^d. The
// estimate is the real part of a product of z, so that its mean square is half the sum of
// their powers.
func complexMoments(x, y []float64) (abs, square float64) {
	d := len(x)
	count := math.Pow(4, float64(d))
	units := []complex128{1, 1i, -1, -1i}
	var sq complex128
	for code := range int(count) {
		var wx, wy complex128
		for i := range d {
			w := units[code>>(2*i)&3]
			wx += w * complex(x[i], 0)
			wy += w * complex(y[i], 0)
		}
		z := wx * complex(real(wy), -imag(wy))
		abs += (real(z)*real(z) + imag(z)*imag(z)) / count
		sq += z * z / complex(count, 0)
	}
	return abs, real(sq)
}

// hadamard is the sign of the Walsh-Hadamard matrix.
func hadamard(i, j int) float64 {
	sign := 1.0
	for v := i & j; v > 0; v &= v - 1 {
		sign = -sign
	}
	return sign
}

// sharedMoment is E (u·x)(u·y)(v·x)(v·y) for two different rows u, v of one HD of p columns.
func sharedMoment(x, y []float64, p int) (m float64) {
	n := float64(int(1)<<p) * float64(p*(p-1))
	signVectors(p, func(w []float64) {
		for i := range p {
			for j := range p {
				if i == j {
					continue
				}
				var ux, uy, vx, vy float64
				for k := range x {
					u, v := hadamard(i, k)*w[k], hadamard(j, k)*w[k]
					ux, uy, vx, vy = ux+u*x[k], uy+u*y[k], vx+v*x[k], vy+v*y[k]
				}
				m += ux * uy * vx * vy / n
			}
		}
	})
	return m
}

// sharedComplexMoments are E z₁z₂ and E z₁·conj z₂ of the z of complexMoments for two
// different rows.
func sharedComplexMoments(x, y []float64, p int) (product, conj float64) {
	units := []complex128{1, 1i, -1, -1i}
	count := math.Pow(4, float64(p)) * float64(p*(p-1))
	for code := range int(math.Pow(4, float64(p))) {
		z := make([]complex128, p)
		for i := range p {
			var wx, wy complex128
			for k := range x {
				w := units[code>>(2*k)&3] * complex(hadamard(i, k), 0)
				wx += w * complex(x[k], 0)
				wy += w * complex(y[k], 0)
			}
			z[i] = wx * complex(real(wy), -imag(wy))
		}
		for i := range p {
			for j := range p {
				if i != j {
					product += real(z[i]*z[j]) / count
					conj += real(z[i]*complex(real(z[j]), -imag(z[j]))) / count
				}
			}
		}
	}
	return product, conj
}

// The variance of TensorSRHT with several blocks of one degree, by simulation: the number of
// draws of a degree is random, and so is the number of pairs that share a block.
func TestTensorSRHTBlocks(t *testing.T) {
	maps := 40_000
	if testing.Short() {
		maps = 4000
	}
	x, y := []float64{0.5, -0.4, 0.6}, []float64{0.6, 0.3, 0.4}
	k := Polynomial{Degree: 2, Scale: 1, Offset: 0.5}
	for _, complex := range []bool{false, true} {
		o := MaclaurinOptions{Sketch: TensorSRHT, Law: OptimalLaw{}, Complex: complex}
		var e1, e2, e4 float64
		var m *Maclaurin
		for seed := range maps {
			var err error
			m, err = NewMaclaurin(k, 3, 14, NewSampler(uint64(seed)), &o)
			if err != nil {
				t.Fatal(err)
			}
			e := dotOf(m.TransformVec(nil, x), m.TransformVec(nil, y)) - k.Eval(x, y)
			e1 += e / float64(maps)
			e2 += e * e / float64(maps)
			e4 += e * e * e * e / float64(maps)
		}
		want := m.Variance(x, y)
		if z := e1 / math.Sqrt(want/float64(maps)); !(math.Abs(z) <= 4) {
			t.Errorf("%s: bias %v, z = %.1f", maclaurinName(o), e1, z)
		}
		if z := (e2 - want) / math.Sqrt((e4-e2*e2)/float64(maps)); !(math.Abs(z) <= 4) {
			t.Errorf("%s: variance %v, want %v, z = %.1f", maclaurinName(o), e2, want, z)
		}
	}
}

// On the digits as unit vectors, the optimal law with exact low degrees has at most half the
// error of Kar and Karnick's law without, and both have the predicted one.
func TestMaclaurinDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("100 maps of 4096 features")
	}
	x, _, err := dataset.Digits()
	if err != nil {
		t.Fatal(err)
	}
	const rows, maps, features = 60, 50, 4096
	points := mat.NewDense(rows, 64, nil)
	for i := range rows {
		row := x.RawRowView(29 * i)
		norm := mat.Norm(mat.NewVecDense(64, row), 2)
		for j, v := range row {
			points.Set(i, j, v/norm)
		}
	}
	k := ExpDot{LengthScale: 1}
	var exact mat.SymDense
	Gram(&exact, k, points)
	var measured [2]float64
	for i, o := range []MaclaurinOptions{{Law: GeometricLaw{P: 2}}, {Law: OptimalLaw{}, ExactLow: true}} {
		var predicted float64
		squares := make([]float64, maps)
		m, err := NewMaclaurin(k, 64, features, NewSampler(0), &o)
		if err != nil {
			t.Fatal(err)
		}
		for a := range rows {
			for b := range a {
				predicted += m.Variance(points.RawRowView(a), points.RawRowView(b))
			}
		}
		parallel.Run(parallel.Func(func(lo, hi int) {
			for seed := lo; seed < hi; seed++ {
				m, err := NewMaclaurin(k, 64, features, NewSampler(uint64(seed)), &o)
				if err != nil {
					t.Error(err)
					return
				}
				var z mat.Dense
				var gram mat.Dense
				m.TransformTo(&z, points)
				gram.Mul(&z, z.T())
				for a := range rows {
					for b := range a {
						e := gram.At(a, b) - exact.At(a, b)
						squares[seed] += e * e / maps
					}
				}
			}
		}), maps, 1)
		var sum float64
		for _, v := range squares {
			sum += v
		}
		measured[i] = math.Sqrt(sum / (rows * (rows - 1) / 2))
		want := math.Sqrt(predicted / (rows * (rows - 1) / 2))
		t.Logf("%T, ExactLow %v: predicted %.5f, measured %.5f", o.Law, o.ExactLow, want, measured[i])
		if !(math.Abs(measured[i]/want-1) <= 0.05) {
			t.Errorf("%T: measured RMSE %v, predicted %v", o.Law, measured[i], want)
		}
	}
	if !(measured[1] <= measured[0]/2) {
		t.Errorf("the optimal law has an error of %v, Kar and Karnick's %v", measured[1], measured[0])
	}
}

// The table of Kakade's scheme in the doc comment of Maclaurin: the variance of one of its
// features, for N = 1 and S = 0,
//
//	f(1)² + f(t)² + Σ aᵢ²(Mⁱ − 1 − 2t²ⁱ),  M = 1 + 2t²,
//
// over OptimalLaw's f(√2)·f(M/√2) − f(t)², for as many features and for as many vectors.
func TestKakadeTable(t *testing.T) {
	for _, c := range []struct {
		f                 Series
		degree            int
		features, vectors [3]float64
	}{
		{Polynomial{Degree: 2, Scale: 1, Offset: 1}.Series(), 2, [3]float64{0.94, 1.03, 0.88}, [3]float64{2.4, 2.6, 2.3}},
		{Polynomial{Degree: 3, Scale: 1, Offset: 1}.Series(), 3, [3]float64{0.91, 0.77, 0.56}, [3]float64{3.1, 2.6, 1.9}},
		{Polynomial{Degree: 10, Scale: 1, Offset: 1}.Series(), 10, [3]float64{0.74, 0.26, 0.17}, [3]float64{7.0, 2.5, 1.6}},
		{Coefficients(SeriesCoefficients(Exp{Rate: 1}, 9)), 8, [3]float64{0.87, 0.92, 0.56}, [3]float64{22, 24, 14}},
	} {
		var mean float64
		for n := range c.degree + 1 {
			mean += float64(n) * OptimalLaw{}.Prob(c.f, n)
		}
		for i, tt := range []float64{0, 0.5, 1} {
			moment := 1 + 2*tt*tt
			kakade := c.f.Eval(1)*c.f.Eval(1) + c.f.Eval(tt)*c.f.Eval(tt)
			for n := range c.degree + 1 {
				a := c.f.Coeff(n)
				kakade += a * a * (math.Pow(moment, float64(n)) - 1 - 2*math.Pow(tt, float64(2*n)))
			}
			ratio := kakade / (c.f.Eval(math.Sqrt2)*c.f.Eval(moment/math.Sqrt2) - c.f.Eval(tt)*c.f.Eval(tt))
			vectors := ratio * float64(c.degree*(c.degree+1)/2) / mean
			if !(math.Abs(ratio-c.features[i]) <= 0.0051) || !(math.Abs(vectors/c.vectors[i]-1) <= 0.03) {
				t.Errorf("degree %d, t = %v: ratios %.3f and %.2f, want %v and %v", c.degree, tt, ratio, vectors, c.features[i], c.vectors[i])
			}
		}
	}
}

// Laws that leave degrees out are biased by what Bias says.
func TestMaclaurinBias(t *testing.T) {
	maps := 20_000
	if testing.Short() {
		maps = 2000
	}
	x, y := []float64{0.8, 0.3}, []float64{0.7, 0.5}
	k := ExpDot{LengthScale: 1}
	tt := dotOf(x, y)
	exp := func(n int) float64 { // the Taylor polynomial
		sum, term := 0.0, 1.0
		for i := range n + 1 {
			sum += term
			term *= tt / float64(i+1)
		}
		return sum
	}
	for _, c := range []struct {
		law      DegreeLaw
		exactLow bool
		want     float64
	}{
		{nil, false, 0},
		{OptimalLaw{}, true, 0},
		{TruncatedLaw{Degree: 2}, false, exp(2) - math.Exp(tt)},
		{TruncatedLaw{Law: OptimalLaw{}, Degree: 3}, true, exp(3) - math.Exp(tt)},
		// Σ_{n>3} 1/n! = e − 8/3 = 0.0516, and 0.2183 from n = 3 on.
		{TruncatedLaw{Error: 0.1, Norm: 1}, false, exp(3) - math.Exp(tt)},
		{TruncatedLaw{Error: 0.0516, Norm: 1}, false, exp(4) - math.Exp(tt)},
		{TruncatedLaw{Degrees: []int{3, 0}}, false, 1 + tt*tt*tt/6 - math.Exp(tt)},
		{TruncatedLaw{Degrees: []int{2, 0}}, true, exp(2) - math.Exp(tt)},
		{everyOther{}, false, math.Cosh(tt) - math.Exp(tt)},
	} {
		o := MaclaurinOptions{Law: c.law, ExactLow: c.exactLow}
		var sum, square float64
		var m *Maclaurin
		for seed := range maps {
			var err error
			m, err = NewMaclaurin(k, 2, 16, NewSampler(uint64(seed)), &o)
			if err != nil {
				t.Fatal(err)
			}
			e := dotOf(m.TransformVec(nil, x), m.TransformVec(nil, y)) - k.Eval(x, y)
			sum += e / float64(maps)
			square += e * e / float64(maps)
		}
		bias := m.Bias(x, y)
		if !(math.Abs(bias-c.want) <= 1e-13) {
			t.Errorf("%v, ExactLow %v: Bias = %v, want %v", c.law, c.exactLow, bias, c.want)
		}
		if z := (sum - bias) / math.Sqrt(m.Variance(x, y)/float64(maps)); !(math.Abs(z) <= 4) {
			t.Errorf("%v, ExactLow %v: measured bias %v, want %v, z = %.1f", c.law, c.exactLow, sum, bias, z)
		}
		if v := square - sum*sum; !(math.Abs(v/m.Variance(x, y)-1) <= 0.2) {
			t.Errorf("%v, ExactLow %v: measured variance %v, want %v", c.law, c.exactLow, v, m.Variance(x, y))
		}
	}
}

// everyOther is a caller's law, on even degrees: 2^{−n/2−1}.
type everyOther struct{}

func (everyOther) Prob(_ Series, n int) float64 {
	if n%2 == 1 {
		return 0
	}
	return math.Ldexp(1, -n/2-1)
}

// Laws sum to 1 over the degrees of the series, and degrees are drawn from them.
func TestDegreeLaws(t *testing.T) {
	for _, k := range dotKernels {
		f := k.kernel.(DotProduct).Series()
		for _, law := range []DegreeLaw{GeometricLaw{}, GeometricLaw{P: 1.5}, OptimalLaw{Norm: 0.7}, TruncatedLaw{Degree: 2}} {
			var sum float64
			for n := range 400 {
				p := law.Prob(f, n)
				if !(p >= 0) || f.Coeff(n) == 0 && p != 0 {
					t.Fatalf("%T for %s: Prob(%d) = %v", law, k.name, n, p)
				}
				sum += p
			}
			if !(math.Abs(sum-1) <= 1e-12) {
				t.Errorf("%T for %s: probabilities sum to %v", law, k.name, sum)
			}
			m, err := NewMaclaurin(k.kernel, 1, 20_000, NewSampler(3), &MaclaurinOptions{Law: law})
			if err != nil {
				t.Fatal(err)
			}
			counts := map[int]float64{}
			for _, n := range m.Degrees() {
				counts[n]++
			}
			for n := range 12 {
				p := law.Prob(f, n)
				sd := math.Sqrt(20_000 * p * (1 - p))
				if !(math.Abs(counts[n]-20_000*p) <= 4.5*sd) {
					t.Errorf("%T for %s: degree %d drawn %v times, want %v ± %v", law, k.name, n, counts[n], 20_000*p, sd)
				}
			}
		}
	}
	// The Poisson distribution of mean √2 (FORMULAS of the optimal law).
	if got, want := (OptimalLaw{}).Prob(Exp{Rate: 1}, 3), math.Exp(-math.Sqrt2)*math.Pow(math.Sqrt2, 3)/6; !(math.Abs(got-want) <= 1e-14) {
		t.Errorf("OptimalLaw of exp: %v, want %v", got, want)
	}
	// Where Kar and Karnick's probabilities sum to 1/2: normalised (p − 1)/p^{n+1}.
	if got, want := (GeometricLaw{P: 3}).Prob(Exp{Rate: 1}, 2), 2.0/27; !(math.Abs(got-want) <= 1e-15) {
		t.Errorf("GeometricLaw{3}: %v, want %v", got, want)
	}
}

// Behind a Project, forms are of Ax.
func TestMaclaurinOfProject(t *testing.T) {
	a := mat.NewDense(2, 3, []float64{0.3, -0.2, 0.5, 0.1, 0.4, -0.3})
	quadratic := mat.NewSymDense(3, []float64{2, 1, 0, 1, 2, 0.5, 0, 0.5, 1})
	for name, k := range map[string]Kernel{
		"Project":   Project(a, ExpDot{LengthScale: 1}),
		"ARD":       ARD([]float64{2, 3, 4}, Polynomial{Degree: 2, Scale: 1, Offset: 1}),
		"Quadratic": Quadratic(quadratic),
	} {
		for _, o := range maclaurinOptions(OptimalLaw{}) {
			if name == "Quadratic" && (o.ExactLow) {
				continue
			}
			t.Run(name+"/"+maclaurinName(o), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New:  func(in, out int, s *Sampler) (FeatureMap, error) { return NewMaclaurin(k, in, out, s, &o) },
					Dims: []int{3},
					Out: func(int) int {
						if !o.ExactLow {
							return 10
						}
						if name == "Project" {
							return 13 // 1 + 2 + 10
						}
						return 14
					},
					Pairs:      func(d int) []testkit.Pair { return inBall(d, 1) },
					HeavyTails: o.Sketch == GaussianSketch,
					RareTails:  true,
					Cancels:    true,
					Reads: func(m FeatureMap, feature, coordinate int) bool {
						n := m.(*Maclaurin).Degrees()[feature]
						return n > 1 || n == 1 && !o.ExactLow
					},
				})
			})
		}
	}
	x, y := []float64{1, -2, 3}, []float64{0.5, 4, -1}
	want := mat.Inner(mat.NewVecDense(3, x), quadratic, mat.NewVecDense(3, y))
	if got := Quadratic(quadratic).Eval(x, y); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("Quadratic: %v, want %v", got, want)
	}
	// Of rank 1.
	v := mat.NewVecDense(3, []float64{1, 2, -1})
	var rank1 mat.SymDense
	rank1.SymOuterK(3, v)
	if got, want := Quadratic(&rank1).Eval(x, y), 3*mat.Dot(v, mat.NewVecDense(3, x))*mat.Dot(v, mat.NewVecDense(3, y)); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("Quadratic of rank 1: %v, want %v", got, want)
	}
}

// Sums, products, multiples and compositions of dot product kernels are dot product kernels,
// with maps.
func TestDotProductAlgebra(t *testing.T) {
	p, e := Polynomial{Degree: 2, Scale: 0.5, Offset: 1}, ExpDot{LengthScale: 1.5}
	x, y := []float64{0.6, 0.3}, []float64{0.5, -0.4}
	kp, ke := p.Eval(x, y), e.Eval(x, y)
	for _, c := range []struct {
		name   string
		kernel Kernel
		want   float64
		radius float64
	}{
		{"sum", Sum(p, e, Linear{}), kp + ke + dotOf(x, y), math.Inf(1)},
		{"product", Product(p, e, p), kp * ke * kp, math.Inf(1)},
		{"scale", Scale(3, e), 3 * ke, math.Inf(1)},
		{"zero", Sum(Scale(0, e), p), kp, math.Inf(1)},
		{"exp of polynomial", Compose(Exp{Rate: 0.5, Shift: 0.2}, p), math.Exp(0.5*kp + 0.2), math.Inf(1)},
		{"polynomial of exp", Compose(Coefficients{1, 0, 0.5, 0.25}, e), 1 + ke*ke/2 + ke*ke*ke/4, math.Inf(1)},
		// 1/(1 − ¼e^{t/2.25}), of radius 2.25·log 4.
		{"geometric of exp", Compose(Geometric{Ratio: 0.25}, e), 1 / (1 - ke/4), 2.25 * math.Log(4)},
		{"identity", Compose(IdentityDual{}, p), kp, math.Inf(1)},
		{"nested", Sum(Product(Linear{}, Compose(Exp{Rate: 1}, Linear{})), Constantly(2)), dotOf(x, y)*math.Exp(dotOf(x, y)) + 2, math.Inf(1)},
	} {
		if got := c.kernel.Eval(x, y); !(math.Abs(got-c.want) <= 1e-13*c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		f := c.kernel.(DotProduct).Series()
		var sum, deriv float64
		for n := range 120 {
			sum += f.Coeff(n) * math.Pow(0.7, float64(n))
			deriv += float64(n) * f.Coeff(n) * math.Pow(0.7, float64(n-1))
		}
		if !(math.Abs(sum-f.Eval(0.7)) <= 1e-12*sum) || !(math.Abs(deriv-f.Deriv(0.7)) <= 1e-12*deriv) {
			t.Errorf("%s: coefficients sum to %v and %v, want %v and %v", c.name, sum, deriv, f.Eval(0.7), f.Deriv(0.7))
		}
		if r := f.Radius(); r != c.radius && !(math.Abs(r-c.radius) <= 1e-12*c.radius) {
			t.Errorf("%s: radius %v, want %v", c.name, r, c.radius)
		}
		const maps = 2000
		var e1 float64
		var m *Maclaurin
		for seed := range maps {
			var err error
			m, err = NewMaclaurin(c.kernel, 2, 30, NewSampler(uint64(seed)), &MaclaurinOptions{Law: OptimalLaw{Norm: 0.7}})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			e1 += (dotOf(m.TransformVec(nil, x), m.TransformVec(nil, y)) - c.want) / maps
		}
		if z := e1 / math.Sqrt(m.Variance(x, y)/maps); !(math.Abs(z) <= 4) {
			t.Errorf("%s: bias %v, z = %.1f", c.name, e1, z)
		}
	}
	// Others are expressions, to evaluate only.
	g := Gaussian{LengthScale: 1}
	for _, c := range []struct {
		kernel Kernel
		want   float64
	}{
		{Sum(g, p), g.Eval(x, y) + kp},
		{Product(g, p, e), g.Eval(x, y) * kp * ke},
		{Scale(2, g), 2 * g.Eval(x, y)},
		{Compose(ReLUDual{}, g), ReLUDual{}.Eval(g.Eval(x, y))},
		{Sum(g), g.Eval(x, y)},
	} {
		if got := c.kernel.Eval(x, y); !(math.Abs(got-c.want) <= 1e-14) {
			t.Errorf("%v, want %v", got, c.want)
		}
		if _, err := NewMaclaurin(c.kernel, 2, 4, NewSampler(1), nil); !errors.Is(err, ErrNotDotProduct) {
			t.Errorf("error %v", err)
		}
	}
	for want, k := range map[string]Kernel{
		"Sum of no":             Sum(),
		"Sum kernel 1 = nil":    Sum(p, nil),
		"Product of no":         Product(),
		"Scale c = -1":          Scale(-1, p),
		"Scale c = NaN":         Scale(math.NaN(), g),
		"Scale kernel = nil":    Scale(1, nil),
		"Compose kernel = nil":  Compose(Exp{Rate: 1}, nil),
		"Rate = -1":             Compose(Exp{Rate: -1}, p),
		"LengthScale = 0":       Sum(p, ExpDot{}),
		"Degree = -1":           Compose(Exp{Rate: 1}, Polynomial{Degree: -1, Scale: 1}),
		"radius of convergence": Compose(Geometric{Ratio: 1}, Polynomial{Degree: 1, Scale: 1, Offset: 1}),
		"Gaussian LengthScale":  Sum(Gaussian{}, p),
		"series f = nil":        Compose(nil, p),
	} {
		if _, err := NewMaclaurin(k, 2, 4, NewSampler(1), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// Constantly is the kernel of a constant, as a dot product kernel.
func Constantly(c float64) Kernel { return Dot(Coefficients{c}) }

// Units do not matter to Quadratic: rank and definiteness are those of the scaled matrix.
func TestQuadraticUnits(t *testing.T) {
	e1, e2 := []float64{1, 0}, []float64{0, 1}
	k := Quadratic(mat.NewSymDense(2, []float64{1e16, 0, 0, 1}))
	if a, b := k.Eval(e1, e1), k.Eval(e2, e2); a != 1e16 || b != 1 {
		t.Errorf("diagonal 1e16, 1: %v and %v", a, b)
	}
	for _, a := range [][]float64{{1e16, 0, 0, -1}, {1, 1.001, 1.001, 1}, {0, 1, 1, 1}, {1e-20, 2e-20, 2e-20, 1e-20}} {
		if _, err := NewMaclaurin(Quadratic(mat.NewSymDense(2, a)), 2, 4, NewSampler(1), nil); !errors.Is(err, ErrNotPSD) {
			t.Errorf("%v: error %v", a, err)
		}
	}
	if v := Quadratic(mat.NewSymDense(2, nil)).Eval(e1, e1); v != 0 {
		t.Errorf("A = 0: %v", v)
	}
}

func TestNewMaclaurinRefuses(t *testing.T) {
	e := ExpDot{LengthScale: 1}
	for _, c := range []struct {
		k       Kernel
		in, out int
		o       MaclaurinOptions
		want    string
		is      error
	}{
		{nil, 1, 1, MaclaurinOptions{}, "kernel k = nil", nil},
		{e, 0, 1, MaclaurinOptions{}, "in = 0", nil},
		{e, 1, 0, MaclaurinOptions{}, "out = 0", nil},
		{Gaussian{LengthScale: 1}, 1, 1, MaclaurinOptions{}, "Gaussian", ErrNotDotProduct},
		{Sigmoid{Scale: 1}, 1, 1, MaclaurinOptions{}, "tanh", ErrNotPSD},
		{Quadratic(mat.NewSymDense(2, []float64{1, 2, 2, 1})), 2, 4, MaclaurinOptions{}, "Quadratic A", ErrNotPSD},
		{Quadratic(mat.NewSymDense(1, []float64{math.NaN()})), 1, 4, MaclaurinOptions{}, "A(0, 0) = NaN", nil},
		{Quadratic(nil), 1, 4, MaclaurinOptions{}, "A = nil", nil},
		{e, 1, 1, MaclaurinOptions{Law: GeometricLaw{P: 1}}, "P = 1", nil},
		{e, 1, 1, MaclaurinOptions{Law: GeometricLaw{P: math.NaN()}}, "P = NaN", nil},
		{e, 1, 1, MaclaurinOptions{Law: OptimalLaw{Norm: -1}}, "Norm = -1", nil},
		{InfinitePolynomial{Scale: 1}, 1, 1, MaclaurinOptions{Law: OptimalLaw{Norm: 1}}, "radius of convergence 1", nil},
		{InfinitePolynomial{Scale: 1}, 1, 1, MaclaurinOptions{Law: TruncatedLaw{Error: 0.1, Norm: 2}}, "Norm = 2: its square must be within the radius of convergence 1", nil},
		{e, 1, 1, MaclaurinOptions{Law: TruncatedLaw{Degree: -1}}, "Degree = -1", nil},
		{e, 1, 1, MaclaurinOptions{Law: TruncatedLaw{Error: -1}}, "Error = -1", nil},
		{e, 1, 1, MaclaurinOptions{Law: TruncatedLaw{Error: 1}}, "Norm = 0", nil},
		{e, 1, 1, MaclaurinOptions{Law: TruncatedLaw{Degrees: []int{}}}, "Degrees = []", nil},
		{e, 1, 1, MaclaurinOptions{Law: TruncatedLaw{Degrees: []int{-3}}}, "-3", nil},
		{Linear{}, 1, 4, MaclaurinOptions{Law: TruncatedLaw{Degrees: []int{4}}}, "no degree", nil},
		{Linear{}, 1, 4, MaclaurinOptions{ExactLow: true}, "no degree from 2 on", nil},
		{e, 3, 4, MaclaurinOptions{ExactLow: true}, "ExactLow takes 4 columns", nil},
		{e, 3, 7, MaclaurinOptions{Complex: true}, "out = 7", nil},
		{e, 3, 7, MaclaurinOptions{Complex: true, ExactLow: true}, "out = 7", nil},
		{e, 1, 1, MaclaurinOptions{Sketch: 7}, "Sketch(7)", nil},
		{e, 1 << 24, 1 << 24, MaclaurinOptions{}, "out = 16777216", nil},
		{Polynomial{Degree: 2}, 1, 1, MaclaurinOptions{}, "Scale = 0", nil},
		{Polynomial{Degree: -1, Scale: 1}, 1, 1, MaclaurinOptions{}, "Degree = -1", nil},
		{Polynomial{Degree: 1, Scale: 1, Offset: -1}, 1, 1, MaclaurinOptions{}, "Offset = -1", nil},
		{ExpDot{}, 1, 1, MaclaurinOptions{}, "LengthScale = 0", nil},
		{InfinitePolynomial{Scale: -1}, 1, 1, MaclaurinOptions{}, "Scale = -1", nil},
		{Dot(nil), 1, 1, MaclaurinOptions{}, "nil", nil},
		{Dot(Coefficients{1, -1}), 1, 1, MaclaurinOptions{}, "-1", nil},
		{Dot(Coefficients{}), 1, 1, MaclaurinOptions{}, "no degree", nil},
	} {
		s := NewSampler(1)
		_, err := NewMaclaurin(c.k, c.in, c.out, s, &c.o)
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %+v: error %v, want one with %q", c.k, c.o, err, c.want)
			continue
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v is not %v", err, c.is)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%v: the sampler was used", err)
		}
	}
	if _, err := NewMaclaurin(e, 1, 1, nil, nil); err == nil {
		t.Error("sampler nil accepted")
	}
}

// Points outside the radius of convergence have features, and a variance of +Inf.
func TestMaclaurinOutsideRadius(t *testing.T) {
	m, err := NewMaclaurin(InfinitePolynomial{Scale: 1}, 2, 50, NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{30, 40}
	m.TransformVec(nil, x)
	if v := m.Variance(x, x); !math.IsInf(v, 1) {
		t.Errorf("Variance = %v", v)
	}
	// Inside it, but with p·M beyond the square of it.
	if v := m.Variance([]float64{0.9, 0}, []float64{0.9, 0}); !math.IsInf(v, 1) {
		t.Errorf("Variance = %v, of a sum that diverges", v)
	}
}

func TestGoldenMaclaurin(t *testing.T) {
	var b strings.Builder
	x := f64s(40, func(i int) float64 { return float64(i%7) / 16 })
	for _, c := range dotKernels {
		for _, o := range maclaurinOptions(OptimalLaw{Norm: 0.5}) {
			m, err := NewMaclaurin(c.kernel, 40, 250, NewSampler(11), &o)
			if err != nil {
				continue
			}
			fmt.Fprintf(&b, "%s %s %016x\n", c.name, maclaurinName(o), foldBits(m.TransformVec(nil, x)))
		}
	}
	golden(t, "maclaurin.golden", []byte(b.String()))
}

// Variances at other scales: what matters is norms in length scales. The values at
// ℓ = 1 are those of the formula, evaluated in logarithms.
func TestMaclaurinScales(t *testing.T) {
	for _, c := range []struct {
		k    Kernel
		law  DegreeLaw
		x    []float64
		want float64
	}{
		{ExpDot{LengthScale: 5}, nil, []float64{3, 4}, 0.1372},
		{ExpDot{LengthScale: 5}, OptimalLaw{Norm: 5}, []float64{3, 4}, 0.0862},
		{ExpDot{LengthScale: 10}, OptimalLaw{Norm: 10}, []float64{6, 8}, 0.0862},
		{ExpDot{LengthScale: 1000}, OptimalLaw{Norm: 1000}, []float64{600, 800}, 0.0862},
		{ExpDot{LengthScale: 0.01}, OptimalLaw{Norm: 0.01}, []float64{0.006, 0.008}, 0.0862},
		// Σ (pM)ⁿ·p/(p−1) − 1/(1−t)² for 1/(1−t), M = t² = 0.49 and p = 2, of one feature of 100.
		{InfinitePolynomial{Scale: 1}, GeometricLaw{P: 2}, []float64{0.8366600265340756}, 0.88889},
		{InfinitePolynomial{Scale: 1}, GeometricLaw{P: 10}, []float64{0.5477225575051661}, 0.090703},
	} {
		m, err := NewMaclaurin(c.k, len(c.x), 100, NewSampler(1), &MaclaurinOptions{Law: c.law})
		if err != nil {
			t.Errorf("%+v, %+v: %v", c.k, c.law, err)
			continue
		}
		if v := m.Variance(c.x, c.x); !(math.Abs(v/c.want-1) <= 2e-3) {
			t.Errorf("%+v, %+v: Variance %v, want %v", c.k, c.law, v, c.want)
		}
	}
	for _, k := range []struct {
		k    Kernel
		norm float64
	}{
		{InfinitePolynomial{Scale: 20}, 0.1},
		{InfinitePolynomial{Scale: 0.01}, 8},
		{InfinitePolynomial{Scale: 1}, 0.01},
		{ExpDot{LengthScale: 10}, 60},
		{Dot(HermiteDual{N: 500}), 1},
		{Polynomial{Degree: 1000, Scale: 1e-3, Offset: 1}, 1},
	} {
		x := []float64{k.norm * 0.6, k.norm * 0.8}
		m, err := NewMaclaurin(k.k, 2, 100, NewSampler(1), &MaclaurinOptions{Law: OptimalLaw{Norm: k.norm}})
		if err != nil {
			t.Errorf("%+v: %v", k, err)
			continue
		}
		if v := m.Variance(x, x); !(v >= 0 && v <= math.MaxFloat64) {
			t.Errorf("%+v: Variance %v", k, v)
		}
	}
}

// Gaps between degrees, of a series, of a law.
func TestMaclaurinGaps(t *testing.T) {
	x := []float64{1, 0}
	for name, c := range map[string]struct {
		k   Kernel
		law DegreeLaw
	}{
		"composed":   {Compose(Exp{Rate: 1}, Polynomial{Degree: 300, Scale: 1}), OptimalLaw{Norm: math.Pow(2, -0.25)}},
		"polynomial": {Sum(Dot(Coefficients{1}), Dot(HermiteDual{N: 300})), OptimalLaw{Norm: math.Pow(2, -0.25)}},
		"law":        {Sum(Dot(Coefficients{1}), Dot(HermiteDual{N: 300})), TruncatedLaw{Law: OptimalLaw{Norm: math.Pow(2, -0.25)}, Degrees: []int{300, 0}}},
	} {
		m, err := NewMaclaurin(c.k, 2, 1000, NewSampler(1), &MaclaurinOptions{Law: c.law})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		z := m.TransformVec(nil, x)
		if e := dotOf(z, z) - c.k.Eval(x, x); !(math.Abs(e) <= 5*math.Sqrt(m.Variance(x, x))+1e-9) || m.Degrees()[999] < 300 || m.Bias(x, x) > 1e-9 {
			t.Errorf("%s: error %v, Variance %v, Bias %v, highest degree %d", name, e, m.Variance(x, x), m.Bias(x, x), m.Degrees()[999])
		}
	}
}

// notPSD is a caller's series with a coefficient that is none.
type notPSD struct{ a float64 }

func (notPSD) Eval(t float64) float64  { return 1 + t*t }
func (notPSD) Deriv(t float64) float64 { return 2 * t }
func (notPSD) Radius() float64         { return math.Inf(1) }
func (s notPSD) Coeff(n int) float64 {
	switch n {
	case 0, 2:
		return 1
	case 1:
		return s.a
	}
	return 0
}

// embedded is a caller's law, although it embeds one of the package.
type embedded struct{ GeometricLaw }

func (embedded) Prob(_ Series, n int) float64 {
	if n == 3 {
		return 1
	}
	return 0
}

func TestMaclaurinCallersTypes(t *testing.T) {
	for _, a := range []float64{-1, math.NaN()} {
		for _, exactLow := range []bool{false, true} {
			if _, err := NewMaclaurin(Dot(notPSD{a}), 2, 10, NewSampler(1), &MaclaurinOptions{ExactLow: exactLow}); err == nil || !strings.Contains(err.Error(), "degree 1") {
				t.Errorf("coefficient %v: error %v", a, err)
			}
		}
	}
	e := ExpDot{LengthScale: 1}
	m, err := NewMaclaurin(e, 2, 50, NewSampler(1), &MaclaurinOptions{Law: embedded{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range m.Degrees() {
		if n != 3 {
			t.Fatalf("a caller's law of degree 3 drew %d", n)
		}
	}
	if _, err := NewMaclaurin(e, 2, 50, NewSampler(1), &MaclaurinOptions{Law: (*OptimalLaw)(nil)}); err == nil {
		t.Error("a nil pointer is accepted for a law")
	}
	// What the caller does with a law afterwards is nothing to the map.
	set := []int{0, 1, 2}
	m, err = NewMaclaurin(e, 2, 50, NewSampler(1), &MaclaurinOptions{Law: TruncatedLaw{Degrees: set}})
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.5, 0.5}
	bias, variance := m.Bias(x, x), m.Variance(x, x)
	set[1], set[2] = 7, 8
	if m.Bias(x, x) != bias || m.Variance(x, x) != variance {
		t.Error("a map changes with the caller's slice of degrees")
	}
	for _, size := range [][2]int{{math.MaxInt, 1}, {1, math.MaxInt}} {
		if _, err := NewMaclaurin(Dot(Coefficients{1}), size[0], size[1], NewSampler(1), nil); err == nil {
			t.Errorf("in = %d, out = %d: no error", size[0], size[1])
		}
	}
}
