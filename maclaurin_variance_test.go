// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

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
		tt := testkit.DotOf(x, y)
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
				m, err := NewMaclaurin(Dot(series.HermiteDual{N: n}), d, c.out, NewSampler(1), &c.o)
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

// realMoment is E (w·x)²(w·y)².
func realMoment(x, y []float64) (m float64) {
	n := float64(int(1) << len(x))
	signVectors(len(x), func(w []float64) { m += math.Pow(testkit.DotOf(w, x)*testkit.DotOf(w, y), 2) / n })
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
	t.Parallel()
	maps := testkit.Times(4000, 4000, 20_000)
	x, y := []float64{0.5, -0.4, 0.6}, []float64{0.6, 0.3, 0.4}
	k := Polynomial{Degree: 2, Gamma: 1, Offset: 0.5}
	for _, complex := range []bool{false, true} {
		o := MaclaurinOptions{Sketch: TensorSRHT, Law: series.OptimalLaw{}, Complex: complex}
		first := testkit.Must(NewMaclaurin(k, 3, 14, NewSampler(0), &o))
		e1, e2, e4 := testkit.ErrorMoments(k, maps, testkit.Redraws(first), x, y)
		want := first.Variance(x, y)
		if z := e1 / math.Sqrt(want/float64(maps)); !(math.Abs(z) <= 4) {
			t.Errorf("%s: bias %v, z = %.1f", maclaurinName(o), e1, z)
		}
		if z := (e2 - want) / math.Sqrt((e4-e2*e2)/float64(maps)); !(math.Abs(z) <= 4) {
			t.Errorf("%s: variance %v, want %v, z = %.1f", maclaurinName(o), e2, want, z)
		}
	}
}

// The table of Kakade's scheme in docs/theory/variance.md: the variance of one of its
// features, for N = 1 and S = 0,
//
//	f(1)² + f(t)² + Σ aᵢ²(Mⁱ − 1 − 2t²ⁱ),  M = 1 + 2t²,
//
// over OptimalLaw's f(√2)·f(M/√2) − f(t)², for as many features and for as many vectors.
func TestKakadeTable(t *testing.T) {
	for _, c := range []struct {
		f                 series.Series
		degree            int
		features, vectors [3]float64
	}{
		{Polynomial{Degree: 2, Gamma: 1, Offset: 1}.Series(), 2, [3]float64{0.94, 1.03, 0.88}, [3]float64{2.4, 2.6, 2.3}},
		{Polynomial{Degree: 3, Gamma: 1, Offset: 1}.Series(), 3, [3]float64{0.91, 0.77, 0.56}, [3]float64{3.1, 2.6, 1.9}},
		{Polynomial{Degree: 10, Gamma: 1, Offset: 1}.Series(), 10, [3]float64{0.74, 0.26, 0.17}, [3]float64{7.0, 2.5, 1.6}},
		{series.Coefficients(power.Coefficients(series.Exp{Rate: 1}, 9)), 8, [3]float64{0.87, 0.92, 0.56}, [3]float64{22, 24, 14}},
	} {
		var mean float64
		for n := range c.degree + 1 {
			mean += float64(n) * series.OptimalLaw{}.Prob(c.f, n)
		}
		for i, tt := range []float64{0, 0.5, 1} {
			moment := 1 + 2*tt*tt
			kakade := c.f.Eval(1)*c.f.Eval(1) + c.f.Eval(tt)*c.f.Eval(tt)
			for n := range c.degree + 1 {
				a := c.f.Coeff(n)
				kakade += a * a * (math.Pow(moment, float64(n)) - 1 - 2*math.Pow(tt, float64(2*n)))
			}
			m := testkit.Must(NewMaclaurin(Dot(c.f), 2, 5, NewSampler(1), &MaclaurinOptions{SumOfProducts: true, Sketch: GaussianSketch}))
			if got := 5 * m.Variance([]float64{1, 0}, []float64{tt, math.Sqrt(1 - tt*tt)}); !(math.Abs(got/kakade-1) <= 1e-12) {
				t.Errorf("degree %d, t = %v: SumOfProducts has the variance %v, want %v", c.degree, tt, got, kakade)
			}
			ratio := kakade / (c.f.Eval(math.Sqrt2)*c.f.Eval(moment/math.Sqrt2) - c.f.Eval(tt)*c.f.Eval(tt))
			vectors := ratio * float64(c.degree*(c.degree+1)/2) / mean
			if !(math.Abs(ratio-c.features[i]) <= 0.0051) || !(math.Abs(vectors/c.vectors[i]-1) <= 0.03) {
				t.Errorf("degree %d, t = %v: ratios %.3f and %.2f, want %v and %v", c.degree, tt, ratio, vectors, c.features[i], c.vectors[i])
			}
		}
	}
}

