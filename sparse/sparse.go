// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package sparse holds matrices of rows in which most elements are 0, and only the others are stored.
package sparse

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Rows is a sparse matrix, such as counts of words, in compressed row format: only elements that are appended are
// stored, and all others are 0. Maps and fits read it, like any mat.RowNonZeroDoer, in time proportional to the stored
// elements. The zero value has no columns. Several goroutines may read Rows at the same time, but not while a row is
// appended.
type Rows struct {
	columns int
	ends    []int // of the rows, in what follows
	index   []int
	values  []float64
}

var _ mat.RowNonZeroDoer = (*Rows)(nil)

// NewRows returns a matrix with the given number of columns and no rows. It panics with mat.ErrZeroLength if columns is
// not positive.
func NewRows(columns int) *Rows {
	if columns < 1 {
		panic(mat.ErrZeroLength)
	}
	return &Rows{columns: columns}
}

// Append appends a row that has the given values at the columns in index, and 0 elsewhere. It copies both slices. It
// returns an error, and appends nothing, if index and values differ in length, if the columns are not strictly
// ascending or are out of range, or if a value is not finite.
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

// Dims returns the number of rows appended and the number of columns.
func (r *Rows) Dims() (rows, columns int) { return len(r.ends), r.columns }

// At returns the element in row i and column j. It panics with mat.ErrRowAccess or mat.ErrColAccess if i or j is out of
// range.
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

// T returns the transpose, which is not a mat.RowNonZeroDoer.
func (r *Rows) T() mat.Matrix { return mat.Transpose{Matrix: r} }

// DoRowNonZero calls f for each stored element of row i, in column order. It panics with mat.ErrRowAccess if there
// is no such row.
func (r *Rows) DoRowNonZero(i int, f func(i, j int, v float64)) {
	lo, hi := r.row(i)
	for k := lo; k < hi; k++ {
		f(i, r.index[k], r.values[k])
	}
}
