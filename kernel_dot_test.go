// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

var dotKernels = []struct {
	name   string
	kernel Kernel
}{
	{"Linear", Linear{}},
	{"Polynomial", Polynomial{Degree: 3, Gamma: 0.5, Offset: 1}},
	{"HomogeneousPolynomial", Polynomial{Degree: 2, Gamma: 1}},
	{"ExpDot", ExpDot{LengthScale: 1.2}},
	{"Geometric", Dot(series.Geometric{Ratio: 0.3})},
	{"ReLUDual", Dot(series.ReLUDual{})},
}

// Sums, products, multiples and compositions of dot product kernels are dot product kernels,
// with maps.
func TestDotProductAlgebra(t *testing.T) {
	t.Parallel()
	p, e := Polynomial{Degree: 2, Gamma: 0.5, Offset: 1}, ExpDot{LengthScale: 1.5}
	x, y := []float64{0.6, 0.3}, []float64{0.5, -0.4}
	kp, ke := p.Eval(x, y), e.Eval(x, y)
	for _, c := range []struct {
		name   string
		kernel Kernel
		want   float64
		radius float64
	}{
		{"sum", Sum(p, e, Linear{}), kp + ke + testkit.DotOf(x, y), math.Inf(1)},
		{"product", Product(p, e, p), kp * ke * kp, math.Inf(1)},
		{"scale", Scale(3, e), 3 * ke, math.Inf(1)},
		{"zero", Sum(Scale(0, e), p), kp, math.Inf(1)},
		{"exp of polynomial", Compose(series.Exp{Rate: 0.5, Shift: 0.2}, p), math.Exp(0.5*kp + 0.2), math.Inf(1)},
		{"polynomial of exp", Compose(series.Coefficients{1, 0, 0.5, 0.25}, e), 1 + ke*ke/2 + ke*ke*ke/4, math.Inf(1)},
		// 1/(1 − ¼e^{t/2.25}), of radius 2.25·log 4.
		{"geometric of exp", Compose(series.Geometric{Ratio: 0.25}, e), 1 / (1 - ke/4), 2.25 * math.Log(4)},
		{"identity", Compose(series.HermiteDual{N: 1}, p), kp, math.Inf(1)},
		{"nested", Sum(Product(Linear{}, Compose(series.Exp{Rate: 1}, Linear{})), Constantly(2)), testkit.DotOf(x, y)*math.Exp(testkit.DotOf(x, y)) + 2, math.Inf(1)},
	} {
		if got := c.kernel.Eval(x, y); !(math.Abs(got-c.want) <= 1e-13*c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		f := SeriesOf(c.kernel)
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
		maps := testkit.Times(500, 500, 2000)
		m, err := NewMaclaurin(c.kernel, 2, 30, NewSampler(0), &MaclaurinOptions{Law: series.OptimalLaw{Norm: 0.7}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		e1, _, _ := testkit.ErrorMoments(c.kernel, maps, testkit.Redraws(m), x, y)
		if z := e1 / math.Sqrt(m.Variance(x, y)/float64(maps)); !(math.Abs(z) <= 4) {
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
		{Compose(series.ReLUDual{}, g), series.ReLUDual{}.Eval(g.Eval(x, y))},
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
		"Compose kernel = nil":  Compose(series.Exp{Rate: 1}, nil),
		"Rate = -1":             Compose(series.Exp{Rate: -1}, p),
		"LengthScale = 0":       Sum(p, ExpDot{}),
		"Degree = -1":           Compose(series.Exp{Rate: 1}, Polynomial{Degree: -1, Gamma: 1}),
		"radius of convergence": Compose(series.Geometric{Ratio: 1}, Polynomial{Degree: 1, Gamma: 1, Offset: 1}),
		"Gaussian LengthScale":  Sum(Gaussian{}, p),
		"series f = nil":        Compose(nil, p),
	} {
		if _, err := NewMaclaurin(k, 2, 4, NewSampler(1), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// Constantly is the kernel of a constant, as a dot product kernel.
func Constantly(c float64) Kernel { return Dot(series.Coefficients{c}) }
