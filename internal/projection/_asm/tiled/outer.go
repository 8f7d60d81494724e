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

// outer generates transPlain for tiles of a number of rows: those of a are one after another, those of b and c have strides.
func outer(w vector.Width, rows int) {
	t := newTiler(w, VFMADD231PD)
	t.acc = t.acc[:rows]
	name := fmt.Sprintf("trans%d%s", rows, w.Name)
	TEXT(name, NOSPLIT, "func(k int, a, b *float64, bStride int, c *float64, cStride int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is transPlain, in a tile of %d×%d. Strides are in bytes.", name, rows, vectors*w.Lanes))

	k, a, b, stride := GP64(), GP64(), GP64(), GP64()
	Load(Param("k"), k)
	Load(Param("a"), a)
	Load(Param("b"), b)
	Load(Param("bStride"), stride)
	c := vector.Rows("c", "cStride", rows)
	for r := range t.acc {
		for v, acc := range t.acc[r] {
			VMOVUPD(Mem{Base: c[r], Disp: v * w.Bytes()}, acc)
		}
	}
	Label("row")
	t.step(
		func(r int) Mem { return Mem{Base: a, Disp: 8 * r} },
		func(v int) Mem { return Mem{Base: b, Disp: v * w.Bytes()} })
	ADDQ(Imm(uint64(8*rows)), a)
	ADDQ(stride, b)
	DECQ(k)
	JNE(LabelRef("row"))
	for r := range t.acc {
		for v, acc := range t.acc[r] {
			VMOVUPD(acc, Mem{Base: c[r], Disp: v * w.Bytes()})
		}
	}
	VZEROUPPER()
	RET()
}
