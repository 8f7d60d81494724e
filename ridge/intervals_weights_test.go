// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Intervals have ends, infinite ones perhaps, with weights over 24 decades, where some rows are predicted by themselves alone and
// regressions of noise have no digits left.
func TestIntervalsOfExtremeWeights(t *testing.T) {
	fits := 0
	for seed := range uint64(40) {
		s := featuremap.NewSampler(seed)
		const n, points = 80, 23
		x, y, weights := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil), make([]float64, n)
		for i := range n {
			if x.SetRow(i, []float64{s.Normal(), s.Normal()}); i >= points {
				x.SetRow(i, x.RawRowView(i-points))
			}
			if y.Set(i, 0, math.Sin(x.At(i, 0))); i >= points {
				y.Set(i, 0, y.At(i-points, 0))
			}
			weights[i] = []float64{1e-12, 1, 1e12}[s.IntN(3)]
		}
		phi := must(featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 0.6}, x, points, s, nil))
		for _, side := range []ridge.Side{ridge.FeatureSide, ridge.RowSide} {
			for _, lambda := range []float64{0, 1e-12, 1} {
				m, err := ridge.Fit(phi, x, y, &ridge.Options{Weights: weights, Side: side, Lambda: lambda})
				if err != nil {
					continue // a λ that is too small
				}
				fits++
				for i := range n {
					if lo, hi := m.Interval(x.RawRowView(i), 0.9); !(lo[0] <= hi[0]) {
						t.Fatalf("seed %d, side %v, λ = %v: interval %v … %v of row %d", seed, side, m.Lambda(), lo, hi, i)
					}
				}
			}
		}
	}
	if fits < 120 { // most λ of 1e-12 are refused
		t.Errorf("%d of 240 fits: too few to tell", fits)
	}
}
