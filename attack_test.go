// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Wrong and endless answers that were found by attack, each with what it was and what it is.

// oneWay is the kernel cos(w·(x − y)) of one coordinate, whose Frequency gives w and never −w.
type oneWay struct{ w float64 }

func (k oneWay) Eval(x, y []float64) float64         { return math.Cos(k.w * (x[0] - y[0])) }
func (oneWay) Mass() float64                         { return 1 }
func (k oneWay) Frequency(dst []float64, _ *Sampler) { dst[0] = k.w }

// Products and compositions of a caller's kernels are unbiased where E sin(ω·Δ) is not 0: z-scores
// of 4,000 maps by the exact variance, at most 5.
func TestOneSidedFrequencies(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	const maps = 4000
	x, y := []float64{0.5}, []float64{0}
	a, b := oneWay{1}, oneWay{2}
	for _, k := range []Kernel{
		Product(a, b), // cos(½)·cos(1) = .474; was .071
		Product(b, a, Gaussian{LengthScale: 1}),
		Product(Sum(a, b), b),
		Compose(Coefficients{0, 0, 1}, a),
		Compose(ExpDual(1), Sum(a, b)),
		Project(mat.NewDense(1, 1, []float64{3}), Product(a, b)),
		Scale(2, Product(a, ARD([]float64{0.5}, b))),
	} {
		var sum, v float64
		p := must(NewPlan(k, 1, 4, nil))
		for seed := range maps {
			m := must(p.Draw(NewSampler(uint64(seed)))).(*Fourier)
			v = m.Variance(x, y)
			sum += floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y)) / maps
		}
		if z := (sum - k.Eval(x, y)) / math.Sqrt(v/maps); !(math.Abs(z) <= 5) {
			t.Errorf("%v: mean estimate %v of %v, z = %.1f", k, sum, k.Eval(x, y), z)
		}
	}
}

// Maps of few distinct features have as many draws as fit, whether out is odd or even, large or
// small; and never more columns than out.
func TestFewDistinctFeatures(t *testing.T) {
	t.Parallel()
	circles := Sum(Select([]int{0}, Circle{}), Select([]int{1}, Categories{N: 3}))
	exp := Compose(Exp{Rate: 1}, circles)
	square := Compose(Coefficients{1, 0, 1}, circles) // of 11 columns in all
	draws := func(k Kernel, out int) int {
		m := must(New(k, 2, out, NewSampler(1))).(*Compositional)
		if _, n := m.Dims(); n > out {
			t.Errorf("%v: %d columns of at most %d", k, n, out)
		}
		return m.Draws()
	}
	// 220 had half the draws of 219.
	if odd, even := draws(exp, 219), draws(exp, 220); even < odd || even > odd+128 {
		t.Errorf("%d draws for 219 columns, %d for 220", odd, even)
	}
	for out := 2; out < 60; out++ {
		n := draws(square, out)
		if out >= 11 && n != 64*out {
			t.Errorf("%d draws for %d columns: all features there are fit", n, out)
		}
		if n < out/2 {
			t.Errorf("%d draws for %d columns: fewer than fit in any case", n, out)
		}
	}
	// Real features come again too: of two signs there are four, products of powers.
	signs := Compose(Exp{Rate: 1}, Sum(Select([]int{0}, Binary{}), Select([]int{1}, Binary{})))
	for _, out := range []int{1, 4, 20, 2000} {
		want := 64 * out
		if out == 1 {
			want = 1
		}
		if n := draws(signs, out); n != want {
			t.Errorf("%d draws of signs for %d columns, want %d", n, out, want)
		}
	}
	for _, k := range []Kernel{exp, square, signs} {
		for _, out := range []int{11, 20, 45, 80, 200} {
			p := must(NewPlan(k, 2, out, nil))
			for seed := range testkit.Times(50, 100, 200) {
				m := must(p.Draw(NewSampler(uint64(seed))))
				if _, n := m.Dims(); n > out {
					t.Errorf("%v: %d columns of at most %d", k, n, out)
				}
			}
		}
	}
}

