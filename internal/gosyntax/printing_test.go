// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gosyntax_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

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
		{Sum(&g, Linear{}, Select([]int{0, 3}, Circle{})), "Sum(Gaussian{LengthScale: 2}, Linear{}, Select([]int{0, 3}, Circle{}))"},
		{Product(Dot(series.Coefficients{1, 2}), ExpDot{LengthScale: 1}), "Product(Dot(series.Coefficients{1, 2}), ExpDot{LengthScale: 1})"},
		{Compose(series.ReLUDual{}, Categories{N: 3}), "Compose(series.ReLUDual{}, Categories{N: 3})"},
		{Project(testkit.Narrow, g), "Project(mat.NewDense(2, 3, []float64{1, 2, -1, 0.5, 0, 1}), Gaussian{LengthScale: 2})"},
		{Project(mat.NewDense(30, 30, nil), g), "Project(mat.NewDense(30, 30, …), Gaussian{LengthScale: 2})"},
		{Weight(WeightFunc(first), g), "Weight(WeightFunc(gosyntax_test.first), Gaussian{LengthScale: 2})"},
		{Sum(), "Sum()"},
		{Scale(-1, nil), "Scale(-1, nil)"},
		{Sum(testkit.OneSided{Gaussian: g}, g), "Sum(testkit.OneSided{Gaussian: Gaussian{LengthScale: 2}}, Gaussian{LengthScale: 2})"},
		{FromMap(testkit.Must(NewFourier(g, 3, 8, NewSampler(1), nil))), "FromMap(Gaussian{LengthScale: 2}: R^3 → R^8, Fourier, Independent frequencies in pairs)"},
		{testkit.Must(NewMaclaurin(ExpDot{LengthScale: 1}, 3, 9, NewSampler(1), nil)), "ExpDot{LengthScale: 1}: R^3 → R^9, Maclaurin, series.GeometricLaw{P: 0}, RademacherSketch"},
		{testkit.Must(testkit.New(Sum(Linear{}, Laplacian{LengthScale: 1}), 3, 20, NewSampler(1))),
			"Sum(Linear{}, Laplacian{LengthScale: 1}): R^3 → R^19\n\tcolumns 0 to 2: exact, of Linear{}\n\tcolumns 3 to 18: Fourier, Independent frequencies in pairs, of Laplacian{LengthScale: 1}"},
	} {
		if got := fmt.Sprint(c.v); got != c.want {
			t.Errorf("%T prints as %s\nwant %s", c.v, got, c.want)
		}
	}
	// It says that exact features were given up.
	m := testkit.Must(testkit.New(Sum(Linear{}, g), 30, 20, NewSampler(1)))
	if got := fmt.Sprint(m); !strings.Contains(got, "30 columns would be exact") {
		t.Errorf("a map without room for 30 exact columns prints as %s", got)
	}
	// No map marshals as {} without a word.
	base := testkit.Must(NewFourier(g, 2, 4, NewSampler(1), nil))
	sk := NewSkeleton(2)
	sk.Input(g)
	for _, m := range []any{base, *base, testkit.Must(NewMaclaurin(Linear{}, 2, 4, NewSampler(1), nil)), testkit.Must(NewNeurons(ArcCosine{}, 2, 4, NewSampler(1), nil)),
		testkit.Must(NewCompositional(sk, 4, NewSampler(1))), testkit.Must(testkit.New(Sum(Linear{}, g), 2, 10, NewSampler(1))), testkit.Must(NewDataDependent(base, mat.NewDense(1, 2, nil), nil))} {
		if got, err := json.Marshal(m); err == nil || !strings.Contains(err.Error(), "saved by Encode") {
			t.Errorf("%T marshals as %s: %v", m, got, err)
		}
	}
}

func first(x []float64) float64 { return x[0] }

// Series of the algebra, and terms of plans, print as Go expressions of what is exported.
func TestPrintingOfAlgebra(t *testing.T) {
	e, g := ExpDot{LengthScale: 1}, Gaussian{LengthScale: 1}
	for _, c := range []struct {
		k    fmt.Stringer
		want string
	}{
		{Compose(Polynomial{Degree: 3, Gamma: 0.5, Offset: 1}.Series(), ArcCosine{Order: 1}).(fmt.Stringer),
			"Compose(Polynomial{Degree: 3, Gamma: 0.5, Offset: 1}.Series(), ArcCosine{Order: 1})"},
		{Compose(power.Sum{F: e.Series(), G: power.Scaled{C: 2, F: series.ReLUDual{}}}, ArcCosine{Order: 1}).(fmt.Stringer),
			"Compose(series of Sum(Dot(series.Exp{Rate: 1, Shift: 0}), Scale(2, Dot(series.ReLUDual{}))), ArcCosine{Order: 1})"},
		{testkit.Must(NewPlan(Sum(Linear{}, Select([]int{1}, Weight(testkit.Norm{Scale: 2}, g))), nil, 40, &PlanOptions{In: 2})),
			"Product(Select([]int{1}, Weight(testkit.Norm{Scale: 2}, Constant{Value: 1})), Select([]int{1}, Gaussian{LengthScale: 1}))"},
		{testkit.Must(NewPlan(Sum(Project(mat.NewDiagDense(2, []float64{1, 0}), g), Linear{}), nil, 40, &PlanOptions{In: 2})),
			"Project(mat.NewDiagDense(2, []float64{1, 0}), Gaussian{LengthScale: 1})"},
	} {
		if got := c.k.String(); !strings.Contains(got, c.want) {
			t.Errorf("prints as %s\nwant %s", got, c.want)
		}
	}
}