// Points outside the radius of convergence have features, and a variance of +Inf.
func TestMaclaurinOutsideRadius(t *testing.T) {
	m, err := NewMaclaurin(Dot(series.Geometric{Ratio: 1}), 2, 50, NewSampler(1), nil)
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

// Variances at other scales: what matters is norms in length scales. The values at
// ℓ = 1 are those of the formula, evaluated in logarithms.
func TestMaclaurinScales(t *testing.T) {
	for _, c := range []struct {
		k    Kernel
		law  series.Law
		x    []float64
		want float64
	}{
		{ExpDot{LengthScale: 5}, nil, []float64{3, 4}, 0.1372},
		{ExpDot{LengthScale: 5}, series.OptimalLaw{Norm: 5}, []float64{3, 4}, 0.0862},
		{ExpDot{LengthScale: 10}, series.OptimalLaw{Norm: 10}, []float64{6, 8}, 0.0862},
		{ExpDot{LengthScale: 1000}, series.OptimalLaw{Norm: 1000}, []float64{600, 800}, 0.0862},
		{ExpDot{LengthScale: 0.01}, series.OptimalLaw{Norm: 0.01}, []float64{0.006, 0.008}, 0.0862},
		// Σ (pM)ⁿ·p/(p−1) − 1/(1−t)² for 1/(1−t), M = t² = 0.49 and p = 2, of one feature of 100.
		{Dot(series.Geometric{Ratio: 1}), series.GeometricLaw{P: 2}, []float64{0.8366600265340756}, 0.88889},
		{Dot(series.Geometric{Ratio: 1}), series.GeometricLaw{P: 10}, []float64{0.5477225575051661}, 0.090703},
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
		{Dot(series.Geometric{Ratio: 20}), 0.1},
		{Dot(series.Geometric{Ratio: 0.01}), 8},
		{Dot(series.Geometric{Ratio: 1}), 0.01},
		{ExpDot{LengthScale: 10}, 60},
		{Dot(series.HermiteDual{N: 500}), 1},
		{Polynomial{Degree: 1000, Gamma: 1e-3, Offset: 1}, 1},
		{Polynomial{Degree: 1_000_000_000, Gamma: 1e-9, Offset: 1}, 1},
		{Polynomial{Degree: 400, Gamma: 1, Offset: 0.1}, 1}, // a₀ underflows
	} {
		x := []float64{k.norm * 0.6, k.norm * 0.8}
		m, err := NewMaclaurin(k.k, 2, 100, NewSampler(1), &MaclaurinOptions{Law: series.OptimalLaw{Norm: k.norm}})
		if err != nil {
			t.Errorf("%+v: %v", k, err)
			continue
		}
		if v := m.Variance(x, x); !(v >= 0 && v <= math.MaxFloat64) {
			t.Errorf("%+v: Variance %v", k, v)
		}
	}
}

// The mean number of pairs in blocks, against the sum over the binomial distribution: k draws are ⌊k/p⌋ blocks
// of p(p−1) pairs and a rest. The closed form begins at a standard deviation of two blocks, where it is exact
// to e^{−8π²} of p², far below the rounding of the sum.
func TestMeanBlockPairs(t *testing.T) {
	for _, c := range []struct {
		draws, p int
		q        float64
	}{{3, 4, 0.5}, {40, 4, 0.5}, {300, 4, 0.3}, {306, 4, 0.3}, {5000, 4, 0.9}, {5000, 16, 0.99}, {20_000, 16, 0.06}, {20_000, 16, 0.05}, {400, 8, 0}, {400, 8, 1}} {
		k := distuv.Binomial{N: float64(c.draws), P: c.q}
		var want float64
		for n := range c.draws + 1 {
			whole, rest := n/c.p, n%c.p
			pairs := float64(whole*c.p*(c.p-1) + rest*(rest-1))
			switch {
			case c.q > 0 && c.q < 1:
				want += pairs * k.Prob(float64(n))
			case float64(n) == c.q*float64(c.draws):
				want = pairs
			}
		}
		if got := MeanBlockPairs(c.draws, c.q, c.p); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
	}
}
