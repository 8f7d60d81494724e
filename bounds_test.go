// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// exceeds returns the part of maps from seeds 0, 1, … whose error at x and y is eps or more.
func exceeds(maps int, k Kernel, x, y []float64, eps float64, draw func(s *Sampler) (FeatureMap, error)) float64 {
	want, count, redraw := k.Eval(x, y), 0, testkit.Redraws(testkit.Must(draw(NewSampler(0))))
	for seed := range maps {
		m := redraw(seed)
		if math.Abs(testkit.DotOf(m.TransformVec(nil, x), m.TransformVec(nil, y))-want) >= eps {
			count++
		}
	}
	return float64(count) / float64(maps)
}

// The terms of a product of signs at two axes are ±1, the worst there is for Hoeffding's
// bound: the measured probability of 0.3 or more in 100 is 0.0035 (two tails of the binomial
// distribution from 65 of 100 on), the bound 0.0222. A bound with twice its exponent has
// 0.00025, and one with ψ instead of ψ(x)ψ(y) bounded has as much or more: both fail.
func TestHoeffdingBound(t *testing.T) {
	t.Parallel()
	const n, eps = 100, 0.3
	maps := testkit.Times(4000, 4000, 20_000)
	draw := func(s *Sampler) (FeatureMap, error) { return NewMaclaurin(Linear{}, 2, n, s, nil) }
	measured := exceeds(maps, Linear{}, []float64{1, 0}, []float64{0, 1}, eps, draw)
	const exact = 0.0035176417229701 // 2·P(Bin(100, ½) ≥ 65), by summation with 40 digits
	if se := math.Sqrt(exact / float64(maps)); !(math.Abs(measured-exact) <= 5*se) {
		t.Errorf("measured %.5f, exact %.5f ± %.5f: the terms are not what they should be", measured, exact, se)
	}
	want := 2 * math.Exp(-n*eps*eps/2)
	for name, b := range map[string]*TailBound{
		"HoeffdingBound": testkit.Must(HoeffdingBound{C: 1}.Tail()),
		"MaclaurinBound": testkit.Must(MaclaurinBound{Kernel: Linear{}, Law: series.GeometricLaw{P: 3}, Radius: 1}.Tail()),
	} {
		if p := b.Prob(eps, n); !testkit.Close15(p, want) || !(measured <= p) {
			t.Errorf("%s: %v, want %v; measured %v", name, p, want, measured)
		}
	}
}

// The table of FourierBound in docs/theory/bounds.md: bounds, and measured probabilities by fewer maps.
func TestFourierBound(t *testing.T) {
	t.Parallel()
	const n = 200
	maps := testkit.Times(1000, 1000, 10_000)
	k := Gaussian{LengthScale: 1}
	for _, c := range []struct {
		o     FourierOptions
		eps   float64
		bound float64 // 2exp(−nε²/4) or 2exp(−nε²/8), at most 1
		truth float64 // by 100,000 maps
	}{
		{FourierOptions{}, 0.1, 1, 0.149},
		{FourierOptions{}, 0.2, 2 * math.Exp(-2), 0.0040},
		{FourierOptions{RandomPhase: true}, 0.1, 1, 0.154},
		{FourierOptions{RandomPhase: true}, 0.2, 2 * math.Exp(-1), 0.0044},
	} {
		b := testkit.Must(FourierBound{Kernel: k, RandomPhase: c.o.RandomPhase}.Tail())
		if p := b.Prob(c.eps, n); !testkit.Close15(p, c.bound) {
			t.Errorf("%s: bound %v, want %v", optionsName(c.o), p, c.bound)
		}
		measured := exceeds(maps, k, []float64{1}, []float64{-1}, c.eps, func(s *Sampler) (FeatureMap, error) {
			return NewFourier(k, 1, n, s, &c.o)
		})
		if se := math.Sqrt(c.truth / float64(maps)); !(math.Abs(measured-c.truth) <= 5*se) || !(measured <= c.bound) {
			t.Errorf("%s, ε = %v: measured %.4f, want %.4f ± %.4f", optionsName(c.o), c.eps, measured, c.truth, se)
		}
	}
	// Mass m: errors are m times as large.
	b := testkit.Must(FourierBound{Kernel: Scale(3, k)}.Tail())
	if p := b.Prob(0.6, n); !testkit.Close15(p, 2*math.Exp(-2)) {
		t.Errorf("mass 3: %v", p)
	}
}

