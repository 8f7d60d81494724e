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

	"github.com/seed-0f95ebc1/featuremap/series"

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
		{"composition", Compose(series.Coefficients{0.2, 0.5, 0, 0.3}, g), true, 0.2 + 0.5*kg + 0.3*kg*kg*kg, nil},
		{"composition with ReLU", Compose(series.ReLUDual{}, l), false, arcCosine1(kl), nil},
		{"composition of a sum", Compose(series.ExpDual(1), Sum(g, m)), true, math.Exp(kg + km - 1), nil},
		{"sum in a product", Product(Sum(g, l), m), false, (kg + kl) * km, nil},
		{"select", Select([]int{2, 0}, g), false, math.NaN(), []int{3}},
		{"projected sum", Project(testkit.Narrow, Sum(g, l)), false, math.NaN(), []int{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if stationary(c.k) == nil {
				t.Fatalf("%v is not stationary", c.k)
			}
			if _, ok := stationary(c.k).(Radial); ok != c.radial {
				t.Errorf("Radial = %v, want %v", ok, c.radial)
			}
			want := c.want
			switch c.name {
			case "select":
				want = g.Eval([]float64{pointX[2], pointX[0]}, []float64{pointY[2], pointY[0]})
			case "projected sum":
				want = Project(testkit.Narrow, g).Eval(pointX[:3], pointY[:3]) + Project(testkit.Narrow, l).Eval(pointX[:3], pointY[:3])
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
	m, err := testkit.New(Product(Gaussian{LengthScale: 1}, Laplacian{LengthScale: 2}), 5, 100, NewSampler(1))
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
	neurons := testkit.Must(NewNeurons(ArcCosine{Order: 1}, 3, 5, NewSampler(1), nil))
	product := mat.Dot(mat.NewVecDense(5, neurons.TransformVec(nil, x)), mat.NewVecDense(5, neurons.TransformVec(nil, y)))
	for _, c := range []struct {
		name string
		k    Kernel
		want float64
		dot  bool
	}{
		{"Sum", Sum(g, Linear{}, Constant{Value: 2}, Polynomial{Degree: 2, Gamma: 1}), kg + dot + 2 + dot*dot, false},
		{"Sum, dot products and a constant", Sum(Linear{}, Constant{Value: 2}), dot + 2, true},
		{"Product", Product(g, Linear{}, Constant{Value: 2}), kg * dot * 2, false},
		{"Weight", Weight(f, g), 1.3 * kg * 1.5, false},
		{"Weight twice", Weight(f, Weight(f, g)), 1.69 * kg * 2.25, false},
		{"product of weights", Product(Weight(f, g), Linear{}, Weight(f, Linear{})), 1.69 * 2.25 * kg * dot * dot, false},
		{"scale of a sum", Scale(3, Sum(g, Linear{})), 3 * (kg + dot), false},
		{"scale of a product", Scale(3, Product(g, Linear{})), 3 * kg * dot, false},
		{"scale of a weight", Scale(3, Weight(f, Linear{})), 3 * 1.3 * 1.5 * dot, false},
		{"composition", Compose(series.Coefficients{1, 0, 2}, Sum(g, Linear{})), 1 + 2*(kg+dot)*(kg+dot), false},
		{"select", Select([]int{2, 0}, Linear{}), 0.15 - 2, false},
		{"select of a select", Select([]int{2, 0}, Select([]int{1}, Linear{})), 0.15, false},
		{"select of a weight", Select([]int{1, 0}, Weight(f, Linear{})), 0 * 1.25 * (0.15 - 0.25), false},
		{"project of a select", Project(testkit.Narrow, Select([]int{1}, Linear{})), (0.15 + 2) * (0.25 - 1), false},
		{"project of a weight", Project(testkit.Narrow, Weight(f, Linear{})), (1 - 3.7) * (1 + 2) * (-3.7*2 + 2.15*-0.75), false},
		{"FromMap", FromMap(ownMap{neurons}), product, false},
		{"FromMap in a product", Product(FromMap(neurons), Constant{Value: 2}), 2 * product, false},
	} {
		if got := c.k.Eval(x, y); !(math.Abs(got-c.want) <= 1e-12*max(1, math.Abs(c.want))) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if ok := SeriesOf(c.k) != nil; ok != c.dot {
			t.Errorf("%s: a dot product kernel: %v, want %v", c.name, ok, c.dot)
		}
	}
}

// Kernels behind matrices that read nothing, or that scale by what overflows or underflows when it is squared or
// multiplied, have the same value as kernels, as forms and, if they are 1, in every map. "Nothing is read" was the
// identity.
func TestDegenerateMatrices(t *testing.T) {
	diag := func(v ...float64) mat.Matrix { return mat.NewDiagDense(len(v), v) }
	g := func(l float64) Kernel { return Gaussian{LengthScale: l} }
	x, y := []float64{0.75, -1}, []float64{-0.5, 2}
	for _, c := range []struct {
		k    Kernel
		want float64
	}{
		{Product(Project(diag(0, 0), g(1)), Select([]int{0}, Project(diag(0), g(2)))), 1},
		{Product(Select([]int{0}, Project(diag(0), g(2))), Select([]int{1}, Project(diag(0), g(2)))), 1},
		{Product(Project(mat.NewDense(1, 2, nil), g(1)), Project(mat.NewDense(3, 2, nil), g(2))), 1},
		{Scale(2, Product(Project(diag(0, 0), g(1)), Select([]int{1}, Project(diag(0), g(2))), Constant{Value: 3})), 6},
		{Sum(Constant{Value: 1}, Product(Project(diag(0, 0), g(1)), Select([]int{1}, Project(diag(0), g(2))))), 2},
		{Compose(series.Coefficients{1, 0, 2}, Product(Project(diag(0, 0), g(1)), Select([]int{1}, Project(diag(0), g(2))))), 3},
		{ARD([]float64{2, 3}, Product(Project(diag(0, 0), g(1)), Select([]int{1}, Project(diag(0), g(2))))), 1},
		{Product(ARD([]float64{1e150, 1e150}, g(1e100)), Select([]int{0}, ARD([]float64{1e150}, g(1e100)))), 1},
		{Product(Project(diag(1e-200, 1e-200), g(1)), Select([]int{0}, Project(diag(1e-200), g(2)))), 1},
		{Product(Project(diag(5e-324, 0), g(1)), Select([]int{1}, Project(diag(5e-324), g(2)))), 1},
		{Product(Project(mat.NewDense(1, 2, []float64{1e-300, 0}), g(1e150)), Project(diag(0, 1e-200), g(1))), 1},
		{Project(diag(0, 0), Linear{}), 0},
		{Project(diag(0, 0), ExpDot{LengthScale: 1}), 1},
		{Product(Project(diag(0, 0), Polynomial{Degree: 2, Gamma: 1, Offset: 2}), Select([]int{1}, Project(diag(0), g(1)))), 4},
		{Project(diag(0, 0), ArcCosine{Order: 1}), 0},
		{Select([]int{1}, Project(diag(0), Circle{})), 1},
		{Project(diag(0, 0), Periodic{Period: 1, LengthScale: 1}), 1},
		{Project(diag(0, 0), Laplacian{LengthScale: 1}), 1},
		{Product(Project(diag(0, 0), Matern{Nu: 1.5, LengthScale: 1}), Project(diag(0, 0), Cauchy{LengthScale: 1})), 1},
		// What is large is not lost either.
		{Product(Project(diag(1e200, 0), g(1e200/1e60)), Select([]int{1}, Project(diag(1e200), g(1)))), 0},
		{Product(Project(diag(1e-200, 1), g(1)), Select([]int{0}, Project(diag(1e-200), g(1)))), math.Exp(-4.5)},
	} {
		form, err := FormValue(c.k, x, y)
		if got := c.k.Eval(x, y); err != nil || !(math.Abs(got-c.want) <= 1e-12) || !(math.Abs(form-c.want) <= 1e-12) {
			t.Errorf("%v: Eval %v, the form %v, %v: want %v", c.k, got, form, err, c.want)
		}
		if c.want != math.Trunc(c.want) || c.want == 0 {
			continue
		}
		for seed := range uint64(5) {
			m := testkit.Must(testkit.New(c.k, 2, 24, NewSampler(seed)))
			got := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y))
			if !(math.Abs(got-c.want) <= 1e-6) {
				t.Errorf("%v: a map estimates %v, want %v", c.k, got, c.want)
			}
		}
	}
	// At large points small factors count: the product is that of its factors.
	k := Product(Project(diag(1e-200, 0), g(1)), Select([]int{0}, Project(diag(1e-200), g(1))))
	if got, want := testkit.Must(FormValue(k, []float64{1e200, 0}, y)), math.Exp(-1); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%v at 1e200: %v, want %v", k, got, want)
	}
	// Products of matrices that overflow or underflow are refused, for kernels and for weights.
	up, down, f := diag(1e200, 1), diag(1e-200, 1), WeightFunc(func(x []float64) float64 { return 1 + x[0] })
	for name, k := range map[string]Kernel{
		"must be finite":  Project(up, Project(up, g(1))),
		"underflows":      Project(up, Project(down, Project(down, g(1)))),
		"underflows ":     Project(down, Project(mat.NewDense(1, 2, []float64{1e-200, 1e-300}), Linear{})),
		"must be finite ": Project(up, Project(up, Weight(f, Constant{Value: 1}))),
		"underflows  ":    Project(down, Project(down, Weight(f, Constant{Value: 1}))),
	} {
		if _, err := testkit.New(k, 2, 24, NewSampler(1)); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%v: error %v, want %q", k, err, name)
		}
	}
}

// Points of another length than a matrix or a selection takes are no points, also where the kernel does not look at them.
func TestExpressionShapes(t *testing.T) {
	g, one := Gaussian{LengthScale: 1}, mat.NewDiagDense(2, []float64{1, 1})
	for _, k := range []Kernel{
		Project(one, g), Project(one, Constant{Value: 1}), Project(mat.NewDense(1, 2, nil), g), ARD([]float64{1, 1}, g),
		Sum(g, Project(one, g)), Product(Scale(2, Project(one, Linear{})), g), Compose(series.Exp{Rate: 1}, Project(one, g)),
		Select([]int{2}, Constant{Value: 1}), Sum(Select([]int{0, 2}, g), g),
	} {
		for _, n := range []int{0, 1, 3} {
			if n == 3 && strings.Contains(fmt.Sprint(k), "Select") {
				n = 2
			}
			func() {
				defer func() {
					if got := recover(); got != mat.ErrShape {
						t.Errorf("%v of points of %d coordinates: %v, want a panic with mat.ErrShape", k, n, got)
					}
				}()
				k.Eval(make([]float64, n), make([]float64, n))
			}()
		}
	}
}

// ownMap is a caller's map.
type ownMap struct{ FeatureMap }
