// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// rebuilt returns an expression made again of its rebuilt parts, and calls look for each expression in it.
func rebuilt(k Kernel, look func(c Expression)) Kernel {
	c, ok := k.(Expression)
	if !ok {
		return k
	}
	look(c)
	parts := c.Parts()
	for i, part := range parts {
		parts[i] = rebuilt(part, look)
	}
	return c.With(parts...)
}

// A program can walk an expression of any kernels, and what it rebuilds of the same parts is the same.
func TestExpressionRebuilds(t *testing.T) {
	ops := make(map[string]int)
	for _, c := range savedKernels() {
		again := rebuilt(c.kernel, func(of Expression) {
			ops[of.Op()]++
			if text := fmt.Sprint(of); !strings.HasPrefix(text, of.Op()+"(") {
				t.Errorf("%s: made by %s, and prints as %s", c.name, of.Op(), text)
			}
			// The slice is the caller's.
			if parts := of.Parts(); len(parts) > 0 {
				parts[0] = nil
				if of.Parts()[0] == nil {
					t.Errorf("%s: Parts shows memory of its own", c.name)
				}
			}
			for _, n := range []int{0, len(of.Parts()) + 1} {
				func() {
					defer func() {
						if err := recover(); err != mat.ErrShape {
							t.Errorf("%s: %s With %d parts of %d: %v, want a panic with mat.ErrShape", c.name, of.Op(), n, len(of.Parts()), err)
						}
					}()
					of.With(make([]Kernel, n)...)
				}()
			}
		})
		if fmt.Sprint(again) != fmt.Sprint(c.kernel) {
			t.Errorf("%s: %v rebuilt is %v", c.name, c.kernel, again)
		}
		sameKernel(t, again, c.kernel, savedPoints(c.in))
	}
	for _, op := range []string{"Sum", "Product", "Scale", "Compose", "Weight", "Project", "ARD", "Select"} {
		if ops[op] == 0 {
			t.Errorf("no %s was seen", op)
		}
	}
}

// Other parts take the place of the first ones, with the arguments as they are, and the kernel is left as it was.
func TestExpressionWith(t *testing.T) {
	g, l := Gaussian{LengthScale: 1}, Laplacian{LengthScale: 2}
	a := mat.NewDense(1, 2, []float64{1, -1})
	for _, c := range []struct{ k, want Kernel }{
		{Sum(g, g), Sum(l, l)}, {Product(g, g), Product(l, l)}, {Scale(3, g), Scale(3, l)}, {Compose(series.Exp{Rate: 1}, g), Compose(series.Exp{Rate: 1}, l)},
		{Weight(testkit.Norm{Scale: 2}, g), Weight(testkit.Norm{Scale: 2}, l)}, {Project(a, g), Project(a, l)}, {ARD([]float64{1, 2}, g), ARD([]float64{1, 2}, l)}, {Select([]int{1}, g), Select([]int{1}, l)},
	} {
		of, before := c.k.(Expression), fmt.Sprint(c.k)
		parts := of.Parts()
		for i := range parts {
			parts[i] = l
		}
		x, y := []float64{0.3, -1}, []float64{0.5, 2}
		if got := of.With(parts...); fmt.Sprint(got) != fmt.Sprint(c.want) || got.Eval(x, y) != c.want.Eval(x, y) {
			t.Errorf("%v with %v is %v", c.k, l, got)
		}
		if fmt.Sprint(c.k) != before {
			t.Errorf("%s became %v", before, c.k)
		}
	}
}

