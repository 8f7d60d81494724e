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

// widen generates the conversion of groups of float32, four registers of float64 each, to float64.
func widen(w vector.Width) {
	const together = 4
	TEXT("widen"+w.Name, NOSPLIT, "func(groups int, dst *float64, x *float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("widen%s is WidenVec for groups of %d.", w.Name, together*w.Lanes/2))
	groups, dst, x := param("groups"), param("dst"), param("x")
	loop(groups, func() {
		for i := range together {
			VCVTPS2PD(Mem{Base: x, Disp: i * w.Bytes() / 2}, w.Regs[i])
			VMOVUPD(w.Regs[i], Mem{Base: dst, Disp: i * w.Bytes()})
		}
		ADDQ(I32(together*w.Bytes()/2), x)
		ADDQ(I32(together*w.Bytes()), dst)
	})
}
