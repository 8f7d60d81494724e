// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// Parameters are a node's own, then those of its parts, and WithParameters replaces each of them.
func TestParameters(t *testing.T) {
	g := Gaussian{LengthScale: 2}
	diagonal := mat.NewDiagDense(2, []float64{1, -2})
	for _, c := range []struct {
		k        Kernel
		is, with []float64
		want     Kernel
	}{
		{g, []float64{2}, []float64{3}, Gaussian{LengthScale: 3}},
		{&g, []float64{2}, []float64{3}, Gaussian{LengthScale: 3}},
		{Matern{Nu: 1.5, LengthScale: 2}, []float64{2}, []float64{3}, Matern{Nu: 1.5, LengthScale: 3}},
		{RationalQuadratic{Alpha: 0.7, LengthScale: 2}, []float64{2}, []float64{3}, RationalQuadratic{Alpha: 0.7, LengthScale: 3}},
		{Periodic{Period: 5, LengthScale: 2}, []float64{2}, []float64{3}, Periodic{Period: 5, LengthScale: 3}},
		{Polynomial{Degree: 2, Gamma: 0.5, Offset: 4}, []float64{0.5}, []float64{3}, Polynomial{Degree: 2, Gamma: 3, Offset: 4}},
		{Constant{Value: 2}, []float64{2}, []float64{0}, Constant{Value: 0}},
		{ArcCosine{Order: 1}, nil, nil, ArcCosine{Order: 1}},
		{Sum(Scale(4, g), Linear{}, Laplacian{LengthScale: 5}), []float64{4, 2, 5}, []float64{1, 7, 9}, Sum(Scale(1, Gaussian{LengthScale: 7}), Linear{}, Laplacian{LengthScale: 9})},
		{Product(ARD([]float64{1, 2}, Cauchy{LengthScale: 3}), ExpDot{LengthScale: 4}), []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, Product(ARD([]float64{5, 6}, Cauchy{LengthScale: 7}), ExpDot{LengthScale: 8})},
		{Project(mat.NewDense(1, 2, []float64{1, -2}), g), []float64{1, -2, 2}, []float64{0, 3, 1}, Project(mat.NewDense(1, 2, []float64{0, 3}), Gaussian{LengthScale: 1})},
		{Project(diagonal, g), []float64{1, -2, 2}, []float64{0, 3, 1}, Project(mat.NewDiagDense(2, []float64{0, 3}), Gaussian{LengthScale: 1})},
		{Select([]int{1}, Weight(testkit.Norm{Scale: 2}, Compose(series.Exp{Rate: 1}, ExpDot{LengthScale: 0.5}))), []float64{0.5}, []float64{0.1}, Select([]int{1}, Weight(testkit.Norm{Scale: 2}, Compose(series.Exp{Rate: 1}, ExpDot{LengthScale: 0.1})))},
		{SpectralMixture{Weights: []float64{1, 2}, Means: mat.NewDense(2, 1, []float64{3, 4}), Scales: mat.NewDense(2, 1, []float64{5, 6})}, []float64{1, 2, 3, 4, 5, 6}, []float64{6, 5, -4, 3, 2, 1},
			SpectralMixture{Weights: []float64{6, 5}, Means: mat.NewDense(2, 1, []float64{-4, 3}), Scales: mat.NewDense(2, 1, []float64{2, 1})}},
	} {
		before := fmt.Sprint(c.k)
		if got := Parameters(c.k); !slices.Equal(got, c.is) {
			t.Errorf("%v has the parameters %v, want %v", c.k, got, c.is)
		}
		given := slices.Clone(c.with)
		got, err := WithParameters(c.k, given)
		if fmt.Sprint(got) != fmt.Sprint(c.want) || err != nil {
			t.Errorf("%v with %v is %v, %v; want %v", c.k, c.with, got, err, c.want)
		}
		for i := range given {
			given[i] = math.NaN()
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || fmt.Sprint(c.k) != before {
			t.Errorf("%s: the parameters are the caller's memory, or k has changed: %v, %v", before, got, c.k)
		}
	}
	for _, c := range savedKernels() {
		again, err := WithParameters(c.kernel, Parameters(c.kernel))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		sameKernel(t, again, c.kernel, savedPoints(c.in))
	}
}

// The parameters of a caller's types are not known: neither of those that embed a kernel, nor of expressions, whose parts are.
func TestParametersOfCallers(t *testing.T) {
	k := Sum(savedKernel{Gaussian{LengthScale: 2}}, Scale(3, doubledKernel{Gaussian{LengthScale: 4}}))
	if got := Parameters(k); !slices.Equal(got, []float64{3, 4}) {
		t.Errorf("the parameters of %v are %v", k, got)
	}
	got := testkit.Must(WithParameters(k, []float64{5, 6}))
	if x, y := []float64{0.1}, []float64{0.7}; got.Eval(x, y) != Sum(savedKernel{Gaussian{LengthScale: 2}}, Scale(5, doubledKernel{Gaussian{LengthScale: 6}})).Eval(x, y) {
		t.Errorf("%v with other parameters is %v", k, got)
	}
}

// A doubledKernel is 2k, an Expression of another package.
type doubledKernel struct{ k Kernel }

func (d doubledKernel) Eval(x, y []float64) float64 { return 2 * d.k.Eval(x, y) }
func (d doubledKernel) Op() string                  { return "Doubled" }
func (d doubledKernel) Parts() []Kernel             { return []Kernel{d.k} }
func (d doubledKernel) With(parts ...Kernel) Kernel { return doubledKernel{parts[0]} }

// WithParameters refuses a kernel that is nil, another number of parameters, and values that the kernels refuse.
func TestWithParametersRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	g := Gaussian{LengthScale: 1}
	for _, c := range []struct {
		k    Kernel
		p    []float64
		want string
	}{
		{nil, nil, "k = nil"},
		{(*Gaussian)(nil), nil, "k = nil"},
		{g, nil, "p has 0 parameters: Gaussian{LengthScale: 1} has 1"},
		{Sum(g, g), []float64{1, 2, 3}, "p has 3 parameters"},
		{g, []float64{0}, "Gaussian LengthScale = 0"},
		{Sum(g, Matern{Nu: 1, LengthScale: 1}), []float64{1, -1}, "Matern LengthScale = -1"},
		{g, []float64{inf}, "Gaussian LengthScale = +Inf"},
		{Scale(1, g), []float64{-1, 1}, "Scale c = -1"},
		{Scale(1, g), []float64{nan, 1}, "Scale c = NaN"},
		{Constant{Value: 1}, []float64{-1}, "Constant Value = -1"},
		{ARD([]float64{1, 1}, g), []float64{1, 0, 1}, "lengthScales[1] = 0"},
		{Project(mat.NewDense(1, 2, nil), g), []float64{1, nan, 1}, "Project A(0, 1) = NaN"},
		{SpectralMixture{Weights: []float64{1}, Means: mat.NewDense(1, 1, nil), Scales: mat.NewDense(1, 1, nil)}, []float64{1, 2, -3}, "Scales(0, 0) = -3"},
		{Sum(Select([]int{0}, nil), g), []float64{1, 2}, "p has 2 parameters"},
	} {
		k, err := WithParameters(c.k, c.p)
		if k != nil || err == nil || !strings.HasPrefix(err.Error(), "featuremap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v with %v: %v, %v, want an error with %q", c.k, c.p, k, err, c.want)
		}
	}
}
