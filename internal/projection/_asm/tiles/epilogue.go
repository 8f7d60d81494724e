// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// end generates the end of a tile: a case for each epilogue, and the stores.
func (t *tiler) end(label string, acc [][]reg.VecPhysical, free []reg.VecPhysical) {
	stride, table, sin := GP64(), GP64(), GP64()
	Load(Param("dstStride"), stride)
	if t.store {
		t.each(stride, acc, func(at Mem, a reg.VecPhysical) { VMOVUPD(a, at) })
		return
	}
	e := GP64()
	Load(Param("epilogue"), e)
	CMPQ(e, Imm(vector.EpilogueCos))
	JEQ(LabelRef(label + "cos"))
	JLT(LabelRef(label + "store"))
	CMPQ(e, Imm(vector.EpilogueCosSin))
	JEQ(LabelRef(label + "cossin"))

	Comment("Multiply into what is there.")
	t.each(stride, acc, func(at Mem, a reg.VecPhysical) { t.Mul(at, a, a) })
	Comment("Store.")
	Label(label + "store")
	t.each(stride, acc, func(at Mem, a reg.VecPhysical) { VMOVUPD(a, at) })
	JMP(LabelRef(label + "end"))

	Comment("Cosines.")
	Label(label + "cos")
	Load(Param("table"), table)
	t.phases(stride, table, nil, acc, free)
	JMP(LabelRef(label + "end"))

	Comment("Cosines, and sines of the same phases.")
	Label(label + "cossin")
	Load(Param("table"), table)
	Load(Param("sin"), sin)
	t.phases(stride, table, sin, acc, free)
	Label(label + "end")
}

// each calls f with each accumulator and its place in the destination, row by row.
func (t *tiler) each(stride reg.Register, acc [][]reg.VecPhysical, f func(at Mem, a reg.VecPhysical)) {
	row := GP64()
	MOVQ(t.dst, row)
	for r := range acc {
		if r > 0 {
			ADDQ(stride, row)
		}
		for v, a := range acc[r] {
			f(Mem{Base: row, Disp: v * t.Bytes()}, a)
		}
	}
}

// sideBySide is the largest number of chains that run in parallel.
const sideBySide = 4

// phases stores the cosines of the accumulators, and their sines unless sin is nil. As many chains
// run in parallel as there are free registers for; finished accumulators become free too.
func (t *tiler) phases(stride, table, sin reg.Register, acc [][]reg.VecPhysical, free []reg.VecPhysical) {
	var at []Mem
	chains := vector.Chains{Width: t.Width, Table: table}
	take := func() (r reg.VecPhysical) {
		r, free = free[0], free[1:]
		return r
	}
	flush := func() {
		chains.Cosines()
		for i, c := range chains.All {
			VMOVUPD(c.P, at[i])
		}
		if sin != nil {
			chains.Sines()
		}
		for i, c := range chains.All {
			free = append(free, c.P, c.S, c.R)
			if sin != nil {
				at[i].Index, at[i].Scale = sin, 1
				VMOVUPD(c.P, at[i])
				free = append(free, c.U)
			}
		}
		at, chains.All = nil, nil
	}
	need := 2
	if sin != nil {
		need = 3
	}
	row := GP64()
	MOVQ(t.dst, row)
	for r := range acc {
		if r > 0 {
			ADDQ(stride, row)
		}
		for v, a := range acc[r] {
			c := vector.Chain{R: a, S: take(), U: a, P: take()}
			if sin != nil {
				c.U = take()
			}
			at, chains.All = append(at, Mem{Base: row, Disp: v * t.Bytes()}), append(chains.All, c)
			if last := v == len(acc[r])-1; last || len(at) == sideBySide || len(free) < need {
				flush() // at the latest at the end of the row, because its address is not kept
			}
		}
	}
}
