// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// factors writes, for each stride within a row, the sign that an element has in its own butterfly:
// (a, b) becomes (b + 1·a, a + (−1)·b).
func (w width) factors() map[int]operand.Op {
	f := make(map[int]operand.Op)
	for stride := 1; stride < row/w.size; stride *= 2 {
		f[stride] = GLOBL(fmt.Sprintf("factors%s%d", w.precision.name, stride), attr.RODATA|attr.NOPTR)
		for i := range row / w.size {
			sign := 1
			if i&stride != 0 {
				sign = -1
			}
			DATA(i*w.size, w.constant(sign))
		}
	}
	return f
}

// tailRows is the number of rows of a block for tail.
const tailRows = 8

// tail writes the transform of contiguous blocks of 8 rows, or of each of their halves: a network of registers, then
// the stages within each register by a swap and a fused multiply-add. The product by ±1 is exact, so there is one
// rounding, as in any other butterfly.
func (w width) tail(name string, halves int, factors map[int]operand.Op) {
	TEXT(name+w.name, attr.NOSPLIT, "func(dst, src *float64, signs *uint64, blocks int)")
	what := "each"
	if halves > 1 {
		what = "the halves of each"
	}
	Doc(name+w.name+fmt.Sprintf(" transforms %s of a number of contiguous blocks of %d elements of src, XORed by", what, tailRows*row/w.size),
		"signs if that is not nil.")
	Pragma("noescape")
	dst, src, signs := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("signs"), GP64())
	blocks := Load(Param("blocks"), GP64())
	if w.bytes == row { // it has registers to spare
		factors = w.keep(factors)
	}
	at := func(base reg.Register, k int) operand.Mem { return operand.Mem{Base: base, Disp: k * w.bytes} }
	net := network{
		width:    w,
		n:        tailRows * row / w.bytes,
		together: tailRows * row / w.bytes / halves,
		src:      func(k int) operand.Mem { return at(src, k) },
		dst:      func(k int) operand.Mem { return at(dst, k) },
		finish: func(r, tmp reg.VecPhysical) (result, left reg.VecPhysical) {
			for _, s := range w.swaps {
				s.emit(r, tmp)
				w.fma(factors[s.stride], r, tmp)
				r, tmp = tmp, r
			}
			return r, tmp
		},
	}
	loop := func(name string, pointers ...reg.Register) {
		Label(name)
		net.emit()
		for _, p := range pointers {
			ADDQ(operand.U32(tailRows*row), p)
		}
		DECQ(blocks)
		JNZ(operand.LabelRef(name))
		VZEROUPPER()
		RET()
	}
	TESTQ(signs, signs)
	JNZ(operand.LabelRef("signed"))
	loop("unsigned", dst, src)
	net.sign = func(k int, r reg.VecPhysical) { w.elements(at(src, k), at(signs, k), r) }
	loop("signed", dst, src, signs)
}

// keep loads the factors to registers, which it removes from w.
func (w *width) keep(factors map[int]operand.Op) map[int]operand.Op {
	kept := make(map[int]operand.Op)
	for _, s := range w.swaps {
		last := len(w.registers) - 1
		VMOVUPD(factors[s.stride], w.registers[last])
		kept[s.stride] = w.registers[last]
		w.registers = w.registers[:last]
	}
	return kept
}
