// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// sums generates the sums of a few coordinates of 8 rows side by side.
func sums(w vector.Width) {
	n := rows(w) / w.Lanes
	summer{
		name:        "sums" + w.Name,
		doc:         "sums.compute",
		acc:         w.Regs[:n],
		bytes:       w.Bytes(),
		weight:      w.Regs[n],
		load:        VBROADCASTSD,
		multiplyAdd: VFMADD231PD,
		store:       VMOVUPD,
	}.generate()
}

// sumsVec generates the sums of a few coordinates of one row.
func sumsVec() {
	summer{
		name:        "sumsVecFMA",
		doc:         "sums.computeVec",
		acc:         []reg.VecPhysical{reg.X0},
		bytes:       8,
		weight:      reg.X1,
		load:        VMOVSD,
		multiplyAdd: VFMADD231SD,
		store:       VMOVSD,
	}.generate()
}

// summer is the part in which the kinds of sums differ.
type summer struct {
	name, doc string

	// The sum of a form, or the sums of all the rows.
	acc   []reg.VecPhysical
	bytes int // the bytes of one of acc

	weight                   reg.VecPhysical
	load, multiplyAdd, store func(...Op)
}

func (s summer) generate() {
	TEXT(s.name, NOSPLIT, "func(forms, terms int, cols *uint32, weights, points, v *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is %s, which has the specification, for at least one form of at least one term.", s.name, s.doc))
	forms, terms, cols := param("forms"), param("terms"), param("cols")
	weights, points, v := param("weights"), param("points"), param("v")
	element := s.bytes * len(s.acc) // the bytes of a coordinate
	at, left := GP64(), GP64()
	loop(forms, func() {
		for _, a := range s.acc {
			VXORPD(a, a, a)
		}
		MOVQ(terms, left)
		Label("term")
		MOVL(Mem{Base: cols}, at.As32())
		SHLQ(Imm(uint64(bits.TrailingZeros(uint(element)))), at)
		s.load(Mem{Base: weights}, s.weight)
		for i, a := range s.acc {
			s.multiplyAdd(Mem{Base: points, Index: at, Scale: 1, Disp: i * s.bytes}, s.weight, a)
		}
		ADDQ(Imm(4), cols)
		ADDQ(Imm(8), weights)
		DECQ(left)
		JNE(LabelRef("term"))
		for i, a := range s.acc {
			s.store(a, Mem{Base: v, Disp: i * s.bytes})
		}
		ADDQ(Imm(uint64(element)), v)
	})
}
