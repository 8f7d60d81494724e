// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// NewPlan refuses options and points, and kernels without a map or a known error. It names the option, the element or the size
// that is wrong.
func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	g := Gaussian{LengthScale: 1}
	x := testkit.Cloud(4, 3, 1)
	with := func(v float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Set(2, 1, v)
		return y
	}
	box := BlackBox{Of: g, Draw: testkit.DrawFunc(func(*Sampler) (func(x []float64) float64, error) {
		return func([]float64) float64 { return 1 }, nil
	})}
	for _, c := range []struct {
		name string
		k    Kernel
		out  int
		x    mat.Matrix
		o    PlanOptions
		want []string
	}{
		{"no kernel", nil, 10, nil, PlanOptions{In: 3}, []string{"kernel k = nil"}},
		{"no columns", g, 0, nil, PlanOptions{In: 3}, []string{"features = 0"}},
		{"a kernel without a length scale", Gaussian{}, 10, x, PlanOptions{RMSE: 1}, []string{"LengthScale = 0"}},
		{"a kernel without a map", testkit.UnknownKernel{}, 10, x, PlanOptions{RMSE: 1}, []string{"no map"}},
		{"negative RMSE", g, 10, nil, PlanOptions{In: 3, RMSE: -1e-300}, []string{"RMSE = -1e-300"}},
		{"RMSE is NaN", g, 10, x, PlanOptions{RMSE: math.NaN()}, []string{"RMSE = NaN"}},
		{"RMSE is +Inf", g, 10, x, PlanOptions{RMSE: math.Inf(1)}, []string{"RMSE = +Inf"}},
		{"RMSE out of reach", Laplacian{LengthScale: 1}, 10, mat.NewDense(3, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}), PlanOptions{RMSE: 1e-9, Unbiased: true}, []string{"RMSE = 1e-09: takes more than"}},
		{"RMSE without variance", box, 10, x, PlanOptions{RMSE: 1}, []string{"not known"}},
		{"RMSE of a sum without variance", Sum(g, box), 10, x, PlanOptions{RMSE: 0.1}, []string{"PlanOptions RMSE", "not known"}},
		{"RMSE of a weight that is not finite", Weight(testkit.Norm{Scale: math.NaN()}, g), 10, x, PlanOptions{RMSE: 0.1}, []string{"not finite on the points"}},
		{"Inf in the points", g, 10, with(math.Inf(-1)), PlanOptions{}, []string{"x: row 2, column 1 = -Inf"}},
		{"NaN in the points", g, 10, with(math.NaN()), PlanOptions{}, []string{"x: row 2, column 1 = NaN"}},
		{"no rows", g, 10, new(mat.Dense), PlanOptions{}, []string{"x is 0×0: must have a column"}},
		{"one row", g, 10, x.Slice(0, 1, 0, 3), PlanOptions{}, []string{"x has 1 rows: must have at least 2"}},
		{"another width", g, 10, x.Slice(0, 4, 0, 2), PlanOptions{In: 3}, []string{"In = 3: x has 2 columns"}},
		{"no points and no width", g, 10, nil, PlanOptions{}, []string{"x = nil: PlanOptions In must"}},
		{"a negative width", g, 10, nil, PlanOptions{In: -1}, []string{"In = -1"}},
	} {
		p, err := NewPlan(c.k, c.x, c.out, &c.o)
		if err == nil || p != nil || !strings.HasPrefix(err.Error(), "featuremap: ") {
			t.Errorf("%s: a plan %v, error %v", c.name, p, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", c.name, err, part)
			}
		}
	}
	if _, err := NewPlan(g, nil, math.MaxInt, &PlanOptions{In: 3, RMSE: 0.1}); (err == nil) != (math.MaxInt == math.MaxInt32) {
		t.Errorf("out = %d: error %v", math.MaxInt, err)
	}
}

// A plan is refused with a TooFewError that tells how many columns it takes: of terms, each of which takes two columns or is
// exact, and of an error that is asked for.
func TestPlanTooFew(t *testing.T) {
	t.Parallel()
	g := Gaussian{LengthScale: 1}
	x := testkit.Cloud(4, 3, 1)
	for _, c := range []struct {
		k    Kernel
		need int
	}{
		{Sum(Laplacian{LengthScale: 1}, ArcCosine{Order: 1}), 4},
		{Sum(Weight(testkit.Norm{Scale: 1}, g), ArcCosine{Order: 1}, ArcCosine{Order: 0}), 6},
		{Sum(Linear{}, ArcCosine{Order: 1}), 4}, // ⟨x, y⟩ by random projections
	} {
		for _, points := range []mat.Matrix{nil, x} {
			for out := 1; out < c.need; out++ {
				var few *TooFewError
				if _, err := NewPlan(c.k, points, out, &PlanOptions{In: 3}); !errors.As(err, &few) || few.Out != out || few.Need != c.need {
					t.Errorf("%v with %d columns: error %v, want a TooFewError that it takes %d", c.k, out, err, c.need)
				}
			}
			if p := testkit.Must(NewPlan(c.k, points, c.need, &PlanOptions{In: 3})); len(PlanShape(p)) < 2 {
				t.Errorf("%v with %d columns: %v", c.k, c.need, p)
			}
		}
	}
	var few *TooFewError
	if _, err := NewPlan(Product(ArcCosine{Order: 1}, g), nil, 1, &PlanOptions{In: 3}); !errors.As(err, &few) || few.Need != 2 {
		t.Errorf("a complex feature in one column: error %v, want a TooFewError that it takes 2", err)
	}
	line := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	p, err := NewPlan(Linear{}, line, 10, &PlanOptions{RMSE: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if _, n := p.Dims(); n != 2 {
		t.Errorf("%d features of ⟨x, y⟩ in R², want 2", n)
	}
	_, err = NewPlan(g, line, 10, &PlanOptions{RMSE: 0.05, Unbiased: true})
	if !errors.As(err, &few) || few.Out != 10 {
		t.Fatalf("error %v, want a TooFewError of out = 10", err)
	}
	p = testkit.Must(NewPlan(g, line, few.Need, &PlanOptions{RMSE: 0.05, Unbiased: true}))
	if _, n := p.Dims(); n != few.Need || !(p.RMSE() <= 0.05) {
		t.Errorf("%d features with an error of %v, want %d", n, p.RMSE(), few.Need)
	}
	if _, err = NewPlan(g, line, few.Need-1, &PlanOptions{RMSE: 0.05, Unbiased: true}); !errors.As(err, &few) {
		t.Errorf("error %v with one feature fewer than are needed", err)
	}
}
