// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A width is that of a vector register, with what differs between them.
type width struct {
	name  string
	lanes int
	regs  []reg.VecPhysical

	round    func(t, dst reg.VecPhysical)         // to the nearest integer, ties to even
	withSign func(sign Mem, r, p reg.VecPhysical) // p, not negative, gets the sign of r, which is lost
}

var avx2 = width{
	name:  "AVX2",
	lanes: 4,
	regs: []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	},
	round: func(t, dst reg.VecPhysical) { VROUNDPD(Imm(0), t, dst) },
	withSign: func(sign Mem, r, p reg.VecPhysical) {
		VANDPD(sign, r, r)
		VORPD(r, p, p)
	},
}

var avx512 = width{
	name:  "AVX512",
	lanes: 8,
	regs: []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	},
	// Not VREDUCEPD, which leaves 0 of ±Inf where the specification has NaN.
	round: func(t, dst reg.VecPhysical) { VRNDSCALEPD(Imm(0), t, dst) },
	// p | r&sign; the truth table of A | B&C is 0xf8.
	withSign: func(sign Mem, r, p reg.VecPhysical) { VPTERNLOGQ(Imm(0xf8), sign, r, p) },
}

// The table of constants, each in a row of 8 equal numbers: the coefficients of s, s³, …,
// s¹⁷, then a quarter, then the sign bit.
const (
	degree  = 8 // in s²
	quarter = degree + 1
	sign    = degree + 2
)

// end generates the epilogues.
func (t *tiler) end(label string, acc [][]reg.VecPhysical, free []reg.VecPhysical) {
	e := GP64()
	t.dstStride, t.table, t.sin = GP64(), GP64(), GP64()
	Load(Param("dstStride"), t.dstStride)
	Load(Param("epilogue"), e)
	CMPQ(e, Imm(cos))
	JEQ(LabelRef(label + "cos"))
	JLT(LabelRef(label + "store"))
	CMPQ(e, Imm(cosSin))
	JEQ(LabelRef(label + "cossin"))

	Comment("Multiply into what is there.")
	t.each(acc, func(at Mem, a reg.VecPhysical) { VMULPD(at, a, a) })
	Comment("Store.")
	Label(label + "store")
	t.each(acc, func(at Mem, a reg.VecPhysical) { VMOVUPD(a, at) })
	JMP(LabelRef(label + "end"))

	Comment("Cosines.")
	Label(label + "cos")
	Load(Param("table"), t.table)
	t.phases(acc, free, false)
	JMP(LabelRef(label + "end"))

	Comment("Cosines, and sines of the same phases.")
	Label(label + "cossin")
	Load(Param("table"), t.table)
	Load(Param("sin"), t.sin)
	t.phases(acc, free, true)
	Label(label + "end")
}

// each calls f with each accumulator and its place in the destination.
func (t *tiler) each(acc [][]reg.VecPhysical, f func(at Mem, a reg.VecPhysical)) {
	row := GP64()
	MOVQ(t.dst, row)
	for r := range acc {
		if r > 0 {
			ADDQ(t.dstStride, row)
		}
		for v, a := range acc[r] {
			f(Mem{Base: row, Disp: v * t.vectorBytes()}, a)
		}
	}
}

// constant returns the address of a constant.
func (t *tiler) constant(i int) Mem { return Mem{Base: t.table, Disp: 64 * i} }

// phases stores the cosines of the accumulators, and their sines if asked, by the
// operations of turns.go in their order.
func (t *tiler) phases(acc [][]reg.VecPhysical, free []reg.VecPhysical, sines bool) {
	type output struct {
		at Mem
		a  reg.VecPhysical
	}
	var all []output
	row := GP64()
	MOVQ(t.dst, row)
	n := 0
	perChain := 2
	if sines {
		perChain = 3
	}
	flush := func() {
		var c []chain
		for _, o := range all {
			ch := chain{at: o.at, r: o.a, p: free[0], s: free[1]}
			ch.u = o.a
			if sines {
				ch.u = free[2]
			}
			free = free[perChain:]
			c = append(c, ch)
		}
		t.cosines(c, sines)
		for _, ch := range c {
			free = append(free, ch.r, ch.p, ch.s)
			if sines {
				free = append(free, ch.u)
			}
		}
		all = nil
	}
	for r := range acc {
		if r > 0 {
			if len(all) > 0 {
				flush()
			}
			ADDQ(t.dstStride, row)
		}
		for v, a := range acc[r] {
			all = append(all, output{Mem{Base: row, Disp: v * t.vectorBytes()}, a})
			n++
			if len(all)*perChain+perChain > len(free) || len(all) == 4 {
				flush()
			}
		}
	}
	if len(all) > 0 {
		flush()
	}
}

// A chain is the computation of one vector of phases.
type chain struct {
	at         Mem
	r, s, u, p reg.VecPhysical
}

// cosines generates some chains side by side.
func (t *tiler) cosines(c []chain, sines bool) {
	each := func(f func(c chain)) {
		for _, c := range c {
			f(c)
		}
	}
	polynomial := func() {
		each(func(c chain) { VMULPD(c.s, c.s, c.u) })
		each(func(c chain) { VMOVUPD(t.constant(degree), c.p) })
		for i := degree - 1; i >= 0; i-- {
			each(func(c chain) { VFMADD213PD(t.constant(i), c.u, c.p) })
		}
		each(func(c chain) { VMULPD(c.s, c.p, c.p) })
	}
	each(func(c chain) { t.round(c.r, c.s) })
	each(func(c chain) { VSUBPD(c.s, c.r, c.r) })
	// ¼ − |r| as ¼ + (−|r|).
	each(func(c chain) { VORPD(t.constant(sign), c.r, c.s) })
	each(func(c chain) { VADDPD(t.constant(quarter), c.s, c.s) })
	polynomial()
	each(func(c chain) { VMOVUPD(c.p, c.at) })
	if !sines {
		return
	}
	each(func(c chain) { VORPD(t.constant(sign), c.s, c.s) })
	each(func(c chain) { VADDPD(t.constant(quarter), c.s, c.s) })
	polynomial()
	each(func(c chain) { t.withSign(t.constant(sign), c.r, c.p) })
	each(func(c chain) {
		at := c.at
		at.Index, at.Scale = t.sin, 1
		VMOVUPD(c.p, at)
	})
}
