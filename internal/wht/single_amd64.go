// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package wht

import (
	"unsafe"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// batch32 does what Engine32.Batch does, for more than one row, if there is assembly for it.
func (e Engine32) batch32(dst, src []float32, signs []uint64) bool {
	if e.tier == tier.Plain {
		return false
	}
	e.transform(inPairs(dst), inPairs(src), signs, len(src)/Lanes32, layout{unit: 1, masks: 1})
	return true
}

// vector32 does what Engine32.Vector does, if there is assembly for it.
func (e Engine32) vector32(dst, src []float32, signs []uint32) bool {
	switch m := len(src); {
	case e.tier == tier.Plain || m < leastPadded:
		return false
	case m < singleTail:
		e.padded(dst, src, signs)
		return true
	}
	e.elements(dst, src, signs)
	return true
}

const (
	singleTail  = pairs * tail // the elements of the last pass of a vector
	leastPadded = 16           // plain Go is as fast for fewer elements than this
)

// elements transforms a vector of singleTail elements or more.
func (e Engine32) elements(dst, src []float32, signs []uint32) {
	var masks []uint64
	if signs != nil {
		masks = unsafe.Slice((*uint64)(unsafe.Pointer(&signs[0])), len(signs)/pairs)
	}
	e.transform(inPairs(dst), inPairs(src), masks, len(src)/singleTail, layout{unit: tail / Lanes, masks: rowOfPairs})
}

// padded transforms a vector of fewer elements with zeros after it. Each stage that a longer transform has before those of a
// shorter one makes (x + 0, x − 0) of (x, 0), and the second is x, −0 too: so the transform of x comes last.
func (e Engine32) padded(dst, src []float32, signs []uint32) {
	var x [singleTail]float32
	copy(x[:], src)
	if signs == nil {
		e.elements(x[:], x[:], nil)
	} else {
		var masks [singleTail]uint32
		copy(masks[:], signs)
		e.elements(x[:], x[:], masks[:])
	}
	copy(dst, x[singleTail-len(src):])
}

// inPairs returns the memory of s as half as many float64, for kernels that know what is in it.
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
