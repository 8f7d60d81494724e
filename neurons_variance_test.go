// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	. "github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// neuronsFor returns the size of a map of neurons of an order with so many directions, and whether there
// is one with exact features, or in pairs.
func neuronsFor(order, d, directions int, exact bool) (out int, ok bool) {
	n := []int{1, d, d * (d + 1) / 2}[order]
	if exact {
		return n + directions, 3*directions > n
	}
	return 2 * directions, 6*directions <= 4*n
}

// Variance against simulation by angle, in whole blocks and in parts.
func TestNeuronsOrthogonalVariance(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	maps := testkit.Times(300, 300, 1200)
	cosines := []float64{-0.9, -0.4, 0, 0.3, 0.8, 0.99}
	for order := range 3 {
		k := ArcCosine{Order: order}
		for _, d := range []int{2, 3, 8, 4, 16, 64}[:testkit.Times(3, 3, 6)] {
			if d == 64 && order == 2 {
				continue // out is 1,387 at least
			}
			for _, c := range []struct {
				directions int
				exact      bool
			}{{d, true}, {d, false}, {d + (d+1)/2, true}, {2*d/3 + d%2, false}, {(d*d + 4) / 5, false}} {
				out, ok := neuronsFor(order, d, c.directions, c.exact)
				if !ok {
					continue
				}
				if !c.exact && c.directions%2 == 0 {
					out-- // one by itself
				}
				p := testkit.Must(PlanOf(testkit.Must(NewNeurons(k, d, out, NewSampler(1), orthogonalNeurons))))
				if got := strings.Contains(PlanShape(p)[0], "exact features"); got != c.exact {
					t.Errorf("order %d, R^%d → R^%d: exact features: %v, want %v", order, d, out, got, c.exact)
				}
				x := make([]float64, d)
				x[0] = 1
				y := make([][]float64, len(cosines))
				for i, v := range cosines {
					y[i] = make([]float64, d)
					y[i][0], y[i][1] = v, math.Sqrt(1-v*v)
				}
				e2, e4 := make([]float64, len(y)), make([]float64, len(y))
				for seed := range maps {
					m := testkit.Must(p.Draw(NewSampler(uint64(seed))))
					fx := m.TransformVec(nil, x)
					for i, y := range y {
						e := testkit.DotOf(fx, m.TransformVec(nil, y)) - k.Eval(x, y)
						e2[i] += e * e / float64(maps)
						e4[i] += e * e * e * e / float64(maps)
					}
				}
				for i, y := range y {
					want, se := p.Variance(x, y), math.Sqrt(max(e4[i]-e2[i]*e2[i], 0)/float64(maps))
					// The series is summed to 1e-5 of M.
					if slack := 2e-6 * k.Eval(x, x) * k.Eval(x, x); !(math.Abs(e2[i]-want) <= 4.5*se+slack) && e4[i] < 10*e2[i]*e2[i] {
						t.Errorf("order %d, R^%d → R^%d, cosine %v: measured variance %.5g ± %.1g, exact %.5g", order, d, out, cosines[i], e2[i], se, want)
					}
				}
			}
		}
	}
}

