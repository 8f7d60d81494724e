// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// pointsAt returns two points of R^d at distance r in a random direction.
func pointsAt(d int, r float64) (x, y []float64) {
	s := NewSampler(3)
	x, y = make([]float64, d), make([]float64, d)
	s.FillNormal(x)
	s.FillNormal(y)
	scale := r / math.Sqrt(dotOf(y, y))
	for i := range x {
		y[i] = x[i] + scale*y[i]
	}
	return x, y
}

// signPoints returns two points of R⁸ of norm r with ⟨x, y⟩ = r²/2.
func signPoints(r float64) (x, y []float64) {
	x, y = make([]float64, 8), make([]float64, 8)
	for i := range x {
		x[i] = r / math.Sqrt(8)
		y[i] = math.Copysign(x[i], float64(2-i%4)+0.5)
	}
	return x, y
}

// Intervals of level 0.9 hold the kernel's value in 88 to 92 per cent of 2,000 maps: a right
// level of 0.9 is out of that with probability 0.003 for a fresh seed (3 standard deviations
// of 0.0067), and in the table of docs/bounds.md where it is not 0.9. The means of their widths are
// those of the exact variance, within the per cents that a sample's deviation is short of it
// and that Student's t adds for few terms.
func TestIntervalCovers(t *testing.T) {
	t.Parallel()
	maps := testkit.Times(500, 500, 2000)
	x, y := pointsAt(4, 1.3)
	gaussian := Gaussian{LengthScale: 1}
	fourier := func(n int, o FourierOptions) func(s *Sampler) (FeatureMap, error) {
		return func(s *Sampler) (FeatureMap, error) { return NewFourier(gaussian, 4, n, s, &o) }
	}
	norm := func(r float64, o MaclaurinOptions, n int) func(s *Sampler) (FeatureMap, error) {
		o.Law = OptimalLaw{Norm: r}
		return func(s *Sampler) (FeatureMap, error) { return NewMaclaurin(ExpDot{LengthScale: 1}, 8, n, s, &o) }
	}
	x1, y1 := signPoints(1)
	x2, y2 := signPoints(2)
	for _, c := range []struct {
		name   string
		x, y   []float64
		cover  float64 // by 2,000 maps
		longer float64 // the mean width over that of the normal quantile and the exact variance
		draw   func(s *Sampler) (FeatureMap, error)
	}{
		{"pairs", x, y, 0.891, 1.01, fourier(64, FourierOptions{})},
		{"phase", x, y, 0.8835, 1.01, fourier(64, FourierOptions{RandomPhase: true})},
		{"orthogonal", x, y, 0.897, 1.12, fourier(64, FourierOptions{Design: Orthogonal})},
		{"orthogonal, a part of a block", x, y, 0.9135, 1.13, fourier(68, FourierOptions{Design: Orthogonal})},
		{"orthogonal phase", x, y, 0.897, 1.05, fourier(64, FourierOptions{Design: Orthogonal, RandomPhase: true})},
		{"Maclaurin", x1, y1, 0.9125, 0.995, norm(1, MaclaurinOptions{}, 512)},
		{"Maclaurin, complex", x1, y1, 0.9025, 1.00, norm(1, MaclaurinOptions{Complex: true}, 512)},
		{"Maclaurin, exact low", x1, y1, 0.8925, 0.975, norm(1, MaclaurinOptions{ExactLow: true}, 513)},
		{"Maclaurin, norm 2", x2, y2, 0.8505, 0.83, norm(2, MaclaurinOptions{}, 512)},
	} {
		if testing.Short() && strings.HasPrefix(c.name, "Maclaurin, ") {
			continue
		}
		in, width := 0, 0.0
		for seed := range maps {
			m := must(c.draw(NewSampler(uint64(seed))))
			lo, hi, err := Interval(m, c.x, c.y, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			if k := m.Kernel().Eval(c.x, c.y); lo <= k && k <= hi {
				in++
			}
			width += (hi - lo) / float64(maps)
		}
		variance := must(c.draw(NewSampler(0))).(Variancer).Variance(c.x, c.y)
		cover := float64(in) / float64(maps)
		// Without -long there are 500 maps, and the limits are 4 standard deviations of their share.
		low, high := 0.88, 0.92
		if c.name == "Maclaurin, norm 2" {
			low, high = 0.82, 0.88
		} else if !testkit.Long() {
			low, high = 0.846, 0.954
		}
		if !(cover >= low && cover <= high) {
			t.Errorf("%s: %.4f of the intervals hold the value, in the table %.4f", c.name, cover, c.cover)
		}
		if longer := width / (2 * 1.6448536 * math.Sqrt(variance)); !(math.Abs(longer-c.longer) <= 0.04) {
			t.Errorf("%s: intervals are %.3f times as long as by the exact variance, want %.3f", c.name, longer, c.longer)
		}
	}
}

// Interval covers as its level says for sums and compositional maps: of 2,000 maps 90 per cent
// give or take 2, three standard deviations of a binomial count (short: 200 maps, 6.5).
func TestIntervalOfNew(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	sk := NewSkeleton(4)
	in := each(sk, Circle{}, 4)
	sk.Unit(ReLUDual{}, sk.Unit(ExpDual(1), in...), in[0], sk.Input(Categories{N: 3}, 3))
	circles := kernelOf(t, sk)
	a := mat.NewSymDense(4, nil)
	for i := range 4 {
		a.SetSym(i, i, 2)
	}
	for _, c := range []struct {
		name string
		k    Kernel
		out  int
	}{
		{"Compositional", circles, 200},
		{"sum", Sum(Gaussian{LengthScale: 1}, Linear{}, ArcCosine{Order: 1}), 300},
		{"weighted", Sum(Weight(WeightFunc(func(x []float64) float64 { return 1 + x[0] }), Laplacian{LengthScale: 2}), Quadratic(a)), 200},
		{"ArcCosine", ArcCosine{Order: 0}, 100},
		{"black box", BlackBox{Of: Gaussian{LengthScale: 1}, Draw: DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
			w, b := make([]float64, 4), 2*math.Pi*s.Float64()
			s.FillNormal(w)
			return func(x []float64) float64 { return math.Sqrt2 * math.Cos(floats.Dot(w, x)+b) }, nil
		})}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x, y := []float64{0.2, -0.5, 0.3, 1}, []float64{0.4, 0.1, -0.2, 1}
			want := c.k.Eval(x, y)
			maps, limit := 2000, 0.02
			if !testkit.Long() {
				maps, limit = 200, 0.065
			}
			p, err := NewPlan(c.k, 4, c.out, nil)
			if err != nil {
				t.Fatal(err)
			}
			covered := 0
			for seed := range maps {
				m, err := p.Draw(NewSampler(uint64(seed)))
				if err != nil {
					t.Fatal(err)
				}
				lo, hi, err := Interval(m, x, y, 0.9)
				if err != nil {
					t.Fatal(err)
				}
				if lo <= want && want <= hi {
					covered++
				}
			}
			rate := float64(covered) / float64(maps)
			t.Logf("%s: %.3f", c.name, rate)
			if !(math.Abs(rate-0.9) <= limit) {
				t.Errorf("%s: a level of 0.9 was met by %.3f of the maps", c.name, rate)
			}
		})
	}
}

