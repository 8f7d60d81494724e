// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package wht

import (
	"math/bits"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

const (
	// tail is the number of elements of the last pass of a vector.
	tail = 64

	// cached is the number of elements, 16 KB, up to which a pass goes over all blocks, because
	// they are still in the first-level cache for the next pass.
	cached = 2048

	// atOnce is the number of rows of one call, which cannot be preempted: 64 KB, so that it takes
	// tens of microseconds if all data comes from memory.
	atOnce = 1024
)

func (e Engine) batch(dst, src []float64, signs []uint64) {
	if m := len(src) / Lanes; e.tier > tier.Plain && m > 1 {
		e.transform(dst, src, signs, m, layout{unit: 1, masks: 1})
		return
	}
	plainBatch(dst, src, signs)
}

func (e Engine) vector(dst, src []float64, signs []uint64) {
	if m := len(src); e.tier > tier.Plain && m >= tail {
		e.transform(dst, src, signs, m/tail, layout{unit: tail / Lanes, masks: Lanes})
		return
	}
	plainVector(dst, src, signs)
}

// layout says how rows are transformed: in units, within which passes keep the order, and with a
// number of masks for each row.
type layout struct{ unit, masks int }

// transform transforms each of the contiguous blocks of n units in src. A pass over all of them
// does the first stages, and leaves blocks of fewer units.
func (e Engine) transform(dst, src []float64, signs []uint64, n int, l layout) {
	if n == 1 {
		if l.unit > 1 {
			e.tail(dst, src, signs)
		}
		return
	}
	beside := &dst[0] != &src[0] || signs != nil && l.masks == Lanes
	radix := radixOf(n, l.unit, beside)
	n /= radix
	e.pass(dst, src, signs, radix, n*l.unit, l)
	part := len(dst)
	if part > cached {
		part = n * l.unit * Lanes
	}
	for ; len(dst) > 0; dst = dst[part:] {
		e.transform(dst[:part], dst[:part], nil, n, l)
	}
}

// radices is, by the logarithm of n, the radix of the first pass over blocks of n units: the
// fastest on Zen 3.
var radices = [...]int{1: 2, 2: 4, 3: 8, 4: 16, 5: 4, 6: 8, 7: 16, 8: 16, 9: 4, 10: 4, 11: 8, 12: 4}

// radixOf returns the radix of the first pass over blocks of n > 1 units of unit rows. Rows that
// are 4 KB or more apart share a set of the first-level cache, which has room for eight. With radix
// 16 a pass then takes twice the time or more. So does radix 8 if the pass also reads from src, or
// reads as many masks.
func radixOf(n, unit int, beside bool) int {
	radix := 8
	if k := bits.TrailingZeros(uint(n)); k < len(radices) {
		radix = radices[k]
	}
	limit := 16
	if n*unit >= 512 {
		limit = 8
		if beside {
			limit = 4
		}
	}
	return min(radix, limit)
}

// pass does one pass of a radix over contiguous blocks of radix·stride rows.
func (e Engine) pass(dst, src []float64, signs []uint64, radix, stride int, l layout) {
	blocks := len(dst) / (radix * stride * Lanes)
	width := min(stride, atOnce/radix)
	for j := 0; j < stride; j += width {
		d, s := &dst[j*Lanes], &src[j*Lanes]
		switch {
		case e.single && signs == nil:
			e.passSingle(d, s, radix, stride, width, blocks)
		case e.single:
			e.signedSingle(d, s, &signs[j*l.masks], radix, stride, width, l)
		case signs == nil && e.tier == tier.AVX512:
			passAVX512(d, s, radix, stride, width, blocks)
		case signs == nil:
			passAVX2(d, s, radix, stride, width, blocks)
		case l.masks == 1 && e.tier == tier.AVX512:
			signedRowsAVX512(d, s, &signs[j], radix, stride, width)
		case l.masks == 1:
			signedRowsAVX2(d, s, &signs[j], radix, stride, width)
		case e.tier == tier.AVX512:
			signedElementsAVX512(d, s, &signs[j*Lanes], radix, stride, width)
		default:
			signedElementsAVX2(d, s, &signs[j*Lanes], radix, stride, width)
		}
	}
}

// tail transforms contiguous blocks of tail elements.
func (e Engine) tail(dst, src []float64, signs []uint64) {
	var s *uint64
	if signs != nil {
		s = &signs[0]
	}
	switch n := len(dst) / tail; {
	case e.single:
		e.tailSingle(&dst[0], &src[0], s, n)
	case e.tier == tier.AVX512:
		tailAVX512(&dst[0], &src[0], s, n)
	default:
		tailAVX2(&dst[0], &src[0], s, n)
	}
}
