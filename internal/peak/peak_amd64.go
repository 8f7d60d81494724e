// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

// Package peak measures how many fused multiply-adds a core can do, as a limit for benchmarks.
package peak

import (
	"time"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

//go:generate go run -C ../projection/_asm ./peak -out ../../peak/peak_amd64.s -stubs ../../peak/peak_stub_amd64.go -pkg peak

// FMA returns the rate of fused multiply-adds on registers in a tier, in GFLOP/s (two operations
// each), the best of several runs; 0 for plain Go.
func FMA(t tier.Tier) float64 {
	const turns, perTurn = 1 << 15, 12 * 4
	run, lanes := chainsAVX2, 4
	switch t {
	case tier.Plain:
		return 0
	case tier.AVX512:
		run, lanes = chainsAVX512, 8
	}
	var best float64
	for range 200 {
		start := time.Now()
		run(turns)
		best = max(best, 2*turns*perTurn*float64(lanes)/float64(time.Since(start).Nanoseconds()))
	}
	return best
}
