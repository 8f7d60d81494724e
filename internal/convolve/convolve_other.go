// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package convolve

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

// Package tier offers nothing but plain Go in this build.

func sumsAssembly(tier.Tier, []float64, []float64, int)                                     {}
func pairsAssembly(tier.Tier, []float64, []float64, []float64, []float64)                   {}
func countAssembly(tier.Tier, []int64, []float64, []float64, int, []float64)                {}
func respondAssembly(tier.Tier, *Responses, []float64, int, int, *Weights, *[Group]float64) {}
