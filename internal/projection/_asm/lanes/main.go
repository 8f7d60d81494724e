// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command lanes generates the assembly of structured projections, except for the Walsh-Hadamard
// transform, and of sparse projections: see the go:generate line of package projection.
package main

import (
	"flag"
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/seed-0f95ebc1/featuremap/internal/projection/_asm/vector"
)

// line is the size of a cache line in bytes. Side by side, as in the lanes of package wht, it holds one coordinate of
// rows; in a turn it holds the forms of one row.
const line = 64

func rows(w vector.Width) int       { return line / w.Size }
func groupForms(w vector.Width) int { return line / w.Size }

func main() {
	single := flag.Bool("single", false, "float32 instead of float64, for package single")
	flag.Parse()
	ConstraintExpr("amd64,!purego,!noasm")
	if *single {
		for _, w := range []vector.Width{vector.AVX2Single, vector.AVX512Single} {
			interleave(w)
			outputsSingle(w)
			scaled.outputsVec(w)
			widen(w)
		}
		Generate()
		return
	}
	for _, w := range []vector.Width{vector.AVX2, vector.AVX512} {
		interleave(w)
		sums(w)
		addSigned(w)
		times(w)
		slopes(w)
		for _, p := range []phases{scaled, amplified} {
			p.outputs(w)
			p.outputsVec(w)
		}
	}
	sumsVec()
	Generate()
}

// signature returns a signature, given the one for float64.
func signature(w vector.Width, text string) string {
	if w.Size == 4 {
		return strings.ReplaceAll(text, "float64", "float32")
	}
	return text
}

// interleave generates the transpose of rows into lanes.
func interleave(w vector.Width) {
	TEXT("interleave"+w.Name, NOSPLIT, signature(w, "func(groups int, x *float64, xStride int, dst *float64)"))
	Pragma("noescape")
	Doc(fmt.Sprintf("interleave%s is interleavePlain for groups of %d coordinates.", w.Name, w.Lanes))
	groups, x, dst := param("groups"), param("x"), param("dst")
	s := newStrides(param("xStride"))
	loop(groups, func() {
		// Squares of rows by coordinates.
		for half := 0; half < rows(w); half += w.Lanes {
			base := GP64()
			MOVQ(x, base)
			if half > 0 {
				LEAQ(Mem{Base: base, Index: s.one, Scale: uint8(half)}, base)
			}
			a, free := w.Regs[:w.Lanes], w.Regs[w.Lanes:2*w.Lanes]
			for i := range a {
				if i > 0 && i%4 == 0 {
					LEAQ(Mem{Base: base, Index: s.one, Scale: 4}, base)
				}
				VMOVUPD(s.at(base, i%4), a[i])
			}
			for i, r := range w.Transpose(a, free) {
				VMOVUPD(r, Mem{Base: dst, Disp: w.Size * (i*rows(w) + half)})
			}
		}
		ADDQ(I32(w.Bytes()), x)
		ADDQ(I32(line*w.Lanes), dst)
	})
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
