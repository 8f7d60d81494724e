// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package vector

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Single is float32. Whole registers are moved, and bits set, by the instructions for float64, because they do
// the same.
var Single = Precision{4, 4, VBROADCASTSS, VFMADD231PS, VFMADD213PS, VMULPS, VADDPS, VSUBPS}

// AVX2Single is AVX2 with 8 lanes of float32.
var AVX2Single = Width{
	Name:      AVX2.Name,
	Lanes:     8,
	Regs:      AVX2.Regs,
	Precision: Single,
	round:     func(t, dst reg.VecPhysical) { VROUNDPS(Imm(0), t, dst) },
	withSign:  AVX2.withSign,
	transpose: transpose8Single,
}

// AVX512Single is AVX512 with 16 lanes of float32.
var AVX512Single = Width{
	Name:      AVX512.Name,
	Lanes:     16,
	Regs:      AVX512.Regs,
	Precision: Single,
	round:     func(t, dst reg.VecPhysical) { VRNDSCALEPS(Imm(0), t, dst) },
	withSign:  AVX512.withSign,
	transpose: transpose16Single,
}

// quads transposes the squares of 4 by 4 elements in groups of four registers: element j of register i of a group
// goes to element i of register j, within each part of 16 bytes.
func quads(a, free []reg.VecPhysical) {
	for q := 0; q < len(a); q += 4 {
		a, t := a[q:], free[q:]
		VUNPCKLPS(a[1], a[0], t[0])
		VUNPCKHPS(a[1], a[0], t[1])
		VUNPCKLPS(a[3], a[2], t[2])
		VUNPCKHPS(a[3], a[2], t[3])
		VUNPCKLPD(t[2], t[0], a[0])
		VUNPCKHPD(t[2], t[0], a[1])
		VUNPCKLPD(t[3], t[1], a[2])
		VUNPCKHPD(t[3], t[1], a[3])
	}
}

// transpose8Single: squares of 4, then halves.
func transpose8Single(a, free []reg.VecPhysical) []reg.VecPhysical {
	quads(a[:8], free)
	result := make([]reg.VecPhysical, 8)
	for j := range 4 {
		VPERM2F128(Imm(0x20), a[4+j], a[j], free[j])
		VPERM2F128(Imm(0x31), a[4+j], a[j], free[4+j])
		result[j], result[4+j] = free[j], free[4+j]
	}
	return result
}

// transpose16Single: squares of 4, then the quarters of registers.
func transpose16Single(a, free []reg.VecPhysical) []reg.VecPhysical {
	quads(a[:16], free)
	result := make([]reg.VecPhysical, 16)
	for j := range 4 {
		// Quarter q of a[4i+j] goes to quarter i of result 4q+j.
		t := free[:4]
		VSHUFF64X2(Imm(0x88), a[4+j], a[j], t[0])    // quarters 0 and 2 of registers 0 and 1
		VSHUFF64X2(Imm(0xdd), a[4+j], a[j], t[1])    // quarters 1 and 3
		VSHUFF64X2(Imm(0x88), a[12+j], a[8+j], t[2]) // of registers 2 and 3
		VSHUFF64X2(Imm(0xdd), a[12+j], a[8+j], t[3])
		VSHUFF64X2(Imm(0x88), t[2], t[0], a[j])
		VSHUFF64X2(Imm(0xdd), t[2], t[0], a[8+j])
		VSHUFF64X2(Imm(0x88), t[3], t[1], a[4+j])
		VSHUFF64X2(Imm(0xdd), t[3], t[1], a[12+j])
	}
	copy(result, a)
	return result
}
