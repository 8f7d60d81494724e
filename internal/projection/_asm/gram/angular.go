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

// The table of constants of an order of Angular, each in a row of 8 equal numbers.
const (
	absolute = iota // all bits except the sign
	unit
	minusHalf
	first
	notFirst
	second
	notSecond
	sign
	ofOne
	ofCos
	ofCosSquared
	angularSeries // from here on, the coefficient of the highest power first
)

// angularTerms is the number of terms of the series.
const angularTerms = 20

// angle computes Angular of a vector of chords, by the operations of the plain function in their order.
type angle struct {
	c    reg.VecPhysical // the chord
	w, t reg.VecPhysical // scratch
	p    reg.VecPhysical // the result
}

func angular(w vector.Width) {
	name := "angular" + w.Name
	TEXT(name, NOSPLIT, "func(groups int, src, dst *float64, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is Angular for some groups of %d.", name, w.Lanes*w.Lanes/2))
	groups, src, dst, table := param("groups"), param("src"), param("dst"), param("table")
	var all []angle
	for i := range w.Lanes / 2 {
		r := w.Regs[4*i:]
		all = append(all, angle{c: r[0], w: r[1], t: r[2], p: r[3]})
	}
	each := func(f func(i int, a angle)) {
		for i, a := range all {
			f(i, a)
		}
	}
	constant := func(i int) Mem { return Mem{Base: table, Disp: 64 * i} }
	Label("turn")
	each(func(i int, a angle) { VMOVUPD(Mem{Base: src, Disp: i * w.Bytes()}, a.c) })
	each(func(_ int, a angle) { VANDPD(constant(absolute), a.c, a.t) })
	each(func(_ int, a angle) { VSUBPD(constant(unit), a.t, a.w) })
	each(func(_ int, a angle) { VMOVUPD(constant(angularSeries), a.p) })
	for i := 1; i < angularTerms; i++ {
		each(func(_ int, a angle) { VFMADD213PD(constant(angularSeries+i), a.w, a.p) })
	}
	each(func(_ int, a angle) { VSQRTPD(a.t, a.w) })
	each(func(_ int, a angle) { VMULPD(a.w, a.p, a.p) })
	for _, factor := range [][2]int{{first, notFirst}, {second, notSecond}} {
		each(func(_ int, a angle) { VMOVUPD(constant(factor[0]), a.w) })
		each(func(_ int, a angle) { VFMADD213PD(constant(factor[1]), a.t, a.w) })
		each(func(_ int, a angle) { VMULPD(a.w, a.p, a.p) })
	}
	Comment("What there is more of angles up to a right one.")
	each(func(_ int, a angle) { VMOVUPD(constant(minusHalf), a.w) })
	each(func(_ int, a angle) { VFMADD213PD(constant(unit), a.w, a.t) })
	each(func(_ int, a angle) { VMOVUPD(constant(ofCosSquared), a.w) })
	each(func(_ int, a angle) { VFMADD213PD(constant(ofCos), a.t, a.w) })
	each(func(_ int, a angle) { VFMADD213PD(constant(ofOne), a.t, a.w) })
	each(func(_ int, a angle) { VFMADD231PD(constant(sign), a.p, a.w) })
	each(func(_ int, a angle) {
		if w.Lanes == 8 {
			VPMOVQ2M(a.c, reg.K1)
			VMOVAPD(a.p, reg.K1, a.w)
		} else {
			VBLENDVPD(a.c, a.p, a.w, a.w)
		}
	})
	each(func(i int, a angle) { VMOVUPD(a.w, Mem{Base: dst, Disp: i * w.Bytes()}) })
	ADDQ(I32(len(all)*w.Bytes()), src)
	ADDQ(I32(len(all)*w.Bytes()), dst)
	DECQ(groups)
	JNE(LabelRef("turn"))
	VZEROUPPER()
	RET()
}
