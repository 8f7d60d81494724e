// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package wht

import (
	"unsafe"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// batch32 does what Engine32.Batch does for more than one row, if there is assembly for it. It
// tells whether there is.
func (e Engine32) batch32(dst, src []float32, signs []uint64) bool {
	if e.engine.tier == tier.Plain {
		return false
	}
	e.engine.transform(inPairs(dst), inPairs(src), signs, len(src)/Lanes32, layout{unit: 1, masks: 1})
	return true
}

// vectors32 does what Engine32.Vectors does, if there is assembly for it, and returns the number of processed elements.
func (e Engine32) vectors32(dst, src []float32, m int, signs []uint32) int {
	n := len(src)
	switch {
	case e.engine.tier == tier.Plain || m < HalfOfBlock:
		return 0
	case m == HalfOfBlock:
		if n -= n % singleTail; n > 0 {
			e.halves(dst[:n], src, signs)
		}
		return n
	}
	for at := 0; at < n; at += m {
		var masks []uint64
		if signs != nil {
			masks = unsafe.Slice((*uint64)(unsafe.Pointer(&signs[at])), m/pairs)
		}
		e.engine.transform(inPairs(dst[at:][:m]), inPairs(src[at:][:m]), masks, m/singleTail, layout{unit: tail / Lanes, masks: rowOfPairs})
	}
	return n
}

const singleTail = pairs * tail // the elements of the last pass of a vector

// halves transforms vectors of HalfOfBlock, whose number is even.
func (e Engine32) halves(dst, src []float32, signs []uint32) {
	d, s, blocks := inPairs(dst), inPairs(src), len(dst)/singleTail
	var masks *uint64
	if signs != nil {
		masks = (*uint64)(unsafe.Pointer(&signs[0]))
	}
	if e.engine.tier == tier.AVX512 {
		halvesSingleAVX512(&d[0], &s[0], masks, blocks)
	} else {
		halvesSingleAVX2(&d[0], &s[0], masks, blocks)
	}
}

// inPairs returns the memory of s as half as many float64, for kernels that know its content.
func inPairs(s []float32) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(&s[0])), len(s)/pairs)
}

// passSingle does the pass of unsigned float32.
func (e Engine) passSingle(dst, src *float64, radix, stride, width, blocks int) {
	if e.tier == tier.AVX512 {
		passSingleAVX512(dst, src, radix, stride, width, blocks)
	} else {
		passSingleAVX2(dst, src, radix, stride, width, blocks)
	}
}

// signedSingle does the pass with masks.
func (e Engine) signedSingle(dst, src *float64, signs *uint64, radix, stride, width int, l layout) {
	switch avx512 := e.tier == tier.AVX512; {
	case l.masks == 1 && avx512:
		signedRowsSingleAVX512(dst, src, signs, radix, stride, width)
	case l.masks == 1:
		signedRowsSingleAVX2(dst, src, signs, radix, stride, width)
	case avx512:
		signedElementsSingleAVX512(dst, src, signs, radix, stride, width)
	default:
		signedElementsSingleAVX2(dst, src, signs, radix, stride, width)
	}
}

// tailSingle does the last pass.
func (e Engine) tailSingle(dst, src *float64, signs *uint64, blocks int) {
	if e.tier == tier.AVX512 {
		tailSingleAVX512(dst, src, signs, blocks)
	} else {
		tailSingleAVX2(dst, src, signs, blocks)
	}
}
