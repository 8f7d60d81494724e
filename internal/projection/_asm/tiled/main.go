// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command tiled generates the kernels of package tiled: see its go:generate line.
//
// A tile has as many rows as a register has lanes, and three registers of columns. It stays in registers while
// k runs.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// vectors is the width of a tile in vectors.
const vectors = 3

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	for _, w := range []vector.Width{vector.AVX2, vector.AVX512} {
		product(w, "add", VFMADD231PD, inBlock(w))
		product(w, "subtract", VFNMADD231PD, inPanel(w))
		solve(w)
		solveRows(w, 1)
		solveRows(w, 4)
		pack(w, double)
		pack(w, single)
		transpose(w)
		squares(w)
		vector.Sums(w, 1)
		vector.Sums(w, 4)
		tile := sumTiles[w.Lanes]
		vector.SumsOfTiles(w, tile.vectors, tile.rows)
	}
	addSingle(vector.AVX2Single)
	addSingle(vector.AVX512Single)
	Generate()
}

// sumTiles are the tiles of inner products, by the lanes of a register: productShapes of package tiled.
var sumTiles = map[int]struct{ vectors, rows int }{4: {2, 3}, 8: {4, 4}}

// A tiler generates the multiply-adds of a tile.
type tiler struct {
	vector.Width
	acc  [][]reg.VecPhysical // by row and vector
	free []reg.VecPhysical
	fma  func(ops ...Op)
}

func newTiler(w vector.Width, fma func(ops ...Op)) *tiler {
	t := &tiler{Width: w, fma: fma}
	rows := w.Bytes() / 8 // the lanes of a register of float64
	for r := range rows {
		t.acc = append(t.acc, w.Regs[r*vectors:(r+1)*vectors])
	}
	t.free = w.Regs[rows*vectors:]
	return t
}

// rowBytes is the size of a row of a tile.
func (t *tiler) rowBytes() int { return vectors * t.Bytes() }

// each calls f with each accumulator and its place in the tile at c.
func (t *tiler) each(c reg.Register, f func(at Mem, acc reg.VecPhysical)) {
	for r := range t.acc {
		for v, acc := range t.acc[r] {
			f(Mem{Base: c, Disp: r*t.rowBytes() + v*t.Bytes()}, acc)
		}
	}
}

func (t *tiler) load(c reg.Register) {
	t.each(c, func(at Mem, acc reg.VecPhysical) { VMOVUPD(at, acc) })
}

func (t *tiler) store(c reg.Register) {
	t.each(c, func(at Mem, acc reg.VecPhysical) { VMOVUPD(acc, at) })
}

// step generates the multiply-adds of one k.
func (t *tiler) step(a func(r int) Mem, b func(v int) Mem) {
	for v := range vectors {
		VMOVUPD(b(v), t.free[v])
	}
	for r := range t.acc {
		x := t.free[vectors+r%(len(t.free)-vectors)]
		t.Broadcast(a(r), x)
		for v, acc := range t.acc[r] {
			t.fma(t.free[v], x, acc)
		}
	}
}

// unroll is the number of steps in a turn of a loop.
const unroll = 8

// steps generates the loops over k, which they overwrite: turns of unroll steps, then single steps.
func steps(label string, k reg.GPVirtual, turn func(n int)) {
	SUBQ(Imm(unroll), k)
	JLT(LabelRef(label + "rest"))
	Label(label + "turn")
	turn(unroll)
	SUBQ(Imm(unroll), k)
	JGE(LabelRef(label + "turn"))
	Label(label + "rest")
	ADDQ(Imm(unroll), k)
	JEQ(LabelRef(label + "done"))
	Label(label + "one")
	turn(1)
	DECQ(k)
	JNE(LabelRef(label + "one"))
	Label(label + "done")
}

// A layout says where the operands of a product are, in bytes.
type layout struct {
	step  int // from one k to the next
	next  int // from a tile's strip a to the next tile's
	group int // from a vector of b to the next
}

// inBlock is the layout of strips of a Block.
func inBlock(w vector.Width) layout {
	strip := blockRows * w.Bytes()
	return layout{step: w.Bytes(), next: strip, group: strip}
}

