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

	groups, a, to := GP64(), GP64(), GP64()
	Load(Param("groups"), groups)
	Load(Param("a"), a)
	Load(Param("to"), to)
	row := []reg.GPVirtual{GP64()}
	Load(Param("w"), row[0])
	if rows > 1 {
		stride := GP64()
		Load(Param("stride"), stride)
		for r := 1; r < rows; r++ {
			row = append(row, GP64())
			LEAQ(Mem{Base: row[r-1], Index: stride, Scale: 1}, row[r])
		}
	}
	parts := 8 / w.Lanes
	acc, v := w.Regs[:rows*parts], w.Regs[rows*parts:]
	for _, r := range acc {
		VXORPD(r, r, r)
	}
	Label("group")
	for i := range parts {
		VMOVUPD(Mem{Base: a, Disp: i * w.Bytes()}, v[i])
	}
	for r := range rows {
		for i := range parts {
			VFMADD231PD(Mem{Base: row[r], Disp: i * w.Bytes()}, v[i], acc[r*parts+i])
		}
		ADDQ(Imm(64), row[r])
	}
	ADDQ(Imm(64), a)
	DECQ(groups)
	JNE(LabelRef("group"))
	for i, r := range acc {
		VMOVUPD(r, Mem{Base: to, Disp: i * w.Bytes()})
	}
	VZEROUPPER()
	RET()
}
