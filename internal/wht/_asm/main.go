// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command _asm writes the assembly of package wht. The same functions write AVX2 and AVX-512. These
// differ in the width and number of registers, and in how signs are applied and elements swapped
// (see width).
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	word  = 8 // bytes of a mask
	words = 8 // in a row
	row   = words * word
)

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	for _, widths := range [][]width{{avx2, avx512}, {avx2Single, avx512Single}} {
		factors := widths[0].factors()
		for _, w := range widths {
			w.pass()
			w.signed("signedRows", 1, w.row)
			w.signed("signedElements", words, w.elements)
			w.tail("tail", 1, factors)
			if w.size == single.size {
				w.tail("halves", 2, factors)
			}
		}
	}
	Generate()
}

// pass writes the passes without signs.
func (w width) pass() {
	TEXT("pass"+w.name, attr.NOSPLIT, "func(dst, src *float64, radix, stride, width, blocks int)")
	Doc("pass"+w.name+" transforms the rows j, j+stride, …, j+(radix−1)·stride, for each j < width, in each",
		"of a number of contiguous blocks of radix·stride rows. If there are several, width is stride.")
	Pragma("noescape")
	s := loadStrides()
	src, dst := s.load("src", row), s.load("dst", row)
	blocks := Load(Param("blocks"), GP64())
	perRadix(func(radix int) {
		block := fmt.Sprintf("block%d", radix)
		Label(block)
		w.rows(network{width: w, n: radix}, src, dst, pointer{}, nil)
		for left := radix - 1; left > 0; left -= min(left, 7) { // a block minus the stride of the loop
			src.advance(s[min(left, 7)])
			dst.advance(s[min(left, 7)])
		}
		DECQ(blocks)
		JNZ(operand.LabelRef(block))
	})
}

// signed writes the passes that XOR masks, a number of them for each row, to src.
func (w width) signed(name string, masks int, load func(x, m operand.Mem, r reg.VecPhysical)) {
	TEXT(name+w.name, attr.NOSPLIT, "func(dst, src *float64, signs *uint64, radix, stride, width int)")
	Doc(fmt.Sprintf("%s%s is pass%s of one block of src XORed by signs, %d to a row.", name, w.name, w.name, masks))
	Pragma("noescape")
	s := loadStrides()
	src, dst, signs := s.load("src", row), s.load("dst", row), s.load("signs", masks*word)
	perRadix(func(radix int) {
		w.rows(network{width: w, n: radix}, src, dst, signs, load)
	})
}

// perRadix writes a branch for each radix.
func perRadix(branch func(radix int)) {
	param, err := Param("radix").Resolve()
	if err != nil {
		panic(err)
	}
	for _, radix := range []int{16, 8, 4, 2} {
		next := fmt.Sprintf("not%d", radix)
		CMPQ(param.Addr, operand.U8(uint8(radix)))
		JNE(operand.LabelRef(next))
		branch(radix)
		VZEROUPPER()
		RET()
		Label(next)
	}
	RET()
}

// rows writes a loop over width rows, with a network for each register of a row.
func (w width) rows(net network, src, dst, signs pointer, load func(x, m operand.Mem, r reg.VecPhysical)) {
	count := Load(Param("width"), GP64())
	loop := fmt.Sprintf("row%d", net.n)
	Label(loop)
	for offset := 0; offset < row; offset += w.bytes {
		net.src = func(k int) operand.Mem { return src.at(k, offset) }
		net.dst = func(k int) operand.Mem { return dst.at(k, offset) }
		if load != nil {
			net.sign = func(k int, r reg.VecPhysical) {
				load(src.at(k, offset), signs.at(k, offset%signs.step), r)
			}
		}
		net.emit()
	}
	for _, p := range []pointer{src, dst, signs} {
		p.add()
	}
	DECQ(count)
	JNZ(operand.LabelRef(loop))
}

// strides holds 0 to 7 times the parameter stride, times the bytes of a word. For rows an address
// multiplies this by 8.
type strides [8]reg.Register

func loadStrides() (s strides) {
	s[1] = Load(Param("stride"), GP64())
	SHLQ(operand.U8(3), s[1])
	for k := 2; k < len(s); k++ {
		s[k] = GP64()
		LEAQ(operand.Mem{Base: s[k-1], Index: s[1], Scale: 1}, s[k])
	}
	return s
}

// pointer moves along items of step bytes. It addresses items at strides from 0 by its low
// register, and from 8 on by the high one.
type pointer struct {
	low, high reg.Register
	step      int
	s         strides
}

// load returns a pointer with the value of a parameter.
func (s strides) load(param string, step int) pointer {
	p := pointer{Load(Param(param), GP64()), GP64(), step, s}
	MOVQ(p.low, p.high)
	for range 2 {
		LEAQ(operand.Mem{Base: p.high, Index: s[4], Scale: uint8(step / word)}, p.high)
	}
	return p
}

// at returns the address k strides and offset bytes from p.
func (p pointer) at(k, offset int) operand.Mem {
	m := operand.Mem{Base: p.low, Disp: offset}
	if k >= 8 {
		m.Base = p.high
	}
	if k%8 != 0 {
		m.Index, m.Scale = p.s[k%8], uint8(p.step/word)
	}
	return m
}

// add moves p to the next item.
func (p pointer) add() {
	if p.step > 0 {
		ADDQ(operand.U32(uint32(p.step)), p.low)
		ADDQ(operand.U32(uint32(p.step)), p.high)
	}
}

// advance moves p by strides.
func (p pointer) advance(by reg.Register) {
	for _, r := range []reg.Register{p.low, p.high} {
		LEAQ(operand.Mem{Base: r, Index: by, Scale: uint8(p.step / word)}, r)
	}
}
