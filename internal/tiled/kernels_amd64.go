// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package tiled

import (
	"unsafe"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

//go:generate go run -C ../projection/_asm ./tiled -out ../../tiled/kernels_amd64.s -stubs ../../tiled/kernels_stub_amd64.go -pkg tiled

func addAssembly(t tier.Tier, tiles, k int, a, b, c []float64) {
	if t == tier.AVX512 {
		addAVX512(tiles, k, &a[0], &b[0], &c[0])
	} else {
		addAVX2(tiles, k, &a[0], &b[0], &c[0])
	}
}

func addSingleAssembly(t tier.Tier, k int, a, b []float32, left, right []float64) {
	if t == tier.AVX512 {
		addSingleAVX512(k, &a[0], &b[0], &left[0], &right[0])
	} else {
		addSingleAVX2(k, &a[0], &b[0], &left[0], &right[0])
	}
}

func subtractAssembly(t tier.Tier, tiles, k int, a, b, c []float64) {
	if t == tier.AVX512 {
		subtractAVX512(tiles, k, &a[0], &b[0], &c[0])
	} else {
		subtractAVX2(tiles, k, &a[0], &b[0], &c[0])
	}
}

func solveAssembly(t tier.Tier, k int, a, b, u, inverse []float64) {
	if t == tier.AVX512 {
		solveAVX512(k, &a[0], &b[0], &u[0], &inverse[0])
	} else {
		solveAVX2(k, &a[0], &b[0], &u[0], &inverse[0])
	}
}

func solveRowsAssembly(t tier.Tier, rows, k int, panel, b, x []float64, stride int, inverse []float64) {
	switch {
	case t == tier.AVX512 && rows == rowsTogether:
		solveRows4AVX512(k, &panel[0], &b[0], &x[0], 8*stride, &inverse[0])
	case t == tier.AVX512:
		solveRows1AVX512(k, &panel[0], &b[0], &x[0], 8*stride, &inverse[0])
	case rows == rowsTogether:
		solveRows4AVX2(k, &panel[0], &b[0], &x[0], 8*stride, &inverse[0])
	default:
		solveRows1AVX2(k, &panel[0], &b[0], &x[0], 8*stride, &inverse[0])
	}
}

func packSingleAssembly(t tier.Tier, strips, rows int, from []float64, stride int, shift []float64, to []float32) bool {
	if t == tier.AVX512 {
		return packSingleAVX512(strips, rows, &from[0], 8*stride, &shift[0], &to[0]) == 0
	}
	return packSingleAVX2(strips, rows, &from[0], 8*stride, &shift[0], &to[0]) == 0
}

func packAssembly(t tier.Tier, strips, rows int, from []float64, stride int, shift, to []float64) bool {
	if t == tier.AVX512 {
		return packAVX512(strips, rows, &from[0], 8*stride, &shift[0], &to[0]) == 0
	}
	return packAVX2(strips, rows, &from[0], 8*stride, &shift[0], &to[0]) == 0
}

func sumsAssembly(t tier.Tier, sums [][8]float64, a, w []float64, stride int) {
	groups, to := len(a)/8, &sums[0][0]
	switch {
	case t == tier.AVX512 && len(sums) == dotRows:
		sums4AVX512(groups, &a[0], &w[0], 8*stride, to)
	case t == tier.AVX512:
		sums1AVX512(groups, &a[0], &w[0], 8*stride, to)
	case len(sums) == dotRows:
		sums4AVX2(groups, &a[0], &w[0], 8*stride, to)
	default:
		sums1AVX2(groups, &a[0], &w[0], 8*stride, to)
	}
}

func tileSumsAssembly(t tier.Tier, tiles, groups int, a []float64, aStride int, w []float64, stride int, first bool, sums [][8]float64, totals []float64, at int) {
	var to *float64
	if totals != nil {
		to = &totals[at]
	}
	if t == tier.AVX512 {
		sums4x4AVX512(tiles, groups, &a[0], 8*aStride, &w[0], 8*stride, first, &sums[at][0], to)
	} else {
		sums2x3AVX2(tiles, groups, &a[0], 8*aStride, &w[0], 8*stride, first, &sums[at][0], to)
	}
}

func transposeAssembly(t tier.Tier, squares int, from []float64, fromStep, fromNext int, to []float64, toStep, toNext int) {
	if t == tier.AVX512 {
		transposeAVX512(squares, &from[0], 8*fromStep, 8*fromNext, &to[0], 8*toStep, 8*toNext)
	} else {
		transposeAVX2(squares, &from[0], 8*fromStep, 8*fromNext, &to[0], 8*toStep, 8*toNext)
	}
}

func squaresAssembly(t tier.Tier, k int, panel, sums []float64) {
	if t == tier.AVX512 {
		squaresAVX512(k, &panel[0], &sums[0])
	} else {
		squaresAVX2(k, &panel[0], &sums[0])
	}
}

// aligned returns n zeros that start on a cache line, so that loads of whole registers do not straddle
// lines.
func aligned(n int) []float64 { return onLine[float64](n) }

// alignedSingle is aligned for float32.
func alignedSingle(n int) []float32 { return onLine[float32](n) }

func onLine[F float32 | float64](n int) []F {
	size := unsafe.Sizeof(F(0))
	line := 64 / size
	s := make([]F, n+int(line)-1)
	skip := -(uintptr(unsafe.Pointer(&s[0])) / size) % line
	return s[skip:][:n:n]
}
