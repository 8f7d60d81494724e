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

// A product of factors has the bits of its chains, and leaves the factors as they were.
func TestTimes(t *testing.T) {
	for _, n := range sizes() {
		if n > 217 {
			continue
		}
		for _, tr := range tiers() {
			rnd := rand.New(rand.NewPCG(7, uint64(n)))
			_, f := factorized(t, rnd, tr, n)
			_, g := factorized(t, rnd, tr, n)
			before := f.At(0, n-1)
			product := f.Times(g)
			u, v := elementsOf(f, n), elementsOf(g, n)
			for j := range n {
				for i := range j + 1 {
					var want float64
					for k := i; k <= j; k++ {
						want = math.FMA(u[i][k], v[k][j], want)
					}
					if got := product.At(i, j); got != want {
						t.Fatalf("%v, n = %d: element %d, %d is %v, want %v", tr, n, i, j, got, want)
					}
				}
			}
			if f.At(0, n-1) != before {
				t.Fatalf("%v, n = %d: the first factor has changed", tr, n)
			}
			// Padding is as in other factors: solutions are those of one factor after the other, except for
			// rounding.
			b, one := make([]float64, n), make([]float64, n)
			for i := range b {
				b[i] = rnd.NormFloat64()
				one[i] = b[i]
			}
			product.SolveTransVec(one)
			g.SolveTransVec(b)
			f.SolveTransVec(b)
			for i := range b {
				if !(math.Abs(one[i]-b[i]) <= 1e-9) {
					t.Fatalf("%v, n = %d: solution %d is %v, want %v", tr, n, i, one[i], b[i])
				}
			}
		}
	}
}

// A factor that is turned solves what the factor does, with its bits.
func TestTurned(t *testing.T) {
	for _, n := range []int{1, 2, 7, 24, 49, 200} {
		for _, tr := range tiers() {
			rnd := rand.New(rand.NewPCG(9, uint64(n)))
			_, f := factorized(t, rnd, tr, n)
			b := random(rnd, 60, n)
			turned := b
			turned.Data = slices.Clone(b.Data)
			f.Turned().SolveVecs(turned)
			for i := range b.Rows {
				want, got := b.Data[i*b.Stride:][:n], turned.Data[i*turned.Stride:][:n]
				f.SolveVec(want)
				if !slices.Equal(got, want) {
					t.Fatalf("%v, n = %d, row %d: the solution differs", tr, n, i)
				}
			}
		}
	}
}