// Features and Error invert Prob, for bounds of every kind.
func TestTailBoundInverses(t *testing.T) {
	gram := GramBound{Points: 50, Norm: 12}
	wide := FourierBound{Kernel: Gaussian{LengthScale: 0.5}, In: 3, Diameter: 2}
	set := FourierBound{Kernel: wide.Kernel, In: 3, Diameter: 2, Sigma: 2 * math.Sqrt(3), Gradient: 2 * math.Exp(-0.5)}
	setPhase := set
	setPhase.RandomPhase = true
	for name, b := range map[string]*TailBound{
		"Hoeffding":        testkit.Must(HoeffdingBound{C: 1.5}.Tail()),
		"Fourier pairs":    testkit.Must(FourierBound{Kernel: Constant{Value: 2}}.Tail()),
		"Fourier phase":    testkit.Must(FourierBound{Kernel: Constant{Value: 2}, RandomPhase: true}.Tail()),
		"Maclaurin":        testkit.Must(MaclaurinBound{Kernel: ExpDot{LengthScale: 1}, Radius: 1}.Tail()),
		"Gram":             testkit.Must(gram.Tail()),
		"uniform pairs":    testkit.Must(set.Tail()),
		"uniform phase":    testkit.Must(setPhase.Tail()),
		"uniform Gaussian": testkit.Must(wide.Tail()),
		"uniform products": testkit.Must(MaclaurinBound{Kernel: ExpDot{LengthScale: 1}, Law: series.GeometricLaw{P: 1.5}, In: 3, Radius: 1}.Tail()),
		"composition":      testkit.Must(testComposition.Tail()),
	} {
		for _, eps := range []float64{0.003, 0.1, 0.7} {
			for _, delta := range []float64{1e-9, 0.05, 0.9} {
				n := testkit.Must(b.Features(eps, delta))
				step := 1
				if testkit.Must(b.Features(eps*1.001, delta))%2 == 0 && strings.Contains(name, "pairs") || name == "uniform Gaussian" || name == "Gram" {
					step = 2
				}
				if n%step != 0 || !(b.Prob(eps, n) <= delta*(1+1e-9)) || !(b.Prob(eps, n-step) > delta*(1-1e-9)) {
					t.Errorf("%s: ε = %v, δ = %v: %d features, with %v, and %v for fewer", name, eps, delta, n, b.Prob(eps, n), b.Prob(eps, n-step))
				}
				back := testkit.Must(b.Error(n, delta))
				if !(back <= eps*(1+1e-9)) || !(b.Prob(back, n) <= delta*(1+1e-9)) || !(b.Prob(back*(1-1e-6), n) > delta) {
					t.Errorf("%s: ε = %v, δ = %v: %d features have an error of %v", name, eps, delta, n, back)
				}
			}
		}
		for _, p := range []float64{b.Prob(0, 10), b.Prob(-1, 10), b.Prob(math.NaN(), 10), b.Prob(0.1, 0), b.Prob(0.1, -5), b.Prob(1e-3, 10)} {
			if p != 1 {
				t.Errorf("%s: probability %v where the bound says nothing", name, p)
			}
		}
		if p, q := b.Prob(1e9, 1000), b.Prob(0.5, 1000); !(p <= q && p >= 0) {
			t.Errorf("%s: probability %v of a large error, %v of a small one", name, p, q)
		}
	}
}

// gramCase is the points and the kernel of the tables of GramBound.
func gramCase() (x *mat.Dense, k *mat.SymDense) {
	x = testkit.NormalPoints(1, 60, 3)
	k = new(mat.SymDense)
	Gram(k, Gaussian{LengthScale: 1}, x)
	return x, k
}

// gramEstimate returns K̂ of a map of the Gaussian kernel, and ‖K̂ − K‖.
func gramEstimate(x *mat.Dense, k *mat.SymDense, n int, seed uint64, o *FourierOptions) (*mat.SymDense, float64) {
	_, d := x.Dims()
	var phi mat.Dense
	testkit.Must(NewFourier(Gaussian{LengthScale: 1}, d, n, NewSampler(seed), o)).TransformTo(&phi, x)
	var estimate mat.SymDense
	estimate.SymOuterK(1, &phi)
	var diff mat.Dense
	diff.Sub(&estimate, k)
	return &estimate, spectralNorm(&diff)
}

func spectralNorm(a mat.Matrix) float64 {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDNone) {
		panic("no SVD")
	}
	return svd.Values(nil)[0]
}

