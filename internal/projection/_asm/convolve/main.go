// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command convolve generates the kernels of package convolve: see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// As in package convolve.
const (
	taps   = 9
	group  = 8
	limits = 4
	lanes  = 8
)

// Predicates of comparisons.
const (
	equal   = 0x00
	greater = 0x1e // and not NaN
)

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	for _, w := range []vector.Width{vector.AVX2, vector.AVX512} {
		sums(w)
		pairs(w)
		count(w)
		respond(w)
	}
	Generate()
}

// param returns a register with a parameter.
func param(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// tapsAt returns the addresses of the taps of a kernel, from the first and their distance in bytes.
func tapsAt(x, d reg.GPVirtual) []Mem {
	d3, d5, d7 := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: d, Index: d, Scale: 2}, d3)
	LEAQ(Mem{Base: d, Index: d, Scale: 4}, d5)
	LEAQ(Mem{Base: d3, Index: d, Scale: 4}, d7)
	at := func(index reg.GPVirtual, scale uint8) Mem { return Mem{Base: x, Index: index, Scale: scale} }
	return []Mem{{Base: x}, at(d, 1), at(d, 2), at(d3, 1), at(d, 4), at(d5, 1), at(d3, 2), at(d7, 1), at(d, 8)}
}

// sums generates Sums.
func sums(w vector.Width) {
	TEXT("sums"+w.Name, NOSPLIT, "func(groups int, dst, x *float64, d int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("sums%s is Sums for some groups of 8. The dilation is in bytes.", w.Name))
	groups, dst, x, d := param("groups"), param("dst"), param("x"), param("d")
	at := tapsAt(x, d)
	Label("group")
	for i := range lanes / w.Lanes {
		VMOVUPD(at[0].Offset(i*w.Bytes()), w.Regs[i])
	}
	for j := 1; j < taps; j++ {
		for i := range lanes / w.Lanes {
			VADDPD(at[j].Offset(i*w.Bytes()), w.Regs[i], w.Regs[i])
		}
	}
	for i := range lanes / w.Lanes {
		VMOVUPD(w.Regs[i], Mem{Base: dst, Disp: i * w.Bytes()})
	}
	ADDQ(Imm(64), x)
	ADDQ(Imm(64), dst)
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// pairs generates Pairs.
func pairs(w vector.Width) {
	TEXT("pairs"+w.Name, NOSPLIT, "func(groups int, dst, a, b, s *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("pairs%s is Pairs for some groups of 8.", w.Name))
	groups, dst, a, b, s := param("groups"), param("dst"), param("a"), param("b"), param("s")
	at := GP64()
	XORQ(at, at)
	Label("group")
	for i := range lanes / w.Lanes {
		in := func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: at, Scale: 1, Disp: i * w.Bytes()} }
		v, of := w.Regs[2*i], w.Regs[2*i+1]
		VMOVUPD(in(a), v)
		VADDPD(in(b), v, v)
		VMOVUPD(in(s), of)
		VSUBPD(of, v, v)
		VMOVUPD(v, in(dst))
	}
	ADDQ(Imm(64), at)
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// count generates Count.
func count(w vector.Width) {
	TEXT("count"+w.Name, NOSPLIT, "func(fours int, counts *int64, limits *float64, groups int, a, b *float64, tail *int64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("count%s is Count for some limits in fours, and groups of 8 values. Then come those that tail has the lanes of.", w.Name))
	fours, counts, limit, a, b, tail := param("fours"), param("counts"), param("limits"), param("a"), param("b"), param("tail")
	level, sum, free := w.Regs[:limits], w.Regs[limits:2*limits], w.Regs[2*limits:]
	wide := w.Lanes == lanes
	groups, at := GP64(), GP64()
	if wide { // −1 in each lane
		VPTERNLOGQ(Imm(0xff), free[1], free[1], free[1])
		VMOVDQU64(Mem{Base: tail}, free[2])
		VPMOVQ2M(free[2], reg.K1)
	}
	// each adds to sums where a vector of values is above limits.
	each := func(disp int, masked bool) {
		v, is := free[0], free[1:]
		in := func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: at, Scale: 1, Disp: disp} }
		VMOVUPD(in(a), v)
		VADDPD(in(b), v, v)
		for i := range limits {
			if wide {
				k := []reg.Register{reg.K2, reg.K3, reg.K4, reg.K5}[i]
				if masked {
					VCMPPD(Imm(greater), level[i], v, reg.K1, k)
				} else {
					VCMPPD(Imm(greater), level[i], v, k)
				}
				VPSUBQ(free[1], sum[i], k, sum[i])
				continue
			}
			VCMPPD(Imm(greater), level[i], v, is[i])
			if masked {
				VANDPD(Mem{Base: tail, Disp: disp}, is[i], is[i])
			}
			VPSUBQ(is[i], sum[i], sum[i])
		}
	}
	Label("four")
	for i := range limits {
		VBROADCASTSD(Mem{Base: limit, Disp: 8 * i}, level[i])
		if wide {
			VPXORQ(sum[i], sum[i], sum[i])
		} else {
			VPXOR(sum[i], sum[i], sum[i])
		}
	}
	XORQ(at, at)
	Load(Param("groups"), groups)
	all := func(masked bool) {
		for i := range lanes / w.Lanes {
			each(i*w.Bytes(), masked)
		}
	}
	loop(groups, tail, func() { all(false) }, func() { ADDQ(Imm(64), at) }, func() { all(true) })
	for i, s := range sum {
		x, y, t := s.AsX(), s.AsY(), free[0]
		if wide {
			VEXTRACTI64X4(Imm(1), s, t.AsY())
			VPADDQ(t.AsY(), y, y)
		}
		VEXTRACTI128(Imm(1), y, t.AsX())
		VPADDQ(t.AsX(), x, x)
		VPSRLDQ(Imm(8), x, t.AsX())
		VPADDQ(t.AsX(), x, x)
		VMOVQ(x, Mem{Base: counts, Disp: 8 * i})
	}
	ADDQ(Imm(8*limits), limit)
	ADDQ(Imm(8*limits), counts)
	DECQ(fours)
	JNE(LabelRef("four"))
	VZEROUPPER()
	RET()
}

// loop generates a loop over groups of positions of x, and then one over those of the tail. body
// generates each.
func loop(groups, tail reg.GPVirtual, body, next, masked func()) {
	TESTQ(groups, groups)
	JE(LabelRef("rest"))
	Label("group")
	body()
	next()
	DECQ(groups)
	JNE(LabelRef("group"))
	Label("rest")
	CMPQ(Mem{Base: tail}, Imm(0))
	JE(LabelRef("end"))
	masked()
	Label("end")
}

// respond generates the sums of Responses.
func respond(w vector.Width) {
	TEXT("respond"+w.Name, NOSPLIT, "func(groups int, x *float64, d int, w, starts, sums *float64, counts *int64, tail *int64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("respond%s is Responses.respond for some groups of 8 positions, and then those that tail has the lanes of. The dilation is in bytes.", w.Name))
	groups, x, d, weights, starts := param("groups"), param("x"), param("d"), param("w"), param("starts")
	sums, counts, tail := param("sums"), param("counts"), param("tail")
	r := responses{w, tapsAt(x, d), weights, starts, sums, counts, tail}
	next := func() { ADDQ(Imm(64), x) }
	if w.Lanes == lanes {
		r.each(func(i int, at Mem) { VMOVUPD(at, w.Regs[i]) })
		loop(groups, tail, func() { r.wide(false) }, next, func() { r.wide(true) })
		r.each(func(i int, at Mem) { VMOVUPD(w.Regs[i], at) })
	} else {
		loop(groups, tail, func() { r.parts(false) }, next, func() { r.parts(true) })
	}
	VZEROUPPER()
	RET()
}

// responses generates the responses of a group of positions.
type responses struct {
	vector.Width
	taps                                []Mem
	weights, starts, sums, counts, tail reg.GPVirtual
}

// each calls f for each register of sums and counts, from register 8 on, with where it is in memory.
func (r responses) each(f func(i int, at Mem)) {
	for k := range group {
		f(group+k, Mem{Base: r.sums, Disp: 64 * k})
		f(2*group+k, Mem{Base: r.counts, Disp: 64 * k})
	}
}

// start sets the responses to what they start from.
func (r responses) start(values []reg.VecPhysical) {
	for k, v := range values {
		VBROADCASTSD(Mem{Base: r.starts, Disp: 8 * k}, v)
	}
}

// extremes sets registers to the largest and the smallest of others.
func extremes(values []reg.VecPhysical, most, least reg.VecPhysical) {
	VMAXPD(values[1], values[0], most)
	VMINPD(values[1], values[0], least)
	for _, v := range values[2:] {
		VMAXPD(v, most, most)
		VMINPD(v, least, least)
	}
}

// wide holds all positions in a register, and all sums and counts in registers.
func (r responses) wide(masked bool) {
	values, sums, counts := r.Regs[:group], r.Regs[group:2*group], r.Regs[2*group:3*group]
	x, most, least, ones := r.Regs[3*group], r.Regs[3*group+1], r.Regs[3*group+2], r.Regs[3*group+3]
	r.start(values)
	for j, at := range r.taps {
		VMOVUPD(at, x)
		for k, v := range values {
			VFMADD231PD_BCST(Mem{Base: r.weights, Disp: 8 * (group*j + k)}, x, v)
		}
	}
	extremes(values, most, least)
	VPTERNLOGQ(Imm(0xff), ones, ones, ones)
	if masked {
		VMOVDQU64(Mem{Base: r.tail}, x)
		VPMOVQ2M(x, reg.K1)
	} else {
		KXNORB(reg.K1, reg.K1, reg.K1)
	}
	KMOVB(reg.K1, reg.K2)
	for k, v := range values { // the first of equal ones takes the position
		VCMPPD(Imm(equal), most, v, reg.K1, reg.K3)
		VCMPPD(Imm(equal), least, v, reg.K2, reg.K4)
		KXORB(reg.K3, reg.K1, reg.K1)
		KXORB(reg.K4, reg.K2, reg.K2)
		VADDPD(v, sums[k], reg.K3, sums[k])
		VPSUBQ(ones, counts[k], reg.K4, counts[k])
	}
}

// parts holds the positions of one register after another, and sums and counts in memory.
func (r responses) parts(masked bool) {
	values := r.Regs[:group]
	x, weight, most, least, left, is, to := r.Regs[8], r.Regs[9], r.Regs[10], r.Regs[11], r.Regs[12], r.Regs[13], r.Regs[14]
	for part := range lanes / r.Lanes {
		disp := part * r.Bytes()
		r.start(values)
		for j, at := range r.taps {
			VMOVUPD(at.Offset(disp), x)
			for k, v := range values {
				VBROADCASTSD(Mem{Base: r.weights, Disp: 8 * (group*j + k)}, weight)
				VFMADD231PD(weight, x, v)
			}
		}
		extremes(values, most, least)
		start := func() {
			if masked {
				VMOVUPD(Mem{Base: r.tail, Disp: disp}, left)
			} else {
				VCMPPD(Imm(equal), most, most, left)
			}
		}
		// first sets to to the lanes where v is the first that equals extreme.
		first := func(v, extreme reg.VecPhysical) {
			VCMPPD(Imm(equal), extreme, v, is)
			VANDPD(left, is, is)
			VANDNPD(left, is, left)
		}
		start()
		for k, v := range values {
			first(v, most)
			at := Mem{Base: r.sums, Disp: 64*k + disp}
			VANDPD(v, is, is)
			VADDPD(at, is, to)
			VMOVUPD(to, at)
		}
		start()
		for k, v := range values {
			first(v, least)
			at := Mem{Base: r.counts, Disp: 64*k + disp}
			VMOVDQU(at, to)
			VPSUBQ(is, to, to)
			VMOVDQU(to, at)
		}
	}
}
