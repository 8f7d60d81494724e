// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command slabs generates the kernels of package slabs: see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	for _, w := range []vector.Width{vector.AVX2, vector.AVX512} {
		less(w)
		for _, vectors := range []int{4, 2, 1} {
			forward(w, vectors)
			backward(w, vectors)
		}
	}
	Generate()
}

// rowsOf lists the rows of a tile of forward, and registersOf the registers of columns of a tile of backward, by
// lanes.
var (
	rowsOf      = map[int]int{4: 2, 8: 4}
	registersOf = map[int]int{4: 2, 8: 4}
)

// ahead is how far beyond what they read forward and backward fetch data of the same row, in bytes: the next slab or
// the one after it. If rows and vectors are larger than the second-level cache, this makes them two and a half times as
// fast.
const ahead = 2048

// less generates lessPlain.
func less(w vector.Width) {
	TEXT("less"+w.Name, NOSPLIT, "func(rows, groups int, z *float64, stride int, c *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("less%s is lessPlain. The stride is in bytes.", w.Name))
	groups, z, stride, c := GP64(), GP64(), GP64(), GP64()
	Load(Param("groups"), groups)
	Load(Param("z"), z)
	Load(Param("stride"), stride)
	Load(Param("c"), c)
	parts := 8 / w.Lanes
	Label("group")
	rows, p := GP64(), GP64()
	Load(Param("rows"), rows)
	MOVQ(z, p)
	for i := range parts {
		VMOVUPD(Mem{Base: c, Disp: i * w.Bytes()}, w.Regs[i])
	}
	Label("row")
	for i := range parts {
		at := Mem{Base: p, Disp: i * w.Bytes()}
		VMOVUPD(at, w.Regs[parts+i])
		VSUBPD(w.Regs[i], w.Regs[parts+i], w.Regs[parts+i])
		VMOVUPD(w.Regs[parts+i], at)
	}
	ADDQ(stride, p)
	DECQ(rows)
	JNE(LabelRef("row"))
	ADDQ(Imm(64), z)
	ADDQ(Imm(64), c)
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// forward generates forwardPlain for tiles of some vectors. The lanes of a group are processed one register after
// another.
func forward(w vector.Width, vectors int) {
	rows := rowsOf[w.Lanes]
	name := fmt.Sprintf("forward%d%s", vectors, w.Name)
	TEXT(name, NOSPLIT, "func(groups int, z *float64, stride int, w *float64, wStride int, sums *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is forwardPlain for tiles of %d rows and %d vectors. Strides are in bytes.", name, rows, vectors))
	sums := GP64()
	Load(Param("sums"), sums)
	for part := range 8 / w.Lanes {
		groups := GP64()
		Load(Param("groups"), groups)
		z, v := vector.Rows("z", "stride", rows), vector.Rows("w", "wStride", vectors)
		acc, free := w.Regs[:rows*vectors], w.Regs[rows*vectors:]
		each := func(f func(at Mem, r reg.VecPhysical)) {
			for i, r := range acc {
				f(Mem{Base: sums, Disp: 64*i + part*w.Bytes()}, r)
			}
		}
		each(func(at Mem, r reg.VecPhysical) { VMOVUPD(at, r) })
		label := fmt.Sprintf("group%d", part)
		Label(label)
		at := func(p reg.GPVirtual) Mem { return Mem{Base: p, Disp: part * w.Bytes()} }
		for i := range z {
			VMOVUPD(at(z[i]), free[i])
			if part == 0 {
				PREFETCHT1(at(z[i]).Offset(ahead))
			}
		}
		for t := range v {
			VMOVUPD(at(v[t]), free[rows])
			if part == 0 {
				PREFETCHT1(at(v[t]).Offset(ahead))
			}
			for i := range z {
				VFMADD231PD(free[i], free[rows], acc[i*vectors+t])
			}
		}
		for _, p := range append(z, v...) {
			ADDQ(Imm(64), p)
		}
		DECQ(groups)
		JNE(LabelRef(label))
		each(func(at Mem, r reg.VecPhysical) { VMOVUPD(r, at) })
	}
	VZEROUPPER()
	RET()
}

// backward generates backwardPlain for some vectors.
func backward(w vector.Width, vectors int) {
	n := registersOf[w.Lanes]
	name := fmt.Sprintf("backward%d%s", vectors, w.Name)
	TEXT(name, NOSPLIT, "func(tiles, rows int, z *float64, stride, ahead int, u *float64, uStride int, to *float64, toStride int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is backwardPlain for %d vectors, in tiles of %d columns. Strides are in bytes.", name, vectors, n*w.Lanes))
	tiles, first, stride, coefficients, uStride := GP64(), GP64(), GP64(), GP64(), GP64()
	Load(Param("tiles"), tiles)
	Load(Param("z"), first)
	Load(Param("stride"), stride)
	Load(Param("u"), coefficients)
	Load(Param("uStride"), uStride)
	g := vector.Rows("to", "toStride", vectors)
	acc, free := w.Regs[:n*vectors], w.Regs[n*vectors:]
	each := func(f func(at Mem, r reg.VecPhysical)) {
		for t := range g {
			for i := range n {
				f(Mem{Base: g[t], Disp: i * w.Bytes()}, acc[t*n+i])
			}
		}
	}
	Label("tile")
	each(func(at Mem, r reg.VecPhysical) {
		VMOVUPD(at, r)
		if at.Disp%64 == 0 {
			PREFETCHT1(at.Offset(ahead))
		}
	})
	rows, z, next, u := GP64(), GP64(), GP64(), GP64()
	Load(Param("rows"), rows)
	MOVQ(first, z)
	Load(Param("ahead"), next)
	ADDQ(z, next)
	MOVQ(coefficients, u)
	Label("row")
	for i := range n {
		VMOVUPD(Mem{Base: z, Disp: i * w.Bytes()}, free[i])
		if i*w.Bytes()%64 == 0 {
			PREFETCHT1(Mem{Base: next, Disp: i * w.Bytes()})
		}
	}
	for t := range g {
		x := free[n+t%(len(free)-n)]
		VBROADCASTSD(Mem{Base: u, Disp: 8 * t}, x)
		for i := range n {
			VFMADD231PD(free[i], x, acc[t*n+i])
		}
	}
	ADDQ(stride, z)
	ADDQ(stride, next)
	ADDQ(uStride, u)
	DECQ(rows)
	JNE(LabelRef("row"))
	each(func(at Mem, r reg.VecPhysical) { VMOVUPD(r, at) })
	ADDQ(I32(n*w.Bytes()), first)
	for _, p := range g {
		ADDQ(I32(n*w.Bytes()), p)
	}
	DECQ(tiles)
	JNE(LabelRef("tile"))
	VZEROUPPER()
	RET()
}
