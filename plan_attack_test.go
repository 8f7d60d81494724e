// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// normals returns n standard normal points of R^d times a scale.
func normals(n, d int, scale float64, seed uint64) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	NewSampler(seed).FillNormal(x.RawMatrix().Data)
	x.Scale(scale, x)
	return x
}

// A plan's predicted error is the root mean of its variance, computed in another way, where moments are huge,
// tiny or infinite. (Errors of 0 were predicted for maps of infinite variance: a covariance had overflowed to
// −Inf. And finite ones near a radius of convergence, where a sum was cut.)
func TestPlanExtremes(t *testing.T) {
	outlier := normals(24, 5, 1, 3)
	outlier.SetRow(7, []float64{300, -200, 0, 10, 1})
	for _, c := range []struct {
		name string
		k    Kernel
		x    *mat.Dense
	}{
		{"norm 9 and one length scale", Gaussian{LengthScale: 1}, normals(24, 64, 9./8, 1)},
		{"the same, exponential", ExpDot{LengthScale: 1}, normals(24, 64, 9./8, 1)},
		{"an outlier", Gaussian{LengthScale: 5}, outlier},
		{"an outlier, product", Product(Gaussian{LengthScale: 5}, Polynomial{Degree: 2, Scale: 0.01, Offset: 1}), outlier},
		{"erf near its radius", Dot(ErfDual{}), normals(24, 16, 0.25, 2)},
		{"Vovk near its radius", InfinitePolynomial{Scale: 0.4}, normals(24, 16, 0.25, 2)},
		{"ReLU", Dot(ReLUDual{}), normals(24, 16, 0.2, 2)},
	} {
		_, d := c.x.Dims()
		for _, out := range []int{17, 1000} {
			p := must(NewPlan(c.k, d, out, &PlanOptions{Points: c.x}))
			var sum float64
			n, _ := c.x.Dims()
			for i := range n {
				for j := range i {
					sum += p.Variance(c.x.RawRowView(i), c.x.RawRowView(j)) / float64(n*(n-1)/2)
				}
			}
			want := math.Sqrt(sum)
			if got := p.RMSE(); !(math.Abs(got/want-1) <= 1e-3) && !(math.IsInf(got, 1) && math.IsInf(want, 1)) {
				t.Errorf("%s, %d columns: predicted %v, by Variance %v", c.name, out, got, want)
			}
		}
	}
}

// Terms share columns better than half and half, also where exact degrees come to fit. (The shares swung
// between 2 and 98 of 100 columns, and the error was a hundred times as large.)
func TestPlanSharesExactDegrees(t *testing.T) {
	t.Parallel()
	x := normals(60, 3, 1, 1)
	g, e := Gaussian{LengthScale: 5}, ExpDot{LengthScale: 2.5}
	o := &PlanOptions{Points: x}
	for _, out := range []int{20, 60, 100, 300, 1000} {
		both := must(NewPlan(Sum(g, e), 3, out, o)).RMSE()
		half := math.Hypot(must(NewPlan(g, 3, out/2, o)).RMSE(), must(NewPlan(e, 3, out/2, o)).RMSE())
		if !(both <= 1.05*half) {
			t.Errorf("%d columns: an error of %v, by halves %v", out, both, half)
		}
	}
}

// The order of the rows does not matter, if all of them are looked at.
func TestPlanRowOrder(t *testing.T) {
	for _, c := range []struct {
		d, out int
		length float64
	}{{2, 1000, 1.4}, {16, 17, 5.8}, {4, 300, 1.5}} {
		x := normals(60, c.d, 1, 4)
		back := mat.NewDense(60, c.d, nil)
		for i := range 60 {
			back.SetRow(i, x.RawRowView((7*i+3)%60))
		}
		k := Gaussian{LengthScale: c.length}
		a, b := must(NewPlan(k, c.d, c.out, &PlanOptions{Points: x})), must(NewPlan(k, c.d, c.out, &PlanOptions{Points: back}))
		if !(math.Abs(a.RMSE()/b.RMSE()-1) <= 1e-6) {
			t.Errorf("R^%d: an error of %v, or %v in another order", c.d, a.RMSE(), b.RMSE())
		}
	}
}

// A polynomial whose coefficients underflow is 0, in one column.
func TestPlanOfNothing(t *testing.T) {
	m := must(New(Polynomial{Degree: 50, Scale: 1.3e-9, Offset: 5.5e-128}, 2, 10, NewSampler(1)))
	if f := m.TransformVec(nil, []float64{1, 2}); len(f) != 1 || f[0] != 0 {
		t.Errorf("features %v", f)
	}
}

// Far from its points the variance of a plan may be infinite, and its weights underflow: it is known all the same.
// (It was NaN.) A map of one coordinate, at a norm of 10 and beyond.
func TestPlanFarVariance(t *testing.T) {
	for _, d := range []int{1, 3} {
		p := must(NewPlan(Gaussian{LengthScale: 1}, d, 24, &PlanOptions{Points: normals(30, d, 0.1, 1)}))
		for _, norm := range []float64{0.1, 1, 10, 100, 1e4} {
			x, y := make([]float64, d), make([]float64, d)
			for j := range d {
				x[j] = norm / math.Sqrt(float64(d))
				y[j] = x[j] + 0.1
			}
			if v := p.Variance(x, y); !(v >= 0) {
				t.Errorf("d = %d, norm %v: Variance %v", d, norm, v)
			}
		}
	}
}

// Planned maps of one and two coordinates, off the axes and 1.4 times as far out as the points: bias by z-scores
// of at most 4.5, of 2,000 maps, and variances within a quarter: five standard deviations of the mean of squares
// whose own deviation is twice their mean.
func TestPlanFewCoordinates(t *testing.T) {
	t.Parallel()
	const maps = 2000
	for _, k := range []Kernel{Gaussian{LengthScale: 1}, ExpDot{LengthScale: 1.2}, Product(Gaussian{LengthScale: 2}, Polynomial{Degree: 2, Scale: 1, Offset: 1})} {
		for _, d := range []int{1, 2} {
			points := normals(30, d, 0.5, 9)
			points.Apply(func(_, _ int, v float64) float64 { return v + 0.4 }, points)
			p := must(NewPlan(k, d, 8, &PlanOptions{Points: points}))
			x, y := []float64{1.2, 1.1}[:d], []float64{-0.3, 1.3}[:d]
			want := k.Eval(x, y)
			var sum, square float64
			for seed := range maps {
				m := must(p.Draw(NewSampler(uint64(51_000 + seed))))
				e := floats.Dot(m.TransformVec(nil, x), m.TransformVec(nil, y)) - want
				sum, square = sum+e/maps, square+e*e/maps
			}
			v := p.Variance(x, y)
			t.Logf("%v, d = %d: bias %.2g, variance %.3g, measured %.3g: %v", k, d, sum, v, square, PlanShape(p))
			if !(math.Abs(sum) <= 4.5*math.Sqrt(v/maps)+1e-13) {
				t.Errorf("%v, d = %d: bias %v with a variance of %v", k, d, sum, v)
			}
			if !(math.Abs(square-v) <= v/4+1e-26) {
				t.Errorf("%v, d = %d: variance %v, measured %v", k, d, v, square)
			}
		}
	}
}
