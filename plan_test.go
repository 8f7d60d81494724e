// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// A BlackBox is drawn from as often as its features are kept (it was 11,990 times for 1000), and not
// at all by planning.
func TestPlanDrawsNothing(t *testing.T) {
	var calls atomic.Int64
	box := BlackBox{Of: Gaussian{LengthScale: 1}, Draw: testkit.DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
		calls.Add(1)
		w, b := s.Normal(), s.Float64()
		return func(x []float64) float64 { return math.Sqrt2 * math.Cos(w*x[0]+b) }, nil
	})}
	for _, c := range []struct {
		k    Kernel
		want int64
	}{
		{box, 1000},
		{Sum(box, Constant{Value: 1}), 999},
		{Product(box, Linear{}), 1000},
	} {
		calls.Store(0)
		p := testkit.Must(NewPlan(c.k, mat.NewDense(3, 1, []float64{1, 2, 3}), 1000, nil))
		if n := calls.Load(); n != 0 {
			t.Errorf("%v: planning drew %d times", c.k, n)
		}
		m := testkit.Must(p.Draw(NewSampler(1)))
		if _, out := m.Dims(); calls.Load() != c.want || out != 1000 {
			t.Errorf("%v: %d draws for %d features, want %d", c.k, calls.Load(), out, c.want)
		}
		if _, ok := m.(Variancer); ok || !math.IsNaN(p.Variance([]float64{1}, []float64{2})) || !math.IsNaN(p.RMSE()) {
			t.Errorf("%v: the variance is not known and the map is a Variancer, or its plan's Variance %v", c.k, p.Variance([]float64{1}, []float64{2}))
		}
	}
	k := &countedKernel{Laplacian: Laplacian{LengthScale: 1}}
	p := testkit.Must(NewPlan(Sum(k, Product(k, Linear{})), nil, 100, &PlanOptions{In: 2}))
	if p.RMSE(); k.drawn != 0 {
		t.Errorf("planning drew %d frequencies", k.drawn)
	}
}

// countedKernel counts its frequencies.
type countedKernel struct {
	Laplacian
	drawn int
}

func (k *countedKernel) Frequency(dst []float64, s *Sampler) {
	k.drawn++
	k.Laplacian.Frequency(dst, s)
}

// A plan is for the points it is given: a sum's columns follow them, and so does its predicted error.
func TestPlanPoints(t *testing.T) {
	t.Parallel()
	n := testkit.Times(16, 16, 50)
	k := Sum(Gaussian{LengthScale: 0.05}, Gaussian{LengthScale: 1})
	s := NewSampler(1)
	near := mat.NewDense(n, 2, nil)
	s.FillNormal(near.RawMatrix().Data)
	near.Scale(0.02, near)
	far := mat.NewDense(n, 2, nil)
	s.FillNormal(far.RawMatrix().Data)
	var shapes [2]string
	for i, x := range []*mat.Dense{near, far} {
		p := testkit.Must(NewPlan(k, x, 200, &PlanOptions{Unbiased: true}))
		if got, want := p.RMSE(), testkit.Must(PredictedRMSE(p, x, 3000, NewSampler(2))); !(math.Abs(got-want) <= 0.05*want+1e-15) { // near points have polynomials without error, except for rounding
			t.Errorf("RMSE %v over all pairs, %v over some", got, want)
		}
		shapes[i] = PlanShape(p)[0]
	}
	if shapes[0] == shapes[1] {
		t.Errorf("near and far points have the plans %q", shapes)
	}
	// Equal rows are estimated without error by pairs: the least map there is will do.
	same := mat.NewDense(20, 3, nil)
	if _, out := testkit.Must(NewPlan(Gaussian{LengthScale: 1}, same, 1000, &PlanOptions{RMSE: 0.1})).Dims(); out > 2 {
		t.Errorf("%d features for equal rows, where two will do", out)
	}
}

// Weights and scales of a plan's terms are those of the kernel: moments over maps.
func TestPlanWeights(t *testing.T) {
	w := WeightFunc(func(x []float64) float64 { return 2 + x[0] })
	k := Sum(Weight(w, Scale(2, Laplacian{LengthScale: 1})), Scale(3, Weight(w, Linear{})), Select([]int{1}, Scale(2, Circle{})))
	p := testkit.Must(NewPlan(k, nil, 30, &PlanOptions{In: 2}))
	x, y := []float64{0.5, 0.2}, []float64{-0.3, 0.6}
	const maps = 2000
	e1, e2, e4 := testkit.ErrorMoments(k, maps, func(seed int) FeatureMap { return testkit.Must(p.Draw(NewSampler(uint64(seed)))) }, x, y)
	v := p.Variance(x, y)
	if z := e1 / math.Sqrt(v/maps); !(math.Abs(z) <= 4) {
		t.Errorf("bias %v, z = %.1f", e1, z)
	}
	if z := (e2 - v) / math.Sqrt((e4-e2*e2)/maps); !(math.Abs(z) <= 4) {
		t.Errorf("variance %v, Variance %v, z = %.1f", e2, v, z)
	}
}

