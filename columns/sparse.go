// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package columns

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Sparse are rows of which only the elements that are not 0 are kept, such as counts of words, in compressed rows. Maps and fits read
// it as lists, in time for the elements kept, as they do any mat.RowNonZeroDoer. The zero value has no columns. Rows may be read
// beside each other, but not while one is appended.
type Sparse struct {
	columns int
	ends    []int // of the rows, in what follows
	index   []int
	values  []float64
}

var _ mat.RowNonZeroDoer = (*Sparse)(nil)

// NewSparse returns a matrix without rows, of so many columns, which must be positive. It panics with mat.ErrZeroLength if they are not.
func NewSparse(columns int) *Sparse {
	if columns < 1 {
		panic(mat.ErrZeroLength)
	}
	return &Sparse{columns: columns}
}

// AppendRow appends a row with the values at some columns, which it copies, and 0 elsewhere. It returns an error, and appends
// nothing, if there are not as many values as columns named, if these do not ascend, are twice there or are out of range, or if a
// value is not finite.
func (s *Sparse) AppendRow(index []int, values []float64) error {
	if len(index) != len(values) {
		return fmt.Errorf("columns: a row of %d columns has %d values: must have as many", len(index), len(values))
	}
	for k, j := range index {
		switch v := values[k]; {
		case j < 0 || j >= s.columns:
			return fmt.Errorf("columns: column %d: must be from 0 to %d", j, s.columns-1)
		case k > 0 && j <= index[k-1]:
			return fmt.Errorf("columns: column %d follows column %d: columns of a row must ascend", j, index[k-1])
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("columns: the value of column %d is %v: must be finite", j, v)
		}
	}
	s.index, s.values = append(s.index, index...), append(s.values, values...)
	s.ends = append(s.ends, len(s.index))
	return nil
}

// row returns where a row begins and ends.
func (s *Sparse) row(i int) (lo, hi int) {
	if i < 0 || i >= len(s.ends) {
		panic(mat.ErrRowAccess)
	}
	if i > 0 {
		lo = s.ends[i-1]
	}
	return lo, s.ends[i]
}

// Dims returns the number of rows that were appended, and of columns.
func (s *Sparse) Dims() (rows, columns int) { return len(s.ends), s.columns }

// At returns an element. It panics with mat.ErrRowAccess or mat.ErrColAccess if there is none.
func (s *Sparse) At(i, j int) float64 {
	lo, hi := s.row(i)
	if j < 0 || j >= s.columns {
		panic(mat.ErrColAccess)
	}
	if k, ok := slices.BinarySearch(s.index[lo:hi], j); ok {
		return s.values[lo+k]
	}
	return 0
}

// T returns the transpose, which has no lists of rows.
func (s *Sparse) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// DoRowNonZero calls f for each element of row i that was appended, by ascending columns. It panics with mat.ErrRowAccess if there is
// no such row.
func (s *Sparse) DoRowNonZero(i int, f func(i, j int, v float64)) {
	lo, hi := s.row(i)
	for k := lo; k < hi; k++ {
		f(i, s.index[k], s.values[k])
	}
}
