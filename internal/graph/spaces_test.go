// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
)

// A number that is not a category is like no category, not even itself, for the kernel and for its exact features. A
// number that is not finite gives NaN.
func TestCategoriesOffSpace(t *testing.T) {
	values := []float64{0, 1, 2, 3, 2.5, -1, 1e300, 0.5, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1)}
	k := Categories{N: 3}
	phi := testkit.Must(testkit.New(k, 1, 3, NewSampler(1)))
	for i, v := range values {
		for _, u := range values {
			want := 0.0
			switch {
			case math.IsNaN(v-v) || math.IsNaN(u-u):
				want = math.NaN()
			case v == u && (i < 3 || v == 0):
				want = 1
			}
			x, y := []float64{v}, []float64{u}
			for name, got := range map[string]float64{
				"Eval":         k.Eval(x, y),
				"the features": floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y)),
				"Product":      Product(k, Gaussian{LengthScale: 1e200 / 1e60}).Eval(x, y),
			} {
				if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("%s at %v, %v: %v, want %v", name, v, u, got, want)
				}
			}
		}
	}
}

// Functions that take data and return an error refuse numbers that are not a category or a sign, by row and
// column, wherever in the kernel they are read.
func TestSpacesOfData(t *testing.T) {
	good := func() *mat.Dense {
		x := testkit.NormalPoints(1, 6, 4)
		for i := range 6 {
			x.Set(i, 1, float64(i%3))
			x.Set(i, 2, float64(1-2*(i%2)))
		}
		return x
	}
	c, b, g := Select([]int{1}, Categories{N: 3}), Select([]int{2}, Binary{}), Gaussian{LengthScale: 1}
	sk := NewSkeleton(3)
	sk.Unit(series.ExpDual(1), sk.Input(Categories{N: 3}, 0), sk.Input(Binary{}, 2), sk.Input(g, 1))
	pick := mat.NewDense(1, 4, []float64{0, 1, 0, 0})
	for _, k := range []Kernel{
		Sum(c, b), Product(Scale(2, c), Scale(3, b)), Sum(g, Product(c, g), b), Compose(series.ExpDual(1), Sum(c, b)),
		Sum(Project(pick, &Categories{N: 3}), b), Sum(Weight(WeightFunc(func(x []float64) float64 { return 1 }), c), b),
		Select([]int{1, 3, 2}, testkit.Must(sk.Kernel())), Select([]int{2, 1}, Sum(Select([]int{1}, Categories{N: 3}), Select([]int{0}, &Binary{}))),
	} {
		x := good()
		p, err := NewPlan(k, x, 60, nil)
		if err != nil {
			t.Errorf("%v: %v", k, err)
			continue
		}
		base := testkit.Must(p.Draw(NewSampler(1)))
		for _, off := range []struct {
			row, col int
			v        float64
			want     string
		}{
			{4, 1, 2.5, "row 4, column 1: 2.5 is not one of 0 … 2"},
			{0, 1, 3, "row 0, column 1: 3 is not one of 0 … 2"},
			{5, 1, -1, "row 5, column 1: -1 is not one of 0 … 2"},
			{3, 2, 0, "row 3, column 2: 0 is not −1 or +1"},
		} {
			bad := good()
			bad.Set(off.row, off.col, off.v)
			for name, err := range map[string]error{
				"x  ": testkit.Second(NewPlan(k, bad, 60, nil)),
				"x":   testkit.Second(PredictedRMSE(p, bad, 10, NewSampler(1))),
				"x ":  testkit.Second(NewDataDependent(base, bad, nil)),
			} {
				if want := "featuremap: " + strings.TrimSpace(name) + ": " + off.want; err == nil || err.Error() != want {
					t.Errorf("%v: %v, want %q", k, err, want)
				}
			}
		}
	}
	// Other coordinates, images under other matrices, and vectors of another norm are taken.
	x := good()
	x.Set(0, 0, 2.5)
	x.Set(0, 3, 7)
	for _, k := range []Kernel{Sum(c, g), Select([]int{0, 3}, Sphere{}), Select([]int{0}, Circle{})} {
		if _, err := NewPlan(k, x, 60, nil); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
}
