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

// Sums generates a function sums<rows><width>: the inner products of a vector and some rows, in whole groups of 8, as
// eight chains a row, of the products k, k+8, k+16, …
func Sums(w Width, rows int) {
	name := fmt.Sprintf("sums%d%s", rows, w.Name)
	TEXT(name, NOSPLIT, "func(groups int, a, w *float64, stride int, to *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is sumsPlain, for %d rows of some groups of 8.", name, rows))
	groups := GP64()
	Load(Param("groups"), groups)
	sums(w, groups, Rows("a", "", 1), Rows("w", "stride", rows))
}

// SumsOfTile generates a function sums<vectors>x<rows><width>: Sums of some vectors and the same rows.
func SumsOfTile(w Width, vectors, rows int) {
	name := fmt.Sprintf("sums%dx%d%s", vectors, rows, w.Name)
	TEXT(name, NOSPLIT, "func(groups int, a *float64, aStride int, w *float64, stride int, to *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is sumsPlain for %d vectors in turn, %d rows and some groups of 8.", name, vectors, rows))
	groups := GP64()
	Load(Param("groups"), groups)
	sums(w, groups, Rows("a", "aStride", vectors), Rows("w", "stride", rows))
}

// Rows loads a parameter, and adds another, the stride, to it for one row after another.
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

// sums generates the chains of vectors a and rows.
func sums(w Width, groups reg.GPVirtual, a, row []reg.GPVirtual) {
	to := GP64()
	Load(Param("to"), to)
	parts := 8 / w.Lanes
	count := len(a) * len(row) * parts
	acc, v := w.Regs[:count], w.Regs[count:]
	for _, r := range acc {
		VXORPD(r, r, r)
	}
	Label("group")
	for i := range parts {
		at := func(p reg.GPVirtual) Mem { return Mem{Base: p, Disp: i * w.Bytes()} }
		for j := range a {
			VMOVUPD(at(a[j]), v[j])
		}
		for r := range row {
			if len(a) == 1 {
				VFMADD231PD(at(row[r]), v[0], acc[r*parts+i])
				continue
			}
			VMOVUPD(at(row[r]), v[len(a)])
			for j := range a {
				VFMADD231PD(v[len(a)], v[j], acc[(j*len(row)+r)*parts+i])
			}
		}
	}
	for _, p := range append(a, row...) {
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
