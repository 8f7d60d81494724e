// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package projection

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

//go:generate go run -C _asm ./lanes -out ../lanes_amd64.s -stubs ../lanes_stub_amd64.go -pkg projection

// The functions below process as many whole groups as there are, and return the number of
// coordinates or forms that they processed.

func interleaveAssembly(t tier.Tier, dst []float64, x blas64.General) int {
	lanes := registerLanes(t)
	groups := x.Cols / lanes
	if groups == 0 {
		return 0
	}
	if t == tier.AVX512 {
		interleaveAVX512(groups, &x.Data[0], 8*x.Stride, &dst[0])
	} else {
		interleaveAVX2(groups, &x.Data[0], 8*x.Stride, &dst[0])
	}
	return groups * lanes
}

func outputsAssembly(t tier.Tier, o *outputs, table *phaseTable) int {
	const group = 8 // a cache line of each row
	groups := o.n / group
	if groups == 0 {
		return 0
	}
	v, bias, dst, wide := &o.v[0], &o.bias[0], &o.dst[0], &table.wide[0]
	switch avx512 := t == tier.AVX512; {
	case o.amplitude != nil && avx512:
		outputsAmplitudesAVX512(groups, v, &o.amplitude[0], bias, dst, 8*o.dstStride, 8*o.sin, wide)
	case o.amplitude != nil:
		outputsAmplitudesAVX2(groups, v, &o.amplitude[0], bias, dst, 8*o.dstStride, 8*o.sin, wide)
	case avx512:
		outputsAVX512(groups, v, &o.scale[0], bias, dst, 8*o.dstStride, 8*o.sin, wide)
	default:
		outputsAVX2(groups, v, &o.scale[0], bias, dst, 8*o.dstStride, 8*o.sin, wide)
	}
	return groups * group
}

func outputsVecAssembly(t tier.Tier, o *outputs, table *phaseTable) int {
	group := 4 * registerLanes(t) // registers in a turn
	groups := o.n / group
	if groups == 0 {
		return 0
	}
	v, bias, dst, wide := &o.v[0], &o.bias[0], &o.dst[0], &table.wide[0]
	switch avx512 := t == tier.AVX512; {
	case o.amplitude != nil && avx512:
		outputsVecAmplitudesAVX512(groups, v, &o.amplitude[0], bias, dst, 8*o.sin, wide)
	case o.amplitude != nil:
		outputsVecAmplitudesAVX2(groups, v, &o.amplitude[0], bias, dst, 8*o.sin, wide)
	case avx512:
		outputsVecAVX512(groups, v, &o.scale[0], bias, dst, 8*o.sin, wide)
	default:
		outputsVecAVX2(groups, v, &o.scale[0], bias, dst, 8*o.sin, wide)
	}
	return groups * group
}

// The assembly of sums processes everything, which must be at least one form with at least one
// term.

func sumsAssembly(t tier.Tier, s *sums) {
	cols, weights, points, v := &s.cols[0], &s.weights[0], &s.points[0], &s.v[0]
	if t == tier.AVX512 {
		sumsAVX512(s.forms, s.terms, cols, weights, points, v)
	} else {
		sumsAVX2(s.forms, s.terms, cols, weights, points, v)
	}
}

func sumsVecAssembly(_ tier.Tier, s *sums) {
	sumsVecFMA(s.forms, s.terms, &s.cols[0], &s.weights[0], &s.points[0], &s.v[0])
}

func timesAssembly(t tier.Tier, dst, a []float64) int {
	lanes := registerLanes(t)
	groups := len(dst) / lanes
	switch {
	case groups == 0:
	case t == tier.AVX512:
		timesAVX512(groups, &dst[0], &a[0])
	default:
		timesAVX2(groups, &dst[0], &a[0])
	}
	return groups * lanes
}

func slopesAssembly(t tier.Tier, cos, sin, up, down []float64) int {
	lanes := registerLanes(t)
	groups := len(cos) / lanes
	switch {
	case groups == 0:
	case t == tier.AVX512:
		slopesAVX512(groups, &cos[0], &sin[0], &up[0], &down[0])
	default:
		slopesAVX2(groups, &cos[0], &sin[0], &up[0], &down[0])
	}
	return groups * lanes
}

func addSignedAssembly(t tier.Tier, total, v []float64, signs []uint64) {
	n := len(total) / wht.Lanes
	if t == tier.AVX512 {
		addSignedAVX512(n, &total[0], &v[0], &signs[0])
	} else {
		addSignedAVX2(n, &total[0], &v[0], &signs[0])
	}
}