// Planned maps of one and two coordinates, off the axes and 1.4 times as far out as the points: bias by z-scores
// of at most 4.5, and variances within five standard deviations of the mean of squares whose own deviation is twice
// their mean: a third of 1,000 maps.
func TestPlanFewCoordinates(t *testing.T) {
	t.Parallel()
	maps := testkit.Times(1000, 1000, 4000)
	for _, k := range []Kernel{Gaussian{LengthScale: 1}, ExpDot{LengthScale: 1.2}, Product(Gaussian{LengthScale: 2}, Polynomial{Degree: 2, Gamma: 1, Offset: 1})} {
		for _, d := range []int{1, 2} {
			if _, dot := k.(ExpDot); dot && d == 1 && !testkit.Long() {
				continue // which is the Gaussian's features times a weight
			}
			points := testkit.ScaledNormals(9, 30, d, 0.5)
			points.Apply(func(_, _ int, v float64) float64 { return v + 0.4 }, points)
			p := testkit.Must(NewPlan(k, points, 8, &PlanOptions{Unbiased: true}))
			x, y := []float64{1.2, 1.1}[:d], []float64{-0.3, 1.3}[:d]
			draw := func(seed int) FeatureMap { return testkit.Must(p.Draw(NewSampler(uint64(51_000 + seed)))) }
			sum, square, _ := testkit.ErrorMoments(k, maps, draw, x, y)
			v := p.Variance(x, y)
			t.Logf("%v, d = %d: bias %.2g, variance %.3g, measured %.3g: %v", k, d, sum, v, square, PlanShape(p))
			if !(math.Abs(sum) <= 4.5*math.Sqrt(v/float64(maps))+1e-13) {
				t.Errorf("%v, d = %d: bias %v with a variance of %v", k, d, sum, v)
			}
			if !(math.Abs(square-v) <= 10*v/math.Sqrt(float64(maps))+1e-26) {
				t.Errorf("%v, d = %d: variance %v, measured %v", k, d, v, square)
			}
		}
	}
}

// The zero Plan says that it is no plan, and maps that are nil have no plan. (TestZeroMaps has zero maps.)
func TestPlanZero(t *testing.T) {
	t.Parallel()
	var p Plan
	in, out := p.Dims()
	if in != 0 || out != 0 || p.Kernel() != nil {
		t.Errorf("R^%d → R^%d, kernel %v", in, out, p.Kernel())
	}
	for name, v := range map[string]float64{"RMSE": p.RMSE(), "Variance": p.Variance(nil, nil), "Bias": p.Bias(nil, []float64{})} {
		if !math.IsNaN(v) {
			t.Errorf("%s = %v, want NaN", name, v)
		}
	}
	if s := p.String(); s != "a zero value, which is no plan" {
		t.Errorf("String: %q", s)
	}
	if m, err := p.Draw(NewSampler(1)); m != nil || err == nil {
		t.Errorf("Draw: %v, %v", m, err)
	}
	if v, err := PredictedRMSE(&p, mat.NewDense(3, 2, nil), 10, NewSampler(1)); err == nil && !math.IsNaN(v) {
		t.Errorf("RMSE of no plan: %v", v)
	}
	for _, m := range []FeatureMap{nil, (*Fourier)(nil)} {
		if p, err := PlanOf(m); p != nil || err == nil {
			t.Errorf("PlanOf(%T): %v, %v", m, p, err)
		}
	}
}

// Points far from the origin are as good as points around it, for a kernel of differences.
func TestPlanMeans(t *testing.T) {
	t.Parallel()
	x := testkit.Cloud(60, 4, 1)
	// Coordinates of 40 bits: adding 100 rounds nothing.
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v*0x1p40) / 0x1p40 }, x)
	moved := mat.DenseCopyOf(x)
	moved.Apply(func(_, _ int, v float64) float64 { return v + 100 }, x)
	for i, k := range []Kernel{
		Gaussian{LengthScale: 1}, Gaussian{LengthScale: 3}, ARD([]float64{1, 2, 3, 4}, Gaussian{LengthScale: 1}), Matern{Nu: 2.5, LengthScale: 1},
		Sum(Gaussian{LengthScale: 3}, Laplacian{LengthScale: 2}),
	} {
		for j, out := range []int{16, 100} {
			if (i+j)%2 == 0 && !testkit.Long() {
				continue
			}
			p, q := testkit.Must(NewPlan(k, x, out, &PlanOptions{Unbiased: true})), testkit.Must(NewPlan(k, moved, out, &PlanOptions{Unbiased: true}))
			if got, want := q.RMSE(), p.RMSE(); !(math.Abs(got/want-1) <= 1e-6) {
				t.Errorf("%v, %d columns: an error of %v, moved %v", k, out, want, got)
			}
			if a, b := strings.Join(PlanShape(p), ", "), strings.Join(PlanShape(q), ", "); a != b {
				t.Errorf("%v: %s, moved %s", k, a, b)
			}
			a, b := p.Variance(x.RawRowView(0), x.RawRowView(1)), q.Variance(moved.RawRowView(0), moved.RawRowView(1))
			if !(math.Abs(a/b-1) <= 1e-6) {
				t.Errorf("%v: Variance %v, moved %v", k, a, b)
			}
		}
	}
}
