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
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// A map whose error grows without bound away from the points is planned only for given points.
func TestPlanSides(t *testing.T) {
	t.Parallel()
	x := testkit.Cloud(40, 4, 1)
	for _, c := range []struct {
		k     Kernel
		takes bool // the other side of the exponential, with points
	}{
		{Gaussian{LengthScale: 2}, true},
		{Scale(2, ARD([]float64{2, 3, 2, 3}, Gaussian{LengthScale: 1})), true},
		{Weight(testkit.Norm{Scale: 1}, Gaussian{LengthScale: 2}), true},
		{Product(Gaussian{LengthScale: 2}, Linear{}), true},
		{Product(Gaussian{LengthScale: 4}, Gaussian{LengthScale: 4}), true},
		{Laplacian{LengthScale: 2}, false},
		{Matern{Nu: 1.5, LengthScale: 2}, false},
		{Sum(Laplacian{LengthScale: 2}, Cauchy{LengthScale: 1}), false},
	} {
		for _, points := range []mat.Matrix{nil, x} {
			takes := false
			for _, out := range []int{2, 64, 20}[:testkit.Times(2, 2, 3)] {
				p := testkit.Must(NewPlan(c.k, points, out, &PlanOptions{In: 4}))
				centered, weighted := PlanSides(p)
				for i := range centered {
					takes = takes || centered[i] || weighted[i]
				}
				if points == nil && takes {
					t.Fatalf("without points: %v", p)
				}
			}
			if points != nil && takes != c.takes {
				t.Errorf("%v: the other side of the exponential is taken: %v, want %v", c.k, takes, c.takes)
			}
		}
	}
}

// The largest norm that a plan is made for is +Inf where the error does not grow, and else 1.5 times that of the points, less their mean
// where features are of those.
func TestPlanMaxNorm(t *testing.T) {
	t.Parallel()
	x := testkit.Cloud(40, 4, 1)
	var norm, distance float64
	mean := make([]float64, 4)
	for i := range 40 {
		floats.AddScaled(mean, 1./40, x.RawRowView(i))
	}
	for i := range 40 {
		norm, distance = max(norm, floats.Norm(x.RawRowView(i), 2)), max(distance, floats.Distance(x.RawRowView(i), mean, 2))
	}
	g, e := Gaussian{LengthScale: 2}, ExpDot{LengthScale: 1}
	for _, c := range []struct {
		name   string
		k      Kernel
		points mat.Matrix
		want   float64
	}{
		{"Gaussian", g, nil, math.Inf(1)},
		{"steps", ArcCosine{Order: 0}, nil, math.Inf(1)},
		{"steps of points", ArcCosine{Order: 0}, x, math.Inf(1)},
		{"Laplacian of points", Laplacian{LengthScale: 1}, x, math.Inf(1)},
		{"exact", Linear{}, x, math.Inf(1)},
		{"ExpDot", e, nil, 1},
		{"polynomial", Polynomial{Degree: 5, Gamma: 1, Offset: 1}, nil, 1},
		{"ReLU", ArcCosine{Order: 1}, nil, 1},
		{"sum", Sum(g, e), nil, 1},
		{"Gaussian of points", g, x, 1.5 * distance},
		{"ExpDot of points", e, x, 1.5 * distance},
		{"polynomial of points", Polynomial{Degree: 5, Gamma: 1, Offset: 1}, x, 1.5 * norm},
		{"sum of points", Sum(g, Laplacian{LengthScale: 1}), x, 1.5 * distance},
	} {
		p := testkit.Must(NewPlan(c.k, c.points, 64, &PlanOptions{In: 4}))
		// MaxNorm is rounded to 16 bits.
		if got := PlanMaxNorm(p); got != c.want && !(math.Abs(got/c.want-1) <= 0x1p-15) {
			t.Errorf("%s: MaxNorm = %v, want %v\n%v", c.name, got, c.want, p)
		}
	}
}

// One row far out does not spoil a plan: at 1.5 times the norms it has no more error there than a Fourier map.
func TestPlanOutlier(t *testing.T) {
	t.Parallel()
	k := Gaussian{LengthScale: 1.5}
	for _, at := range []int{0, 399, 17}[:testkit.Times(2, 2, 3)] { // of 400 rows 300 are looked at in pairs
		for _, factor := range []float64{3, 1000} {
			if !testkit.Long() && (at == 0) != (factor == 1000) {
				continue
			}
			x := testkit.Cloud(400, 4, 1)
			floats.Scale(factor, x.RawRowView(at))
			p := testkit.Must(NewPlan(k, x, 64, nil))
			fourier := testkit.Must(NewFourier(k, 4, 64, NewSampler(1), &FourierOptions{Design: Orthogonal}))
			far := mat.NewDense(20, 4, nil)
			for i := range 20 {
				far.SetRow(i, x.RawRowView((at+i*19)%400))
			}
			far.Scale(1.5, far)
			if got, want := testkit.MeanSquare(p, far), testkit.MeanSquare(fourier, far); !(got <= 1.01*want) {
				t.Errorf("row %d times %v: a mean squared error far out of %v, and %v with Fourier\n%v", at, factor, got, want, p)
			}
			some := mat.NewDense(50, 4, nil)
			for i := range 50 {
				some.SetRow(i, x.RawRowView((at+i*8)%400))
			}
			if !(testkit.MeanSquare(p, some) <= 1.1*testkit.MeanSquare(fourier, some)) {
				t.Errorf("row %d times %v: the plan has more error than a Fourier map", at, factor)
			}
		}
	}
}

// Far from its points the variance of a plan may be infinite, and its weights underflow: it is +Inf then, and not NaN.
func TestPlanFarVariance(t *testing.T) {
	for _, d := range []int{1, 3} {
		p := testkit.Must(NewPlan(Gaussian{LengthScale: 1}, testkit.ScaledNormals(1, 30, d, 0.1), 24, nil))
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
