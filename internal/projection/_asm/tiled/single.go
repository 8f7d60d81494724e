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

// addSingle generates addSinglePlain: a tile of float32 that starts at 0, and is then added to two tiles
// of float64.
func addSingle(w vector.Width) {
	t := newTiler(w, w.FMA)
	strip := blockRows * w.Bytes() // of both a and b
	TEXT("addSingle"+w.Name, NOSPLIT, "func(k int, a, b *float32, left, right *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addSingle%s is addSinglePlain, in tiles of %d×%d.", w.Name, len(t.acc), vectors*w.Lanes))

	k, a, b, left, right := GP64(), GP64(), GP64(), GP64(), GP64()
	Load(Param("k"), k)
	Load(Param("a"), a)
	Load(Param("b"), b)
	Load(Param("left"), left)
	Load(Param("right"), right)
	for _, acc := range t.acc {
		for _, r := range acc {
			VXORPD(r, r, r)
		}
	}
	turn := func(n int) {
		for i := range n {
			t.step(
				func(r int) Mem { return Mem{Base: a, Disp: i*w.Bytes() + w.Size*r} },
				func(v int) Mem { return Mem{Base: b, Disp: i*w.Bytes() + v*strip} })
		}
		ADDQ(I32(n*w.Bytes()), a)
		ADDQ(I32(n*w.Bytes()), b)
	}

	Comment("The first turns fetch the tiles.")
	size := len(t.acc) * t.rowBytes()
	CMPQ(k, Imm(2*unroll))
	JLT(LabelRef("fetched"))
	for _, tile := range []reg.GPVirtual{left, right} {
		for at := 0; at < size; at += 64 {
			PREFETCHT0(Mem{Base: tile, Disp: at})
		}
		turn(unroll)
	}
	SUBQ(Imm(2*unroll), k)
	Label("fetched")
	steps("k", k, turn)

	for r, acc := range t.acc {
		for v, sum := range acc {
			for half := range 2 {
				place := 2*v + half
				at := Mem{Base: left, Disp: r*t.rowBytes() + place*w.Bytes()}
				if place >= vectors {
					at = Mem{Base: right, Disp: r*t.rowBytes() + (place-vectors)*w.Bytes()}
				}
				wide := t.free[half]
				widen(w, half, sum, wide)
				VADDPD(at, wide, wide)
				VMOVUPD(wide, at)
			}
		}
	}
	VZEROUPPER()
	RET()
}

// widen generates the conversion of one half of a register of float32 to a register of float64.
func widen(w vector.Width, half int, from, to reg.VecPhysical) {
	if w.Bytes() == 64 {
		low := from.AsY()
		if half == 1 {
			low = to.AsY()
			VEXTRACTF64X4(Imm(1), from, low)
		}
		VCVTPS2PD(low, to)
		return
	}
	low := from.AsX()
	if half == 1 {
		low = to.AsX()
		VEXTRACTF128(Imm(1), from, low)
	}
	VCVTPS2PD(low, to)
}
