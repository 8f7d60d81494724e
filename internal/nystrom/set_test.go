// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package nystrom

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Landmarks in their own order must keep it unless the factorization fails, so hasNearCopies may be true only where it does. A
// copy at distance r of a Gaussian kernel has a pivot of at most 1 − exp(−r²) ≈ r², which is 1e-10 at r = 1e-5.
func TestNearCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found, not := 0, 0
	for draw := range 200 {
		const n, d = 60, 3
		x := make([][d]float64, n)
		r := math.Pow(10, -6+1.5*rng.Float64())
		for i := range x {
			for j := range d {
				x[i][j] = rng.NormFloat64()
			}
		}
		for j := range d {
			x[n-1][j] = x[7][j] + r*rng.NormFloat64()
		}
		scale := math.Pow(10, 20*rng.NormFloat64())
		a := tiled.New(n)
		for j := range n {
			for i := range j + 1 {
				var square float64
				for c := range d {
					square += (x[i][c] - x[j][c]) * (x[i][c] - x[j][c])
				}
				a.Set(i, j, scale*math.Exp(-square/2))
			}
		}
		near := hasNearCopies(a)
		_, dependent := a.Factorize(pivotTiny)
		if near && dependent < 0 {
			t.Errorf("draw %d, distance %.3g: near copies, and a factor", draw, r)
		}
		if near {
			found++
		} else {
			not++
		}
	}
	if found < 40 || not < 40 {
		t.Errorf("%d draws with near copies, %d without", found, not)
	}
}