// quantile sorts v and returns its quantile.
func quantile(v []float64, p float64) float64 {
	sort.Float64s(v)
	return v[int(p*float64(len(v)))]
}

// The tables of GramBound.Mean and Tail, measured by 40 maps each; those of points far from
// each other (K = I) are where the bound is sharpest: there it is 2.4 times what was measured,
// less than the root of its logarithm and 2 altogether, so that without these it would fail.
func TestGramBound(t *testing.T) {
	t.Parallel()
	x, k := gramCase()
	apart := mat.NewDense(50, 1, nil)
	for i := range 50 {
		apart.Set(i, 0, 10*float64(i))
	}
	var unit mat.SymDense
	Gram(&unit, Gaussian{LengthScale: 1}, apart)
	maps := testkit.Times(10, 10, 40)
	for _, c := range []struct {
		name       string
		x          *mat.Dense
		k          *mat.SymDense
		n          int
		o          FourierOptions
		mean, tail float64 // bounds, by the formulas
		measured   float64 // the mean
	}{
		{"pairs", x, k, 100, FourierOptions{}, 14.94177593293679, 18.940603374655694, 2.96},
		{"pairs", x, k, 400, FourierOptions{}, 6.992138792190191, 8.667100375669293, 1.46},
		{"phase", x, k, 400, FourierOptions{RandomPhase: true}, 6.992138792190191, 8.667100375669293, 1.58},
		{"apart", apart, &unit, 1600, FourierOptions{}, math.Sqrt(4*50*math.Log(100)/1600) + 100*math.Log(100)/4800, math.NaN(), 0.35},
	} {
		g := GramBound{Points: c.k.SymmetricDim(), Norm: spectralNorm(c.k), RandomPhase: c.o.RandomPhase}
		bound, tail := testkit.Must(g.Mean(c.n)), testkit.Must(testkit.Must(g.Tail()).Error(c.n, 0.1))
		if !(math.Abs(bound-c.mean) <= 1e-9) || !math.IsNaN(c.tail) && !(math.Abs(tail-c.tail) <= 1e-9) {
			t.Errorf("%s, n = %d: bounds %v and %v, want %v and %v", c.name, c.n, bound, tail, c.mean, c.tail)
		}
		var mean float64
		over := 0
		for seed := range maps {
			_, e := gramEstimate(c.x, c.k, c.n, uint64(seed), &c.o)
			mean += e / float64(maps)
			if e >= tail {
				over++
			}
		}
		if !(mean <= bound) || over > 0 {
			t.Errorf("%s, n = %d: mean %v with bound %v; %d of %d above %v", c.name, c.n, mean, bound, over, maps, tail)
		}
		// A map's norm has a standard deviation of a quarter of the mean: 5 standard errors.
		if !(math.Abs(mean/c.measured-1) <= 5*0.25/math.Sqrt(float64(maps))) {
			t.Errorf("%s, n = %d: mean %v, in the table %v", c.name, c.n, mean, c.measured)
		}
	}
	// Half the mass with half the norm is half the error.
	half := GramBound{Points: 60, Mass: 0.5, Norm: 3}
	if a, b := testkit.Must(half.Mean(100)), testkit.Must(GramBound{Points: 60, Norm: 6}.Mean(100)); !testkit.Close15(2*a, b) {
		t.Errorf("mass ½: %v, and %v for 1", a, b)
	}
	if a, b := testkit.Must(GramBound{Points: 60}.Mean(100)), testkit.Must(GramBound{Points: 60, Norm: 60}.Mean(100)); a != b {
		t.Errorf("without a norm %v, with the largest %v", a, b)
	}
}

// dataDependent returns K(I + MK)⁻¹.
func dataDependent(k, m mat.Matrix) *mat.Dense {
	var km, r mat.Dense
	km.Mul(k, m)
	n, _ := km.Dims()
	for i := range n {
		km.Set(i, i, km.At(i, i)+1)
	}
	if err := r.Solve(&km, k); err != nil { // (I + KM)⁻¹K is the same matrix
		panic(err)
	}
	return &r
}

