// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// gradientsAhead is how far ahead of their use gradients are fetched, in bytes. They come from memory, and the
// processor does not predict on which pages a row of them continues.
const gradientsAhead = 1024

// addSigned generates sums of lanes whose signs are changed by a mask for each coordinate.
func addSigned(w vector.Width) {
	TEXT("addSigned"+w.Name, NOSPLIT, "func(n int, total, v *float64, signs *uint64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addSigned%s is addSignedPlain for n coordinates of 8 lanes.", w.Name))
	n, total, v, signs, at := param("n"), param("total"), param("v"), param("signs"), GP64()
	XORQ(at, at)
	mask := w.Regs[0]
	loop(n, func() {
		if w.Lanes < rows(w) {
			VBROADCASTSD(Mem{Base: signs}, mask)
		}
		for disp := 0; disp < 8*rows(w); disp += w.Bytes() {
			from := Mem{Base: v, Index: at, Scale: 1, Disp: disp}
			to := Mem{Base: total, Index: at, Scale: 1, Disp: disp}
			sum := w.Regs[1+disp/w.Bytes()]
			if w.Lanes < rows(w) {
				VXORPD(from, mask, sum)
			} else {
				VMOVUPD(from, sum)
				VPXORQ_BCST(Mem{Base: signs}, sum, sum)
			}
			w.Add(to, sum, sum)
			VMOVUPD(sum, to)
		}
		ADDQ(I32(8*rows(w)), at)
		ADDQ(I8(8), signs)
	})
}

// times generates products of elements.
func times(w vector.Width) {
	TEXT("times"+w.Name, NOSPLIT, "func(groups int, dst, a *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("times%s is timesPlain for groups of %d elements.", w.Name, w.Lanes))
	groups, dst, a, at := param("groups"), param("dst"), param("a"), GP64()
	XORQ(at, at)
	product := w.Regs[0]
	loop(groups, func() {
		PREFETCHT0(Mem{Base: a, Index: at, Scale: 1, Disp: gradientsAhead})
		VMOVUPD(Mem{Base: dst, Index: at, Scale: 1}, product)
		w.Mul(Mem{Base: a, Index: at, Scale: 1}, product, product)
		VMOVUPD(product, Mem{Base: dst, Index: at, Scale: 1})
		ADDQ(I32(w.Bytes()), at)
	})
}

// slopes generates differences of two products, each of which is rounded.
func slopes(w vector.Width) {
	TEXT("slopes"+w.Name, NOSPLIT, "func(groups int, cos, sin, up, down *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("slopes%s is slopesPlain for groups of %d forms.", w.Name, w.Lanes))
	groups, cos, sin, up, down, at := param("groups"), param("cos"), param("sin"), param("up"), param("down"), GP64()
	XORQ(at, at)
	rising, falling := w.Regs[0], w.Regs[1]
	loop(groups, func() {
		PREFETCHT0(Mem{Base: up, Index: at, Scale: 1, Disp: gradientsAhead})
		PREFETCHT0(Mem{Base: down, Index: at, Scale: 1, Disp: gradientsAhead})
		VMOVUPD(Mem{Base: cos, Index: at, Scale: 1}, rising)
		VMOVUPD(Mem{Base: sin, Index: at, Scale: 1}, falling)
		w.Mul(Mem{Base: up, Index: at, Scale: 1}, rising, rising)
		w.Mul(Mem{Base: down, Index: at, Scale: 1}, falling, falling)
		w.Sub(falling, rising, rising)
		VMOVUPD(rising, Mem{Base: cos, Index: at, Scale: 1})
		ADDQ(I32(w.Bytes()), at)
	})
}
