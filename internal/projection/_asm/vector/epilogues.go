// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package vector

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The epilogues, in the order of the constants of Epilogue in package projection (projection.go), which lists what a
// new one needs. Their code is in ../tiles/epilogue.go.
const (
	EpilogueStore = iota
	EpilogueCos
	EpilogueCosSin
	EpilogueMultiply
)

// Chain computes the cosine and the sine of a vector of phases, by the operations of turns.go in
// their order.
type Chain struct {
	R    reg.VecPhysical // the phase, in turns; the reduced phase
	S, U reg.VecPhysical // scratch; U may be R if no sine is wanted
	P    reg.VecPhysical // the result
}

// Chains are chains that run in parallel, to hide each other's latency.
type Chains struct {
	Width
	Table reg.Register // address of the table of constants
	All   []Chain
}

func (c Chains) each(f func(c Chain)) {
	for _, chain := range c.All {
		f(chain)
	}
}

// constant returns a row of the table of constants, 64 bytes of equal numbers each: the coefficients of s, s³, … (up to
// s¹⁷ for float64), then a quarter, then the sign bit.
func (c Chains) constant(i int) Mem { return Mem{Base: c.Table, Disp: 64 * i} }

func (c Chains) quarter() Mem { return c.constant(c.degree + 1) }
func (c Chains) sign() Mem    { return c.constant(c.degree + 2) }

// Cosines generates the reduction, and the cosines.
func (c Chains) Cosines() {
	c.each(func(h Chain) { c.round(h.R, h.S) })
	c.each(func(h Chain) { c.Sub(h.S, h.R, h.R) })
	c.fold(func(h Chain) reg.VecPhysical { return h.R })
	c.polynomial()
}

// Sines generates the sines, after the cosines.
func (c Chains) Sines() {
	c.fold(func(h Chain) reg.VecPhysical { return h.S })
	c.polynomial()
	c.each(func(h Chain) { c.withSign(c.sign(), h.R, h.P) })
}

// fold sets S to ¼ − |from|, as ¼ + (−|from|).
func (c Chains) fold(from func(h Chain) reg.VecPhysical) {
	c.each(func(h Chain) { VORPD(c.sign(), from(h), h.S) })
	c.each(func(h Chain) { c.Add(c.quarter(), h.S, h.S) })
}

// polynomial sets P to the polynomial at S.
func (c Chains) polynomial() {
	c.each(func(h Chain) { c.Mul(h.S, h.S, h.U) })
	c.each(func(h Chain) { VMOVUPD(c.constant(c.degree), h.P) })
	for i := c.degree - 1; i >= 0; i-- {
		c.each(func(h Chain) { c.fma213(c.constant(i), h.U, h.P) })
	}
	c.each(func(h Chain) { c.Mul(h.S, h.P, h.P) })
}