// The ratio of DataDependent's table. The factor ½ in R and T cannot be less: for K and M of
// rank one with vectors at an angle of cosine 1/√(‖K‖‖M‖) the norm of (I + KM)⁻¹ is above
// ½√(‖K‖‖M‖).
func TestGramBoundDataDependent(t *testing.T) {
	t.Parallel()
	x, k := gramCase()
	laplacian := mat.NewDense(60, 60, nil)
	root := make([]float64, 60)
	for i := range root {
		for j := range root {
			root[i] += k.At(i, j)
		}
		root[i] = math.Sqrt(root[i])
	}
	laplacian.Apply(func(i, j int, _ float64) float64 {
		v := -k.At(i, j) / (root[i] * root[j])
		if i == j {
			v++
		}
		return v
	}, laplacian)
	g := GramBound{Points: 60, Norm: spectralNorm(k)}
	for _, c := range []struct{ alpha, ratio float64 }{{0.1, 1.07}, {1, 1.32}, {10, 1.58}} {
		var m mat.Dense
		m.Scale(c.alpha, laplacian)
		norm := spectralNorm(&m)
		factor := testkit.Must(g.DataDependent(norm))
		if want := (1 + math.Sqrt(60*norm)/2) * (1 + math.Sqrt(g.Norm*norm)/2); !testkit.Close15(factor, want) {
			t.Errorf("α = %v: factor %v, want %v", c.alpha, factor, want)
		}
		exact := dataDependent(k, &m)
		var worst float64
		for seed := range uint64(testkit.Times(10, 10, 40)) {
			estimate, e := gramEstimate(x, k, 400, seed, nil)
			var diff mat.Dense
			diff.Sub(dataDependent(estimate, &m), exact)
			worst = max(worst, spectralNorm(&diff)/e)
		}
		if !(worst <= factor) || !(worst <= c.ratio+0.01) || !(worst >= 0.7*c.ratio) {
			t.Errorf("α = %v: ratio %v, in the table up to %v; factor %v", c.alpha, worst, c.ratio, factor)
		}
	}
	const size = 1000.0 // ‖K‖ = ‖M‖
	c := 1 / size
	u, v := mat.NewVecDense(2, []float64{1, 0}), mat.NewVecDense(2, []float64{c, math.Sqrt(1 - c*c)})
	var a, b, km, inverse mat.Dense
	a.Outer(size, u, u)
	b.Outer(size, v, v)
	km.Mul(&a, &b)
	km.Set(0, 0, km.At(0, 0)+1)
	km.Set(1, 1, km.At(1, 1)+1)
	if err := inverse.Inverse(&km); err != nil {
		t.Fatal(err)
	}
	if norm := spectralNorm(&inverse); !(norm > size/2 && norm <= 1+size/2) {
		t.Errorf("‖(I + KM)⁻¹‖ = %v, want just above %v", norm, size/2)
	}
}

// Corollary 4: half of the bound's square is there for pairs at points far from the center, so
// that a constant of half would fail.
func TestFunctionError(t *testing.T) {
	t.Parallel()
	k := Gaussian{LengthScale: 1}
	centers, alpha := []float64{0, 1, -2}, []float64{1, -0.5, 2}
	f := func(k func(x, y []float64) float64, x float64) (sum float64) {
		for i, c := range centers {
			sum += alpha[i] * k([]float64{c}, []float64{x})
		}
		return sum
	}
	var norm2 float64
	for i, c := range centers {
		norm2 += alpha[i] * f(k.Eval, c)
	}
	const draws = 50
	maps := testkit.Times(1000, 1000, 4000)
	for _, o := range []FourierOptions{{}, {RandomPhase: true}} {
		n, c := 2*draws, 1.0
		if o.RandomPhase {
			n, c = draws, math.Sqrt2
		}
		bound := testkit.Must(LearningBound{C: c, Norm: math.Sqrt(norm2), Draws: draws}.FunctionError())
		redraw := testkit.Redraws(testkit.Must(NewFourier(k, 1, n, NewSampler(0), &o)))
		for _, x := range []float64{0, 1.5, 6} {
			var mean float64
			for seed := range maps {
				m := redraw(seed)
				e := f(func(x, y []float64) float64 {
					return testkit.DotOf(m.TransformVec(nil, x), m.TransformVec(nil, y))
				}, x) - f(k.Eval, x)
				mean += e * e / float64(maps)
			}
			if rms := math.Sqrt(mean); !(rms <= bound) || x == 6 && !(rms >= 0.6*bound) {
				t.Errorf("%s, x = %v: error %v, bound %v", optionsName(o), x, rms, bound)
			}
		}
	}
	if e := testkit.Must(LearningBound{C: 2, Norm: 3, Draws: 3600}.FunctionError()); !testkit.Close15(e, 0.1) {
		t.Errorf("FunctionError = %v, want 0.1", e)
	}
}

