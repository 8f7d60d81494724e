// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math/rand/v2"
	"testing"
)

// What a headed matrix keeps has the bits of the whole one, through everything that changes it, in every tier; and it keeps what it promises,
// in less memory where there are many more columns than first ones.
func TestHeaded(t *testing.T) {
	for _, c := range []struct{ n, first, rows int }{{300, 7, 200}, {301, 48, 150}, {120, 24, 31}, {97, 95, 20}, {30, 29, 20}, {5, 1, 3}, {700, 100, 9}} {
		rnd := rand.New(rand.NewPCG(uint64(c.n), 3))
		z, u, v := random(rnd, c.rows, c.n), random(rnd, 1, c.n).Data[:c.n], random(rnd, 1, c.n).Data[:c.n]
		for _, tier := range tiers() {
			whole, headed := newIn(tier, c.n), newHeadedIn(tier, c.n, c.first)
			if c.n > 6*c.first+50 && 2*len(headed.data) > len(whole.data) {
				t.Errorf("%v, %d of %d columns: %d numbers of %d", tier, c.first, c.n, len(headed.data), len(whole.data))
			}
			for _, m := range []*Matrix{whole, headed} {
				gram(t, m, z, 50)
				m.AddProducts(u, v)
				other := m.NewLike()
				other.CopyFrom(m)
				other.Add(m)
				m.CopyFrom(other)
			}
			column, want := make([]float64, c.n), make([]float64, c.n)
			for j := range c.n {
				headed.Column(column, j)
				whole.Column(want, j)
				for i := range j + 1 {
					if kept := i < c.first || i == j || j == c.n-1; kept && (column[i] != want[i] || headed.At(i, j) != want[i]) || column[i] != want[i] && column[i] != 0 {
						t.Fatalf("%v, %d of %d columns: element %d, %d is %v, want %v", tier, c.first, c.n, i, j, column[i], want[i])
					}
				}
			}
			again := newHeadedIn(tier, c.n, c.first)
			for j := range c.n {
				whole.Column(want, j)
				again.SetColumn(j, want)
			}
			leading, wantLeading := newIn(tier, c.first), newIn(tier, c.first)
			leading.CopyLeading(again)
			wantLeading.CopyLeading(whole)
			for j := range c.first {
				for i := range j + 1 {
					if got, want := leading.At(i, j), wantLeading.At(i, j); got != want {
						t.Fatalf("%v, %d of %d columns: element %d, %d of the leading columns is %v, want %v", tier, c.first, c.n, i, j, got, want)
					}
				}
			}
		}
	}
}
