// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package wht

import "math"

// A row is an element of each vector of a batch, or eight elements of one vector.
type row = [Lanes]float64

// plainBatch is Batch in plain Go.
func plainBatch(dst, src []float64, signs []uint64) {
	copy(dst, src)
	for i, s := range signs {
		flip(rowAt(dst, i), s)
	}
	plainRows(dst)
}

// plainVector is Vector in plain Go. A long vector is treated as rows of its elements: their
// transforms are the stages of stride 8 and above, and the other stages are within a row.
func plainVector(dst, src []float64, signs []uint64) {
	for i, s := range signs {
		dst[i] = math.Float64frombits(math.Float64bits(src[i]) ^ s)
	}
	if signs == nil {
		copy(dst, src)
	}
	if len(dst) < Lanes {
		short(dst)
		return
	}
	plainRows(dst)
	for i := range len(dst) / Lanes {
		within(rowAt(dst, i))
	}
}

// short transforms a vector of less than a row.
func short(x []float64) {
	for s := len(x) / 2; s > 0; s /= 2 {
		for i := range x {
			if i&s == 0 {
				x[i], x[i+s] = x[i]+x[i+s], x[i]-x[i+s]
			}
		}
	}
}

// within transforms a row.
func within(r *row) {
	x0, x4 := r[0]+r[4], r[0]-r[4]
	x1, x5 := r[1]+r[5], r[1]-r[5]
	x2, x6 := r[2]+r[6], r[2]-r[6]
	x3, x7 := r[3]+r[7], r[3]-r[7]

	x0, x2 = x0+x2, x0-x2
	x1, x3 = x1+x3, x1-x3
	x4, x6 = x4+x6, x4-x6
	x5, x7 = x5+x7, x5-x7

	*r = row{x0 + x1, x0 - x1, x2 + x3, x2 - x3, x4 + x5, x4 - x5, x6 + x7, x6 - x7}
}

// plainRows transforms the rows of x: two stages over all of them, then the other stages by
// quarters, which soon fit in the cache.
func plainRows(x []float64) {
	m := len(x) / Lanes
	switch m {
	case 1:
		return
	case 2:
		butterfly(rowAt(x, 0), rowAt(x, 1))
		return
	}
	q := m / 4
	for i := range q {
		butterfly4(rowAt(x, i), rowAt(x, i+q), rowAt(x, i+2*q), rowAt(x, i+3*q))
	}
	if q == 1 {
		return
	}
	for ; len(x) > 0; x = x[q*Lanes:] {
		plainRows(x[:q*Lanes])
	}
}

func rowAt(x []float64, i int) *row { return (*row)(x[i*Lanes:]) }

func flip(r *row, mask uint64) {
	for l, v := range r {
		r[l] = math.Float64frombits(math.Float64bits(v) ^ mask)
	}
}

// butterfly sets (a, b) to (a + b, a − b).
func butterfly(a, b *row) {
	for l, v := range a {
		w := b[l]
		a[l], b[l] = v+w, v-w
	}
}

// butterfly4 is the butterflies (a, c), (b, d), then (a, b), (c, d).
func butterfly4(a, b, c, d *row) {
	for l := range a {
		ac, bd := a[l]+c[l], b[l]+d[l]
		ca, db := a[l]-c[l], b[l]-d[l]
		a[l], b[l] = ac+bd, ac-bd
		c[l], d[l] = ca+db, ca-db
	}
}
