// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command structured generates what structured projections need besides the
// Walsh-Hadamard transform: see the go:generate line of package projection.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// rows is the number of rows side by side: the lanes of package wht.
const rows = 8

// groupForms is the number of forms in a turn: a cache line of each row.
const groupForms = 8

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	for _, w := range []vector.Width{vector.AVX2, vector.AVX512} {
		interleave(w)
		outputs(w)
		outputsVec(w)
	}
	Generate()
}

// interleave generates the transpose of 8 rows into lanes.
func interleave(w vector.Width) {
	TEXT("interleave"+w.Name, NOSPLIT, "func(groups int, x *float64, xStride int, dst *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("interleave%s is interleavePlain for groups of %d coordinates.", w.Name, w.Lanes))
	groups, x, dst := param("groups"), param("x"), param("dst")
	s := newStrides(param("xStride"))
	loop(groups, func() {
		// Squares of rows by coordinates.
		for half := 0; half < rows; half += w.Lanes {
			base := GP64()
			MOVQ(x, base)
			if half > 0 {
				LEAQ(Mem{Base: base, Index: s.one, Scale: 4}, base)
			}
			a, free := w.Regs[:w.Lanes], w.Regs[w.Lanes:2*w.Lanes]
			for i := range a {
				if i == 4 {
					LEAQ(Mem{Base: base, Index: s.one, Scale: 4}, base)
				}
				VMOVUPD(s.at(base, i%4), a[i])
			}
			for i, r := range w.Transpose(a, free) {
				VMOVUPD(r, Mem{Base: dst, Disp: 8 * (i*rows + half)})
			}
		}
		ADDQ(I32(w.Bytes()), x)
		ADDQ(I32(8*rows*w.Lanes), dst)
	})
}

// outputs generates the phases of 8 rows side by side, their cosines and sines, and the
// transpose back.
func outputs(w vector.Width) {
	TEXT("outputs"+w.Name, NOSPLIT, "func(groups int, v, scale, bias *float64, "+
		"dst *float64, dstStride, sin int, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("outputs%s is outputs.compute, which has the specification, for groups of %d forms, with their sines unless sin is 0.", w.Name, groupForms))
	groups, v, scale, bias := param("groups"), param("v"), param("scale"), param("bias")
	dst, sin, table := param("dst"), param("sin"), param("table")
	s := newStrides(param("dstStride"))
	loop(groups, func() {
		// Squares of forms by rows. The rows' places in dst may be a multiple of 4 KB apart,
		// and then they compete for one set of the cache: so whole lines of some rows are
		// written before those of others.
		for half := 0; half < rows; half += w.Lanes {
			base := GP64()
			MOVQ(dst, base)
			if half > 0 {
				LEAQ(Mem{Base: base, Index: s.one, Scale: 4}, base)
			}
			for form := 0; form < groupForms; form += w.Lanes {
				chains, free := phaseChains(w, table)
				for i, c := range chains.All {
					VBROADCASTSD(Mem{Base: scale, Disp: 8 * (form + i)}, c.S)
					VBROADCASTSD(Mem{Base: bias, Disp: 8 * (form + i)}, c.R)
					VFMADD231PD(Mem{Base: v, Disp: 8 * ((form+i)*rows + half)}, c.S, c.R)
				}
				cosSin(chains, sin, fmt.Sprintf("rows%dforms%d", half, form),
					func(results, spare []reg.VecPhysical, sines bool) {
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
		ADDQ(I32(8*rows*groupForms), v)
		for _, p := range []reg.Register{scale, bias, dst} {
			ADDQ(I32(8*groupForms), p)
		}
	})
}

// outputsVec generates the phases of one row, their cosines and sines.
func outputsVec(w vector.Width) {
	TEXT("outputsVec"+w.Name, NOSPLIT, "func(groups int, v, scale, bias *float64, "+
		"dst *float64, sin int, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("outputsVec%s is outputs.computeVec for groups of %d forms, with their sines unless sin is 0.",
		w.Name, perTurn*w.Lanes))
	groups, v, scale, bias := param("groups"), param("v"), param("scale"), param("bias")
	dst, sin, table := param("dst"), param("sin"), param("table")
	loop(groups, func() {
		chains, _ := phaseChains(w, table)
		chains.All = chains.All[:perTurn]
		at := func(base reg.Register, i int) Mem { return Mem{Base: base, Disp: i * w.Bytes()} }
		for i, c := range chains.All {
			VMOVUPD(at(scale, i), c.S)
			VMOVUPD(at(bias, i), c.R)
			VFMADD231PD(at(v, i), c.S, c.R)
		}
		cosSin(chains, sin, "row", func(results, _ []reg.VecPhysical, sines bool) {
			for i, r := range results {
				m := at(dst, i)
				if sines {
					m.Index, m.Scale = sin, 1
				}
				VMOVUPD(r, m)
			}
		})
		for _, p := range []reg.Register{v, scale, bias, dst} {
			ADDQ(I32(perTurn*w.Bytes()), p)
		}
	})
}

// perTurn is the number of registers of one row in a turn.
const perTurn = 4

// phaseChains shares the registers out: as many chains as lanes, of four registers each.
func phaseChains(w vector.Width, table reg.Register) (c vector.Chains, free []reg.VecPhysical) {
	c = vector.Chains{Width: w, Table: table}
	n := w.Lanes
	for i := range n {
		c.All = append(c.All, vector.Chain{R: w.Regs[i], S: w.Regs[n+i], U: w.Regs[2*n+i], P: w.Regs[3*n+i]})
	}
	return c, w.Regs[4*n:]
}

// cosSin generates the cosines, and the sines unless sin is 0, and calls store with the
// registers that hold them and some that are free.
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

// param returns a register with a parameter.
func param(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// loop generates n ≥ 1 turns of a loop, and the end of the function.
func loop(n reg.Register, body func()) {
	Label("turn")
	body()
	DECQ(n)
	JNE(LabelRef("turn"))
	VZEROUPPER()
	RET()
}

// strides are one and three strides.
type strides struct{ one, three reg.GPVirtual }

func newStrides(one reg.GPVirtual) strides {
	s := strides{one, GP64()}
	LEAQ(Mem{Base: one, Index: one, Scale: 2}, s.three)
	return s
}

// at returns the address n strides after base, n at most 3.
func (s strides) at(base reg.Register, n int) Mem {
	switch n {
	case 0:
		return Mem{Base: base}
	case 3:
		return Mem{Base: base, Index: s.three, Scale: 1}
	}
	return Mem{Base: base, Index: s.one, Scale: uint8(n)}
}
