// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A squared error is a sum in the order that its documentation states, with the same bits on every tier.
func TestSquaredError(t *testing.T) {
	for _, n := range sizes() {
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		z := random(rnd, n, 3*n)
		const scale = 0.7
		var want float64
		for i := range n {
			var chains [4]float64
			for j := i; j < n; j++ {
				e := float64(scale*z.Data[i*z.Stride+j]) - z.Data[i*z.Stride+n+j]
				chains[j%4] += float64(float64(math.Abs(z.Data[i*z.Stride+2*n+j])*e) * e)
			}
			want += (chains[0] + chains[1]) + (chains[2] + chains[3])
		}
		for _, tier := range tiers() {
			m, b, weights := newIn(tier, n), newIn(tier, n), newIn(tier, n)
			for _, a := range []*Matrix{m, b, weights} { // padding counts for nothing
				for i := range a.data {
					a.data[i] = math.NaN()
				}
			}
			for i := range n {
				for j := i; j < n; j++ {
					row := z.Data[i*z.Stride+j:]
					m.Set(i, j, row[0])
					b.Set(i, j, row[n])
					weights.Set(i, j, math.Abs(row[2*n]))
				}
			}
			if got := m.SquaredError(scale, b, weights); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%v, n = %d: %v, want %v", tier, n, got, want)
			}
		}
	}
}

// AddSquaredErrors adds the addends of SquaredError beyond the diagonal to those of both rows, with the same bits on every tier.
func TestAddSquaredErrors(t *testing.T) {
	for _, n := range sizes() {
		rnd := rand.New(rand.NewPCG(2, uint64(n)))
		z := random(rnd, n, 3*n)
		const scale = 0.7
		var first []float64
		for _, tier := range tiers() {
			m, b, weights := newIn(tier, n), newIn(tier, n), newIn(tier, n)
			want, got := make([]float64, n), make([]float64, n)
			for i := range n {
				m.Set(i, i, math.NaN()) // the diagonal counts for nothing
				for j := i + 1; j < n; j++ {
					row := z.Data[i*z.Stride+j:]
					m.Set(i, j, row[0])
					b.Set(i, j, row[n])
					weights.Set(i, j, row[2*n])
					v := row[2*n] * (scale*row[0] - row[n]) * (scale*row[0] - row[n])
					want[i] += v
					want[j] += v
				}
			}
			m.AddSquaredErrors(got, scale, b, weights)
			for i, v := range got {
				if !(math.Abs(v-want[i]) <= 1e-12*float64(n)) {
					t.Fatalf("%v, n = %d, row %d: %v, want %v", tier, n, i, v, want[i])
				}
			}
			if first == nil {
				first = got
			}
			if !slices.Equal(first, got) {
				t.Errorf("%v, n = %d: other bits", tier, n)
			}
		}
	}
}
