// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !amd64 || purego || noasm

package slabs

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

// Package tier offers nothing but plain Go in this build.

func less(_ tier.Tier, rows, groups int, z []float64, stride int, c []float64) {
	lessPlain(rows, groups, z, stride, c)
}

func forward(_ tier.Tier, vectors, groups int, z []float64, _ int, w []float64, wStride int, sums []float64) {
	forwardPlain(vectors, groups, z, w, wStride, sums)
}

func backward(_ tier.Tier, vectors, tiles, rows int, z []float64, stride, _ int, u []float64, uStride int, g []float64, gStride int) {
	backwardPlain(vectors, tiles, rows, z, stride, u, uStride, g, gStride)
}
