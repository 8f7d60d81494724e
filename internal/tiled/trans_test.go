// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// Each element is one chain in the order of the rows, in every tier, and nothing else is written.
func TestAddTransProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, tr := range tiers() {
		for _, rows := range []int{1, 3, 17, 144} {
			for _, left := range []int{1, 2, 4, 5, 8, 10, 13, 26} {
				for _, right := range []int{1, 11, 12, 24, 25, 100} {
					a, b, dst := random(rnd, rows, left), random(rnd, rows, right), random(rnd, left, right)
					want := slices.Clone(dst.Data)
					for r := range left {
						for j := range right {
							sum := &want[r*dst.Stride+j]
							for i := range rows {
								*sum = math.FMA(a.Data[i*a.Stride+r], b.Data[i*b.Stride+j], *sum)
							}
						}
					}
					addTransProducts(tr, dst, a, b)
					if !slices.Equal(dst.Data, want) {
						t.Fatalf("%v: %d rows, %d×%d: not the chains", tr, rows, left, right)
					}
				}
			}
		}
	}
}

// BenchmarkAddTransProducts adds to the gradients of some targets what a block of 128 rows of features has: 2n operations a row
// and target.
func BenchmarkAddTransProducts(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const rows, n = 128, 1024
	for _, t := range benchTiers() {
		for _, targets := range []int{2, 10, 26} {
			a, z := random(rnd, rows, targets), random(rnd, rows, n)
			dst := blas64.General{Rows: targets, Cols: n, Stride: n, Data: make([]float64, targets*n)}
			b.Run(fmt.Sprintf("%v/targets=%d", t, targets), func(b *testing.B) {
				measure(b, t, 2*rows*n*float64(targets), func() { addTransProducts(t, dst, a, z) })
			})
		}
	}
}