// inPanel is the layout of rows of panels.
func inPanel(w vector.Width) layout {
	return layout{step: vectors * w.Bytes(), next: w.Bytes(), group: w.Bytes()}
}

// blockRows is BlockRows of package tiled.
const blockRows = 144

// product generates addPlain or subtractPlain.
func product(w vector.Width, name string, fma func(ops ...Op), at layout) {
	t := newTiler(w, fma)
	TEXT(name+w.Name, NOSPLIT, "func(tiles, k int, a, b, c *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%s is %sPlain, in tiles of %d×%d.", name, w.Name, name, w.Lanes, vectors*w.Lanes))

	tiles, a, c := GP64(), GP64(), GP64()
	Load(Param("tiles"), tiles)
	Load(Param("a"), a)
	Load(Param("c"), c)

	Label("tile")
	t.load(c)
	x, b := GP64(), GP64()
	MOVQ(a, x)
	Load(Param("b"), b)
	turn := func(n int) {
		for i := range n {
			t.step(
				func(r int) Mem { return Mem{Base: x, Disp: i*at.step + 8*r} },
				func(v int) Mem { return Mem{Base: b, Disp: i*at.step + v*at.group} })
		}
		ADDQ(I32(n*at.step), x)
		ADDQ(I32(n*at.step), b)
	}

	Comment("The first turns fetch the next tile.")
	k := GP64()
	Load(Param("k"), k)
	size := t.Lanes * t.rowBytes()
	ahead, end := GP64(), GP64()
	LEAQ(Mem{Base: c, Disp: size}, ahead)
	LEAQ(Mem{Base: c, Disp: 2 * size}, end)
	Label("fetch")
	CMPQ(k, Imm(unroll))
	JLT(LabelRef("fetched"))
	for i := range unroll {
		PREFETCHT0(Mem{Base: ahead, Disp: 64 * i})
	}
	turn(unroll)
	SUBQ(Imm(unroll), k)
	ADDQ(I32(64*unroll), ahead)
	CMPQ(ahead, end)
	JLT(LabelRef("fetch"))
	Label("fetched")
	steps("k", k, turn)

	t.store(c)
	ADDQ(I32(size), c)
	ADDQ(I32(at.next), a)
	DECQ(tiles)
	JNE(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// solve generates solvePlain.
func solve(w vector.Width) {
	t := newTiler(w, VFNMADD231PD)
	TEXT("solve"+w.Name, NOSPLIT, "func(k int, a, b, u, inverse *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("solve%s is solvePlain, on a tile of %d×%d.", w.Name, w.Lanes, vectors*w.Lanes))

	k, a, b, c := GP64(), GP64(), GP64(), GP64()
	Load(Param("k"), k)
	Load(Param("a"), a)
	Load(Param("b"), b)
	IMUL3Q(I32(t.rowBytes()), k, c)
	ADDQ(b, c)
	t.load(c)
	steps("k", k, func(n int) {
		for i := range n {
			t.step(
				func(r int) Mem { return Mem{Base: a, Disp: i*t.rowBytes() + 8*r} },
				func(v int) Mem { return Mem{Base: b, Disp: i*t.rowBytes() + v*t.Bytes()} })
		}
		ADDQ(I32(n*t.rowBytes()), a)
		ADDQ(I32(n*t.rowBytes()), b)
	})

	Comment("Each row is done when those above have been subtracted.")
	u, inverse := GP64(), GP64()
	Load(Param("u"), u)
	Load(Param("inverse"), inverse)
	for q := range t.acc {
		VBROADCASTSD(Mem{Base: inverse, Disp: 8 * q}, t.free[0])
		for _, acc := range t.acc[q] {
			VMULPD(t.free[0], acc, acc)
		}
		for r := q + 1; r < len(t.acc); r++ {
			x := t.free[1+r%(len(t.free)-1)]
			VBROADCASTSD(Mem{Base: u, Disp: q*t.rowBytes() + 8*r}, x)
			for v, acc := range t.acc[r] {
				VFNMADD231PD(t.acc[q][v], x, acc)
			}
		}
	}
	t.store(c)
	VZEROUPPER()
	RET()
}
