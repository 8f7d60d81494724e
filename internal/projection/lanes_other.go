// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package projection

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

func interleaveAssembly(tier.Tier, []float64, blas64.General) int { return 0 }

func outputsAssembly(tier.Tier, *outputs, *phaseTable) int { return 0 }

func outputsVecAssembly(tier.Tier, *outputs, *phaseTable) int { return 0 }

func timesAssembly(tier.Tier, []float64, []float64) int { return 0 }

func slopesAssembly(_ tier.Tier, _, _, _, _ []float64) int { return 0 }

func sumsAssembly(tier.Tier, *sums) {}

func sumsVecAssembly(tier.Tier, *sums) {}

func addSignedAssembly(_ tier.Tier, _, _ []float64, _ []uint64) {}
