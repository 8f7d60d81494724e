// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

var benchSizes = []int{1024, 2048, 4096}

// report sets the rate of operations beside the peak of fused multiply-adds, which is measured now.
func report(b *testing.B, t tier.Tier, operations float64) {
	b.StopTimer()
	rate := operations * float64(b.N) / float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(rate, "GFLOP/s")
	if peak := peak.FMA(t); peak > 0 {
		b.ReportMetric(100*rate/peak, "%peak")
	}
}

// BenchmarkUpdate adds a full block, packing included: n·(n+1) operations a row.
func BenchmarkUpdate(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, t := range tiers()[max(len(tiers())-2, 0):] {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("%v/n=%d", t, n), func(b *testing.B) {
				z := random(rnd, BlockRows, n)
				block, m := newBlockIn(t, n), newIn(t, n)
				for b.Loop() {
					block.Truncate(0)
					block.Append(z)
					m.Update(block)
				}
				report(b, t, BlockRows*float64(n)*float64(n+1))
			})
		}
	}
}

// BenchmarkFactorize factorises a copy: n³/3 operations.
func BenchmarkFactorize(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, t := range tiers()[max(len(tiers())-2, 0):] {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("%v/n=%d", t, n), func(b *testing.B) {
				from, m := newIn(t, n), newIn(t, n)
				gram(b, from, random(rnd, 300, n), 300)
				for i := range n {
					from.Set(i, i, from.At(i, i)+float64(n))
				}
				for b.Loop() {
					m.CopyFrom(from)
					if _, bad := m.Factorize(0); bad >= 0 {
						b.Fatal(bad)
					}
				}
				report(b, t, float64(n)*float64(n)*float64(n)/3)
			})
		}
	}
}
