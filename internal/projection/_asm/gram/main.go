// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command gram generates the kernels of package gram: see its go:generate line.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	for _, w := range []vector.Width{vector.AVX2, vector.AVX512} {
		distances(w, kind{name: "distances", of: "distancesPlain", notYet: -1})
		distances(w, kind{name: "chords", of: "chordsPlain", notYet: 8, signed: true})
		squares(w)
		sines(w)
		tile(w, w.Lanes)
		tile(w, 1)
		exponential(w)
		decay(w)
		ratio(w)
		angular(w)
	}
	Generate()
}

// param returns a register with a parameter.
func param(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// broadcast sets all lanes of a register to a parameter.
func broadcast(name string, r reg.VecPhysical) {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(p.Addr, r)
}

// constant sets all lanes of a register.
func constant(bits uint64, r reg.VecPhysical) {
	v := GP64()
	MOVQ(Imm(bits), v)
	VMOVQ(v, r.AsX())
	VBROADCASTSD(r.AsX(), r)
}

// kind is a statistic that is computed from inner products and norms.
type kind struct {
	name, of string
	notYet   float64 // marks a result that is near
	signed   bool    // it has the sign of the inner product
}

// distances generates the function that turns inner products and norms into distances.
func distances(w vector.Width, k kind) {
	name := k.name + w.Name
	TEXT(name, NOSPLIT, "func(groups int, inner, norms *float64, x, least float64) int32")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is %s for some groups of %d. The bits of what it returns are all set if none is near.", name, k.of, w.Lanes))
	groups, inner, norms := param("groups"), param("inner"), param("norms")
	x, two, fraction, least, notYet := w.Regs[0], w.Regs[1], w.Regs[2], w.Regs[3], w.Regs[4]
	s, v, limit, far, all := w.Regs[5], w.Regs[6], w.Regs[7], w.Regs[8], w.Regs[9]
	zero, signBit, sign := w.Regs[10], w.Regs[11], w.Regs[12]
	broadcast("x", x)
	constant(math.Float64bits(2), two)
	constant(math.Float64bits(1.0/8), fraction)
	broadcast("least", least)
	constant(math.Float64bits(k.notYet), notYet)
	const greater = 0x1e // and not NaN
	if k.signed {
		VXORPD(zero, zero, zero)
		constant(1<<63, signBit)
	}
	if w.Lanes == 8 {
		KXNORB(reg.K2, reg.K2, reg.K2)
	} else {
		constant(math.MaxUint64, all)
	}
	Label("turn")
	VADDPD(Mem{Base: norms}, x, s)
	VMOVUPD(Mem{Base: inner}, v)
	if k.signed {
		Comment("The sign of a number below 0, and not of −0.")
		VADDPD(zero, v, v)
		VANDPD(signBit, v, sign)
		VANDNPD(v, signBit, v)
	}
	VFNMADD213PD(s, two, v)
	VMOVAPD(s, limit)
	VFMADD213PD(least, fraction, limit)
	if w.Lanes == 8 {
		VCMPPD(Imm(greater), limit, v, reg.K1)
		VMOVAPD(notYet, limit)
		VMOVAPD(v, reg.K1, limit)
		KANDB(reg.K1, reg.K2, reg.K2)
	} else {
		VCMPPD(Imm(greater), limit, v, far)
		VBLENDVPD(far, v, notYet, limit)
		VANDPD(far, all, all)
	}
	if k.signed {
		VORPD(sign, limit, limit)
	}
	VMOVUPD(limit, Mem{Base: inner})
	ADDQ(Imm(uint64(w.Bytes())), inner)
	ADDQ(Imm(uint64(w.Bytes())), norms)
	DECQ(groups)
	JNE(LabelRef("turn"))
	mask := GP32()
	if w.Lanes == 8 {
		KMOVB(reg.K2, mask)
	} else {
		VMOVMSKPD(all, mask)
	}
	Store(mask, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// squares generates the chains of a squared distance.
func squares(w vector.Width) {
	name := "squares" + w.Name
	TEXT(name, NOSPLIT, "func(groups int, x, y, factors, sums *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is squaresPlain for some groups of 8, from sums of 0.", name))
	chains(w, func(d, acc reg.VecPhysical, _ []reg.VecPhysical) { VFMADD231PD(d, d, acc) })
}

// sines generates the chains of sines of differences.
func sines(w vector.Width) {
	name := "sines" + w.Name
	TEXT(name, NOSPLIT, "func(groups int, x, y, factors, sums, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is the chains of sinesDirect for some groups of 8, from sums of 0.", name))
	table := param("table")
	chains(w, func(d, acc reg.VecPhysical, free []reg.VecPhysical) { addSine(table, d, acc, free[0], free[1]) })
}

// chains generates eight chains. add adds the contribution of a difference to a chain.
func chains(w vector.Width, add func(d, acc reg.VecPhysical, free []reg.VecPhysical)) {
	groups, x, y, factors, sums := param("groups"), param("x"), param("y"), param("factors"), param("sums")
	parts := 8 / w.Lanes
	acc, v := w.Regs[:parts], w.Regs[parts:]
	for _, r := range acc {
		VXORPD(r, r, r)
	}
	Label("turn")
	for i, r := range acc {
		at := i * w.Bytes()
		VMOVUPD(Mem{Base: x, Disp: at}, v[i])
		VSUBPD(Mem{Base: y, Disp: at}, v[i], v[i])
		VMULPD(Mem{Base: factors, Disp: at}, v[i], v[i])
		add(v[i], r, v[parts+2*i:])
	}
	for _, p := range []reg.GPVirtual{x, y, factors} {
		ADDQ(Imm(64), p)
	}
	DECQ(groups)
	JNE(LabelRef("turn"))
	for i, r := range acc {
		VMOVUPD(r, Mem{Base: sums, Disp: i * w.Bytes()})
	}
	VZEROUPPER()
	RET()
}

// The statistics, in the order of the package's constants.
var statistics = []string{"squares", "absolutes", "ratios", "sines"}

// tile generates the tile of differences for some rows.
func tile(w vector.Width, rows int) {
	vectors := map[int]int{4: 2, 8: 3}[w.Lanes]
	name := fmt.Sprintf("tile%sx%d", w.Name, rows)
	TEXT(name, NOSPLIT, "func(statistic, k int, x *float64, xStride int, y, factors, dst *float64, dstStride int, table *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is tilePlain for %d×%d. Strides are in bytes.", name, rows, vectors*w.Lanes))
	statistic := param("statistic")
	acc, free := w.Regs[:rows*vectors], w.Regs[rows*vectors:]
	y, free := free[:vectors], free[vectors:]
	x, factor, fixed, t := free[0], free[1], free[2], free[3:]
	for i, s := range statistics {
		CMPQ(statistic, Imm(uint64(i)))
		JEQ(LabelRef(s))
	}
	for i, s := range statistics {
		Label(s)
		at, stride := param("x"), param("xStride")
		strides := newStrides(stride)
		var table reg.GPVirtual
		points, factors, k := param("y"), param("factors"), param("k")
		switch i {
		case 1:
			constant(math.MaxInt64, fixed)
		case 2:
			constant(math.Float64bits(1), fixed)
		case 3:
			table = param("table")
		}
		for _, r := range acc {
			if i == 2 {
				VMOVAPD(fixed, r)
			} else {
				VXORPD(r, r, r)
			}
		}
		var at4 reg.GPVirtual
		if rows > 4 {
			at4 = GP64()
			LEAQ(Mem{Base: at, Index: stride, Scale: 4}, at4)
		}
		Label(s + "turn")
		for v := range vectors {
			VMOVUPD(Mem{Base: points, Disp: v * w.Bytes()}, y[v])
		}
		VBROADCASTSD(Mem{Base: factors}, factor)
		next := 0
		for r := range rows {
			base := at
			if r >= 4 {
				base = at4
			}
			VBROADCASTSD(strides.at(base, r%4), x)
			for v := range vectors {
				d := t[next%len(t)]
				next++
				VSUBPD(y[v], x, d)
				VMULPD(factor, d, d)
				to := acc[r*vectors+v]
				switch i {
				case 0:
					VFMADD231PD(d, d, to)
				case 1:
					VANDPD(fixed, d, d)
					VADDPD(d, to, to)
				case 2:
					VFMADD213PD(fixed, d, d)
					VMULPD(d, to, to)
				case 3:
					addSine(table, d, to, fixed, t[next%len(t)])
					next++
				}
			}
		}
		ADDQ(Imm(8), at)
		if rows > 4 {
			ADDQ(Imm(8), at4)
		}
		ADDQ(Imm(8), factors)
		ADDQ(I32(vectors*w.Bytes()), points)
		DECQ(k)
		JNE(LabelRef(s + "turn"))
		dst, dstStride := param("dst"), param("dstStride")
		for r := range rows {
			for v := range vectors {
				VMOVUPD(acc[r*vectors+v], Mem{Base: dst, Disp: v * w.Bytes()})
			}
			if r+1 < rows {
				ADDQ(dstStride, dst)
			}
		}
		VZEROUPPER()
		RET()
	}
}

// The table of constants of a sine, each in a row of 8 equal numbers.
const (
	period = iota
	inverse
	sineRounding
	eighth
	sineSeries // from here on, the coefficient of the highest power first
)

// sineTerms is the number of terms of the series.
const sineTerms = 11

// addSine adds sin² of a difference to a sum, by the operations of the plain function in their order. It overwrites d,
// t and p.
func addSine(table reg.GPVirtual, d, sum, t, p reg.VecPhysical) {
	constant := func(i int) Mem { return Mem{Base: table, Disp: 64 * i} }
	VMULPD(constant(inverse), d, t)
	VADDPD(constant(sineRounding), t, t)
	VSUBPD(constant(sineRounding), t, t)
	VFNMADD231PD(constant(period), t, d)
	VMULPD(constant(inverse), d, d)
	VMULPD(d, d, d)
	VSUBPD(constant(eighth), d, t)
	VMOVUPD(constant(sineSeries), p)
	for i := 1; i < sineTerms; i++ {
		VFMADD213PD(constant(sineSeries+i), t, p)
	}
	VFMADD231PD(d, p, sum)
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