// In the plane two directions of a block are φ and φ + π/2: the variance of one block, by quadrature.
func TestNeuronsOrthogonalPlane(t *testing.T) {
	for order := range 3 {
		out := []int{3, 4, 5}[order]
		p := testkit.Must(PlanOf(testkit.Must(NewNeurons(ArcCosine{Order: order}, 2, out, NewSampler(1), orthogonalNeurons))))
		for _, theta := range []float64{0.1, 0.7, math.Pi / 2, 2, 3} {
			// For two directions in addition to exact features, a direction's part is a quarter of rⁿrⁿ times two odd
			// or even functions.
			f := func(t float64) float64 {
				switch order {
				case 0:
					return math.Copysign(1, t)
				case 1:
					return math.Sqrt2 * math.Abs(t)
				}
				return math.Sqrt(8) * t * math.Abs(t)
			}
			g := func(phi float64) float64 {
				part := func(phi float64) float64 { return f(math.Cos(phi)) * f(math.Cos(phi-theta)) }
				return (part(phi) + part(phi+math.Pi/2)) / 4
			}
			// The parts are smooth between zeros, of period π/2.
			var mean, second float64
			at := []float64{0, theta, math.Pi / 2}
			at[1] = math.Mod(theta, math.Pi/2)
			for i := range 2 {
				mean += quad.Fixed(g, at[i], at[i+1], 40, nil, 0) / (math.Pi / 2)
				second += quad.Fixed(func(phi float64) float64 { return g(phi) * g(phi) }, at[i], at[i+1], 40, nil, 0) / (math.Pi / 2)
			}
			want := second - mean*mean
			x, y := []float64{1, 0}, []float64{math.Cos(theta), math.Sin(theta)}
			if got := p.Variance(x, y); !(math.Abs(got-want) <= 2e-6) {
				t.Errorf("order %d, θ = %v: Variance %v, by quadrature %v", order, theta, got, want)
			}
		}
	}
}

// On digits of unit norm the predicted error is within a tenth of the error of maps, and what it is
// in docs/theory/variance.md. (Errors of a map's pairs are correlated, most of all for order 2.)
func TestNeuronsRMSE(t *testing.T) {
	t.Parallel()
	if testkit.RaceEnabled {
		t.Skip("statistics have no goroutines of their own for the race detector to look at")
	}
	x := testkit.SpreadDigits(t, 300, 1)
	for _, c := range []struct {
		order, out int
		maps       int
		rmse       float64 // predicted
		normal     float64 // that of independent normal weights
	}{
		{0, 64, testkit.Times(0, 0, 10), 0.0465, 0.121},
		{0, 1024, testkit.Times(0, 0, 10), 0.0115, 0.0302},
		{1, 64, testkit.Times(0, 0, 20), 0.1449, 0.227},
		{1, 128, 10, 0.0135, 0.160},
		{1, 1024, testkit.Times(0, 0, 10), 0.00348, 0.0567},
		{2, 1024, testkit.Times(0, 0, 40), 0.1445, 0.304},
		{2, 4096, testkit.Times(0, 0, 30), 0.0366, 0.152},
	} {
		if c.maps == 0 {
			continue
		}
		p := testkit.Must(PlanOf(testkit.Must(NewNeurons(ArcCosine{Order: c.order}, 64, c.out, NewSampler(1), orthogonalNeurons))))
		want := math.Sqrt(testkit.MeanSquare(p, x))
		normal := math.Sqrt(testkit.MeanSquare(testkit.Must(NewNeurons(ArcCosine{Order: c.order}, 64, c.out, NewSampler(1), nil)), x))
		if !(math.Abs(want/c.rmse-1) <= 0.005) || !(math.Abs(normal/c.normal-1) <= 0.005) {
			t.Errorf("order %d, D = %d: predicted errors %.5f and %.5f, in the table %v and %v", c.order, c.out, want, normal, c.rmse, c.normal)
		}
		got := testkit.MeasuredRMSE(t, p, x, c.maps)
		t.Logf("order %d, D = %d: measured %.5f, predicted %.5f, ratio %.3f", c.order, c.out, got, want, got/want)
		if !(math.Abs(got/want-1) <= 0.1) {
			t.Errorf("order %d, D = %d: error %.5f of %d maps, predicted %.5f", c.order, c.out, got, c.maps, want)
		}
	}
}

