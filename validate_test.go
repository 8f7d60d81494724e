// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// nilSeries is a caller's kernel that forgot its series.
type nilSeries struct{ Linear }

func (nilSeries) Series() series.Series { return nil }

// Constructors refuse kernels whose Series method returns nil, and every function that draws refuses the zero Sampler. (RMSE and
// MedianLengthScale are tested with what else they refuse.)
func TestMissingArguments(t *testing.T) {
	g := Gaussian{LengthScale: 1}
	for _, k := range []Kernel{nilSeries{}, Sum(nilSeries{}, g), Product(nilSeries{}, Linear{}), Compose(series.Exp{Rate: 1}, nilSeries{}), Scale(2, nilSeries{})} {
		if _, err := testkit.New(k, 2, 20, NewSampler(1)); err == nil || !strings.Contains(err.Error(), "Series() = nil") {
			t.Errorf("%v: error %v", k, err)
		}
	}
	zero := new(Sampler)
	zero.Uint64()
	sk := NewSkeleton(1)
	sk.Input(Circle{})
	for name, err := range map[string]error{
		"New":              testkit.Second(testkit.New(g, 2, 4, zero)),
		"NewFourier":       testkit.Second(NewFourier(g, 2, 4, zero, nil)),
		"NewMaclaurin":     testkit.Second(NewMaclaurin(ExpDot{LengthScale: 1}, 2, 4, zero, nil)),
		"NewNeurons":       testkit.Second(NewNeurons(ArcCosine{}, 2, 4, zero, nil)),
		"NewCompositional": testkit.Second(NewCompositional(sk, 4, zero)),
		"Plan.Draw":        testkit.Second(testkit.Must(NewPlan(g, nil, 4, &PlanOptions{In: 2})).Draw(zero)),
	} {
		if err == nil || !strings.Contains(err.Error(), "zero value") {
			t.Errorf("%s with the zero Sampler: error %v", name, err)
		}
	}
}

// Constructors refuse matrices that are nil, empty or of another shape by the sizes that they have and should have. Those of
// SpectralMixture, NewFourierFrom, NewPlan, RMSE and MedianLengthScale are tested with what else these refuse.
func TestMatrixArguments(t *testing.T) {
	var none *mat.Dense
	empty, two, three := new(mat.Dense), mat.NewDense(2, 3, nil), mat.NewDense(3, 2, nil)
	g, s := Gaussian{LengthScale: 1}, NewSampler(1)
	in := func(n int, k Kernel) error { return testkit.Second(testkit.New(k, n, 8, s)) }
	sk := NewSkeleton(3)
	sk.Unit(series.Exp{Rate: 1}, sk.Input(g))
	phi := testkit.Must(NewCompositional(sk, 8, s))
	for _, c := range []struct {
		err  error
		want []string
	}{
		{in(3, Project(nil, g)), []string{"Project A = nil"}},
		{in(3, Project(none, g)), []string{"Project A = nil"}},
		{in(3, Project(empty, g)), []string{"Project A is 0×0"}},
		{in(3, Project(three, g)), []string{"in = 3", "Project has 2 columns"}},
		{in(3, Project(two, ARD([]float64{1, 2, 3}, g))), []string{"in = 2", "ARD has 3 columns"}},
		{in(3, ARD(nil, g)), []string{"ARD lengthScales = []"}},
		{in(3, ARD([]float64{1, 2}, g)), []string{"in = 3", "ARD has 2 columns"}},
		{in(3, Sum(g, ARD([]float64{1, 2}, g))), []string{"in = 3", "ARD has 2 columns"}},
		{in(3, Select(nil, g)), []string{"Select cols = []"}},
		{in(3, Select([]int{3}, g)), []string{"in = 3", "column 3"}},
		{in(3, FromMap(phi)), nil},
		{in(2, FromMap(phi)), []string{"in = 2", "3 coordinates"}},
		{in(2, testkit.Must(sk.Kernel())), []string{"in = 2", "3 coordinates"}},
		{testkit.Second(MedianLengthScale(none, s)), []string{"x = nil"}},
		{sk.Validate(nil), []string{"x = nil"}},
		{sk.Validate(none), []string{"x = nil"}},
		{sk.Validate(empty), []string{"x has 0 columns", "3"}},
		{phi.Validate(three), []string{"x has 2 columns", "3"}},
		{phi.Validate(nil), []string{"x = nil"}},
	} {
		if c.want == nil {
			if c.err != nil {
				t.Error(c.err)
			}
			continue
		}
		for _, want := range c.want {
			if c.err == nil || !strings.HasPrefix(c.err.Error(), "featuremap: ") || !strings.Contains(c.err.Error(), want) {
				t.Errorf("%v: want %q", c.err, c.want)
			}
		}
	}
}