// Interval is around the estimate, less the bias; its width is by hand for one map.
func TestInterval(t *testing.T) {
	const q = 20
	x, y := pointsAt(3, 1)
	f := must(NewFourier(Gaussian{LengthScale: 1}, 3, 2*q, NewSampler(1), nil))
	fx, fy := f.TransformVec(nil, x), f.TransformVec(nil, y)
	var sum, squares float64
	for i := range q {
		v := fx[i]*fy[i] + fx[i+q]*fy[i+q]
		sum += v
		squares += v * v
	}
	// Student's quantile 0.975 for 19 degrees of freedom: 2.093024054408263 (mpmath).
	half := 2.093024054408263 * math.Sqrt(q*(squares-sum*sum/q)/(q-1))
	lo, hi, err := Interval(f, x, y, 0.95)
	if err != nil || !(math.Abs(lo-(sum-half)) <= 1e-9) || !(math.Abs(hi-(sum+half)) <= 1e-9) {
		t.Errorf("interval %v to %v (%v), want %v ± %v", lo, hi, err, sum, half)
	}
	// Degrees 0 and 2 of exp, without the rest.
	law := TruncatedLaw{Degrees: []int{0, 2}}
	m := must(NewMaclaurin(ExpDot{LengthScale: 1}, 3, 100, NewSampler(1), &MaclaurinOptions{Law: law}))
	lo, hi, err = Interval(m, x, y, 0.9)
	if want := dotOf(m.TransformVec(nil, x), m.TransformVec(nil, y)) - m.Bias(x, y); err != nil || !close15((lo+hi)/2, want) || !(m.Bias(x, y) != 0) {
		t.Errorf("interval %v to %v (%v), want it around %v", lo, hi, err, want)
	}
	// At equal points every pair adds the same, and the interval is a point but for rounding.
	if lo, hi, err = Interval(f, x, x, 0.9); err != nil || !(math.Abs(lo-1) < 1e-7 && math.Abs(hi-1) < 1e-7) {
		t.Errorf("interval %v to %v (%v) at equal points", lo, hi, err)
	}
	if lo, hi, err = Interval(f, []float64{math.NaN(), 0, 0}, x, 0.9); err != nil || !math.IsNaN(lo) || !math.IsNaN(hi) {
		t.Errorf("interval %v to %v (%v) at NaN", lo, hi, err)
	}
}

