// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command haar generates the kernels of package haar: see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	for _, w := range []vector.Width{vector.AVX2, vector.AVX512} {
		vector.Sums(w, rows)
		add(w)
	}
	Generate()
}

// rows is the number of rows that are processed together.
const rows = 4

// add generates the addition of multiples of a vector to some rows.
func add(w vector.Width) {
	name := fmt.Sprintf("add%d%s", rows, w.Name)
	TEXT(name, NOSPLIT, "func(groups int, a, w *float64, stride int, by *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is addPlain, for %d rows of some groups of 8.", name, rows))

	groups, a, by := GP64(), GP64(), GP64()
	Load(Param("groups"), groups)
	Load(Param("a"), a)
	Load(Param("by"), by)
	row := vector.Rows("w", "stride", rows)
	for r := range rows {
		VBROADCASTSD(Mem{Base: by, Disp: 8 * r}, w.Regs[r])
	}
	Label("group")
	for i := range 8 / w.Lanes {
		v := w.Regs[rows]
		VMOVUPD(Mem{Base: a, Disp: i * w.Bytes()}, v)
		for r, p := range row {
			x := w.Regs[rows+1+r]
			at := Mem{Base: p, Disp: i * w.Bytes()}
			VMOVUPD(at, x)
			VFMADD231PD(v, w.Regs[r], x)
			VMOVUPD(x, at)
		}
	}
	ADDQ(Imm(64), a)
	for _, p := range row {
		ADDQ(Imm(64), p)
	}
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}
