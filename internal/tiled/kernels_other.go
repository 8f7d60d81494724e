// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package tiled

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

// Package tier offers nothing but plain Go in this build.

func addAssembly(tier.Tier, int, int, []float64, []float64, []float64) {}

func addSingleAssembly(tier.Tier, int, []float32, []float32, []float64, []float64) {}

func subtractAssembly(tier.Tier, int, int, []float64, []float64, []float64) {}

func solveAssembly(tier.Tier, int, []float64, []float64, []float64, []float64) {}

func solveRowsAssembly(tier.Tier, int, int, []float64, []float64, []float64, int, []float64) {}

func sumsAssembly(tier.Tier, [][8]float64, []float64, []float64, int) {}

func tileSumsAssembly(tier.Tier, int, int, []float64, int, []float64, int, bool, [][8]float64, []float64, int) {
}

func packAssembly(tier.Tier, int, int, []float64, int, []float64, []float64) bool { return false }

func packSingleAssembly(tier.Tier, int, int, []float64, int, []float64, []float32) bool { return false }

func transposeAssembly(tier.Tier, int, []float64, int, int, []float64, int, int) {}

func squaresAssembly(tier.Tier, int, []float64, []float64) {}

func aligned(n int) []float64 { return make([]float64, n) }

func alignedSingle(n int) []float32 { return make([]float32, n) }
