// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package single

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

//go:generate go run -C ../projection/_asm ./lanes -single -out ../../single/lanes_amd64.s -stubs ../../single/lanes_stub_amd64.go -pkg single

// The functions below process as many whole groups as there are, and return the number of coordinates or
// forms that they processed.

// registerLanes returns the number of elements in a register.
func registerLanes(t tier.Tier) int {
	if t == tier.AVX512 {
		return 16
	}
	return 8
}

func interleaveAssembly(t tier.Tier, dst []float32, x blas32.General) int {
	lanes := registerLanes(t)
	groups := x.Cols / lanes
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		interleaveAVX512(groups, &x.Data[0], 4*x.Stride, &dst[0])
	} else {
		interleaveAVX2(groups, &x.Data[0], 4*x.Stride, &dst[0])
	}
	return groups * lanes
}

func outputsAssembly(t tier.Tier, o *outputs, table *phaseTable, scratch []float32) int {
	const group = 16 // a cache line of each row
	groups := o.n / group
	if groups == 0 {
		return 0
	}
	v, scale, bias, dst, wide := &o.v[0], &o.scale[0], &o.bias[0], &o.dst[0], &table.wide[0]
	if t == tier.AVX512 {
		outputsAVX512(groups, v, scale, bias, dst, 4*o.dstStride, 4*o.sin, wide, &scratch[0])
	} else {
		outputsAVX2(groups, v, scale, bias, dst, 4*o.dstStride, 4*o.sin, wide, &scratch[0])
	}
	return groups * group
}

func outputsVecAssembly(t tier.Tier, o *outputs, table *phaseTable) int {
	group := 4 * registerLanes(t) // registers in a turn
	groups := o.n / group
	if groups == 0 {
		return 0
	}
	v, scale, bias, dst, wide := &o.v[0], &o.scale[0], &o.bias[0], &o.dst[0], &table.wide[0]
	if t == tier.AVX512 {
		outputsVecAVX512(groups, v, scale, bias, dst, 4*o.sin, wide)
	} else {
		outputsVecAVX2(groups, v, scale, bias, dst, 4*o.sin, wide)
	}
	return groups * group
}

func widenAssembly(t tier.Tier, dst []float64, x []float32) int {
	group := 2 * registerLanes(t) // four registers of float64
	groups := len(dst) / group
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		widenAVX512(groups, &dst[0], &x[0])
	} else {
		widenAVX2(groups, &dst[0], &x[0])
	}
	return groups * group
}
