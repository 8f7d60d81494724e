// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !purego && !noasm

package wht

import "math/bits"
import "os"
import "strings"
import "fmt"
import "github.com/seed-0f95ebc1/featuremap/internal/tier"

const (
	// tail is the number of elements of the last pass of a vector.
	tail = 64

	// cached is the number of elements under which a pass goes over several blocks,
	// since they stay in the first-level cache until the next one: 16 KB.
	cachedX = 2048

	// atOnce is the number of rows of one call, which cannot be preempted: 64 KB, so
	// that it takes some tens of microseconds if all has to come from memory.
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

// A layout says how rows are transformed: in units, within which the passes leave the
// order alone, and with a number of masks for each row.
type layout struct{ unit, masks int }

// transform transforms each of the contiguous blocks of n units that make up src: a pass
// over all of them does the first stages, then there are blocks of fewer units.
func (e Engine) transform(dst, src []float64, signs []uint64, n int, l layout) {
	if n == 1 {
		if l.unit > 1 {
			e.tail(dst, src, signs)
		}
		return
	}
	radix := radixOf(n)
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

// radixOf returns the radix of the first pass over blocks of n units. Powers of 8 and 16
// leave a small radix for few n only. Where the stride is a multiple of 4 KB, rows that
// are transformed together are in the same set of the cache, which is of 8 rows.
func radixOf(n int) int {
	if r := over[bits.TrailingZeros(uint(n))]; r > 0 {
		return r
	}
	switch {
	case n <= 16:
		return n
	case n == 32:
		return 4
	case n == 128 || n == 256:
		return 16
	}
	return 8
}

// pass does one pass of a radix over contiguous blocks of radix·stride rows.
func (e Engine) pass(dst, src []float64, signs []uint64, radix, stride int, l layout) {
	blocks := len(dst) / (radix * stride * Lanes)
	width := min(stride, atOnce/radix)
	for j := 0; j < stride; j += width {
		d, s := &dst[j*Lanes], &src[j*Lanes]
		switch {
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
	if e.tier == tier.AVX512 {
		tailAVX512(&dst[0], &src[0], s, len(dst)/tail)
	} else {
		tailAVX2(&dst[0], &src[0], s, len(dst)/tail)
	}
}

var over [64]int
var cached = 2048

func init() {
	var a, b int
	for _, f := range strings.Fields(os.Getenv("S")) {
		fmt.Sscanf(f, "%d:%d", &a, &b)
		if a == 0 {
			cached = b
		} else {
			over[bits.TrailingZeros(uint(a))] = b
		}
	}
}