// The table in docs/theory/variance.md: the error of neurons with exact features over that of pairs, in R⁶⁴, for
// D features of which E are exact. They pay from D = 4E/3 on at acute angles.
func TestNeuronsForms(t *testing.T) {
	t.Parallel()
	const d = 64
	ratio := func(order, d int, share, cos float64) float64 {
		x, y := make([]float64, d), make([]float64, d)
		x[0], y[0], y[1] = 1, cos, math.Sqrt(1-cos*cos)
		out := int(share * float64([]int{1, d, d * (d + 1) / 2}[order]))
		k := ArcCosine{Order: order}
		return math.Sqrt(NeuronsVariance(k, out, true, x, y) / NeuronsVariance(k, out, false, x, y))
	}
	for _, c := range []struct {
		order int
		share float64
		want  [5]float64
	}{
		{0, 16, [5]float64{0.72, 0.71, 0.72, 0.72, 0.73}},
		{1, 1.25, [5]float64{3.29, 1.30, 1.08, 1.09, 1.12}},
		{1, 1.34, [5]float64{2.89, 1.18, 0.97, 0.98, 1.00}},
		{1, 2, [5]float64{1, 1, 1, 1, 1}},
		{1, 4, [5]float64{0.82, 0.82, 0.82, 0.82, 0.82}},
		{1, 16, [5]float64{0.73, 0.73, 0.73, 0.73, 0.73}},
		{2, 1.1, [5]float64{10.66, 1.53, 1.23, 1.25, 1.26}},
		{2, 1.34, [5]float64{5.97, 0.86, 0.69, 0.69, 0.70}},
		{2, 2, [5]float64{4.27, 0.61, 0.49, 0.50, 0.50}},
		{2, 4, [5]float64{3.48, 0.50, 0.40, 0.41, 0.41}},
	} {
		for i, cos := range []float64{-0.5, 0, 0.5, 0.7, 0.99} {
			if got := ratio(c.order, d, c.share, cos); !(math.Abs(got-c.want[i]) <= 0.0051) {
				t.Errorf("order %d, D = %vE, cosine %v: %.3f, in the table %v", c.order, c.share, cos, got, c.want[i])
			}
		}
	}
	// A full block over as many independent directions.
	for _, c := range []struct {
		order, d int
		want     [4]float64
	}{
		{0, 3, [4]float64{0.33, 0.55, 0.68, 0.84}},
		{0, 64, [4]float64{0.59, 0.65, 0.72, 0.84}},
		{1, 2, [4]float64{2, 0.332, 0.079, 0.005}},
		{1, 3, [4]float64{0.99, 0.22, 0.057, 0.004}},
		{1, 64, [4]float64{0.34, 0.10, 0.031, 0.002}},
		{2, 3, [4]float64{0.08, 0.20, 0.19, 0.16}},
		{2, 64, [4]float64{0.27, 0.28, 0.26, 0.25}},
	} {
		for i, cos := range []float64{0, 0.5, 0.7, 0.9} {
			x, y := make([]float64, c.d), make([]float64, c.d)
			x[0], y[0], y[1] = 1, cos, math.Sqrt(1-cos*cos)
			exact, _ := neuronsFor(c.order, c.d, 0, true)
			of := func(directions int) float64 {
				return NeuronsVariance(ArcCosine{Order: c.order}, exact+directions, true, x, y)
			}
			tolerance := 0.0051
			if c.want[i] < 0.1 && c.order == 1 {
				tolerance = 0.00051
			}
			if got := of(c.d) * float64(c.d) / of(1); !(math.Abs(got-c.want[i]) <= tolerance) {
				t.Errorf("order %d, R^%d, cosine %v: a block has %.4f of the variance, in the table %v", c.order, c.d, cos, got, c.want[i])
			}
		}
	}
	for order := range 3 {
		for _, d := range []int{3, 4, 8, 30, 300} {
			for _, cos := range []float64{0.3, 0.5, 0.7, 0.99} {
				if got := ratio(order, d, 2.001, cos); !(got <= 1.001) {
					t.Errorf("order %d, R^%d, cosine %v: %.3f for D = 2E", order, d, cos, got)
				}
			}
		}
	}
}

// The variance of independent neurons is a number or +Inf, and not NaN, at points whose norms multiply to more than float64 holds.
func TestNeuronsVarianceOverflows(t *testing.T) {
	for order := range 3 {
		n := testkit.Must(NewNeurons(ArcCosine{Order: order}, 3, 10, NewSampler(1), nil))
		if v := n.Variance([]float64{-5.8e159, -2.8e160, 2e160}, []float64{-2.4e159, 8e159, 6.8e158}); math.IsNaN(v) {
			t.Errorf("Neurons of order %d: Variance = %v", order, v)
		}
	}
}
