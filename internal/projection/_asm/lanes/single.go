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

// outputsSingle generates the function of phases.outputs for float32. A line of each row has 16 forms, and there are
// not enough registers for all their chains at once, so cosines and sines wait in scratch memory for the transpose.
func outputsSingle(w vector.Width) {
	TEXT("outputs"+w.Name, NOSPLIT, "func(groups int, v, scale, bias *float32, "+
		"dst *float32, dstStride, sin int, table, scratch *float32)")
	Pragma("noescape")
	forms := groupForms(w)
	Doc(fmt.Sprintf("outputs%s is outputs.compute, which has the specification, for groups of %d forms, with their sines unless sin is 0.",
		w.Name, forms))
	groups, v, scale, bias := param("groups"), param("v"), param("scale"), param("bias")
	dst, sin, table, scratch := param("dst"), param("sin"), param("table"), param("scratch")
	s := newStrides(param("dstStride"))
	slot := func(i int, sines bool) Mem {
		if sines {
			i += forms
		}
		return Mem{Base: scratch, Disp: i * w.Bytes()}
	}
	loop(groups, func() {
		for half := 0; half < rows(w); half += w.Lanes {
			chains, _ := phaseChains(w, table)
			together := len(chains.All)
			for form := 0; form < forms; form += together {
				at := func(base reg.Register, i int) Mem { return Mem{Base: base, Disp: w.Size * (form + i)} }
				for i, c := range chains.All {
					scaled.load(w, VBROADCASTSS, Mem{Base: v, Disp: line*(form+i) + w.Size*half}, at(scale, i), at(bias, i), c)
				}
				cosSin(chains, sin, fmt.Sprintf("rows%dforms%d", half, form), func(results, _ []reg.VecPhysical, sines bool) {
					for i, r := range results {
						VMOVUPD(r, slot(form+i, sines))
					}
				})
			}
			base := GP64()
			MOVQ(dst, base)
			if half > 0 {
				LEAQ(Mem{Base: base, Index: s.one, Scale: uint8(half)}, base)
			}
			squares := func(sines bool) {
				for form := 0; form < forms; form += w.Lanes {
					to := GP64()
					MOVQ(base, to)
					a, free := w.Regs[:w.Lanes], w.Regs[w.Lanes:2*w.Lanes]
					for i, r := range a {
						VMOVUPD(slot(form+i, sines), r)
					}
					for i, r := range w.Transpose(a, free) {
						if i > 0 && i%4 == 0 {
							LEAQ(Mem{Base: to, Index: s.one, Scale: 4}, to)
						}
						m := s.at(to, i%4)
						m.Disp = w.Size * form
						VMOVUPD(r, m)
					}
				}
			}
			squares(false)
			end := fmt.Sprintf("end%d", half)
			TESTQ(sin, sin)
			JEQ(LabelRef(end))
			ADDQ(sin, base)
			squares(true)
			Label(end)
		}
		ADDQ(I32(line*forms), v)
		for _, p := range []reg.Register{scale, bias, dst} {
			ADDQ(I32(line), p)
		}
	})
}
