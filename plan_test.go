// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// A BlackBox is drawn from as often as its features are kept (it was 11,990 times for 1000), and not
// at all by planning.
func TestPlanDrawsNothing(t *testing.T) {
	var calls atomic.Int64
	box := BlackBox{Of: Gaussian{LengthScale: 1}, Draw: DrawFunc(func(s *Sampler) (func(x []float64) float64, error) {
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
		p := must(NewPlan(c.k, 1, 1000, &PlanOptions{Points: mat.NewDense(3, 1, []float64{1, 2, 3})}))
		if n := calls.Load(); n != 0 {
			t.Errorf("%v: planning drew %d times", c.k, n)
		}
		m := must(p.Draw(NewSampler(1)))
		if _, out := m.Dims(); calls.Load() != c.want || out != 1000 {
			t.Errorf("%v: %d draws for %d features, want %d", c.k, calls.Load(), out, c.want)
		}
		if _, ok := m.(Variancer); ok || !math.IsNaN(p.Variance([]float64{1}, []float64{2})) || !math.IsNaN(p.RMSE()) {
			t.Errorf("%v: the variance is not known and the map is a Variancer, or its plan's Variance %v", c.k, p.Variance([]float64{1}, []float64{2}))
		}
	}
	k := &countedKernel{Laplacian: Laplacian{LengthScale: 1}}
	p := must(NewPlan(Sum(k, Product(k, Linear{})), 2, 100, nil))
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

// Terms of a sum of stationary kernels have columns of their own: for lengths 0.3 and 3 the mixture of
// their measures has at least 1.5 times the variance on the sphere.
func TestPlanSums(t *testing.T) {
	k := Sum(Gaussian{LengthScale: 0.3}, Gaussian{LengthScale: 3})
	for _, d := range []int{2, 8} {
		p := must(NewPlan(k, d, 240, nil))
		mixture := must(NewFourier(k, d, 240, NewSampler(1), &FourierOptions{Design: Orthogonal}))
		s := NewSampler(2)
		x := mat.NewDense(100, d, nil)
		for i := range 100 {
			sphere(s, x.RawRowView(i))
		}
		of, with := must(RMSE(p, x, 2000, NewSampler(3))), must(RMSE(mixture, x, 2000, NewSampler(3)))
		if ratio := of * of / (with * with); !(ratio <= 1/1.5) {
			t.Errorf("d = %d: %.3f of the mixture's variance", d, ratio)
		}
		if len(PlanShape(p)) != 2 {
			t.Errorf("d = %d: %v", d, p)
		}
	}
	// Where there is no room for a pair for each term, the mixture stays.
	for out := 1; out <= 6; out++ {
		shape := PlanShape(must(NewPlan(k, 2, out, nil)))
		if want := 1 + out/4; len(shape) > want {
			t.Errorf("%d columns: %q", out, shape)
		}
	}
	// And where it has less variance: of two alike it is one.
	if shape := PlanShape(must(NewPlan(Sum(Laplacian{LengthScale: 1}, Laplacian{LengthScale: 1}), 2, 40, nil))); len(shape) != 1 {
		t.Errorf("a kernel twice has %q", shape)
	}
}

// A plan is for the points it is given: a sum's columns follow them, and so does its predicted error.
func TestPlanPoints(t *testing.T) {
	t.Parallel()
	k := Sum(Gaussian{LengthScale: 0.05}, Gaussian{LengthScale: 1})
	s := NewSampler(1)
	near := mat.NewDense(50, 2, nil)
	s.FillNormal(near.RawMatrix().Data)
	near.Scale(0.02, near)
	far := mat.NewDense(50, 2, nil)
	s.FillNormal(far.RawMatrix().Data)
	for _, x := range []*mat.Dense{near, far} {
		p := must(NewPlan(k, 2, 200, &PlanOptions{Points: x}))
		if got, want := p.RMSE(), must(RMSE(p, x, 50_000, NewSampler(2))); !(math.Abs(got/want-1) <= 0.05) {
			t.Errorf("RMSE %v over all pairs, %v over some", got, want)
		}
	}
	a, b := PlanShape(must(NewPlan(k, 2, 200, &PlanOptions{Points: near}))), PlanShape(must(NewPlan(k, 2, 200, &PlanOptions{Points: far})))
	if a[0] == b[0] {
		t.Errorf("near and far points have the plans %q and %q", a, b)
	}
	// Equal rows are estimated without error by pairs: the least map there is will do.
	same := mat.NewDense(20, 3, nil)
	if _, out := must(NewPlan(Gaussian{LengthScale: 1}, 3, 1000, &PlanOptions{Points: same, RMSE: 0.1})).Dims(); out > 2 {
		t.Errorf("%d features for equal rows, where two will do", out)
	}
}

// Weights and scales of a plan's terms are those of the kernel: moments over maps.
func TestPlanWeights(t *testing.T) {
	w := WeightFunc(func(x []float64) float64 { return 2 + x[0] })
	k := Sum(Weight(w, Scale(2, Laplacian{LengthScale: 1})), Scale(3, Weight(w, Linear{})), Select([]int{1}, Scale(2, Circle{})))
	p := must(NewPlan(k, 2, 30, nil))
	x, y := []float64{0.5, 0.2}, []float64{-0.3, 0.6}
	const maps = 2000
	var e1, e2, e4 float64
	for seed := range maps {
		m := must(p.Draw(NewSampler(uint64(seed))))
		e := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y)) - k.Eval(x, y)
		e1, e2, e4 = e1+e/maps, e2+e*e/maps, e4+e*e*e*e/maps
	}
	v := p.Variance(x, y)
	if z := e1 / math.Sqrt(v/maps); !(math.Abs(z) <= 4) {
		t.Errorf("bias %v, z = %.1f", e1, z)
	}
	if z := (e2 - v) / math.Sqrt((e4-e2*e2)/maps); !(math.Abs(z) <= 4) {
		t.Errorf("variance %v, Variance %v, z = %.1f", e2, v, z)
	}
}
