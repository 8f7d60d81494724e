// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Expressions of stationary kernels are stationary, and radial where their parts are: the
// conformance suite of kernels, spectral measures included.
func TestStationaryAlgebra(t *testing.T) {
	g, m, l := Gaussian{LengthScale: 1.7}, Matern{Nu: 1.5, LengthScale: 1.7}, Laplacian{LengthScale: 1.7}
	// Values at pointX and pointY, of TestKernels.
	const kg, km, kl = 0.564997339862150286, 0.447881873546237792, 0.192615592773840115
	for _, c := range []struct {
		name   string
		k      Kernel
		radial bool
		want   float64
		dims   []int
	}{
		{"sum", Sum(g, m), true, kg + km, nil},
		{"sum of three", Sum(Scale(0.5, g), l, Constant{Value: 0.3}), false, 0.5*kg + kl + 0.3, nil},
		{"product", Product(g, m), true, kg * km, nil},
		{"product of three", Product(g, l, g), false, kg * kg * kl, nil},
		{"scale", Scale(2.5, m), true, 2.5 * km, nil},
		{"scale of a scale", Scale(2, Scale(3, g)), true, 6 * kg, nil},
		{"composition", Compose(Coefficients{0.2, 0.5, 0, 0.3}, g), true, 0.2 + 0.5*kg + 0.3*kg*kg*kg, nil},
		{"composition with ReLU", Compose(ReLUDual{}, l), false, arcCosine1(kl), nil},
		{"composition of a sum", Compose(ExpDual(1), Sum(g, m)), true, math.Exp(kg + km - 1), nil},
		{"sum in a product", Product(Sum(g, l), m), false, (kg + kl) * km, nil},
		{"select", Select([]int{2, 0}, g), false, math.NaN(), []int{3}},
		{"projected sum", Project(narrow, Sum(g, l)), false, math.NaN(), []int{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, ok := c.k.(Stationary); !ok {
				t.Fatalf("%T is not Stationary", c.k)
			}
			if _, ok := c.k.(Radial); ok != c.radial {
				t.Errorf("Radial = %v, want %v", ok, c.radial)
			}
			want := c.want
			switch c.name {
			case "select":
				want = g.Eval([]float64{pointX[2], pointX[0]}, []float64{pointY[2], pointY[0]})
			case "projected sum":
				want = Project(narrow, g).Eval(pointX[:3], pointY[:3]) + Project(narrow, l).Eval(pointX[:3], pointY[:3])
			}
			dims, x, y := []int{1, 3}, pointX, pointY
			if c.dims != nil {
				dims, x, y = c.dims, pointX[:3], pointY[:3]
			}
			testkit.Kernel(t, testkit.KernelCase{Kernel: c.k, Dims: dims, Scale: 1.7,
				Values: []testkit.Value{{X: x, Y: y, Want: want}}})
		})
	}
}

// Products of stationary kernels have one frequency for each feature, the sum of theirs.
func TestProductFrequencies(t *testing.T) {
	m, err := New(Product(Gaussian{LengthScale: 1}, Laplacian{LengthScale: 2}), 5, 100, NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	f, ok := m.(*Fourier)
	if !ok {
		t.Fatalf("%T, want a Fourier map", m)
	}
	if r, c := f.Frequencies().Dims(); r != 50 || c != 5 {
		t.Errorf("%d×%d frequencies for 100 features of R⁵, want 50×5", r, c)
	}
	// Two Gaussian kernels are one, orthogonal frequencies and exact variance included.
	both := Product(Gaussian{LengthScale: 3}, Scale(2, Gaussian{LengthScale: 4}))
	one := Gaussian{LengthScale: 1 / math.Sqrt(1.0/9+1.0/16)}
	a, err := NewFourier(both, 3, 12, NewSampler(1), &FourierOptions{Design: Orthogonal})
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewFourier(one, 3, 12, NewSampler(1), &FourierOptions{Design: Orthogonal})
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float64{1, 2, 3}, []float64{0, 2.5, 1}
	if got, want := a.Variance(x, y), 4*b.Variance(x, y); !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("Variance of a product of Gaussian kernels %v, of the one it is %v", got, want)
	}
}

