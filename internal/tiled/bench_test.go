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

	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

var benchSizes = []int{1024, 2048, 4096}

// measure runs f, and reports the rate of its operations at its fastest, also in per cent of the peak of fused
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

// BenchmarkFactorize factorises a matrix: n³/3 operations.
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
