// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command neurons generates the activations of package projection: see its go:generate line.
package main

import (
	"flag"
	"fmt"
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

func main() {
	single := flag.Bool("single", false, "float32 instead of float64, for package single")
	flag.Parse()
	ConstraintExpr("amd64,!purego,!noasm")
	widths := []vector.Width{vector.AVX2, vector.AVX512}
	if *single {
		widths = []vector.Width{vector.AVX2Single, vector.AVX512Single}
	}
	for _, w := range widths {
		activate(w)
	}
	Generate()
}

// The activations, in the order of the package's constants. From step on they are functions of max(t, 0).
var activations = []string{"sign", "abs", "signedsquare", "step", "relu", "squaredrelu"}

const step = 3

// An activator generates the loops of one function.
type activator struct {
	vector.Width
	groups, from, to                  reg.GPVirtual
	sign, scale, magnitude, root, one reg.VecPhysical // the sign of the scale, the scale without it, ~(the sign bit), √2, 1
	zero                              reg.VecPhysical
	t, rest, y, x                     reg.VecPhysical // t, t − t, the result, and scratch
}

func activate(w vector.Width) {
	signature := "func(activation, groups int, from, to *float64, scale float64)"
	magnitude, root, one := uint64(math.MaxInt64), math.Float64bits(math.Sqrt2), math.Float64bits(1)
	if w.Size == 4 {
		signature = strings.ReplaceAll(signature, "float64", "float32")
		magnitude, root, one = math.MaxInt32, uint64(math.Float32bits(math.Sqrt2)), uint64(math.Float32bits(1))
	}
	TEXT("activate"+w.Name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(fmt.Sprintf("activate%s is activatePlain for some groups of %d.", w.Name, w.Lanes))
	r := w.Regs
	g := &activator{
		Width: w, groups: GP64(), from: GP64(), to: GP64(),
		sign: r[0], scale: r[1], magnitude: r[2], root: r[3], one: r[4], zero: r[5], t: r[6], rest: r[7], y: r[8], x: r[9],
	}
	Load(Param("groups"), g.groups)
	Load(Param("from"), g.from)
	Load(Param("to"), g.to)
	g.constant(g.magnitude, magnitude)
	g.constant(g.root, root)
	g.constant(g.one, one)
	VXORPD(g.zero, g.zero, g.zero)
	scale, err := Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	w.Broadcast(scale.Addr, g.scale)
	VANDNPD(g.scale, g.magnitude, g.sign)
	VANDPD(g.scale, g.magnitude, g.scale)

	kind := GP64()
	Load(Param("activation"), kind)
	for i, name := range activations {
		CMPQ(kind, Imm(uint64(i)))
		JEQ(LabelRef(name))
	}
	for i, name := range activations {
		Label(name)
		VMOVUPD(Mem{Base: g.from}, g.t)
		VXORPD(g.sign, g.t, g.t)
		g.Sub(g.t, g.t, g.rest)
		g.at(i)
		g.Mul(g.scale, g.y, g.y)
		VORPD(g.rest, g.y, g.y) // t − t is 0, or NaN
		VMOVUPD(g.y, Mem{Base: g.to})
		ADDQ(Imm(uint64(w.Bytes())), g.from)
		ADDQ(Imm(uint64(w.Bytes())), g.to)
		DECQ(g.groups)
		JNE(LabelRef(name))
		VZEROUPPER()
		RET()
	}
}

// constant sets all lanes of a register.
func (g *activator) constant(r reg.VecPhysical, bits uint64) {
	v := GP64()
	MOVQ(Imm(bits), v)
	VMOVQ(v, r.AsX())
	g.Broadcast(r.AsX(), r)
}

func (g *activator) max(ops ...Op) {
	if g.Size == 4 {
		VMAXPS(ops...)
	} else {
		VMAXPD(ops...)
	}
}

// at generates activation i of t.
func (g *activator) at(i int) {
	if i >= step {
		g.max(g.zero, g.t, g.x) // 0 where t is 0 or NaN
	}
	switch i {
	case 0: // the sign of t, as 1 with this sign where t is not 0
		VANDNPD(g.t, g.magnitude, g.x)
		VORPD(g.one, g.x, g.x)
		g.where(4, g.t, g.x) // not equal, or NaN
	case 1:
		VANDPD(g.magnitude, g.t, g.y)
	case 2:
		VANDPD(g.magnitude, g.t, g.x)
		g.Mul(g.x, g.t, g.y)
	case step:
		g.where(4, g.x, g.root)
	case step + 1:
		g.Mul(g.root, g.x, g.y)
	case step + 2:
		g.Mul(g.x, g.x, g.x)
		g.Mul(g.root, g.x, g.y)
	}
}

// where sets y to v where a comparison of t with 0 holds, and to 0 elsewhere.
func (g *activator) where(predicate uint64, t, v reg.VecPhysical) {
	compare, move := VCMPPD, VMOVAPD_Z
	if g.Size == 4 {
		compare, move = VCMPPS, VMOVAPS_Z
	}
	if g.Bytes() == 64 {
		compare(Imm(predicate), g.zero, t, reg.K1)
		move(v, reg.K1, g.y)
		return
	}
	compare(Imm(predicate), g.zero, t, g.y)
	VANDPD(v, g.y, g.y)
}
