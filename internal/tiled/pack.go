// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// An appending packs rows into the strips of a block.
type appending struct {
	b    *Block
	rows blas64.General
	bad  atomic.Bool // a number was out of range
}

// Do packs the strips [lo, hi).
func (a *appending) Do(lo, hi int) {
	b := a.b
	whole := b.n / b.strip
	ok := true
	if lo < min(hi, whole) {
		to := b.fromStrip(lo)[b.rows*b.strip:]
		from := a.rows.Data[lo*b.strip:]
		ok = b.pack(min(hi, whole)-lo, a.rows.Rows, from, a.rows.Stride, b.Shift[lo*b.strip:], to)
	}
	if hi > whole { // the last strip, with padding
		to := b.fromStrip(whole)[b.rows*b.strip:]
		for i := range a.rows.Rows {
			for j, v := range a.rows.Data[i*a.rows.Stride+whole*b.strip : i*a.rows.Stride+b.n] {
				to[i*b.strip+j] = v - b.Shift[whole*b.strip+j]
				ok = ok && math.Abs(v) < Limit
			}
		}
	}
	if !ok {
		a.bad.Store(true)
	}
}

// pack is packPlain in the instructions of the block's tier.
func (b *Block) pack(strips, rows int, from []float64, stride int, shift, to []float64) bool {
	if b.tier == tier.Plain {
		return packPlain(strips, rows, from, stride, shift, to)
	}
	return packAssembly(b.tier, strips, rows, from, stride, shift, to)
}

// packPlain copies rows of numbers, each less that of the shift in its column, into strips, and tells whether all numbers
// of the rows are below Limit in magnitude.
func packPlain(strips, rows int, from []float64, stride int, shift, to []float64) bool {
	ok := true
	for i := range rows {
		for s := range strips {
			v := (*[plainStrip]float64)(from[i*stride+s*plainStrip:])
			less := (*[plainStrip]float64)(shift[s*plainStrip:])
			strip := (*[plainStrip]float64)(to[(s*BlockRows+i)*plainStrip:])
			for j, v := range v {
				strip[j] = v - less[j]
				ok = ok && math.Abs(v) < Limit
			}
		}
	}
	return ok
}