// Closed values of what is not stationary, and that dot product kernels stay such.
func TestExpressionValues(t *testing.T) {
	x, y := []float64{0.3, -1, 2}, []float64{0.5, 0.25, -1}
	dot := 0.15 - 0.25 - 2
	g := Gaussian{LengthScale: 2}
	kg := math.Exp(-(0.04 + 1.5625 + 9) / 8)
	f := WeightFunc(func(x []float64) float64 { return 1 + x[0] })
	neurons := must(NewNeurons(ArcCosine{Order: 1}, 3, 5, NewSampler(1), nil))
	product := mat.Dot(mat.NewVecDense(5, neurons.TransformVec(nil, x)), mat.NewVecDense(5, neurons.TransformVec(nil, y)))
	for _, c := range []struct {
		name string
		k    Kernel
		want float64
		dot  bool
	}{
		{"Sum", Sum(g, Linear{}, Constant{Value: 2}, Polynomial{Degree: 2, Scale: 1}), kg + dot + 2 + dot*dot, false},
		{"Sum, dot products and a constant", Sum(Linear{}, Constant{Value: 2}), dot + 2, true},
		{"Product", Product(g, Linear{}, Constant{Value: 2}), kg * dot * 2, false},
		{"Weight", Weight(f, g), 1.3 * kg * 1.5, false},
		{"Weight twice", Weight(f, Weight(f, g)), 1.69 * kg * 2.25, false},
		{"product of weights", Product(Weight(f, g), Linear{}, Weight(f, Linear{})), 1.69 * 2.25 * kg * dot * dot, false},
		{"scale of a sum", Scale(3, Sum(g, Linear{})), 3 * (kg + dot), false},
		{"scale of a product", Scale(3, Product(g, Linear{})), 3 * kg * dot, false},
		{"scale of a weight", Scale(3, Weight(f, Linear{})), 3 * 1.3 * 1.5 * dot, false},
		{"composition", Compose(Coefficients{1, 0, 2}, Sum(g, Linear{})), 1 + 2*(kg+dot)*(kg+dot), false},
		{"select", Select([]int{2, 0}, Linear{}), 0.15 - 2, false},
		{"select of a select", Select([]int{2, 0}, Select([]int{1}, Linear{})), 0.15, false},
		{"select of a weight", Select([]int{1, 0}, Weight(f, Linear{})), 0 * 1.25 * (0.15 - 0.25), false},
		{"project of a select", Project(narrow, Select([]int{1}, Linear{})), (0.15 + 2) * (0.25 - 1), false},
		{"project of a weight", Project(narrow, Weight(f, Linear{})), (1 - 3.7) * (1 + 2) * (-3.7*2 + 2.15*-0.75), false},
		{"FromMap", FromMap(ownMap{neurons}), product, false},
		{"FromMap in a product", Product(FromMap(neurons), Constant{Value: 2}), 2 * product, false},
	} {
		if got := c.k.Eval(x, y); !(math.Abs(got-c.want) <= 1e-12*max(1, math.Abs(c.want))) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if _, ok := c.k.(DotProduct); ok != c.dot {
			t.Errorf("%s: a dot product kernel: %v, want %v", c.name, ok, c.dot)
		}
	}
}

// ArcCosine against its integral, for orders 0, 1, 2, and the moments of orders 2 and 4 through
// Variance: (2k₂ₙ − kₙ²)/D.
func TestArcCosine(t *testing.T) {
	factorial := map[int]float64{0: 1, 1: 1, 2: 2, 4: 24}
	k := func(n int, x, y []float64) float64 {
		xx, yy, xy := 0.0, 0.0, 0.0
		for i := range x {
			xx, yy, xy = xx+x[i]*x[i], yy+y[i]*y[i], xy+x[i]*y[i]
		}
		norms := math.Sqrt(xx * yy)
		theta := math.Acos(max(-1, min(xy/norms, 1)))
		j := quad.Fixed(func(psi float64) float64 { return math.Pow(math.Cos(theta)+math.Cos(psi), float64(n)) }, 0, math.Pi-theta, 40, nil, 0)
		return math.Pow(norms, float64(n)) * factorial[n] * j / math.Pi
	}
	s := NewSampler(1)
	for order := range 3 {
		for range 20 {
			x, y := make([]float64, 3), make([]float64, 3)
			s.FillNormal(x)
			s.FillNormal(y)
			want := k(order, x, y)
			if got := (ArcCosine{Order: order}).Eval(x, y); !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
				t.Errorf("order %d at %v, %v: %v, want %v", order, x, y, got, want)
			}
			m := must(NewNeurons(ArcCosine{Order: order}, 3, 10, NewSampler(1), nil))
			v := (2*k(2*order, x, y) - want*want) / 10
			if got := m.Variance(x, y); !(math.Abs(got-v) <= 1e-11*max(1, v)) {
				t.Errorf("order %d at %v, %v: Variance %v, want %v", order, x, y, got, v)
			}
		}
	}
	if got := (ArcCosine{}).Eval([]float64{0}, []float64{1}); got != 0 {
		t.Errorf("order 0 at the origin: %v, want 0", got)
	}
	if got := (ArcCosine{Order: 1}).Eval([]float64{math.NaN()}, []float64{1}); !math.IsNaN(got) {
		t.Errorf("at NaN: %v", got)
	}
}

func TestNeurons(t *testing.T) {
	for order := range 3 {
		for _, k := range []Kernel{ArcCosine{Order: order}, Project(narrow, ArcCosine{Order: order}), Select([]int{2, 1}, ArcCosine{Order: order})} {
			dims := []int{3}
			if _, ok := k.(ArcCosine); ok {
				dims = []int{1, 2, 17}
			}
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				testkit.Map(t, testkit.MapCase{
					New:  func(in, out int, s *Sampler) (FeatureMap, error) { return NewNeurons(k, in, out, s, nil) },
					Dims: dims,
					Out:  func(int) int { return 30 },
					Pairs: func(d int) []testkit.Pair {
						return append(testkit.Pairs(d, 1)[1:4], testkit.Pairs(d, 1)[0])
					},
					HeavyTails: order == 2,
					Cancels:    true,
				})
			})
		}
	}
	for _, c := range []struct {
		k       Kernel
		in, out int
		want    string
	}{
		{ArcCosine{Order: 3}, 1, 1, "Order = 3"},
		{ArcCosine{Order: -1}, 1, 1, "Order = -1"},
		{Linear{}, 1, 1, "no map"},
		{nil, 1, 1, "nil"},
		{ArcCosine{}, 0, 1, "in = 0"},
		{ArcCosine{}, 1, 0, "out = 0"},
		{ArcCosine{}, 1 << 30, 1 << 30, "out = "},
	} {
		s := NewSampler(1)
		if m, err := NewNeurons(c.k, c.in, c.out, s, nil); err == nil || m != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if s.Uint64() != NewSampler(1).Uint64() {
			t.Errorf("%q: the sampler was changed", c.want)
		}
	}
}
