// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package slabs

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

//go:generate go run -C ../projection/_asm ./slabs -out ../../slabs/kernels_amd64.s -stubs ../../slabs/kernels_stub_amd64.go -pkg slabs

// less is lessPlain in the instructions of a tier.
func less(t tier.Tier, rows, groups int, z []float64, stride int, c []float64) {
	switch t {
	case tier.AVX512:
		lessAVX512(rows, groups, &z[0], 8*stride, &c[0])
	case tier.AVX2:
		lessAVX2(rows, groups, &z[0], 8*stride, &c[0])
	default:
		lessPlain(rows, groups, z, stride, c)
	}
}

// forward is forwardPlain for the rows of a tile, in the instructions of a tier. The chains of the rows come row by
// row.
func forward(t tier.Tier, vectors, groups int, z []float64, stride int, w []float64, wStride int, sums []float64) {
	switch {
	case t == tier.Plain:
		forwardPlain(vectors, groups, z, w, wStride, sums)
	case t == tier.AVX512 && vectors == 4:
		forward4AVX512(groups, &z[0], 8*stride, &w[0], 8*wStride, &sums[0])
	case t == tier.AVX512 && vectors == 2:
		forward2AVX512(groups, &z[0], 8*stride, &w[0], 8*wStride, &sums[0])
	case t == tier.AVX512:
		forward1AVX512(groups, &z[0], 8*stride, &w[0], 8*wStride, &sums[0])
	case vectors == 4:
		forward4AVX2(groups, &z[0], 8*stride, &w[0], 8*wStride, &sums[0])
	case vectors == 2:
		forward2AVX2(groups, &z[0], 8*stride, &w[0], 8*wStride, &sums[0])
	default:
		forward1AVX2(groups, &z[0], 8*stride, &w[0], 8*wStride, &sums[0])
	}
}

// backward is backwardPlain, in the instructions and the tiles of a tier. It fetches data ahead numbers after what it
// reads.
func backward(t tier.Tier, vectors, tiles, rows int, z []float64, stride, ahead int, u []float64, uStride int, g []float64, gStride int) {
	switch {
	case t == tier.Plain:
		backwardPlain(vectors, tiles, rows, z, stride, u, uStride, g, gStride)
	case t == tier.AVX512 && vectors == 4:
		backward4AVX512(tiles, rows, &z[0], 8*stride, 8*ahead, &u[0], 8*uStride, &g[0], 8*gStride)
	case t == tier.AVX512 && vectors == 2:
		backward2AVX512(tiles, rows, &z[0], 8*stride, 8*ahead, &u[0], 8*uStride, &g[0], 8*gStride)
	case t == tier.AVX512:
		backward1AVX512(tiles, rows, &z[0], 8*stride, 8*ahead, &u[0], 8*uStride, &g[0], 8*gStride)
	case vectors == 4:
		backward4AVX2(tiles, rows, &z[0], 8*stride, 8*ahead, &u[0], 8*uStride, &g[0], 8*gStride)
	case vectors == 2:
		backward2AVX2(tiles, rows, &z[0], 8*stride, 8*ahead, &u[0], 8*uStride, &g[0], 8*gStride)
	default:
		backward1AVX2(tiles, rows, &z[0], 8*stride, 8*ahead, &u[0], 8*uStride, &g[0], 8*gStride)
	}
}
