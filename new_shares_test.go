// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

func TestDivideColumns(t *testing.T) {
	for _, c := range []struct {
		columns int
		weights []float64
		want    []int
	}{
		{10, []float64{1}, []int{10}},
		{84, []float64{1, 1, 1, 1, 1, 1}, []int{14, 14, 14, 14, 14, 14}},
		{84, []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, []int{14, 14, 14, 14, 14, 14}},
		{40, []float64{3, 1}, []int{30, 10}}, // 2 + 27 and 2 + 9, made even, and the rest to the largest
		{41, []float64{1, 3}, []int{10, 31}},
		{4, []float64{1e9, 1}, []int{2, 2}},
		{9, []float64{0, 0}, []int{7, 2}},
	} {
		got := DivideColumns(c.columns, c.weights)
		if !slices.Equal(got, c.want) {
			t.Errorf("%d columns by %v: %v, want %v", c.columns, c.weights, got, c.want)
		}
	}
}

// A sum of two terms has its columns in proportion to their deviations, and its variance is theirs:
// no other division has less, up to its steps of two.
func TestNewShares(t *testing.T) {
	const in, out = 3, 120
	weight := WeightFunc(func(x []float64) float64 { return 2 + 0*x[0] })
	rough, smooth := Laplacian{LengthScale: 0.3}, Gaussian{LengthScale: 1.5}
	sum := must(New(Sum(Weight(weight, rough), Weight(weight, Scale(0.5, rough)), Product(smooth, Linear{})), in, out, NewSampler(1)))
	x, y := []float64{0.6, 0.8, 0}, []float64{0, 0.6, -0.8}
	if _, columns := sum.Dims(); columns > out || columns < out-8 {
		t.Errorf("%d columns, want about %d", columns, out)
	}
	// Two terms whose variances are ones in D: 16·v/D₁ and 4·v/D₂ with D₁ = 2·D₂.
	two := must(New(Sum(Weight(weight, rough), Scale(0.5, Weight(weight, rough))), in, out, NewSampler(1)))
	v := must(NewFourier(rough, in, 2, NewSampler(1), nil)).Variance(x, y) * 2
	want := 16*v/80 + 4*v/40
	if got := two.(Variancer).Variance(x, y); !(math.Abs(got/want-1) <= 0.06) {
		t.Errorf("Variance = %v, of the best division %v", got, want)
	}
}

// More columns are never refused where fewer are not.
func TestNewMonotone(t *testing.T) {
	t.Parallel()
	const in = 6
	for _, k := range []Kernel{
		Sum(Linear{}, Gaussian{LengthScale: 1}),
		Sum(Linear{}, Gaussian{LengthScale: 1}, ArcCosine{Order: 1}, Select([]int{1}, Categories{N: 5})),
		Sum(Polynomial{Degree: 2, Scale: 1, Offset: 1}, Gaussian{LengthScale: 1}),
	} {
		ok := false
		for out := 1; out < 40; out++ {
			_, err := New(k, in, out, NewSampler(1))
			if ok && err != nil {
				t.Errorf("out = %d is refused and %d is not: %v", out, out-1, err)
			}
			ok = err == nil
		}
		if !ok {
			t.Error("40 columns are refused")
		}
	}
}

// embedsGaussian has the Mixture of a Gaussian kernel, and frequencies of its own.
type embedsGaussian struct{ Gaussian }

func (embedsGaussian) Eval(x, y []float64) float64 { return Laplacian{LengthScale: 1}.Eval(x, y) }

func (embedsGaussian) Frequency(dst []float64, s *Sampler) {
	Laplacian{LengthScale: 1}.Frequency(dst, s)
}

// embedsCoefficients is exp(t), and says by what it embeds that it is 1 + t.
type embedsCoefficients struct{ Coefficients }

func (embedsCoefficients) Eval(t float64) float64  { return Exp{Rate: 1}.Eval(t) }
func (embedsCoefficients) Deriv(t float64) float64 { return Exp{Rate: 1}.Eval(t) }
func (embedsCoefficients) Coeff(n int) float64     { return Exp{Rate: 1}.Coeff(n) }

// What callers' types embed is not taken for theirs.
func TestNewEmbedded(t *testing.T) {
	t.Parallel()
	f := must(New(embedsGaussian{Gaussian{LengthScale: 1}}, 2, 20, NewSampler(1))).(*Fourier)
	x, y := []float64{0.5, 0.1}, []float64{0, 0.4}
	if want := must(NewFourier(Laplacian{LengthScale: 1}, 2, 20, NewSampler(1), nil)).Variance(x, y); f.Variance(x, y) != want {
		t.Errorf("Variance = %v, want that of independent frequencies %v", f.Variance(x, y), want)
	}
	w := f.Frequencies()
	blocks := 0.0
	for i := 0; i+1 < 10; i += 2 {
		blocks += math.Abs(mat.Dot(w.RowView(i), w.RowView(i+1)))
	}
	if blocks < 1e-6 {
		t.Error("frequencies are orthogonal by a promoted Mixture")
	}
	m := must(New(Dot(embedsCoefficients{Coefficients{1, 1}}), 3, 40, NewSampler(1)))
	if v := m.(Variancer).Variance([]float64{1, 0, 0}, []float64{0.6, 0.8, 0}); !(v > 0) {
		t.Errorf("Variance = %v of a series that embeds 1 + t", v)
	}
	// Series whose values underflow are not taken for constants.
	for _, s := range []Series{ExpDual(2000), SineDual{Rate: 2000}, CosineDual{Rate: 1500}} {
		if m, err := New(Dot(s), 3, 40, NewSampler(1)); err == nil {
			if _, out := m.Dims(); out != 40 {
				t.Errorf("%v: %d columns", s, out)
			}
		}
	}
}

