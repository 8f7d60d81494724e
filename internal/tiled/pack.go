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
	bad  atomic.Bool // whether a number was out of range
}

// Do packs the strips [lo, hi).
func (a *appending) Do(lo, hi int) {
	b := a.b
	whole := b.n / b.strip
	ok := true
	if n := min(hi, whole) - lo; n > 0 {
		from, shift := a.rows.Data[lo*b.strip:], b.Shift[lo*b.strip:]
		if at := (lo*BlockRows + b.rows) * b.strip; b.single != nil {
			ok = packed(b.tier, n, a.rows.Rows, from, a.rows.Stride, shift, b.single[at:], packSingleAssembly, packSinglePlain)
		} else {
			ok = packed(b.tier, n, a.rows.Rows, from, a.rows.Stride, shift, b.data[at:], packAssembly, packPlain)
		}
	}
	if hi > whole && !a.last(whole) {
		ok = false
	}
	if !ok {
		a.bad.Store(true)
	}
}

// last packs the last strip, with padding. It tells whether all numbers are in range.
func (a *appending) last(strip int) (ok bool) {
	b, limit := a.b, a.b.Limit()
	ok = true
	for i := range a.rows.Rows {
		at := (strip*BlockRows + b.rows + i) * b.strip
		for j, v := range a.rows.Data[i*a.rows.Stride+strip*b.strip : i*a.rows.Stride+b.n] {
			ok = ok && math.Abs(v) < limit
			if v -= b.Shift[strip*b.strip+j]; b.single != nil {
				b.single[at+j] = float32(v)
			} else {
				b.data[at+j] = v
			}
		}
	}
	return ok
}

// packed packs whole strips in the instructions of a tier.
func packed[F float32 | float64](t tier.Tier, strips, rows int, from []float64, stride int, shift []float64, to []F,
	assembly func(t tier.Tier, strips, rows int, from []float64, stride int, shift []float64, to []F) bool,
	plain func(strips, rows int, from []float64, stride int, shift []float64, to []F) bool) bool {
	if t == tier.Plain {
		return plain(strips, rows, from, stride, shift, to)
	}
	return assembly(t, strips, rows, from, stride, shift, to)
}

// packPlain copies rows, minus the shift, into strips, and tells whether all numbers of the rows are below Limit in
// magnitude.
func packPlain(strips, rows int, from []float64, stride int, shift, to []float64) bool {
	return packInto(strips, rows, from, stride, shift, to, plainStrip, Limit)
}

// packSinglePlain is packPlain for float32, to which differences are rounded, and SingleLimit.
func packSinglePlain(strips, rows int, from []float64, stride int, shift []float64, to []float32) bool {
	return packInto(strips, rows, from, stride, shift, to, 2*plainStrip, SingleLimit)
}

func packInto[F float32 | float64](strips, rows int, from []float64, stride int, shift []float64, to []F, width int, limit float64) bool {
	ok := true
	for i := range rows {
		for s := range strips {
			less, strip := shift[s*width:], to[(s*BlockRows+i)*width:][:width]
			for j, v := range from[i*stride+s*width:][:width] {
				strip[j] = F(v - less[j])
				ok = ok && math.Abs(v) < limit
			}
		}
	}
	return ok
}
