// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package sparse has rows of which only what is not 0 is kept.
package sparse

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Rows is a matrix of which only the elements that are not 0 are kept, such as counts of words, in compressed rows. Maps and fits read
// it as lists, in time for the elements kept, as they do any mat.RowNonZeroDoer. The zero value has no columns. Rows may be read
// beside each other, but not while one is appended.
type Rows struct {
	columns int
	ends    []int // of the rows, in what follows
	index   []int
	values  []float64
}

var _ mat.RowNonZeroDoer = (*Rows)(nil)

// NewRows returns a matrix without rows, of so many columns, which must be positive. It panics with mat.ErrZeroLength if they are not.
func NewRows(columns int) *Rows {
	if columns < 1 {
		panic(mat.ErrZeroLength)
	}
	return &Rows{columns: columns}
}

// Append appends a row with the values at some columns, which it copies, and 0 elsewhere. It returns an error, and appends
// nothing, if there are not as many values as columns named, if these do not ascend, are twice there or are out of range, or if a
// value is not finite.
func (r *Rows) Append(index []int, values []float64) error {
	if len(index) != len(values) {
		return fmt.Errorf("sparse: a row of %d columns has %d values: must have as many", len(index), len(values))
	}
	for k, j := range index {
		switch v := values[k]; {
		case j < 0 || j >= r.columns:
			return fmt.Errorf("sparse: column %d: must be from 0 to %d", j, r.columns-1)
		case k > 0 && j <= index[k-1]:
			return fmt.Errorf("sparse: column %d follows column %d: columns of a row must ascend", j, index[k-1])
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("sparse: the value of column %d is %v: must be finite", j, v)
		}
	}
	r.index, r.values = append(r.index, index...), append(r.values, values...)
	r.ends = append(r.ends, len(r.index))
	return nil
}

// row returns where a row begins and ends.
func (r *Rows) row(i int) (lo, hi int) {
	if i < 0 || i >= len(r.ends) {
		panic(mat.ErrRowAccess)
	}
	if i > 0 {
		lo = r.ends[i-1]
	}
	return lo, r.ends[i]
}

// Dims returns the number of rows that were appended, and of columns.
func (r *Rows) Dims() (rows, columns int) { return len(r.ends), r.columns }

// At returns an element. It panics with mat.ErrRowAccess or mat.ErrColAccess if there is none.
func (r *Rows) At(i, j int) float64 {
	lo, hi := r.row(i)
	if j < 0 || j >= r.columns {
		panic(mat.ErrColAccess)
	}
	if k, ok := slices.BinarySearch(r.index[lo:hi], j); ok {
		return r.values[lo+k]
	}
	return 0
}

// T returns the transpose, which has no lists of rows.
func (r *Rows) T() mat.Matrix { return mat.Transpose{Matrix: r} }

// DoRowNonZero calls f for each element of row i that was appended, by ascending columns. It panics with mat.ErrRowAccess if there is
// no such row.
func (r *Rows) DoRowNonZero(i int, f func(i, j int, v float64)) {
	lo, hi := r.row(i)
	for k := lo; k < hi; k++ {
		f(i, r.index[k], r.values[k])
	}
}
