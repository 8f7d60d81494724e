// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap"
)

// BenchmarkNystrom makes 4,096 landmarks by k-means from rows of R⁸, all of them apart or a fifth of them near copies of others,
// which the landmarks then are too: their factor needs pivots.
func BenchmarkNystrom(b *testing.B) {
	for _, c := range []struct {
		name   string
		copies float64
	}{{"apart", 0}, {"copies", 0.2}} {
		rng := rand.New(rand.NewPCG(1, 2))
		const n, d = 6000, 8
		x := mat.NewDense(n, d, nil)
		for i := range n {
			of := -1
			if rng.Float64() < c.copies {
				of = rng.IntN(i + 1)
			}
			for j := range d {
				v := rng.NormFloat64()
				if of >= 0 {
					v = x.At(of, j) + 1e-7*v
				}
				x.Set(i, j, v)
			}
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := NewNystrom(Gaussian{1}, x, 4096, NewSampler(1), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
