// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package single

import (
	"unsafe"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

//go:generate go run -C ../projection/_asm ./tiles -single -out ../../single/tiles_amd64.s -stubs ../../single/tiles_stub_amd64.go -pkg single

// tilesAssembly is tilesPlain in the instructions of a tier.
func tilesAssembly(t tier.Tier, s *strip, table *phaseTable) {
	const size = 4 // bytes in a float32
	var (
		e    = int(s.epilogue)
		w    = &s.w[0]
		ws   = s.wStride * size
		from = &s.start[0]
		fs   = s.startRow * size
		x    = &s.x[0]
		xs   = s.xStride * size
		dst  = &s.dst[0]
		ds   = s.dstStride * size
		sin  = s.sin * size
		tab  = &table.wide[0]
	)
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

// aligned returns n zeros that start on a cache line, so that loads of whole registers do not straddle
// lines.
func aligned(n int) []float32 {
	const line = 64 / 4
	s := make([]float32, n+line-1)
	skip := -(uintptr(unsafe.Pointer(&s[0])) / 4) % line
	return s[skip:][:n:n]
}