// What the algebra says of an expression is found in its form, and is nil where there is nothing to say.
func TestStationaryAndSeriesOf(t *testing.T) {
	g, l, p := Gaussian{LengthScale: 1}, Linear{}, Polynomial{Degree: 2, Gamma: 1, Offset: 1}
	for _, c := range []struct {
		k                          Kernel
		stationary, radial, series bool
	}{
		{g, true, true, false}, {&g, true, true, false}, {Sum(g, Matern{Nu: 1, LengthScale: 1}), true, true, false}, {Product(g, Laplacian{LengthScale: 1}), true, false, false},
		{ARD([]float64{1, 2}, g), true, false, false}, {Scale(2, l), false, false, true}, {Sum(l, p, Constant{Value: 2}), false, false, true}, {Sum(l, g), false, false, false},
		{Compose(series.Exp{Rate: 1}, p), false, false, true}, {Constant{Value: 2}, true, true, true}, {Weight(testkit.Norm{Scale: 1}, g), false, false, false}, {Scale(-1, g), false, false, false},
		{Project(mat.NewDense(1, 2, []float64{1, 2}), l), false, false, false}, {ArcCosine{Order: 1}, false, false, false}, {nil, false, false, false}, {(*Gaussian)(nil), false, false, false},
		{Sum(Dot(series.Coefficients{2}), g), true, true, false}, {Dot(series.Coefficients{2}), true, true, true},
		{Compose(series.Coefficients{0, 1}, ARD([]float64{1, 2}, Sum(g, Constant{Value: 1}))), true, false, false},
	} {
		s, f := stationary(c.k), SeriesOf(c.k)
		_, radial := s.(Radial)
		if (s != nil) != c.stationary || radial != c.radial || (f != nil) != c.series {
			t.Errorf("%v: stationary %v, radial %v, with a series %v", c.k, s != nil, radial, f != nil)
		}
		x, y := []float64{0.3, -1}, []float64{0.5, 2}
		if s != nil {
			// It is the same kernel for constructors, and for files.
			if a, b := fmt.Sprint(PlanShape(testkit.Must(NewPlan(s, nil, 40, &PlanOptions{In: 2})))), fmt.Sprint(PlanShape(testkit.Must(NewPlan(c.k, nil, 40, &PlanOptions{In: 2})))); a != b {
				t.Errorf("%v: the plan of StationaryOf is %s, want %s", c.k, a, b)
			}
			if a, b := string(testkit.Must(MarshalKernel(s))), string(testkit.Must(MarshalKernel(c.k))); a != b {
				t.Errorf("%v: StationaryOf is saved as %s, want %s", c.k, a, b)
			}
			if want := c.k.Eval(x, x); !(math.Abs(s.Mass()-want) <= 1e-14) {
				t.Errorf("%v has the mass %v, and the value %v", c.k, s.Mass(), want)
			}
		}
		if f != nil {
			if got, want := f.Eval(0.3*0.5-2), c.k.Eval(x, y); !(math.Abs(got-want) <= 1e-14*math.Abs(want)) {
				t.Errorf("%v has the series %v with the value %v, want %v", c.k, f, got, want)
			}
		}
	}
}

// Kernels that hold a kernel in themselves forty times over are refused at once, by what walks them too.
func TestLargeExpressions(t *testing.T) {
	k := Kernel(Gaussian{LengthScale: 1})
	for range 40 {
		k = Sum(k, k)
	}
	if v := k.Eval([]float64{1}, []float64{2}); !math.IsNaN(v) {
		t.Errorf("a value of %v", v)
	}
	if p := Parameters(k); p != nil {
		t.Errorf("%d parameters", len(p))
	}
	for name, err := range map[string]error{"New": testkit.Second(testkit.New(k, 1, 8, NewSampler(1))), "WithParameters": testkit.Second(WithParameters(k, []float64{1}))} {
		if err == nil {
			t.Errorf("%s takes it", name)
		}
	}
}

// Expressions that are long in one direction take no time.
func TestLongChains(t *testing.T) {
	var k, l, m Kernel = Linear{}, Linear{}, Gaussian{LengthScale: 1}
	for range 200 {
		k, l, m = Scale(1.001, k), Sum(l, Constant{Value: 0.01}), Scale(1.001, m)
	}
	for _, k := range []Kernel{k, l, m} {
		testkit.Must(testkit.New(k, 2, 20, NewSampler(1)))
	}
}

// What a pointer in an expression points to may change later: the expression has its value.
func TestExpressionOfPointers(t *testing.T) {
	x, y := []float64{0.5, -1}, []float64{0, 0.25}
	for name, of := range map[string]func(k Kernel) Kernel{
		"Sum of one": func(k Kernel) Kernel { return Sum(k) },
		"Sum":        func(k Kernel) Kernel { return Sum(k, Linear{}) },
		"Product":    func(k Kernel) Kernel { return Product(Linear{}, k) },
		"Scale":      func(k Kernel) Kernel { return Scale(2, k) },
		"Compose":    func(k Kernel) Kernel { return Compose(series.Exp{Rate: 1}, k) },
		"Weight":     func(k Kernel) Kernel { return Weight(testkit.Norm{Scale: 1}, k) },
		"Project":    func(k Kernel) Kernel { return Project(mat.NewDiagDense(2, []float64{1, 2}), k) },
		"ARD":        func(k Kernel) Kernel { return ARD([]float64{1, 2}, k) },
		"Select":     func(k Kernel) Kernel { return Select([]int{1}, k) },
	} {
		g := Gaussian{LengthScale: 1}
		want, k := of(g).Eval(x, y), of(&g)
		g.LengthScale = 3
		if got := k.Eval(x, y); got != want {
			t.Errorf("%s: %v once the kernel behind a pointer has changed, want %v", name, got, want)
		}
		if got, want := fmt.Sprint(k), fmt.Sprint(of(Gaussian{LengthScale: 1})); got != want {
			t.Errorf("%s prints as %s, want %s", name, got, want)
		}
	}
}
