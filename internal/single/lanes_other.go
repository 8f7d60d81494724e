// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package single

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

func interleaveAssembly(tier.Tier, []float32, blas32.General) int { return 0 }

func outputsAssembly(tier.Tier, *outputs, *phaseTable, []float32) int { return 0 }

func outputsVecAssembly(tier.Tier, *outputs, *phaseTable) int { return 0 }

func activateAssembly(tier.Tier, Activation, []float32, []float32, float32) int { return 0 }

func widenAssembly(tier.Tier, []float64, []float32) int { return 0 }
