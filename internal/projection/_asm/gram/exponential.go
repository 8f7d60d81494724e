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

// The table of constants, each in a row of 8 equal numbers.
const (
	log2E = iota
	rounding
	ln2Hi
	ln2Lo
	minExp
	maxExp
	maxDecay
	one
	bias
	series // from here on, the coefficient of the highest power first
)

// terms is the number of terms of the series.
const terms = 12

// The constants of the logarithm, after those of the exponential.
const (
	maxRatio = series + terms + iota
	two
	rootHalf
	exponents
	integer
	logSeries // from here on
)

// logTerms is the number of terms of logSeries.
const logTerms = 10

// chain computes the exponential of a vector of numbers, by the operations of exp in their order.
type chain struct {
	x    reg.VecPhysical // the argument; the reduced argument
	t, k reg.VecPhysical // scratch
	p    reg.VecPhysical // the result
	q    reg.VecPhysical // the polynomial of Decay
}

// exponentials is chains that run in parallel, to hide each other's latency.
type exponentials struct {
	vector.Width
	table    reg.GPVirtual
	min, max reg.VecPhysical
	all      []chain
	free     []reg.VecPhysical
}

// newExponentials returns as many chains as run in one turn, and loads constants.
func newExponentials(w vector.Width) *exponentials {
	const registers = 5
	e := &exponentials{Width: w, table: param("table"), min: w.Regs[0], max: w.Regs[1]}
	n := w.Lanes / 2
	for i := range n {
		r := w.Regs[2+i*registers:]
		e.all = append(e.all, chain{x: r[0], t: r[1], k: r[2], p: r[3], q: r[4]})
	}
	e.free = w.Regs[2+n*registers:]
	VMOVUPD(e.constant(minExp), e.min)
	VMOVUPD(e.constant(maxExp), e.max)
	return e
}

func (e *exponentials) each(f func(i int, c chain)) {
	for i, c := range e.all {
		f(i, c)
	}
}

func (e *exponentials) constant(i int) Mem { return Mem{Base: e.table, Disp: 64 * i} }

// exp sets p to the exponential of x.
func (e *exponentials) exp() {
	e.each(func(_ int, c chain) { VMAXPD(c.x, e.min, c.x) }) // NaN stays
	e.each(func(_ int, c chain) { VMINPD(c.x, e.max, c.x) })
	e.each(func(_ int, c chain) { VMOVUPD(e.constant(rounding), c.t) })
	e.each(func(_ int, c chain) { VFMADD231PD(e.constant(log2E), c.x, c.t) })
	e.each(func(_ int, c chain) { VSUBPD(e.constant(rounding), c.t, c.k) })
	e.each(func(_ int, c chain) { VFNMADD231PD(e.constant(ln2Hi), c.k, c.x) })
	e.each(func(_ int, c chain) { VFNMADD231PD(e.constant(ln2Lo), c.k, c.x) })
	e.each(func(_ int, c chain) { VMOVUPD(e.constant(series), c.p) })
	for i := 1; i < terms; i++ {
		e.each(func(_ int, c chain) { VFMADD213PD(e.constant(series+i), c.x, c.p) })
	}
	if e.Lanes == 8 {
		e.each(func(_ int, c chain) { VMULPD(c.x, c.x, c.t) })
		e.each(func(_ int, c chain) { VFMADD213PD(c.x, c.t, c.p) })
		e.each(func(_ int, c chain) { VADDPD(e.constant(one), c.p, c.p) })
		e.each(func(_ int, c chain) { VSCALEFPD(c.k, c.p, c.p) })
		return
	}
	e.each(func(_ int, c chain) { VMULPD(c.x, c.x, c.k) })
	e.each(func(_ int, c chain) { VFMADD213PD(c.x, c.k, c.p) })
	e.each(func(_ int, c chain) { VADDPD(e.constant(one), c.p, c.p) })
	Comment("Half of the power of two, and the rest.")
	e.each(func(_ int, c chain) { VPSUBQ(e.constant(rounding), c.t, c.t) })
	e.each(func(_ int, c chain) { VPSRAD(Imm(1), c.t, c.k) })
	e.each(func(_ int, c chain) { VPSUBQ(c.k, c.t, c.t) })
	for _, half := range []func(c chain) reg.VecPhysical{
		func(c chain) reg.VecPhysical { return c.k },
		func(c chain) reg.VecPhysical { return c.t },
	} {
		e.each(func(_ int, c chain) { VPADDQ(e.constant(bias), half(c), half(c)) })
		e.each(func(_ int, c chain) { VPSLLQ(Imm(52), half(c), half(c)) })
		e.each(func(_ int, c chain) { VMULPD(half(c), c.p, c.p) })
	}
}

// loop generates turns over groups of as many elements as the chains have. from and to address the elements of a chain.
func (e *exponentials) loop(body func(from, to func(i int) Mem)) {
	groups, src, dst := param("groups"), param("src"), param("dst")
	at := func(base reg.Register) func(i int) Mem {
		return func(i int) Mem { return Mem{Base: base, Disp: i * e.Bytes()} }
	}
	Label("turn")
	body(at(src), at(dst))
	ADDQ(I32(len(e.all)*e.Bytes()), src)
	ADDQ(I32(len(e.all)*e.Bytes()), dst)
	DECQ(groups)
	JNE(LabelRef("turn"))
	VZEROUPPER()
	RET()
}

