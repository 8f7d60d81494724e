// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// Ways of writing a kernel have one plan for points, too: the same maps and columns, of the same error. (With
// points there are more kinds of maps; see TestEquivalentKernels for plans without.)
func TestEquivalentPlans(t *testing.T) {
	t.Parallel()
	g, e := Gaussian{LengthScale: 1.3}, ExpDot{LengthScale: 1.5}
	both := func(a, b float64) float64 { return 1 / math.Sqrt(1/(a*a)+1/(b*b)) }
	quadratic := Polynomial{Degree: 2, Scale: 0.5, Offset: 1}
	lengths := []float64{0.5, 1, 2}
	inverse := mat.NewDiagDense(3, []float64{2, 1, 0.5})
	f := WeightFunc(func(x []float64) float64 { return 1 + x[0]*x[0] })
	groups := []equivalence{
		{name: "product of exponentials", ways: []Kernel{
			ExpDot{LengthScale: both(1.5, 2)}, Product(e, ExpDot{LengthScale: 2}), Product(ExpDot{LengthScale: 2}, &e), Product(e, Constant{Value: 1}, ExpDot{LengthScale: 2}),
			Dot(Exp{Rate: 1/(1.5*1.5) + 0.25}), Product(Dot(Exp{Rate: 0.25}), e), Compose(Exp{Rate: 1/(1.5*1.5) + 0.25}, Linear{})}},
		{name: "scaled exponential", ways: []Kernel{
			Scale(2, e), Product(Constant{Value: 2}, e), Product(Scale(2, ExpDot{LengthScale: 1.5 * math.Sqrt2}), ExpDot{LengthScale: 1.5 * math.Sqrt2})}},
		{name: "Gaussian and polynomial", ways: []Kernel{
			Product(g, quadratic), Product(quadratic, g), Product(&quadratic, Constant{Value: 1}, &g), Scale(2, Product(quadratic, Scale(0.5, g)))}},
		{name: "Gaussian and ⟨x, y⟩", ways: []Kernel{Product(g, Linear{}), Product(Linear{}, g), Product(Linear{}, Gaussian{LengthScale: 2}, Gaussian{LengthScale: 1.3 * 2 / math.Sqrt(4-1.69)})}},
		{name: "Gaussian and exponential", ways: []Kernel{Product(g, e), Product(e, g), Product(Scale(2, e), Scale(0.5, g))}},
		{name: "Laplacian and exponential", ways: []Kernel{Product(Laplacian{LengthScale: 1}, e), Product(e, Laplacian{LengthScale: 1})}},
		{name: "exponential and ⟨x, y⟩", ways: []Kernel{Sum(e, Linear{}), Sum(Linear{}, e), Sum(Linear{}, &e, Constant{Value: 0})}},
		{name: "exponential and polynomial", ways: []Kernel{Sum(e, quadratic), Sum(quadratic, e), Sum(quadratic, Constant{Value: 0}, e)}},
		{name: "two exponentials", ways: []Kernel{Sum(e, ExpDot{LengthScale: 3}), Sum(ExpDot{LengthScale: 3}, e)}},
		{name: "diagonal matrix", ways: []Kernel{
			ARD(lengths, g), Project(inverse, g), Project(mat.DenseCopyOf(inverse), g), Product(ARD(lengths, g), Constant{Value: 1}), ARD(lengths, &g),
			Product(ARD(lengths, Gaussian{LengthScale: 1.3 * math.Sqrt2}), Project(inverse, Gaussian{LengthScale: 1.3 * math.Sqrt2}))}},
		{name: "exponential of a diagonal matrix", ways: []Kernel{ARD(lengths, e), Project(inverse, e), ARD(lengths, Product(ExpDot{LengthScale: 1.5 * math.Sqrt2}, ExpDot{LengthScale: 1.5 * math.Sqrt2}))}},
		{name: "weight", ways: []Kernel{Weight(f, Scale(2, g)), Scale(2, Weight(f, g)), Product(Weight(f, Constant{Value: 2}), g)}},
		{name: "polynomial", ways: []Kernel{
			Product(Polynomial{Degree: 2, Scale: 1, Offset: 1}, Polynomial{Degree: 2, Scale: 1, Offset: 1}), Polynomial{Degree: 4, Scale: 1, Offset: 1},
			Compose(HermiteDual{N: 2}, Polynomial{Degree: 2, Scale: 1, Offset: 1}), Dot(Coefficients{1, 4, 6, 4, 1})}},
		{name: "sum of Gaussian kernels", ways: []Kernel{
			Sum(g, Gaussian{LengthScale: 0.3}), Sum(Gaussian{LengthScale: 0.3}, g), Sum(Scale(0.5, g), Gaussian{LengthScale: 0.3}, Scale(0.5, g))}},
	}
	x := cloud(25, 3, 2)
	for _, e := range groups {
		t.Run(e.name, func(t *testing.T) {
			for _, out := range []int{12, 60} {
				var first *Plan
				for i, k := range e.ways {
					p := must(NewPlan(k, 3, out, &PlanOptions{Points: x}))
					if i == 0 {
						first = p
					}
					a, b := x.RawRowView(0), x.RawRowView(1)
					if got, want := k.Eval(a, b), e.ways[0].Eval(a, b); !(math.Abs(got/want-1) <= 1e-13) {
						t.Fatalf("way %d is another kernel: %v, want %v", i, got, want)
					}
					// Terms are in the order in which they are written.
					shape, want := slices.Sorted(slices.Values(PlanShape(p))), slices.Sorted(slices.Values(PlanShape(first)))
					if !slices.Equal(shape, want) {
						t.Errorf("%v: %q, and %v has %q", k, shape, e.ways[0], want)
					}
					if got, want := p.RMSE(), first.RMSE(); !(math.Abs(got-want) <= 1e-4*want) {
						t.Errorf("%v: an error of %v, and %v of %v", k, got, e.ways[0], want)
					}
					if got, want := p.Variance(a, b), first.Variance(a, b); !(math.Abs(got-want) <= 1e-3*want) {
						t.Errorf("%v: Variance %v, and %v has %v", k, got, e.ways[0], want)
					}
					if got, want := p.Reach(), first.Reach(); got != want && !(math.Abs(got-want) <= 1e-12*want) {
						t.Errorf("%v: Reach %v, and %v has %v", k, got, e.ways[0], want)
					}
				}
			}
		})
	}
}
