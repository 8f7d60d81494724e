// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// packing is a precision in which numbers of float64 are packed.
type packing struct {
	name, element string
	parts         int // registers of float64 for one of the strip
	strips        int // how many strips are packed side by side
	limit         int // its exponent: numbers of 2^limit are out of range

	// store stores part i of a strip's row.
	store func(w vector.Width, v reg.VecPhysical, strip Mem, i int)
}

var double = packing{"", "float64", 1, 8, 484, func(_ vector.Width, v reg.VecPhysical, strip Mem, _ int) { VMOVUPD(v, strip) }}

var single = packing{"Single", "float32", 2, 4, 59, func(w vector.Width, v reg.VecPhysical, strip Mem, i int) {
	strip.Disp += i * w.Bytes() / 2
	if w.Lanes == 8 {
		VCVTPD2PS(v, v.AsY())
		VMOVUPD(v.AsY(), strip)
	} else {
		VCVTPD2PSY(v, v.AsX())
		VMOVUPD(v.AsX(), strip)
	}
}}

// pack generates packPlain, or packSinglePlain. A NaN says that a number is out of range.
func pack(w vector.Width, of packing) {
	name := "pack" + of.name
	TEXT(name+w.Name, NOSPLIT, "func(strips, rows int, from *float64, stride int, shift *float64, to *"+of.element+") float64")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%s is %sPlain, in strips of %d. It returns NaN where that returns false, and 0 otherwise.", name, w.Name, name, of.parts*w.Lanes))

	strips, from, stride, shift, to := GP64(), GP64(), GP64(), GP64(), GP64()
	Load(Param("strips"), strips)
	Load(Param("from"), from)
	Load(Param("stride"), stride)
	Load(Param("shift"), shift)
	Load(Param("to"), to)

	Comment(fmt.Sprintf("0·(2^%d·v) is NaN for NaN, and for what is 2^%d or larger.", 1024-of.limit, of.limit))
	bad, scale, zero, v, x := w.Regs[0], w.Regs[1], w.Regs[2], w.Regs[3], w.Regs[4]
	VXORPD(bad, bad, bad)
	VXORPD(zero, zero, zero)
	bits := GP64()
	MOVQ(Imm(uint64(1023+1024-of.limit)<<52), bits)
	VMOVQ(bits, scale.AsX())
	VBROADCASTSD(scale.AsX(), scale)

	// Several strips at a time, because neighbors in a row share pages and fetches.
	for _, n := range []int{of.strips, 1} {
		label := fmt.Sprintf("strips%d", n)
		Label(label)
		CMPQ(strips, Imm(uint64(n)))
		JLT(LabelRef(label + "done"))
		rows, p, q := GP64(), GP64(), GP64()
		Load(Param("rows"), rows)
		MOVQ(from, p)
		MOVQ(to, q)
		Label(label + "row")
		for i := range n * of.parts {
			VMOVUPD(Mem{Base: p, Disp: i * w.Bytes()}, v)
			VMULPD(scale, v, x)
			VFMADD231PD(zero, x, bad)
			VSUBPD(Mem{Base: shift, Disp: i * w.Bytes()}, v, v)
			of.store(w, v, Mem{Base: q, Disp: i / of.parts * blockRows * w.Bytes()}, i%of.parts)
		}
		ADDQ(stride, p)
		ADDQ(Imm(uint64(w.Bytes())), q)
		DECQ(rows)
		JNE(LabelRef(label + "row"))
		ADDQ(I32(n*of.parts*w.Bytes()), from)
		ADDQ(I32(n*of.parts*w.Bytes()), shift)
		ADDQ(I32(n*blockRows*w.Bytes()), to)
		SUBQ(Imm(uint64(n)), strips)
		JMP(LabelRef(label))
		Label(label + "done")
	}

	Comment("The sum of the lanes is NaN if one is.")
	if w.Lanes == 8 {
		VEXTRACTF64X4(Imm(1), bad, x.AsY())
		VADDPD(bad.AsY(), x.AsY(), bad.AsY())
	}
	VEXTRACTF128(Imm(1), bad.AsY(), x.AsX())
	VADDPD(bad.AsX(), x.AsX(), bad.AsX())
	VHADDPD(bad.AsX(), bad.AsX(), bad.AsX())
	ret := reg.Register(bad.AsX())
	Store(ret, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