// Quantiles by mpmath 1.3.0, as roots of the regularised incomplete beta function.
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct {
		p       float64
		freedom int
		want    float64
	}{
		{0.95, 1, 6.313751514675043}, // tan 0.45π
		{0.95, 30, 1.69726088659395785}, {0.9995, 30, 3.64595863504202182},
		{0.95, 999, 1.64638034542752564}, {0.9995, 999, 3.30029244039873548},
		{0.95, 1000, 1.6463788172854647}, {0.9995, 1000, 3.30028264842391291},
		{0.95, 100_000, 1.64486886478496974}, {0.9995, 100_000, 3.29062403141188267},
	} {
		if got := StudentQuantile(c.p, c.freedom); !(math.Abs(got-c.want) <= 1e-7*c.want) {
			t.Errorf("quantile %v, %d: %v, want %v", c.p, c.freedom, got, c.want)
		}
	}
}

// ownMap is a caller's map.
type ownMap struct{ FeatureMap }

// halved is a caller's map that embeds one of the package and has other features.
type halved struct{ *Fourier }

func (h halved) Dims() (in, out int) {
	in, out = h.Fourier.Dims()
	return in, out / 2
}

// Interval refuses levels outside (0, 1), and maps whose draws it does not know or of which there are too few.
func TestIntervalRefuses(t *testing.T) {
	f := must(NewFourier(Gaussian{LengthScale: 1}, 4, 8, NewSampler(1), nil))
	block := must(NewFourier(Gaussian{LengthScale: 1}, 4, 14, NewSampler(1), &FourierOptions{Design: Orthogonal}))
	srht := must(NewMaclaurin(ExpDot{LengthScale: 1}, 4, 8, NewSampler(1), &MaclaurinOptions{Sketch: TensorSRHT}))
	var none *Fourier
	x := make([]float64, 4)
	for _, c := range []struct {
		m     FeatureMap
		level float64
		want  string
	}{
		{f, 0, "level = 0"}, {f, 1, "level = 1"}, {f, math.NaN(), "level = NaN"}, {f, -0.5, "level = -0.5"},
		{nil, 0.9, "map m = nil"}, {none, 0.9, "map m = nil"},
		{ownMap{f}, 0.9, "draws of featuremap_test.ownMap: unknown"},
		{halved{f}, 0.9, "draws of featuremap_test.halved: unknown"},
		{block, 0.9, "7 draws in blocks of 4"},
		{must(NewFourier(Gaussian{LengthScale: 1}, 4, 2, NewSampler(1), nil)), 0.9, "1 draws in blocks of 1"},
		{srht, 0.9, "Interval of a map of ExpDot{LengthScale: 1}: Maclaurin"},
		{srht, 0.9, "TensorSRHT: all draws depend on each other"},
		{block, 0.9, "Interval of a map of Gaussian{LengthScale: 1}: Fourier, Orthogonal"},
	} {
		if _, _, err := Interval(c.m, x, x, c.level); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	// A map of New names the kernel that it was asked for, and the part that New chose.
	points := normalPoints(1, 50, 64)
	points.Scale(0.05, points)
	for _, k := range []Kernel{ExpDot{LengthScale: 1}, Sum(ExpDot{LengthScale: 1}, Linear{})} {
		m := must(must(NewPlan(k, 64, 512, &PlanOptions{Points: points, Unbiased: true})).Draw(NewSampler(1)))
		_, _, err := Interval(m, points.RawRowView(0), points.RawRowView(1), 0.9)
		if want := fmt.Sprintf("featuremap: Interval of a map of %v: Maclaurin, ", k); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for _, x := range [][]float64{nil, make([]float64, 5)} {
		func() {
			defer func() {
				if recover() != mat.ErrShape {
					t.Errorf("no mat.ErrShape for %d coordinates", len(x))
				}
			}()
			_, _, _ = Interval(f, x, x, 0.9)
		}()
	}
}

// planningData returns rows of R³.
func planningData() *mat.Dense {
	return scaledNormals(2, 50, 3, 0.35)
}

// RMSE predicts the error over all pairs, averaged over maps, for kinds of maps with exact columns, pairs and bias.
func TestRMSE(t *testing.T) {
	t.Parallel()
	x := planningData()
	n, d := x.Dims()
	exp := ExpDot{LengthScale: 1}
	for _, c := range []struct {
		name string
		out  int
		unit int
		draw func(out int, s *Sampler) (FeatureMap, error)
	}{
		{"pairs", 60, 2, func(out int, s *Sampler) (FeatureMap, error) {
			return NewFourier(Gaussian{LengthScale: 1}, d, out, s, nil)
		}},
		{"orthogonal", 60, 2, func(out int, s *Sampler) (FeatureMap, error) {
			return NewFourier(Gaussian{LengthScale: 1}, d, out, s, &FourierOptions{Design: Orthogonal})
		}},
		{"exact low, complex", 60, 2, func(out int, s *Sampler) (FeatureMap, error) {
			return NewMaclaurin(exp, d, out, s, &MaclaurinOptions{Law: OptimalLaw{}, ExactLow: true, Complex: true})
		}},
		{"truncated", 60, 1, func(out int, s *Sampler) (FeatureMap, error) {
			return NewMaclaurin(exp, d, out, s, &MaclaurinOptions{Law: TruncatedLaw{Degree: 1}})
		}},
	} {
		m := must(c.draw(c.out, NewSampler(1)))
		predicted := must(RMSE(m.(Variancer), x, testkit.Times(800, 800, 2000), NewSampler(5)))
		var k, square mat.Dense
		CrossGram(&k, m.Kernel(), x, x)
		maps := testkit.Times(100, 100, 400)
		var mean float64
		for seed := range maps {
			var phi mat.Dense
			must(c.draw(c.out, NewSampler(uint64(seed)))).TransformTo(&phi, x)
			square.Mul(&phi, phi.T())
			square.Sub(&square, &k)
			square.MulElem(&square, &square)
			mean += (mat.Sum(&square) - mat.Trace(&square)) / float64(n*(n-1)) / float64(maps)
		}
		// The mean square of one map has a deviation of about its mean's size, and the variances of
		// pairs have one of up to twice it: 5 standard errors of the roots, of half that size.
		tol := 2.5/math.Sqrt(float64(maps)) + 5/math.Sqrt(float64(testkit.Times(800, 800, 2000)))
		if root := math.Sqrt(mean); !(math.Abs(predicted/root-1) <= tol) {
			t.Errorf("%s: predicted %.4f, measured %.4f", c.name, predicted, root)
		}
	}
}

func TestRMSERefuses(t *testing.T) {
	x := planningData()
	f := must(NewFourier(Gaussian{LengthScale: 1}, 3, 8, NewSampler(1), nil))
	s, same := NewSampler(7), NewSampler(7)
	for _, c := range []struct {
		m     Variancer
		x     mat.Matrix
		pairs int
		s     *Sampler
		want  string
	}{
		{nil, x, 1, s, "map m = nil"},
		{f, mat.NewDense(3, 3, []float64{1, 2, 3, 4, 5, math.NaN(), 7, 8, 9}), 1, s, "x: row 1, column 2 = NaN"},
		{f, x, 1, new(Sampler), "zero value"},
		{f, nil, 1, s, "x = nil"},
		{f, mat.NewDense(1, 3, nil), 1, s, "x has 1 rows"},
		{f, new(mat.Dense), 1, s, "x has 0 columns: must have the 3 coordinates"},
		{f, mat.NewDense(5, 2, nil), 1, s, "x has 2 columns: must have the 3"},
		{f, x, 0, s, "pairs = 0"},
		{f, x, 1, nil, "sampler s = nil"},
	} {
		if _, err := RMSE(c.m, c.x, c.pairs, c.s); err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if s.Uint64() != same.Uint64() {
		t.Error("a refused call drew from the sampler")
	}
	a, b := NewSampler(7), NewSampler(7)
	b.Split()
	if must(RMSE(f, x, 10, a)); a.Uint64() != b.Uint64() {
		t.Error("RMSE took something else than one Split")
	}
	// Outside the radius of convergence.
	m := must(NewMaclaurin(InfinitePolynomial{Scale: 1}, 3, 8, NewSampler(1), nil))
	if v := must(RMSE(m, x, 20, NewSampler(1))); !math.IsInf(v, 1) && !math.IsNaN(v) {
		t.Errorf("RMSE %v outside the radius of convergence", v)
	}
}
