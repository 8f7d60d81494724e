// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"

	. "github.com/seed-0f95ebc1/featuremap"
)

// ArcCosine against its integral, for orders 0, 1, 2, and the moments of orders 2 and 4 through
// Variance: (2k₂ₙ − kₙ²)/D.
func TestArcCosine(t *testing.T) {
	factorial := map[int]float64{0: 1, 1: 1, 2: 2, 4: 24}
	k := func(n int, x, y []float64) float64 {
		xx, yy, xy := 0.0, 0.0, 0.0
		for i := range x {
			xx, yy, xy = xx+x[i]*x[i], yy+y[i]*y[i], xy+x[i]*y[i]
		}
		norms := math.Sqrt(xx * yy)
		theta := math.Acos(max(-1, min(xy/norms, 1)))
		j := quad.Fixed(func(psi float64) float64 { return math.Pow(math.Cos(theta)+math.Cos(psi), float64(n)) }, 0, math.Pi-theta, 40, nil, 0)
		return math.Pow(norms, float64(n)) * factorial[n] * j / math.Pi
	}
	s := NewSampler(1)
	for order := range 3 {
		for range 20 {
			x, y := make([]float64, 3), make([]float64, 3)
			s.FillNormal(x)
			s.FillNormal(y)
			want := k(order, x, y)
			if got := (ArcCosine{Order: order}).Eval(x, y); !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
				t.Errorf("order %d at %v, %v: %v, want %v", order, x, y, got, want)
			}
			m := testkit.Must(NewNeurons(ArcCosine{Order: order}, 3, 10, NewSampler(1), nil))
			v := (2*k(2*order, x, y) - want*want) / 10
			if got := m.Variance(x, y); !(math.Abs(got-v) <= 1e-11*max(1, v)) {
				t.Errorf("order %d at %v, %v: Variance %v, want %v", order, x, y, got, v)
			}
		}
	}
	if got := (ArcCosine{}).Eval([]float64{0}, []float64{1}); got != 0 {
		t.Errorf("order 0 at the origin: %v, want 0", got)
	}
	if got := (ArcCosine{Order: 1}).Eval([]float64{math.NaN()}, []float64{1}); !math.IsNaN(got) {
		t.Errorf("at NaN: %v", got)
	}
}

// ArcCosine at points of any size and angle, against mpmath 1.3.0 (the integral of Cho and Saul's
// equation 4, 40 digits): (3, 4, 0) and (1, 2, 2) times r and 1/r.
func TestArcCosineSizes(t *testing.T) {
	want := [3]float64{0.76203651074407082246, 11.628538260226073068, 462.99355970484377677}
	for order, want := range want {
		k := ArcCosine{Order: order}
		for _, r := range []float64{1, 1e-160, 1e160, 1e-300, 1e300} {
			x, y := []float64{3 * r, 4 * r, 0}, []float64{1 / r, 2 / r, 2 / r}
			if got := k.Eval(x, y); !(math.Abs(got/want-1) <= 1e-14) {
				t.Errorf("order %d, r = %v: %v, want %v", order, r, got, want)
			}
			v := testkit.Must(NewNeurons(k, 3, 10, NewSampler(1), nil)).Variance(x, y)
			ref := testkit.Must(NewNeurons(k, 3, 10, NewSampler(1), nil)).Variance([]float64{3, 4, 0}, []float64{1, 2, 2})
			if !(math.Abs(v/ref-1) <= 1e-13) {
				t.Errorf("order %d, r = %v: Variance %v, want %v", order, r, v, ref)
			}
		}
		// k(x, x) is ‖x‖²ⁿ times 1, 1 and 3 exactly. For order 0 the kernel is steep near x: 1 − θ/π.
		s := NewSampler(uint64(order))
		for range 100 {
			x := make([]float64, 7)
			s.FillNormal(x)
			n := math.Pow(floats.Dot(x, x), float64(order)) * [3]float64{1, 1, 3}[order]
			if got := k.Eval(x, x); !(math.Abs(got/n-1) <= 1e-14) {
				t.Errorf("order %d: k(x, x) = %v, want %v", order, got, n)
			}
		}
	}
	theta := 1e-9
	if got := (ArcCosine{}).Eval([]float64{1, 0}, []float64{math.Cos(theta), math.Sin(theta)}); !(math.Abs((1-got)/(theta/math.Pi)-1) <= 1e-6) {
		t.Errorf("order 0 at an angle of %v: 1 − %v", theta, 1-got)
	}
}
