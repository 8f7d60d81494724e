// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command peak generates the assembly of package peak: see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	chains("AVX2", func(i int) reg.VecPhysical {
		return []reg.VecPhysical{
			reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6,
			reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12,
		}[i]
	})
	chains("AVX512", func(i int) reg.VecPhysical {
		return []reg.VecPhysical{
			reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6,
			reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12,
		}[i]
	})
	Generate()
}

// chains generates n turns of 12 independent chains of multiply-adds on registers.
func chains(name string, r func(i int) reg.VecPhysical) {
	TEXT("chains"+name, NOSPLIT, "func(n int)")
	Doc(fmt.Sprintf("chains%s does n turns of 12 independent chains of 4 multiply-adds on whole registers.", name))
	n := GP64()
	Load(Param("n"), n)
	for i := range 13 {
		VXORPD(r(i), r(i), r(i))
	}
	Label("turn")
	for range 4 {
		for i := range 12 {
			VFMADD231PD(r(12), r(12), r(i))
		}
	}
	DECQ(n)
	JNE(LabelRef("turn"))
	VZEROUPPER()
	RET()
}