func exponential(w vector.Width) {
	name := "exponential" + w.Name
	TEXT(name, NOSPLIT, "func(groups int, src, dst *float64, rate, shift float64, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is Exponential for some groups of %d.", name, w.Lanes*w.Lanes/2))
	e := newExponentials(w)
	rate, shift := e.free[0], e.free[1]
	broadcast("rate", rate)
	broadcast("shift", shift)
	e.loop(func(from, to func(i int) Mem) {
		e.each(func(i int, c chain) { VMOVUPD(from(i), c.x) })
		e.each(func(_ int, c chain) { VFMADD213PD(shift, rate, c.x) })
		e.exp()
		e.each(func(i int, c chain) { VMOVUPD(c.p, to(i)) })
	})
}

func decay(w vector.Width) {
	name := "decay" + w.Name
	TEXT(name, NOSPLIT, "func(groups int, src, dst *float64, scale float64, degree int, coefficients, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is Decay for some groups of %d.", name, w.Lanes*w.Lanes/2))
	e := newExponentials(w)
	scale, most, coefficient := e.free[0], e.free[1], e.free[2]
	broadcast("scale", scale)
	VMOVUPD(e.constant(maxDecay), most)
	degree, coefficients := param("degree"), param("coefficients")
	e.loop(func(from, to func(i int) Mem) {
		e.each(func(i int, c chain) { VMULPD(from(i), scale, c.x) })
		e.each(func(_ int, c chain) { VSQRTPD(c.x, c.x) })
		e.each(func(_ int, c chain) { VMINPD(c.x, most, c.x) }) // NaN stays

		k := GP64()
		MOVQ(degree, k)
		VBROADCASTSD(Mem{Base: coefficients, Index: k, Scale: 8}, coefficient)
		e.each(func(_ int, c chain) { VMOVAPD(coefficient, c.q) })
		Label("polynomial")
		DECQ(k)
		JLT(LabelRef("done"))
		VBROADCASTSD(Mem{Base: coefficients, Index: k, Scale: 8}, coefficient)
		e.each(func(_ int, c chain) { VFMADD213PD(coefficient, c.x, c.q) })
		JMP(LabelRef("polynomial"))
		Label("done")

		e.each(func(_ int, c chain) { VXORPD(c.t, c.t, c.t) })
		e.each(func(_ int, c chain) { VSUBPD(c.x, c.t, c.x) })
		e.exp()
		e.each(func(_ int, c chain) { VMULPD(c.q, c.p, c.p) })
		e.each(func(i int, c chain) { VMOVUPD(c.p, to(i)) })
	})
}

// log1p sets p to log(1 + x), by the operations of the plain function in their order. most holds maxRatio.
func (e *exponentials) log1p(most reg.VecPhysical) {
	e.each(func(_ int, c chain) { VMINPD(c.x, most, c.x) }) // NaN stays
	e.each(func(_ int, c chain) { VADDPD(e.constant(one), c.x, c.t) })
	e.each(func(_ int, c chain) { VSUBPD(e.constant(one), c.t, c.k) })
	e.each(func(_ int, c chain) { VSUBPD(c.k, c.x, c.x) })
	Comment("The exponent k, 2 to the power of −k, and g.")
	e.each(func(_ int, c chain) { VPSUBQ(e.constant(rootHalf), c.t, c.q) })
	e.each(func(_ int, c chain) { VANDPD(e.constant(exponents), c.q, c.q) })
	e.each(func(_ int, c chain) { VMOVUPD(e.constant(one), c.p) })
	e.each(func(_ int, c chain) { VPSUBQ(c.q, c.p, c.p) })
	e.each(func(_ int, c chain) { VPSRLQ(Imm(52), c.q, c.q) })
	e.each(func(_ int, c chain) { VORPD(e.constant(integer), c.q, c.q) })
	e.each(func(_ int, c chain) { VSUBPD(e.constant(integer), c.q, c.q) })
	e.each(func(_ int, c chain) { VMULPD(c.p, c.t, c.t) })
	e.each(func(_ int, c chain) { VSUBPD(e.constant(one), c.t, c.t) })
	e.each(func(_ int, c chain) { VFMADD231PD(c.p, c.x, c.t) })
	Comment("s and its square.")
	e.each(func(_ int, c chain) { VADDPD(e.constant(two), c.t, c.x) })
	e.each(func(_ int, c chain) { VDIVPD(c.x, c.t, c.x) })
	e.each(func(_ int, c chain) { VMULPD(c.x, c.x, c.k) })
	e.each(func(_ int, c chain) { VMOVUPD(e.constant(logSeries), c.p) })
	for i := 1; i < logTerms; i++ {
		e.each(func(_ int, c chain) { VFMADD213PD(e.constant(logSeries+i), c.k, c.p) })
	}
	e.each(func(_ int, c chain) { VFMSUB213PD(c.t, c.k, c.p) })
	e.each(func(_ int, c chain) { VFMADD213PD(c.t, c.x, c.p) })
	e.each(func(_ int, c chain) { VFMADD231PD(e.constant(ln2Lo), c.q, c.p) })
	e.each(func(_ int, c chain) { VFMADD231PD(e.constant(ln2Hi), c.q, c.p) })
}

func ratio(w vector.Width) {
	name := "ratio" + w.Name
	TEXT(name, NOSPLIT, "func(groups int, src, dst *float64, rate, power float64, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is Ratio for some groups of %d, with its power's negative.", name, w.Lanes*w.Lanes/2))
	e := newExponentials(w)
	rate, power, most := e.free[0], e.free[1], e.free[2]
	broadcast("rate", rate)
	broadcast("power", power)
	VMOVUPD(e.constant(maxRatio), most)
	e.loop(func(from, to func(i int) Mem) {
		e.each(func(i int, c chain) { VMULPD(from(i), rate, c.x) })
		e.log1p(most)
		e.each(func(_ int, c chain) { VMULPD(c.p, power, c.x) })
		e.exp()
		e.each(func(i int, c chain) { VMOVUPD(c.p, to(i)) })
	})
}