// Constants are one column, whatever they are made by.
func TestNewConstants(t *testing.T) {
	c := Constant{Value: 2}
	for _, k := range []Kernel{
		Scale(2, c), Product(c, c), Sum(c, c), Sum(c, Scale(3, c), &c), Compose(Coefficients{0, 2}, c), Scale(2, Sum(c, c)),
	} {
		m := must(New(k, 2, 10, NewSampler(1)))
		if _, out := m.Dims(); out != 1 {
			t.Errorf("%v: %d columns of a constant", k, out)
		}
	}
	m := must(New(Scale(2, Sum(Gaussian{LengthScale: 1}, Constant{Value: 100})), 2, 41, NewSampler(1)))
	if v := m.(Variancer).Variance([]float64{1, 0}, []float64{0, 1}); !(v < 1) {
		t.Errorf("Variance = %v: the constant is drawn", v)
	}
	if _, err := New(Product(Constant{Value: -1}, Constant{Value: -1}), 2, 10, NewSampler(1)); err == nil {
		t.Error("a product of negative constants was not refused")
	}
}

// Expressions that are long in one direction take no time.
func TestLongChains(t *testing.T) {
	var k, l, m Kernel = Linear{}, Linear{}, Gaussian{LengthScale: 1}
	for range 200 {
		k, l, m = Scale(1.001, k), Sum(l, Constant{Value: 0.01}), Scale(1.001, m)
	}
	for _, k := range []Kernel{k, l, m} {
		must(New(k, 2, 20, NewSampler(1)))
	}
}

// Exact features are taken where an error is asked for, and no more columns than they have.
func TestPlanRMSEExact(t *testing.T) {
	t.Parallel()
	const in = 300
	s := NewSampler(1)
	x := mat.NewDense(50, in, nil)
	for i := range 50 {
		sphere(s, x.RawRowView(i))
	}
	for _, c := range []struct {
		k    Kernel
		rmse float64
		most int
	}{
		{ExpDot{LengthScale: 1}, 0.02, 20_000},
		{FromMap(must(NewFourier(Gaussian{LengthScale: 1}, in, 1000, s, nil))), 1e-4, 1000},
		{Sum(Gaussian{LengthScale: 1}, Linear{}, Laplacian{LengthScale: 10}), 100, 2*2 + in},
	} {
		p, err := NewPlan(c.k, in, math.MaxInt32, &PlanOptions{Points: x, RMSE: c.rmse})
		if err != nil {
			t.Error(err)
			continue
		}
		_, n := p.Dims()
		got := must(RMSE(must(p.Draw(NewSampler(1))).(Variancer), x, 1000, NewSampler(2)))
		if !(got <= 1.05*c.rmse) || n > c.most {
			t.Errorf("%T: %d features with an error of %v, asked %v", c.k, n, got, c.rmse)
		}
	}
}

// Points of norm 10, on a line, off the axes: bias and variance by z-scores of at most 5, the
// variance by the sample's fourth moment. Where frequencies of a block depend on each other it may
// be below.
func TestNewFarPoints(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	maps := 4000
	if testing.Short() {
		maps = 800
	}
	for _, c := range []struct {
		name  string
		k     Kernel
		x, y  []float64
		below bool
	}{
		{"product on a line", Product(Gaussian{LengthScale: 3}, Linear{}), []float64{10}, []float64{9}, false},
		{"neurons and ⟨x, y⟩", Sum(ArcCosine{Order: 1}, Linear{}), []float64{6, 0, 8}, []float64{0, 6, -8}, false},
		{"steps", ArcCosine{Order: 0}, []float64{7.07, 7.07}, []float64{10, 0}, false},
		{"Matern on the diagonal", Scale(3, Matern{Nu: 0.7, LengthScale: 1}), []float64{0.7, 0.7}, []float64{0, 0}, true},
		{"weight", Weight(WeightFunc(func(x []float64) float64 { return x[0] * x[0] }), Laplacian{LengthScale: 2}), []float64{3, -2}, []float64{-1, 2}, false},
		{"projection in a sum", Sum(Project(narrow, Gaussian{LengthScale: 2}), Cauchy{LengthScale: 1}), []float64{0.7, 0.7, 1}, []float64{0, 0.2, 0.5}, false},
	} {
		var e1, e2, e4, v float64
		p := must(NewPlan(c.k, len(c.x), 40, nil))
		for i := range maps {
			m := must(p.Draw(NewSampler(uint64(777_000 + i))))
			e := floats.Dot(m.TransformVec(nil, c.x), m.TransformVec(nil, c.y)) - c.k.Eval(c.x, c.y)
			e1, e2, e4 = e1+e, e2+e*e, e4+e*e*e*e
			v = m.(Variancer).Variance(c.x, c.y)
		}
		n := float64(maps)
		if z := e1 / n / math.Sqrt(e2/n/n); !(math.Abs(z) <= 5) {
			t.Errorf("%s: bias %v, z = %.1f", c.name, e1/n, z)
		}
		z := (e2/n - v) / math.Sqrt((e4/n-e2/n*e2/n)/n)
		if !(math.Abs(z) <= 5) && !(c.below && z < 5) {
			t.Errorf("%s: variance %v, Variance %v, z = %.1f", c.name, e2/n, v, z)
		}
	}
}