// Constructors end, with a map or an error that says why: these took from 13 seconds to for ever.
func TestConstructorsEnd(t *testing.T) {
	t.Parallel()
	exp, g := Exp{Rate: 1}, Gaussian{LengthScale: 1}
	power := func(n, times int, k Kernel) Kernel {
		for range times {
			k = Compose(HermiteDual{N: n}, k)
		}
		return k
	}
	nested := func(times int, f Series, k Kernel) Kernel {
		for range times {
			k = Compose(f, k)
		}
		return k
	}
	var products []Kernel
	for range 40 {
		products = append(products, Polynomial{Degree: 1000, Scale: 1e-3, Offset: 1})
	}
	for _, k := range []Kernel{
		Scale(0, ExpDot{LengthScale: 1}),
		Scale(1e-320, ExpDot{LengthScale: 1}),
		Sum(Scale(0, ExpDot{LengthScale: 1}), g),
		Sum(Scale(0, ExpDot{LengthScale: 1}), Linear{}),
		nested(3, exp, Linear{}),
		nested(3, Exp{Rate: 0.5, Shift: -1}, Linear{}),
		nested(4, Geometric{Ratio: 0.1}, Linear{}),
		nested(3, exp, g),
		nested(3, ExpDual(30), g),
		Compose(HermiteDual{N: 1 << 20}, Dot(HermiteDual{N: 1 << 10})),
		Compose(HermiteDual{N: 1 << 10}, Dot(HermiteDual{N: 1 << 10})),
		Compose(HermiteDual{N: 100}, Scale(2, Dot(HermiteDual{N: 100}))),
		power(1<<16, 4, Linear{}), // t^(2⁶⁴), of which an int has no idea
		power(1<<16, 4, g),
		power(1<<16, 2, Circle{}),
		power(1<<20, 1, Product(g, Linear{})),
		power(1<<13, 1, g),
		Dot(HermiteDual{N: 1 << 20}),
		Product(Dot(HermiteDual{N: 1 << 19}), Dot(HermiteDual{N: 1 << 19})),
		Product(Dot(HermiteDual{N: 1 << 19}), ExpDot{LengthScale: 1}),
		Product(Polynomial{Degree: 1_000_000_000, Scale: 1e-9, Offset: 1}, Linear{}),
		Product(products...),
		Compose(Coefficients(make([]float64, 1<<20)), ExpDot{LengthScale: 1}),
		Compose(Polynomial{Degree: 1_000_000_000, Scale: 1e-9, Offset: 1}.Series(), ExpDot{LengthScale: 1}),
		Compose(ExpDual(1e5), g),
		Compose(ExpDual(1e5), Sum(g, Linear{})),
		Compose(ReLUDual{}, Compose(ExpDual(1e4), Circle{})),
		Polynomial{Degree: 1 << 30, Scale: 1, Offset: 1},
		Polynomial{Degree: 1 << 18, Scale: 1, Offset: 1},
		InfinitePolynomial{Scale: 1e300},
		ExpDot{LengthScale: 1e-3},
		Matern{Nu: 1e-300, LengthScale: 1},
		RationalQuadratic{Alpha: 1e-300, LengthScale: 1},
		Sum(Product(g, Linear{}), power(1<<12, 1, Sum(g, Linear{}))),
	} {
		in := 2
		if _, ok := k.(Stationary); ok && strings.Contains(fmt.Sprint(k), "Circle") || strings.Contains(fmt.Sprint(k), "Circle") {
			in = 1
		}
		if m, err := New(k, in, 40, NewSampler(1)); err == nil {
			z := m.TransformVec(nil, make([]float64, in))
			if floats.HasNaN(z) {
				t.Errorf("%v: features are NaN", k)
			}
		} else if !strings.HasPrefix(err.Error(), "featuremap: ") {
			t.Errorf("%v: %v", k, err)
		}
	}
	for _, law := range []DegreeLaw{
		TruncatedLaw{Degrees: []int{2, 1 << 30}}, TruncatedLaw{Degrees: []int{2, 1 << 18}}, TruncatedLaw{Degree: math.MaxInt},
		GeometricLaw{P: 1 + 1e-9}, OptimalLaw{Norm: 1e100}, &TruncatedLaw{Degrees: []int{2, 3}},
	} {
		for _, k := range []Kernel{ExpDot{LengthScale: 1}, Product(ExpDot{LengthScale: 1}, Linear{}), nested(3, exp, Linear{}), Dot(HermiteDual{N: 1 << 20})} {
			if _, err := NewMaclaurin(k, 2, 20, NewSampler(1), &MaclaurinOptions{Law: law}); err != nil && !strings.HasPrefix(err.Error(), "featuremap: ") {
				t.Errorf("%v with %v: %v", k, law, err)
			}
		}
	}
	// What is refused is refused for the reason there is.
	for want, k := range map[string]Kernel{
		"degree 1073741824": Compose(HermiteDual{N: 1 << 20}, Dot(HermiteDual{N: 1 << 10})),
		"at most 16384":     Dot(HermiteDual{N: 1 << 15}),
		"at most 1048576":   power(1<<16, 4, Linear{}),
	} {
		if _, err := NewMaclaurin(k, 2, 40, NewSampler(1), &MaclaurinOptions{Law: OptimalLaw{Norm: math.Pow(2, -0.25)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", k, err, want)
		}
	}
	// Points of a norm at which three exponentials are not much.
	k := nested(3, exp, Linear{})
	x, y := []float64{0.1, 0.2}, []float64{0.2, -0.1}
	m := must(NewMaclaurin(k, 2, 40, NewSampler(1), &MaclaurinOptions{Law: OptimalLaw{Norm: 0.3}}))
	if v := m.Variance(x, y); !(v > 0 && v < 10) {
		t.Errorf("Variance of %v is %v", k, v)
	}
}

// nilSeries is a caller's kernel that forgot its series.
type nilSeries struct{ Linear }

func (nilSeries) Series() Series { return nil }

// badMap is a map without dimensions.
func TestMissingArguments(t *testing.T) {
	g := Gaussian{LengthScale: 1}
	x := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	for _, k := range []Kernel{nilSeries{}, Sum(nilSeries{}, g), Product(nilSeries{}, Linear{}), Compose(Exp{Rate: 1}, nilSeries{}), Scale(2, nilSeries{})} {
		if _, err := New(k, 2, 20, NewSampler(1)); err == nil || !strings.Contains(err.Error(), "Series() = nil") {
			t.Errorf("%v: error %v", k, err)
		}
	}
	zero := new(Sampler)
	zero.Uint64()
	sk := NewSkeleton(1)
	sk.Input(Circle{})
	for name, err := range map[string]error{
		"New":               second(New(g, 2, 4, zero)),
		"NewFourier":        second(NewFourier(g, 2, 4, zero, nil)),
		"NewMaclaurin":      second(NewMaclaurin(ExpDot{LengthScale: 1}, 2, 4, zero, nil)),
		"NewNeurons":        second(NewNeurons(ArcCosine{}, 2, 4, zero, nil)),
		"NewCompositional":  second(NewCompositional(sk, 4, zero, nil)),
		"Plan.Draw":         second(must(NewPlan(g, 2, 4, nil)).Draw(zero)),
		"RMSE":              second(RMSE(must(NewPlan(g, 2, 4, nil)), x, 10, zero)),
		"MedianLengthScale": second(MedianLengthScale(x, zero)),
	} {
		if err == nil || !strings.Contains(err.Error(), "zero value") {
			t.Errorf("%s with the zero Sampler: error %v", name, err)
		}
	}
}

// ArcCosine at points of any size and angle, against mpmath 1.3.0 (the integral of Cho and Saul's
// equation 4, 40 digits): (3, 4, 0) and (1, 2, 2) times r and 1/r.
func TestArcCosineSizes(t *testing.T) {
	want := [3]float64{0.76203651074407082246, 11.628538260226073068, 462.99355970484377677}
	for order, want := range want {
		k := ArcCosine{Order: order}
		for _, r := range []float64{1, 1e-160, 1e160, 1e-300, 1e300} {
			x, y := []float64{3 * r, 4 * r, 0}, []float64{1 / r, 2 / r, 2 / r}
			if got := k.Eval(x, y); !(math.Abs(got/want-1) <= 1e-14) {
				t.Errorf("order %d, r = %v: %v, want %v", order, r, got, want)
			}
			v := must(NewNeurons(k, 3, 10, NewSampler(1), nil)).Variance(x, y)
			ref := must(NewNeurons(k, 3, 10, NewSampler(1), nil)).Variance([]float64{3, 4, 0}, []float64{1, 2, 2})
			if !(math.Abs(v/ref-1) <= 1e-13) {
				t.Errorf("order %d, r = %v: Variance %v, want %v", order, r, v, ref)
			}
		}
		// k(x, x) is ‖x‖²ⁿ times 1, 1 and 3 exactly, and steep beside it for order 0: 1 − θ/π.
		s := NewSampler(uint64(order))
		for range 100 {
			x := make([]float64, 7)
			s.FillNormal(x)
			n := math.Pow(floats.Dot(x, x), float64(order)) * [3]float64{1, 1, 3}[order]
			if got := k.Eval(x, x); !(math.Abs(got/n-1) <= 1e-14) {
				t.Errorf("order %d: k(x, x) = %v, want %v", order, got, n)
			}
		}
	}
	theta := 1e-9
	if got := (ArcCosine{}).Eval([]float64{1, 0}, []float64{math.Cos(theta), math.Sin(theta)}); !(math.Abs((1-got)/(theta/math.Pi)-1) <= 1e-6) {
		t.Errorf("order 0 at an angle of %v: 1 − %v", theta, 1-got)
	}
}

// Matérn kernels where the square of the distance underflows, against mpmath 1.3.0 with 40 digits.
func TestMaternNear(t *testing.T) {
	for _, c := range []struct{ nu, r, want float64 }{
		{0.01, 1e-160, 0.9993946539963411114},
		{0.001, 1e-300, 0.7504254288606129903},
		{0.5, 1e-160, 1},
		{0.9, 1e-200, 1},
	} {
		k := Matern{Nu: c.nu, LengthScale: 1}
		if got := k.Eval([]float64{c.r, 0}, []float64{0, 0}); !(math.Abs(got-c.want) <= 1e-13) {
			t.Errorf("ν = %v, r = %v: %.17g, want %.17g", c.nu, c.r, got, c.want)
		}
		scaled := Matern{Nu: c.nu, LengthScale: 1e100}
		if c.r < 1e-200 {
			continue
		}
		if got := scaled.Eval([]float64{c.r * 1e100, 0}, []float64{0, 0}); !(math.Abs(got-c.want) <= 1e-13) {
			t.Errorf("ν = %v, r = %v, ℓ = 1e100: %.17g, want %.17g", c.nu, c.r, got, c.want)
		}
	}
	// Both ways meet.
	for _, nu := range []float64{0.01, 0.1, 0.5, 0.99} {
		k := Matern{Nu: nu, LengthScale: 1}
		a, b := k.Eval([]float64{1.4e-145}, []float64{0}), k.Eval([]float64{1.5e-145}, []float64{0})
		if !(math.Abs(a-b) <= 1e-12+2*nu*0.07*(1-a)) {
			t.Errorf("ν = %v: %v and %v on the two sides of a limit", nu, a, b)
		}
	}
}

// A kernel prints as the Go expression that makes it, a map as its kernel, dimensions and options; a
// sum says which columns are whose.
func TestPrinting(t *testing.T) {
	g := Gaussian{LengthScale: 2}
	for _, c := range []struct {
		v    any
		want string
	}{
		{g, "Gaussian{LengthScale: 2}"},
		{&g, "Gaussian{LengthScale: 2}"},
		{Matern{Nu: 1.5, LengthScale: 3}, "Matern{Nu: 1.5, LengthScale: 3}"},
		{Linear{}, "Linear{}"},
		{Constant{Value: math.Inf(1)}, "Constant{Value: math.Inf(1)}"},
		{Scale(2, ARD([]float64{1, 2}, g)), "Scale(2, ARD([]float64{1, 2}, Gaussian{LengthScale: 2}))"},
		{Sum(&g, Linear{}, Select([]int{0, 3}, Circle{})), "Sum(&Gaussian{LengthScale: 2}, Linear{}, Select([]int{0, 3}, Circle{}))"},
		{Product(Dot(Coefficients{1, 2}), ExpDot{LengthScale: 1}), "Product(Dot(Coefficients{1, 2}), ExpDot{LengthScale: 1})"},
		{Compose(ReLUDual{}, Categories{N: 3}), "Compose(ReLUDual{}, Categories{N: 3})"},
		{Project(narrow, g), "Project(mat.NewDense(2, 3, []float64{1, 2, -1, 0.5, 0, 1}), Gaussian{LengthScale: 2})"},
		{Project(mat.NewDense(30, 30, nil), g), "Project(mat.NewDense(30, 30, …), Gaussian{LengthScale: 2})"},
		{Quadratic(mat.NewSymDense(2, []float64{2, 1, 1, 2})), "Quadratic(mat.NewSymDense(2, []float64{2, 1, 1, 2}))"},
		{Weight(WeightFunc(first), g), "Weight(WeightFunc(featuremap_test.first), Gaussian{LengthScale: 2})"},
		{Sum(), "Sum()"},
		{Scale(-1, nil), "Scale(-1, nil)"},
		{Sum(oneSided{g}, g), "Sum(featuremap_test.oneSided{Gaussian: Gaussian{LengthScale: 2}}, Gaussian{LengthScale: 2})"},
		{FromMap(must(NewFourier(g, 3, 8, NewSampler(1), nil))), "FromMap(Gaussian{LengthScale: 2}: R^3 → R^8, Fourier, Independent frequencies in pairs)"},
		{must(NewMaclaurin(ExpDot{LengthScale: 1}, 3, 9, NewSampler(1), nil)), "ExpDot{LengthScale: 1}: R^3 → R^9, Maclaurin, GeometricLaw{P: 0}, RademacherSketch"},
		{must(New(Sum(Linear{}, Laplacian{LengthScale: 1}), 3, 20, NewSampler(1))),
			"Sum(Linear{}, Laplacian{LengthScale: 1}): R^3 → R^19\n\tcolumns 0 to 2: exact, of Linear{}\n\tcolumns 3 to 18: Fourier, Independent frequencies in pairs, of Laplacian{LengthScale: 1}"},
	} {
		if got := fmt.Sprint(c.v); got != c.want {
			t.Errorf("%T prints as %s\nwant %s", c.v, got, c.want)
		}
	}
	// That exact features were given up is told.
	m := must(New(Sum(Linear{}, g), 30, 20, NewSampler(1)))
	if got := fmt.Sprint(m); !strings.Contains(got, "30 columns would be exact") {
		t.Errorf("a map without room for 30 exact columns prints as %s", got)
	}
	// No map marshals as {} without a word.
	base := must(NewFourier(g, 2, 4, NewSampler(1), nil))
	sk := NewSkeleton(2)
	sk.Input(g)
	for _, m := range []any{base, *base, must(NewMaclaurin(Linear{}, 2, 4, NewSampler(1), nil)), must(NewNeurons(ArcCosine{}, 2, 4, NewSampler(1), nil)),
		must(NewCompositional(sk, 4, NewSampler(1), nil)), must(New(Sum(Linear{}, g), 2, 10, NewSampler(1))), must(NewDataDependent(base, mat.NewDense(1, 2, nil), nil))} {
		if got, err := json.Marshal(m); err != nil || !strings.Contains(string(got), "probe") {
			t.Errorf("%T marshals as %s: %v", m, got, err)
		}
	}
}

func first(x []float64) float64 { return x[0] }

// Errors speak of what the caller wrote, and of what there is to do.
func TestErrorsHelp(t *testing.T) {
	for _, c := range []struct {
		k          Kernel
		want, lack string
	}{
		{unknownKernel{}, "implement Stationary or DotProduct, or give its features with BlackBox or FromMap", "node"},
		{Sum(unknownKernel{}, Gaussian{LengthScale: 1}), "unknownKernel", "node"},
		{Product(unknownKernel{}, Linear{}), "implement Stationary", "scheme"},
		{Gaussian{LengthScale: -1}, "Gaussian LengthScale = -1", "RBF"},
		{Compose(StepDual{}, Gaussian{LengthScale: 1}), "f′(1) = +Inf for StepDual{}", "node"},
	} {
		_, err := New(c.k, 2, 10, NewSampler(1))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), c.lack) {
			t.Errorf("%v: error %v, want one with %q and without %q", c.k, err, c.want, c.lack)
		}
	}
	if _, err := New(unknownKernel{}, 2, 10, NewSampler(1)); !errors.Is(err, ErrNoMap) {
		t.Errorf("error %v is not ErrNoMap", err)
	}
}
