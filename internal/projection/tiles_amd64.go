// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package projection

import (
	"math/bits"
	"unsafe"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

//go:generate go run -C _asm ./tiles -out ../tiles_amd64.s -stubs ../tiles_stub_amd64.go -pkg projection

// tilesAssembly is tilesPlain in the instructions of a tier.
func tilesAssembly(t tier.Tier, s *strip, table *phaseTable) {
	const size = 8 // bytes in a float64
	var (
		e    = int(s.epilogue)
		w    = &s.w[0]
		ws   = s.wStride * size
		from = &s.start[0]
		fs   = s.startRow * size
		x    *float64
		xs   = s.xStride * size
		dst  = &s.dst[0]
		ds   = s.dstStride * size
		sin  = s.sin * size
		tab  = &table.wide[0]
	)
	if s.listed {
		x = (*float64)(unsafe.Pointer(unsafe.SliceData(s.entries)))
		if t == tier.AVX512 {
			listAVX512(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
		} else {
			listAVX2(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
		}
		return
	}
	x = &s.x[0]
	if s.narrow > 0 {
		narrowKernel(t, s)(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
		return
	}
	if t == tier.AVX512 {
		switch s.rows {
		case 8:
			tilesAVX512x8(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
		case 4:
			tilesAVX512x4(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
		case 2:
			tilesAVX512x2(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
		case 1:
			tilesAVX512x1(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
		}
		return
	}
	switch s.rows {
	case 4:
		tilesAVX2x4(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
	case 2:
		tilesAVX2x2(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
	case 1:
		tilesAVX2x1(e, s.k, s.panels, w, ws, from, fs, x, xs, dst, ds, sin, tab)
	}
}

// aligned returns n zeros that start on a cache line, so that loads of whole registers do not
// straddle lines.
func aligned(n int) []float64 {
	const line = 64 / 8
	s := make([]float64, n+line-1)
	skip := -(uintptr(unsafe.Pointer(&s[0])) / 8) % line
	return s[skip:][:n:n]
}

// A kernel computes a strip.
type kernel func(epilogue, k, panels int, w *float64, wStride int, start *float64, startRow int, x *float64, xStride int, dst *float64, dstStride, sin int, table *float64)

// The kernels of narrow panels, for one register and for two, by the logarithm of the number of rows. AVX2 has no
// kernel for 8 rows by two registers.
var (
	narrowAVX2 = [2][4]kernel{
		{narrowAVX2x1x1, narrowAVX2x2x1, narrowAVX2x4x1, narrowAVX2x8x1},
		{narrowAVX2x1x2, narrowAVX2x2x2, narrowAVX2x4x2},
	}
	narrowAVX512 = [2][4]kernel{
		{narrowAVX512x1x1, narrowAVX512x2x1, narrowAVX512x4x1, narrowAVX512x8x1},
		{narrowAVX512x1x2, narrowAVX512x2x2, narrowAVX512x4x2, narrowAVX512x8x2},
	}
)

// narrowKernel returns the kernel of a strip whose panels are narrow.
func narrowKernel(t tier.Tier, s *strip) kernel {
	rows := bits.Len(uint(s.rows)) - 1
	if t == tier.AVX512 {
		return narrowAVX512[s.narrow-1][rows]
	}
	return narrowAVX2[s.narrow-1][rows]
}
