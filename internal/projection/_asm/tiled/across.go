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

// lines are the addresses of as many rows as a register has lanes, at a constant distance.
type lines struct {
	base, fourth, step, three reg.GPVirtual
	lanes                     int
}

// newLines returns the lines that begin at the parameter base, with the distance in the parameter
// step.
func newLines(w vector.Width, base, step string) lines {
	l := lines{GP64(), GP64(), GP64(), GP64(), w.Lanes}
	Load(Param(base), l.base)
	Load(Param(step), l.step)
	LEAQ(Mem{Base: l.step, Index: l.step, Scale: 2}, l.three)
	if w.Lanes == 8 {
		LEAQ(Mem{Base: l.base, Index: l.step, Scale: 4}, l.fourth)
	}
	return l
}

// at returns the address of a row.
func (l lines) at(i int) Mem {
	base := l.base
	if i >= 4 {
		base = l.fourth
	}
	switch i % 4 {
	case 0:
		return Mem{Base: base}
	case 3:
		return Mem{Base: base, Index: l.three, Scale: 1}
	}
	return Mem{Base: base, Index: l.step, Scale: uint8(i % 4)}
}

// move moves all rows.
func (l lines) move(by reg.GPVirtual) {
	ADDQ(by, l.base)
	if l.lanes == 8 {
		ADDQ(by, l.fourth)
	}
}

// transpose generates transposePlain for squares.
func transpose(w vector.Width) {
	name := "transpose" + w.Name
	TEXT(name, NOSPLIT, "func(squares int, from *float64, fromStep, fromNext int, to *float64, toStep, toNext int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is transposePlain for some squares of %d×%d, of which one begins so many bytes after the other. Steps are in bytes.", name, w.Lanes, w.Lanes))
	squares, fromNext, toNext := GP64(), GP64(), GP64()
	Load(Param("squares"), squares)
	Load(Param("fromNext"), fromNext)
	Load(Param("toNext"), toNext)
	from, to := newLines(w, "from", "fromStep"), newLines(w, "to", "toStep")
	Label("square")
	a := append([]reg.VecPhysical(nil), w.Regs[:w.Lanes]...)
	for i, r := range a {
		VMOVUPD(from.at(i), r)
	}
	for j, r := range w.Transpose(a, w.Regs[w.Lanes:]) {
		VMOVUPD(r, to.at(j))
	}
	from.move(fromNext)
	to.move(toNext)
	DECQ(squares)
	JNE(LabelRef("square"))
	VZEROUPPER()
	RET()
}

// squares generates squaresPlain.
func squares(w vector.Width) {
	name := "squares" + w.Name
	TEXT(name, NOSPLIT, "func(k int, panel, sums *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is squaresPlain, for panels of %d columns.", name, vectors*w.Lanes))
	k, panel, sums := GP64(), GP64(), GP64()
	Load(Param("k"), k)
	Load(Param("panel"), panel)
	Load(Param("sums"), sums)
	acc, x := w.Regs[:vectors], w.Regs[vectors:]
	for _, r := range acc {
		VXORPD(r, r, r)
	}
	Label("row")
	for v, r := range acc {
		VMOVUPD(Mem{Base: panel, Disp: v * w.Bytes()}, x[v])
		VFMADD231PD(x[v], x[v], r)
	}
	ADDQ(I32(vectors*w.Bytes()), panel)
	DECQ(k)
	JNE(LabelRef("row"))
	for v, r := range acc {
		VMOVUPD(r, Mem{Base: sums, Disp: v * w.Bytes()})
	}
	VZEROUPPER()
	RET()
}
