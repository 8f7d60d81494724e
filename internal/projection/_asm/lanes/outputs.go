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

// phases are the arguments of the cosines, and the factors that multiply the cosines.
type phases struct {
	name, doc string
	factor    string // the parameter for the factor, of the forms' products or of their cosines and sines
}

var (
	scaled    = phases{"", "", "scale"}                               // scale·v + bias
	amplified = phases{"Amplitudes", " with amplitudes", "amplitude"} // v + bias, times amplitude
)

// load generates the phases of a register of products.
func (p phases) load(w vector.Width, load func(...Op), v, factor, bias Mem, c vector.Chain) {
	if p == amplified {
		load(bias, c.R)
		VADDPD(v, c.R, c.R)
		return
	}
	load(factor, c.S)
	load(bias, c.R)
	w.FMA(v, c.S, c.R)
}

// amplify generates the product of a result and its amplitudes, if there are amplitudes.
func (p phases) amplify(load func(...Op), factor Mem, result, spare reg.VecPhysical) {
	if p == amplified {
		load(factor, spare)
		VMULPD(spare, result, result)
	}
}

// outputs generates the phases of 8 rows side by side, their cosines and sines, and the transpose
// back.
func (p phases) outputs(w vector.Width) {
	TEXT("outputs"+p.name+w.Name, NOSPLIT, "func(groups int, v, "+p.factor+", bias *float64, "+
		"dst *float64, dstStride, sin int, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("outputs%s%s is outputs.compute, which has the specification, for groups of %d forms%s, with their sines unless sin is 0.",
		p.name, w.Name, groupForms(w), p.doc))
	groups, v, factor, bias := param("groups"), param("v"), param(p.factor), param("bias")
	dst, sin, table := param("dst"), param("sin"), param("table")
	s := newStrides(param("dstStride"))
	loop(groups, func() {
		// Squares of forms by rows. The rows' places in dst may be a multiple of 4 KB apart. Then
		// they compete for one set of the cache, so whole lines of some rows are written before
		// those of others.
		for half := 0; half < rows(w); half += w.Lanes {
			base := GP64()
			MOVQ(dst, base)
			if half > 0 {
				LEAQ(Mem{Base: base, Index: s.one, Scale: 4}, base)
			}
			for form := 0; form < groupForms(w); form += w.Lanes {
				chains, free := phaseChains(w, table)
				of := func(base reg.Register, i int) Mem { return Mem{Base: base, Disp: 8 * (form + i)} }
				for i, c := range chains.All {
					p.load(w, VBROADCASTSD, Mem{Base: v, Disp: 8 * ((form+i)*rows(w) + half)}, of(factor, i), of(bias, i), c)
				}
				cosSin(chains, sin, fmt.Sprintf("rows%dforms%d", half, form),
					func(results, spare []reg.VecPhysical, sines bool) {
						for i, r := range results {
							p.amplify(VBROADCASTSD, of(factor, i), r, spare[i])
						}
						to := GP64()
						MOVQ(base, to)
						if sines {
							ADDQ(sin, to)
						}
						for i, r := range w.Transpose(results, append(spare, free...)) {
							if i == 4 {
								LEAQ(Mem{Base: to, Index: s.one, Scale: 4}, to)
							}
							m := s.at(to, i%4)
							m.Disp = 8 * form
							VMOVUPD(r, m)
						}
					})
			}
		}
		ADDQ(I32(line*groupForms(w)), v)
		for _, p := range []reg.Register{factor, bias, dst} {
			ADDQ(I32(line), p)
		}
	})
}

// outputsVec generates the phases of one row, their cosines and sines.
func (p phases) outputsVec(w vector.Width) {
	TEXT("outputsVec"+p.name+w.Name, NOSPLIT, signature(w, "func(groups int, v, "+p.factor+", bias *float64, "+
		"dst *float64, sin int, table *float64)"))
	Pragma("noescape")
	Doc(fmt.Sprintf("outputsVec%s%s is outputs.computeVec for groups of %d forms%s, with their sines unless sin is 0.",
		p.name, w.Name, perTurn*w.Lanes, p.doc))
	groups, v, factor, bias := param("groups"), param("v"), param(p.factor), param("bias")
	dst, sin, table := param("dst"), param("sin"), param("table")
	loop(groups, func() {
		chains, _ := phaseChains(w, table)
		chains.All = chains.All[:perTurn]
		at := func(base reg.Register, i int) Mem { return Mem{Base: base, Disp: i * w.Bytes()} }
		for i, c := range chains.All {
			p.load(w, VMOVUPD, at(v, i), at(factor, i), at(bias, i), c)
		}
		cosSin(chains, sin, "row", func(results, spare []reg.VecPhysical, sines bool) {
			for i, r := range results {
				p.amplify(VMOVUPD, at(factor, i), r, spare[i])
				m := at(dst, i)
				if sines {
					m.Index, m.Scale = sin, 1
				}
				VMOVUPD(r, m)
			}
		})
		for _, p := range []reg.Register{v, factor, bias, dst} {
			ADDQ(I32(perTurn*w.Bytes()), p)
		}
	})
}

// perTurn is the number of registers of one row in a turn.
const perTurn = 4

// phaseChains divides the registers among chains: four for each.
func phaseChains(w vector.Width, table reg.Register) (c vector.Chains, free []reg.VecPhysical) {
	c = vector.Chains{Width: w, Table: table}
	n := len(w.Regs) / 4
	for i := range n {
		c.All = append(c.All, vector.Chain{R: w.Regs[i], S: w.Regs[n+i], U: w.Regs[2*n+i], P: w.Regs[3*n+i]})
	}
	return c, w.Regs[4*n:]
}

// cosSin generates the cosines, and the sines unless sin is 0. It calls store with the registers
// that hold them and with some free registers.
func cosSin(c vector.Chains, sin reg.Register, label string, store func(results, spare []reg.VecPhysical, sines bool)) {
	var results, spare []reg.VecPhysical
	for _, h := range c.All {
		results, spare = append(results, h.P), append(spare, h.U)
	}
	c.Cosines()
	store(append([]reg.VecPhysical{}, results...), append([]reg.VecPhysical{}, spare...), false)
	TESTQ(sin, sin)
	JEQ(LabelRef(label))
	c.Sines()
	store(results, spare, true)
	Label(label)
}
