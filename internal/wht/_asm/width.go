// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// width is what is specific to a tier's instructions.
type width struct {
	name      string
	bytes     int // of a register
	registers []reg.VecPhysical
	swaps     []swap
	precision

	// Signs: r becomes x XORed by the one mask, or by the masks, at m.
	row, elements func(x, m operand.Mem, r reg.VecPhysical)
}

// precision is the precision of the elements.
type precision struct {
	name          string // part of the names of functions; empty for float64
	size          int    // bytes of an element
	constant      func(v int) operand.Constant
	add, sub, fma func(ops ...operand.Op)
}

var (
	double = precision{"", 8, func(v int) operand.Constant { return operand.F64(v) }, VADDPD, VSUBPD, VFMADD231PD}
	single = precision{"Single", 4, func(v int) operand.Constant { return operand.F32(v) }, VADDPS, VSUBPS, VFMADD231PS}
)

// A swap exchanges the elements of a register that are a stride apart.
type swap struct {
	stride int
	emit   func(from, to reg.VecPhysical)
}

var avx2 = width{
	name:  "AVX2",
	bytes: 32,
	registers: []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	},
	swaps: []swap{
		{2, func(from, to reg.VecPhysical) { VPERM2F128(operand.U8(1), from, from, to) }},
		{1, func(from, to reg.VecPhysical) { VPERMILPD(operand.U8(0b0101), from, to) }},
	},
	precision: double,
	row: func(x, m operand.Mem, r reg.VecPhysical) {
		VBROADCASTSD(m, r)
		VXORPD(x, r, r)
	},
	elements: func(x, m operand.Mem, r reg.VecPhysical) {
		VMOVUPD(x, r)
		VXORPD(m, r, r)
	},
}

var avx512 = width{
	name:  "AVX512",
	bytes: 64,
	registers: []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	},
	swaps: []swap{
		{4, func(from, to reg.VecPhysical) { VSHUFF64X2(operand.U8(0b01001110), from, from, to) }},
		{2, func(from, to reg.VecPhysical) { VPERMPD(operand.U8(0b01001110), from, to) }},
		{1, func(from, to reg.VecPhysical) { VPERMILPD(operand.U8(0b01010101), from, to) }},
	},
	precision: double,
	row: func(x, m operand.Mem, r reg.VecPhysical) {
		VMOVUPD(x, r)
		VPXORQ_BCST(m, r, r)
	},
	elements: func(x, m operand.Mem, r reg.VecPhysical) {
		VMOVUPD(x, r)
		VPXORQ(m, r, r)
	},
}

// inSingle returns the width for float32, with swaps of float32 elements. Signs are the masks of two elements together.
func (w width) inSingle(swaps []swap) width {
	w.name = single.name + w.name
	w.precision, w.swaps = single, swaps
	return w
}

var avx2Single = avx2.inSingle([]swap{
	{4, func(from, to reg.VecPhysical) { VPERM2F128(operand.U8(1), from, from, to) }},
	{2, func(from, to reg.VecPhysical) { VPERMILPS(operand.U8(0b01001110), from, to) }},
	{1, func(from, to reg.VecPhysical) { VPERMILPS(operand.U8(0b10110001), from, to) }},
})

var avx512Single = avx512.inSingle([]swap{
	{8, func(from, to reg.VecPhysical) { VSHUFF64X2(operand.U8(0b01001110), from, from, to) }},
	{4, func(from, to reg.VecPhysical) { VSHUFF64X2(operand.U8(0b10110001), from, from, to) }},
	{2, func(from, to reg.VecPhysical) { VPERMILPS(operand.U8(0b01001110), from, to) }},
	{1, func(from, to reg.VecPhysical) { VPERMILPS(operand.U8(0b10110001), from, to) }},
})
