// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/series"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// If values of a kernel or variances overflow on the points, NewPlan says so with their norms. It does not return a
// plan whose error is +Inf or NaN, even if only one row is too far out, of which no pair is used.
func TestPlanOverflow(t *testing.T) {
	t.Parallel()
	e, l := ExpDot{LengthScale: 1}, Laplacian{LengthScale: 1}
	large := Polynomial{Degree: 60, Gamma: 1, Offset: 1}
	for i, k := range []Kernel{
		e, ExpDot{LengthScale: 30}, large, Product(e, l), Product(e, Linear{}), Product(e, e), Sum(e, Linear{}), Sum(e, l),
		Sum(large, Linear{}, Constant{Value: 1}), Compose(series.Exp{Rate: 1}, Sum(Linear{}, Constant{Value: 1})), Compose(series.Exp{Rate: 1}, ArcCosine{Order: 1}),
		Compose(series.Exp{Rate: 1}, Product(Linear{}, l)), Dot(series.Geometric{Ratio: 0.3}), Dot(series.SineDual{Rate: 1}), Weight(testkit.Norm{Scale: 1}, e),
		Product(ArcCosine{Order: 1}, e), ARD([]float64{1, 2, 3, 4}, e), Select([]int{2, 1}, e), Scale(1e-3, e),
	} {
		for _, c := range []struct {
			name string
			rows int
			norm float64
			only int // the one row that is far out; −1: all
		}{
			{"all", 10, 1e6, -1}, {"all, farther", 10, 1e160, -1}, {"one", 10, 1e6, 7}, {"one, farther", 10, 1e160, 7}, {"one of many", 700, 1e6, 333},
		} {
			if (c.rows > 100 || c.name == "one, farther" || i > 5 && (i%2 == 0) == (c.only < 0)) && fmt.Sprint(k) != fmt.Sprint(e) && !testkit.Long() {
				continue
			}
			x := testkit.Cloud(c.rows, 4, 1)
			for i := range c.rows {
				if i == c.only || c.only < 0 {
					floats.Scale(c.norm/floats.Norm(x.RawRowView(i), 2), x.RawRowView(i))
				}
			}
			for _, rmse := range []float64{0, 0.1} {
				if i > 5 && (c.rows > 100 && i%3 > 0 || rmse > 0) || rmse > 0 && (c.only < 0 || i > 1) && !testkit.Long() {
					continue
				}
				p, err := NewPlan(k, x, 64, &PlanOptions{RMSE: rmse})
				if p != nil || err == nil {
					t.Errorf("%v, %s, RMSE %v: a plan with the error %v", k, c.name, rmse, p.RMSE())
					continue
				}
				if want := fmt.Sprintf("%.3g;", c.norm); !strings.Contains(err.Error(), "norms") || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, %s, RMSE %v: the error does not name the norm %s %v", k, c.name, rmse, want, err)
				}
			}
		}
	}
}

// Kernels that do not overflow far out have plans with finite features: functions of distances, and exact
// features.
func TestPlanFarOut(t *testing.T) {
	t.Parallel()
	for _, k := range []Kernel{
		Gaussian{LengthScale: 1}, Matern{Nu: 1.5, LengthScale: 1}, Product(Gaussian{LengthScale: 1}, Laplacian{LengthScale: 2}), Linear{}, Sum(Linear{}, Constant{Value: 1}),
		ArcCosine{Order: 0}, ExpDot{LengthScale: 1e100}, Scale(1e-100, Linear{}),
	} {
		for _, only := range []int{-1, 7} {
			x := testkit.Cloud(20, 4, 1)
			for i := range 20 {
				if i == only || only < 0 {
					floats.Scale(1e100, x.RawRowView(i))
				}
			}
			p := testkit.Must(NewPlan(k, x, 64, nil))
			if rmse := p.RMSE(); !(rmse <= math.MaxFloat64) {
				t.Errorf("%v: an error of %v", k, rmse)
			}
			m := testkit.Must(p.Draw(NewSampler(1)))
			for i := range 20 {
				if z := m.TransformVec(nil, x.RawRowView(i)); floats.HasNaN(z) || math.IsInf(floats.Sum(z), 0) {
					t.Errorf("%v: the features of row %d are not finite", k, i)
				}
			}
		}
	}
}

// Exact features that overflow on the points are refused too, with the norm of the points.
func TestPlanExactOverflow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k    Kernel
		norm float64
	}{
		{Polynomial{Degree: 2, Gamma: 1}, 1e155}, {Product(Linear{}, Linear{}, Linear{}), 1e150},
		{Dot(series.Coefficients{0, 0, 0, 0, 1}), 1e78}, {Dot(series.HermiteDual{N: 5}), 1e200},
	} {
		for _, only := range []int{-1, 7} {
			x := testkit.Cloud(12, 3, 1)
			for i := range 12 {
				if i == only || only < 0 {
					floats.Scale(c.norm/floats.Norm(x.RawRowView(i), 2), x.RawRowView(i))
				}
			}
			p, err := NewPlan(c.k, x, 40, nil)
			if p != nil || err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%.3g;", c.norm)) {
				t.Errorf("%v, row %d: no error that names the norm %g: %v", c.k, only, c.norm, err)
			}
		}
	}
}