// The example of LearningBound.Excess in docs/theory/bounds.md: classes by the sign of x₁x₂, x standard normal, and
// f* = Σ ±α·k(z, ·) at z = (±1, ±1), scaled to the norm B. The loss is minimized by 100 steps
// of gradient descent, of contraction 1 − 2λ/(¼ + 2λ) = 0.63 each.
func TestLearningBound(t *testing.T) {
	b := LearningBound{Lipschitz: 1, Norm: 3, Examples: 40, Draws: 20}
	lambda, excess := testkit.Must(b.Lambda()), testkit.Must(b.Excess(0))
	if want := math.Sqrt2 / (math.Sqrt(40) * 3); !testkit.Close15(lambda, want) {
		t.Errorf("λ = %v, want %v", lambda, want)
	}
	if want := math.Sqrt(8.0/40)*3 + 3/math.Sqrt(20); !testkit.Close15(excess, want) {
		t.Errorf("excess %v, want %v", excess, want)
	}
	for _, factor := range []float64{0.5, 0.99, 1.01, 2} {
		if other := testkit.Must(b.Excess(lambda * factor)); !(other > excess) {
			t.Errorf("%v·λ has the excess %v, below %v", factor, other, excess)
		}
	}
	k := Gaussian{LengthScale: 1}
	corners := mat.NewDense(4, 2, []float64{1, 1, -1, -1, 1, -1, -1, 1})
	var gram mat.SymDense
	Gram(&gram, k, corners)
	alpha := mat.NewVecDense(4, []float64{1, 1, -1, -1})
	alpha.ScaleVec(b.Norm/math.Sqrt(mat.Inner(alpha, &gram, alpha)), alpha)
	loss := func(margin float64) float64 { return math.Log1p(math.Exp(-margin)) }
	const tests = 500
	x := mat.NewDense(b.Examples+tests, 2, nil)
	var best, learned float64
	trials := testkit.Times(10, 10, 40)
	for trial := range trials {
		s := NewSampler(uint64(trial))
		s.FillNormal(x.RawMatrix().Data)
		var phi mat.Dense
		testkit.Must(NewFourier(k, 2, 2*b.Draws, s, nil)).TransformTo(&phi, x)
		class := func(i int) float64 { return math.Copysign(1, x.At(i, 0)*x.At(i, 1)) }
		v := mat.NewVecDense(2*b.Draws, nil)
		for range 100 {
			gradient := mat.NewVecDense(v.Len(), nil)
			gradient.ScaleVec(2*lambda, v)
			for i := range b.Examples {
				y := class(i)
				slope := -y / (1 + math.Exp(y*mat.Dot(v, phi.RowView(i))))
				gradient.AddScaledVec(gradient, slope/float64(b.Examples), phi.RowView(i))
			}
			v.AddScaledVec(v, -1/(0.25+2*lambda), gradient)
		}
		var values mat.Dense
		CrossGram(&values, k, x, corners)
		for i := b.Examples; i < b.Examples+tests; i++ {
			best += loss(class(i)*mat.Dot(alpha, values.RowView(i))) / float64(tests*trials)
			learned += loss(class(i)*mat.Dot(v, phi.RowView(i))) / float64(tests*trials)
		}
	}
	t.Logf("f* has a loss of %.3f, the bound is %.3f; learned %.3f", best, best+excess, learned)
	if !(learned <= best+excess) || !(math.Abs(learned-0.65) < 0.05) {
		t.Errorf("loss %v, the bound is %v + %v", learned, best, excess)
	}
}

// callersMass is a caller's stationary kernel of a mass.
type callersMass float64

func (k callersMass) Eval(x, y []float64) float64         { return float64(k) }
func (k callersMass) Mass() float64                       { return float64(k) }
func (k callersMass) Frequency(dst []float64, _ *Sampler) { clear(dst) }

