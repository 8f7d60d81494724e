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

// solveRows generates solveRowsPlain for a number of rows. The columns of the panel are in lanes, so that the panel is
// read once, from its beginning to its end.
func solveRows(w vector.Width, rows int) {
	name := fmt.Sprintf("solveRows%d%s", rows, w.Name)
	TEXT(name, NOSPLIT, "func(k int, panel, b, x *float64, stride int, inverse *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is solveRowsPlain, for %d rows and panels of %d columns. The stride is in bytes.", name, rows, vectors*w.Lanes))

	k, panel := GP64(), GP64()
	Load(Param("k"), k)
	Load(Param("panel"), panel)
	b, x := vector.Rows("b", "stride", rows), vector.Rows("x", "stride", rows)
	acc := make([][]reg.VecPhysical, rows)
	for r := range acc {
		last := len(w.Regs) - r*vectors
		acc[r] = w.Regs[last-vectors : last]
		for v := range acc[r] {
			VMOVUPD(Mem{Base: x[r], Disp: v * w.Bytes()}, acc[r][v])
		}
	}
	free, rowBytes := w.Regs[:len(w.Regs)-rows*vectors], vectors*w.Bytes()

	Comment("What is solved already is subtracted.")
	steps("k", k, func(n int) {
		for i := range n {
			at := func(v int) Mem { return Mem{Base: panel, Disp: i*rowBytes + v*w.Bytes()} }
			if rows > 1 {
				for v := range vectors {
					VMOVUPD(at(v), free[v])
				}
			}
			for r := range rows {
				factor := free[vectors+(i*rows+r)%(len(free)-vectors)]
				VBROADCASTSD(Mem{Base: b[r], Disp: 8 * i}, factor)
				for v, sum := range acc[r] {
					if rows > 1 {
						VFNMADD231PD(free[v], factor, sum)
					} else {
						VFNMADD231PD(at(v), factor, sum)
					}
				}
			}
		}
		for r := range rows {
			ADDQ(Imm(uint64(8*n)), b[r])
		}
		ADDQ(I32(n*rowBytes), panel)
	})

	Comment("An element is done when those before it have been subtracted; in its lane, and in those before, there is no sum any more.")
	inverse := GP64()
	Load(Param("inverse"), inverse)
	for q := range vectors * w.Lanes {
		VBROADCASTSD(Mem{Base: inverse, Disp: 8 * q}, free[0])
		for r := range rows {
			done := free[1+r%(len(free)-1)]
			broadcastLane(w, q%w.Lanes, acc[r][q/w.Lanes], done)
			VMULPD(free[0], done, done)
			VMOVSD(done.AsX(), Mem{Base: x[r], Disp: 8 * q})
			for v := (q + 1) / w.Lanes; v < vectors; v++ {
				VFNMADD231PD(Mem{Base: panel, Disp: q*rowBytes + v*w.Bytes()}, done, acc[r][v])
			}
		}
	}
	VZEROUPPER()
	RET()
}

// broadcastLane generates the copy of one lane of a register to all lanes of another.
func broadcastLane(w vector.Width, lane int, from, to reg.VecPhysical) {
	VPERMPD(Imm(uint64(0x55*(lane%4))), from, to) // within groups of four
	if w.Lanes == 8 {
		VSHUFF64X2(Imm(uint64(0xaa*(lane/4))), to, to, to)
	}
}
