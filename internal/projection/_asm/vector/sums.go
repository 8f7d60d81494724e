// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package vector

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Sums generates a function sums<rows><width>: the inner products of a vector and some rows, in whole groups of 8.
// Each row has eight chains, of the products k, k+8, k+16, …
func Sums(w Width, rows int) {
	name := fmt.Sprintf("sums%d%s", rows, w.Name)
	TEXT(name, NOSPLIT, "func(groups int, a, w *float64, stride int, to *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is sumsPlain, for %d rows of some groups of 8.", name, rows))
	groups := GP64()
	Load(Param("groups"), groups)
	sums(w, groups, Rows("a", "", 1)[0], Rows("w", "stride", rows))
}

// SumsOfTiles generates a function sums<vectors>x<rows><width>: tiles of some vectors and the same rows, with eight
// chains for each vector and row.
func SumsOfTiles(w Width, vectors, rows int) {
	name := fmt.Sprintf("sums%dx%d%s", vectors, rows, w.Name)
	TEXT(name, NOSPLIT, "func(tiles, groups int, a *float64, aStride int, w *float64, stride int, first bool, sums, totals *float64)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s is sumsPlain for tiles of %d vectors in turn, the same %d rows and some groups of 8. The chains go on", name, vectors, rows),
		"from those at sums unless first is true, and go there, or added up to totals unless that is nil. Strides are in bytes.",
	)
	tiles, end, sums, totals, k := GP64(), GP64(), GP64(), GP64(), GP64()
	Load(Param("tiles"), tiles)
	Load(Param("sums"), sums)
	Load(Param("totals"), totals)
	Load(Param("groups"), end)
	SHLQ(Imm(6), end)
	a, row := Rows("a", "aStride", vectors), Rows("w", "stride", rows)
	for _, p := range append(a, row...) { // to the ends, up to which k counts
		ADDQ(end, p)
	}
	NEGQ(end)
	parts := 8 / w.Lanes
	count := vectors * rows * parts
	acc, v := w.Regs[:count], w.Regs[count:]
	each := func(f func(at Mem, r reg.VecPhysical)) {
		for i, r := range acc {
			f(Mem{Base: sums, Disp: i * w.Bytes()}, r)
		}
	}
	Label("tile")
	Load(Param("first"), k.As8())
	CMPB(k.As8(), Imm(0))
	JNE(LabelRef("zeros"))
	each(func(at Mem, r reg.VecPhysical) { VMOVUPD(at, r) })
	JMP(LabelRef("begin"))
	Label("zeros")
	each(func(_ Mem, r reg.VecPhysical) { VXORPD(r, r, r) })
	Label("begin")
	MOVQ(end, k)
	Label("group")
	for i := range parts {
		at := func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: k, Scale: 1, Disp: i * w.Bytes()} }
		for j := range a {
			VMOVUPD(at(a[j]), v[j])
		}
		for r := range row {
			VMOVUPD(at(row[r]), v[vectors])
			for j := range a {
				VFMADD231PD(v[vectors], v[j], acc[(j*rows+r)*parts+i])
			}
		}
	}
	ADDQ(Imm(64), k)
	JNE(LabelRef("group"))
	CMPQ(totals, Imm(0))
	JNE(LabelRef("total"))
	each(func(at Mem, r reg.VecPhysical) { VMOVUPD(r, at) })
	JMP(LabelRef("next"))
	Label("total")
	total(w, acc, v, vectors*rows, totals)
	ADDQ(U32(uint32(8*vectors*rows)), totals)
	Label("next")
	ADDQ(U32(uint32(64*vectors*rows)), sums)
	Load(Param("aStride"), k)
	IMUL3Q(U32(uint32(vectors)), k, k)
	for _, p := range a {
		ADDQ(k, p)
	}
	DECQ(tiles)
	JNE(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// total adds up the eight chains of each of some products, an even number, as ((s₀ + s₄) + (s₂ + s₆)) + ((s₁ + s₅) +
// (s₃ + s₇)), and stores the sums. It overwrites the chains.
func total(w Width, acc, free []reg.VecPhysical, count int, to reg.GPVirtual) {
	half := func(i int) (p, scratch reg.Register) { // p has s₀+s₄, s₁+s₅, s₂+s₆, s₃+s₇
		if w.Lanes == 4 {
			return acc[2*i], acc[2*i+1]
		}
		return acc[i].AsY(), free[i%len(free)].AsY()
	}
	for i := range count {
		p, scratch := half(i)
		if w.Lanes == 8 {
			VEXTRACTF64X4(Imm(1), acc[i], scratch)
		}
		VADDPD(scratch, p, p)
	}
	pair := func(i, j int) reg.Register { // s₀+s₄ + s₂+s₆ and s₁+s₅ + s₃+s₇, of i and then of j
		p, lows := half(i)
		q, highs := half(j)
		if w.Lanes == 4 {
			VPERM2F128(Imm(0x20), q, p, lows)
			VPERM2F128(Imm(0x31), q, p, highs)
		} else {
			VSHUFF64X2(Imm(0), q, p, lows)
			VSHUFF64X2(Imm(3), q, p, highs)
		}
		VADDPD(highs, lows, lows)
		return lows
	}
	i := 0
	for ; i+4 <= count; i += 4 {
		t, u := pair(i, i+2), pair(i+1, i+3)
		even, _ := half(i) // it is not needed any more
		VUNPCKLPD(u, t, even)
		VUNPCKHPD(u, t, t)
		VADDPD(t, even, t)
		VMOVUPD(t, Mem{Base: to, Disp: 8 * i})
	}
	if i < count { // two, in the narrower registers
		t := pair(i, i+1)
		VHADDPD(t, t, t)
		VMOVSD(low(t), Mem{Base: to, Disp: 8 * i})
		VEXTRACTF128(Imm(1), t, low(t))
		VMOVSD(low(t), Mem{Base: to, Disp: 8 * (i + 1)})
	}
}

// low returns the lower half of a register of four lanes.
func low(r reg.Register) reg.Register { return r.(reg.VecPhysical).AsX() }

// Rows loads a parameter, and adds the stride, another parameter, for each further row.
func Rows(param, stride string, rows int) []reg.GPVirtual {
	p := []reg.GPVirtual{GP64()}
	Load(Param(param), p[0])
	if rows > 1 {
		step := GP64()
		Load(Param(stride), step)
		for r := 1; r < rows; r++ {
			p = append(p, GP64())
			LEAQ(Mem{Base: p[r-1], Index: step, Scale: 1}, p[r])
		}
	}
	return p
}

// sums generates the chains of a vector and rows.
func sums(w Width, groups, a reg.GPVirtual, row []reg.GPVirtual) {
	to := GP64()
	Load(Param("to"), to)
	parts := 8 / w.Lanes
	count := len(row) * parts
	acc, v := w.Regs[:count], w.Regs[count]
	for _, r := range acc {
		VXORPD(r, r, r)
	}
	Label("group")
	for i := range parts {
		at := func(p reg.GPVirtual) Mem { return Mem{Base: p, Disp: i * w.Bytes()} }
		VMOVUPD(at(a), v)
		for r := range row {
			VFMADD231PD(at(row[r]), v, acc[r*parts+i])
		}
	}
	for _, p := range append([]reg.GPVirtual{a}, row...) {
		ADDQ(Imm(64), p)
	}
	DECQ(groups)
	JNE(LabelRef("group"))
	for i, r := range acc {
		VMOVUPD(r, Mem{Base: to, Disp: i * w.Bytes()})
	}
	VZEROUPPER()
	RET()
}