// The bounds refuse numbers and options for which they are not proved, and name them.
func TestBoundsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	hoeffding, uniform := testkit.Must(HoeffdingBound{C: 1}.Tail()), testkit.Must(FourierBound{Kernel: Gaussian{LengthScale: 1}, In: 2, Diameter: 3}.Tail())
	limited := testkit.Must(FourierBound{Kernel: Gaussian{LengthScale: 1}, In: 1, Diameter: 1, Sigma: 1, Gradient: 0.5}.Tail()) // up to 1.5
	var errs []error
	var wants []string
	refuse := func(err error, want string) { errs, wants = append(errs, err), append(wants, want) }
	for _, v := range []float64{0, -1, nan, inf} {
		_, err := HoeffdingBound{v}.Tail()
		refuse(err, "HoeffdingBound C = ")
		_, err = FourierBound{Kernel: callersMass(v)}.Tail()
		refuse(err, "ass = ")
		_, err = MaclaurinBound{Kernel: ExpDot{LengthScale: 1}, Radius: v}.Tail()
		refuse(err, "MaclaurinBound Radius = ")
		_, err = hoeffding.Features(v, 0.1)
		refuse(err, "eps = ")
		_, err = LearningBound{Norm: v, Draws: 3}.FunctionError()
		refuse(err, "Norm = ")
		_, err = LearningBound{v, 1, 1, 1, 1}.Excess(0)
		refuse(err, "Lipschitz = ")
		_, err = LearningBound{1, v, 1, 1, 1}.Lambda()
		refuse(err, "Norm = ")
	}
	for _, v := range []float64{0, 1, -1, 2, nan} {
		_, err := hoeffding.Features(0.1, v)
		refuse(err, "delta = ")
		_, err = uniform.Error(100, v)
		refuse(err, "delta = ")
	}
	for _, v := range []float64{-1, nan, inf} {
		_, err := LearningBound{1, 1, v, 1, 1}.Excess(0)
		refuse(err, "C = ")
		_, err = LearningBound{C: v, Norm: 1, Draws: 1}.FunctionError()
		refuse(err, "C = ")
		_, err = LearningBound{1, 1, 1, 1, 1}.Excess(v)
		refuse(err, "lambda = ")
		_, err = GramBound{Points: 2, Mass: v}.Mean(1)
		refuse(err, "Mass = ")
		_, err = GramBound{Points: 2, Norm: v}.Tail()
		refuse(err, "Norm = ")
		_, err = GramBound{Points: 2}.DataDependent(v)
		refuse(err, "norm = ")
	}
	_, err := hoeffding.Features(1e-12, 0.1)
	refuse(err, "eps = 1e-12 with delta = 0.1: it takes 5.99e+24 features")
	_, err = limited.Features(1.6, 0.1)
	refuse(err, "eps = 1.6: the bound holds up to 1.5")
	_, err = limited.Error(1, 0.1)
	refuse(err, "n = 1: too few")
	_, err = hoeffding.Error(0, 0.1)
	refuse(err, "n = 0")
	_, err = GramBound{}.Mean(1)
	refuse(err, "Points = 0")
	_, err = GramBound{Points: 2}.Mean(0)
	refuse(err, "n = 0")
	_, err = GramBound{Points: 2, Mass: 3, Norm: 7}.Mean(1)
	refuse(err, "Norm = 7: must be positive and at most Points·Mass = 6")
	_, err = LearningBound{Norm: 1}.FunctionError()
	refuse(err, "Draws = 0")
	_, err = LearningBound{1, 1, 1, 0, 1}.Excess(0)
	refuse(err, "Examples = 0")
	_, err = LearningBound{1, 1, 1, 1, 0}.Excess(0)
	refuse(err, "Draws = 0")
	_, err = MaclaurinBound{Kernel: Dot(series.Geometric{Ratio: 1}), Radius: 0.8}.Tail()
	refuse(err, "P·Radius² = 1.28")
	_, err = MaclaurinBound{Kernel: Dot(nil), Radius: 0.8}.Tail()
	refuse(err, "series f = nil")
	_, err = MaclaurinBound{Kernel: Dot(series.Coefficients{1, -1}), Radius: 0.8}.Tail()
	refuse(err, "negative")
	_, err = MaclaurinBound{Kernel: ExpDot{LengthScale: 1}, Law: series.GeometricLaw{P: 1}, Radius: 0.8}.Tail()
	refuse(err, "GeometricLaw P = 1")
	for i, err := range errs {
		if err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), wants[i]) {
			t.Errorf("error %d is %v, want one with %q", i, err, wants[i])
		}
	}
	if p, q := limited.Prob(10, 100), limited.Prob(1.5, 100); p != q || !(p > 0 && p < 1) {
		t.Errorf("beyond the largest ε the probability is %v, there %v", p, q)
	}
	if e := testkit.Must(testkit.Must(HoeffdingBound{C: 1e80}.Tail()).Error(1, 0.5)); !(e > 1e160) {
		t.Errorf("a large scheme has an error of %v", e)
	}
}
