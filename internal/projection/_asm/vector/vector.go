// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package vector contains what the generators share: the widths of registers, the cosine, and the
// transpose.
package vector

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Width is the width of a vector register, with everything that depends on it.
type Width struct {
	Name  string
	Lanes int
	Regs  []reg.VecPhysical
	Precision

	round     func(t, dst reg.VecPhysical)         // to the nearest integer, ties to even
	withSign  func(sign Mem, r, p reg.VecPhysical) // gives p, which is not negative, the sign of r; overwrites r
	transpose func(a, free []reg.VecPhysical) []reg.VecPhysical
}

// Precision is the precision of the elements, with the instructions that depend on it.
type Precision struct {
	Size   int // bytes of an element
	degree int // of the polynomial of the cosine, in s²

	Broadcast, FMA, fma213, Mul, Add, Sub func(ops ...Op) // FMA adds to its last operand; fma213 multiplies it
}

// Double is float64.
var Double = Precision{8, 8, VBROADCASTSD, VFMADD231PD, VFMADD213PD, VMULPD, VADDPD, VSUBPD}

// Bytes returns the size of a register.
func (w Width) Bytes() int { return w.Size * w.Lanes }

// AVX2 has 16 registers of 4 lanes.
var AVX2 = Width{
	Name:  "AVX2",
	Lanes: 4,
	Regs: []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	},
	Precision: Double,
	round:     func(t, dst reg.VecPhysical) { VROUNDPD(Imm(0), t, dst) },
	withSign: func(sign Mem, r, p reg.VecPhysical) {
		VANDPD(sign, r, r)
		VORPD(r, p, p)
	},
	transpose: transpose4,
}

// AVX512 has 32 registers of 8 lanes.
var AVX512 = Width{
	Name:  "AVX512",
	Lanes: 8,
	Regs: []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	},
	Precision: Double,
	// Not VREDUCEPD, which returns 0 for ±Inf, where the specification has NaN.
	round: func(t, dst reg.VecPhysical) { VRNDSCALEPD(Imm(0), t, dst) },
	// p | r&sign; the truth table of A | B&C is 0xf8.
	withSign:  func(sign Mem, r, p reg.VecPhysical) { VPTERNLOGQ(Imm(0xf8), sign, r, p) },
	transpose: transpose8,
}

// Transpose generates the transpose of a square of registers. It returns the registers with the
// result; the other registers of a and free are free afterwards.
func (w Width) Transpose(a, free []reg.VecPhysical) (result []reg.VecPhysical) {
	return w.transpose(a, free)
}

// transpose4: pairs of elements, then halves.
func transpose4(a, free []reg.VecPhysical) []reg.VecPhysical {
	for i := range 2 {
		VUNPCKLPD(a[2*i+1], a[2*i], free[2*i])
		VUNPCKHPD(a[2*i+1], a[2*i], free[2*i+1])
	}
	for i := range 2 {
		VPERM2F128(Imm(0x20), free[2+i], free[i], a[i])
		VPERM2F128(Imm(0x31), free[2+i], free[i], a[2+i])
	}
	return a[:4]
}

// transpose8 transposes pairs of elements, then the quarters of the even and of the odd columns.
func transpose8(a, free []reg.VecPhysical) []reg.VecPhysical {
	for i := range 4 {
		VUNPCKLPD(a[2*i+1], a[2*i], free[i])
		VUNPCKHPD(a[2*i+1], a[2*i], free[4+i])
	}
	// Even, then odd columns: element pairs (2q, 2q+1) are in quarter q of register q'.
	for odd := range 2 {
		q, t := free[4*odd:], a[4*odd:]
		for i := range 2 {
			VSHUFF64X2(Imm(0x88), q[2*i+1], q[2*i], t[2*i])   // quarters 0 and 2 of both
			VSHUFF64X2(Imm(0xdd), q[2*i+1], q[2*i], t[2*i+1]) // quarters 1 and 3
		}
	}
	result := make([]reg.VecPhysical, 8)
	for odd := range 2 {
		t, q := a[4*odd:], free[4*odd:]
		for i := range 2 {
			VSHUFF64X2(Imm(0x88), t[2+i], t[i], q[2*i])   // quarter i
			VSHUFF64X2(Imm(0xdd), t[2+i], t[i], q[2*i+1]) // quarter i + 2
			result[2*i+odd], result[2*(i+2)+odd] = q[2*i], q[2*i+1]
		}
	}
	return result
}
