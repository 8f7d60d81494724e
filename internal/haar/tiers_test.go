// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package haar

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Every tier has the bits of plain Go, at all sizes around the groups of rows and of coordinates, and writes nothing beyond.
func TestTiers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 40, 67} {
		for _, r := range []int{1, 3, 4, 5, 8, 11, d} {
			if r > d {
				continue
			}
			g := make([]float64, Normals(r, d))
			for i := range g {
				g[i] = rnd.NormFloat64()
			}
			want := make([]float64, r*d)
			rowsIn(tier.Plain, want, r, d, slices.Clone(g))
			for _, tr := range tier.Available() {
				got := make([]float64, r*d+8)
				for i := range got {
					got[i] = 7
				}
				rowsIn(tr, got, r, d, slices.Clone(g))
				if !slices.Equal(got[:r*d], want) || !slices.Equal(got[r*d:], []float64{7, 7, 7, 7, 7, 7, 7, 7}) {
					t.Errorf("%v: %d rows of R^%d differ from plain Go's", tr, r, d)
				}
			}
		}
	}
}
