// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package gram

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

func distancesAssembly(tier.Tier, []float64, []float64, float64, float64) (int, bool) {
	return 0, false
}

func chordsAssembly(tier.Tier, []float64, []float64, float64, float64) (int, bool) { return 0, false }

func squaresAssembly(tier.Tier, *[8]float64, []float64, []float64, []float64) int { return 0 }

func sinesAssembly(tier.Tier, *[8]float64, []float64, []float64, []float64, []float64) int { return 0 }

func tileAssembly(tier.Tier, Statistic, []float64, int, blas64.General, []float64, []float64, *float64) {
}

func exponentialAssembly(tier.Tier, []float64, []float64, Exponential) int { return 0 }

func decayAssembly(tier.Tier, []float64, []float64, Decay) int { return 0 }

func ratioAssembly(tier.Tier, []float64, []float64, Ratio) int { return 0 }

func angularAssembly(tier.Tier, []float64, []float64, Angular) int { return 0 }

func wide([]float64) []float64 { return nil }

func aligned(n int) []float64 { return make([]float64, n) }
