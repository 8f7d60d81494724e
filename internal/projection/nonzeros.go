// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// ErrDuplicate is the panic for a row with two entries of one coordinate.
var ErrDuplicate = errors.New("featuremap: a row of a mat.RowNonZeroDoer has two entries of one coordinate")

const (
	// nonZeroRows is the largest number of rows that pass over the weights together as lists. They share
	// a block of weights while it is in the cache, and each uses few of them.
	nonZeroRows = 1 << 10

	// nonZeroEntries is the number of entries, 8 MB, after which no more rows are read.
	nonZeroEntries = 1 << 19

	// nonZeroOutputs is the largest number of outputs of rows that pass together, because some parts
	// buffer as many.
	nonZeroOutputs = 1 << 20
)

// nonZero is an entry of a row. Assembly relies on its layout.
type nonZero struct {
	col int
	v   float64
}

// nonZeros are rows as lists of entries, each in ascending order of coordinates. A coordinate without an
// entry is +0; an entry may be 0, too.
type nonZeros struct {
	in      int
	entries []nonZero
	ends    []int // the ends of the rows in entries
	least   []int // for each row: the leastExponent of its values
	weights int   // the least of a projection that they go through

	add func(i, j int, v float64) // the argument of DoRowNonZero, made once
}

// len returns the number of rows.
func (z *nonZeros) len() int { return len(z.ends) }

// row returns the entries of row i.
func (z *nonZeros) row(i int) []nonZero {
	start := 0
	if i > 0 {
		start = z.ends[i-1]
	}
	return z.entries[start:z.ends[i]]
}

// read reads rows of a matrix with in columns, from row lo on: up to row hi, but only a limited number. It
// returns the number of the next row. It panics with mat.ErrColAccess at an entry outside the matrix, and
// with ErrDuplicate.
func (z *nonZeros) read(x mat.RowNonZeroDoer, in, lo, hi int) int {
	if z.add == nil {
		z.add = func(_, j int, v float64) {
			if uint(j) >= uint(z.in) {
				panic(mat.ErrColAccess)
			}
			z.entries = append(z.entries, nonZero{j, v})
		}
	}
	z.in = in
	z.entries, z.ends, z.least = z.entries[:0], z.ends[:0], z.least[:0]
	for lo < hi && len(z.entries) < nonZeroEntries {
		start := len(z.entries)
		x.DoRowNonZero(lo, z.add)
		row := z.entries[start:]
		sortNonZeros(row)
		least := leastOfNone
		for _, e := range row {
			least = min(least, leastExponent(e.v))
		}
		z.ends, z.least = append(z.ends, len(z.entries)), append(z.least, least)
		lo++
	}
	return lo
}

// sortNonZeros sorts the entries of a row by their coordinates.
func sortNonZeros(row []nonZero) {
	ascending := func(row []nonZero) bool {
		for i := 1; i < len(row); i++ {
			if row[i-1].col >= row[i].col {
				return false
			}
		}
		return true
	}
	if ascending(row) {
		return
	}
	slices.SortFunc(row, func(a, b nonZero) int { return cmp.Compare(a.col, b.col) })
	if !ascending(row) {
		panic(ErrDuplicate)
	}
}

// leastOfNone is the leastExponent of numbers that are all 0.
const leastOfNone = 0x7ff

// leastExponent returns the biased exponent of v, so that v is a multiple of 2^(leastExponent − 1075). It
// returns leastOfNone if v is 0.
func leastExponent(v float64) int {
	if v == 0 {
		return leastOfNone
	}
	return max(int(math.Float64bits(v)>>52&0x7ff), 1)
}

// scatter returns the rows [lo, hi) of z as dense rows, which gather must take back. No other rows can
// be scattered in the meantime.
func (b *stackBuffer) scatter(z *nonZeros, lo, hi int) blas64.General {
	n := (hi - lo) * z.in
	if len(b.scattered) < n {
		b.scattered = aligned(n)
	}
	x := blas64.General{Rows: hi - lo, Cols: z.in, Stride: z.in, Data: b.scattered[:n]}
	for i := range x.Rows {
		row := x.Data[i*z.in:][:z.in]
		for _, e := range z.row(lo + i) {
			row[e.col] = e.v
		}
	}
	return x
}

// gather sets the rows that scatter returned to zeros again.
func (b *stackBuffer) gather(x blas64.General, z *nonZeros, lo int) {
	for i := range x.Rows {
		row := x.Data[i*z.in:][:z.in]
		for _, e := range z.row(lo + i) {
			row[e.col] = 0
		}
	}
}
