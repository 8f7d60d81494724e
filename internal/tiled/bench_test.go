// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

var benchSizes = []int{1024, 2048, 4096}

// measure runs f, and reports the rate of its operations at its fastest, also in percent of the peak of fused
// multiply-adds, which is measured then.
func measure(b *testing.B, t tier.Tier, operations float64, f func()) {
	best := math.Inf(1)
	for b.Loop() {
		start := time.Now()
		f()
		best = min(best, float64(time.Since(start).Nanoseconds()))
	}
	b.ReportMetric(operations/best, "GFLOP/s")
	if peak := peak.FMA(t); peak > 0 {
		b.ReportMetric(100*operations/best/peak, "%peak")
	}
}

// benchTiers are the two best tiers, or with -best the best.
func benchTiers() []tier.Tier {
	t := tiers()
	return t[max(len(t)-2, 0):]
}

// BenchmarkUpdate adds a full block, packing included: n·(n+1) operations a row.
func BenchmarkUpdate(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, t := range benchTiers() {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("%v/n=%d", t, n), func(b *testing.B) {
				z := random(rnd, BlockRows, n)
				block, m := newBlockIn(t, n), newIn(t, n)
				measure(b, t, BlockRows*float64(n)*float64(n+1), func() {
					block.Truncate(0)
					block.Append(z)
					m.Update(block)
				})
			})
		}
	}
}

// BenchmarkSingleUpdate is BenchmarkUpdate by a block of float32, in percent of the peak of float64.
func BenchmarkSingleUpdate(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, t := range benchTiers() {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("%v/n=%d", t, n), func(b *testing.B) {
				z := random(rnd, BlockRows, n)
				block, m := newSingleBlockIn(t, n), newIn(t, n)
				measure(b, t, BlockRows*float64(n)*float64(n+1), func() {
					block.Truncate(0)
					block.Append(z)
					m.Update(block)
				})
			})
		}
	}
}

// BenchmarkFactorize factorizes a matrix: n³/3 operations.
func BenchmarkFactorize(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, t := range benchTiers() {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("%v/n=%d", t, n), func(b *testing.B) {
				from, m := newIn(t, n), newIn(t, n)
				gram(b, from, random(rnd, 300, n), 300)
				from.AddDiagonal(float64(n))
				measure(b, t, float64(n)*float64(n)*float64(n)/3, func() {
					m.CopyFrom(from)
					if _, bad := m.Factorize(0); bad >= 0 {
						b.Fatal(bad)
					}
				})
			})
		}
	}
}

// BenchmarkSolveTransVec solves one triangular system: n² operations, in gigabytes of the factor a second.
func BenchmarkSolveTransVec(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, t := range benchTiers() {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("%v/n=%d", t, n), func(b *testing.B) {
				_, f := factorized(b, rnd, t, n)
				x := random(rnd, 1, n).Data[:n]
				best := math.Inf(1)
				for b.Loop() {
					start := time.Now()
					f.SolveTransVec(x)
					best = min(best, float64(time.Since(start).Nanoseconds()))
				}
				b.ReportMetric(best/1e6, "ms-best")
				b.ReportMetric(8*float64(len(f.u.data))/best, "GB/s-best")
			})
		}
	}
}

// BenchmarkSquaredNorms solves some rows at once: n² operations a row.
func BenchmarkSquaredNorms(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, t := range benchTiers() {
		for _, n := range benchSizes {
			_, f := factorized(b, rnd, t, n)
			z := random(rnd, 48, n)
			norms := make([]float64, 48)
			for _, rows := range []int{1, 2, 4, 8, 12, 16, 24, 48} {
				b.Run(fmt.Sprintf("%v/n=%d/rows=%d", t, n, rows), func(b *testing.B) {
					measure(b, t, float64(rows)*float64(n)*float64(n), func() { f.SquaredNorms(norms[:rows], rowsOf(z, 0, rows)) })
				})
			}
		}
	}
}

// BenchmarkProducts multiplies 128 rows of features by the weights of some targets: 2n operations a row and target.
func BenchmarkProducts(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const rows, n = 128, 1024
	for _, t := range benchTiers() {
		for _, targets := range []int{1, 2, 4, 10, 26} {
			a, w := random(rnd, rows, n), random(rnd, targets, n)
			dst := blas64.General{Rows: rows, Cols: targets, Stride: targets, Data: make([]float64, rows*targets)}
			b.Run(fmt.Sprintf("%v/targets=%d", t, targets), func(b *testing.B) {
				measure(b, t, 2*rows*n*float64(targets), func() { products(t, dst, a, w.Data, w.Stride) })
			})
			b.Run(fmt.Sprintf("%v/targets=%d/rows", t, targets), func(b *testing.B) {
				measure(b, t, 2*rows*n*float64(targets), func() {
					for i := range rows {
						dots(t, dst.Data[i*targets:][:targets], a.Data[i*a.Stride:][:n], w.Data, w.Stride)
					}
				})
			})
		}
	}
}
