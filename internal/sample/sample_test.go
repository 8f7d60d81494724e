// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sample_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// groupedRows returns n rows of R^3 whose sizes depend on their group, by a rule from row to group.
func groupedRows(n int, group func(i int) int, sizes []float64) *mat.Dense {
	x := testkit.NormalPoints(7, n, 3)
	for i := range n {
		floats.Scale(sizes[group(i)], x.RawRowView(i))
	}
	return x
}

// The predicted error is the error over all rows, even if rows of two groups alternate.
func TestPlanOrders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, period int }{{450, 3}, {4800, 16}, {600, 2}}[:testkit.Times(2, 2, 3)] {
		x := groupedRows(c.n, func(i int) int { return i % c.period / ((c.period + 1) / 2) }, []float64{0.05, 1})
		p := testkit.Must(NewPlan(Gaussian{LengthScale: 1}, x, 500, &PlanOptions{Unbiased: true}))
		want := testkit.Must(PredictedRMSE(p, x, 1500, NewSampler(11)))
		if ratio := p.RMSE() / want; !(0.8 <= ratio && ratio <= 1.25) {
			t.Errorf("%d rows, period %d: predicted %.3g, over random pairs %.3g", c.n, c.period, p.RMSE(), want)
		}
	}
}

// If not all pairs are used, those that are used do not depend on a phase of the rows either.
func TestPlanOrdersOfFewPairs(t *testing.T) {
	t.Parallel()
	for i, period := range []int{2, 3, 7, 16} {
		for j, n := range []int{300, 600} {
			if i > 0 && i%2 != j {
				continue
			}
			x := groupedRows(n, func(i int) int { return min(i%period, 1) }, []float64{2, 0.3})
			p := testkit.Must(NewPlan(Product(Matern{Nu: 1.5, LengthScale: 3}, Linear{}), x, 100, nil))
			if want := testkit.Must(PredictedRMSE(p, x, 4000, NewSampler(11))); !(math.Abs(p.RMSE()/want-1) <= 0.3) {
				t.Errorf("%d rows, period %d: predicted %.3g, over random pairs %.3g", n, period, p.RMSE(), want)
			}
		}
	}
}

// Two plans for the same points are the same, because rows are chosen by a fixed rule.
func TestPlanRowsFixed(t *testing.T) {
	t.Parallel()
	x := groupedRows(500, func(i int) int { return i % 2 }, []float64{1, 2})
	var first float64
	for i := range 2 {
		p := testkit.Must(NewPlan(Laplacian{LengthScale: 1}, x, 64, nil))
		if rmse := p.RMSE(); i == 0 {
			first = rmse
		} else if rmse != first {
			t.Errorf("two plans for the same points have the errors %v and %v", first, rmse)
		}
	}
}

// The order of the rows does not matter, if all of them are looked at: errors are the same within 1e-6, by rounding.
func TestPlanRowOrder(t *testing.T) {
	for _, c := range []struct {
		d, out int
		length float64
	}{{2, 1000, 1.4}, {16, 17, 5.8}, {4, 300, 1.5}} {
		x := testkit.NormalPoints(4, 60, c.d)
		back := mat.NewDense(60, c.d, nil)
		for i := range 60 {
			back.SetRow(i, x.RawRowView((7*i+3)%60))
		}
		k := Gaussian{LengthScale: c.length}
		a, b := testkit.Must(NewPlan(k, x, c.out, nil)), testkit.Must(NewPlan(k, back, c.out, nil))
		if !(math.Abs(a.RMSE()/b.RMSE()-1) <= 1e-6) {
			t.Errorf("R^%d: an error of %v, or %v in another order", c.d, a.RMSE(), b.RMSE())
		}
	}
}
