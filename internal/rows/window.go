// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// window is a view of n rows of any matrix, from lo on.
type window struct {
	x     mat.Matrix
	lo, n int
}

// A listWindow is a window of a matrix whose rows are lists.
type listWindow struct {
	window
	lists mat.RowNonZeroDoer // x
}

var _ mat.RowNonZeroDoer = (*listWindow)(nil)

// Dims returns the shape of the window.
func (w *window) Dims() (r, c int) {
	_, c = w.x.Dims()
	return w.n, c
}

// At returns element (i, j) of the window.
func (w *window) At(i, j int) float64 {
	w.check(i)
	return w.x.At(w.lo+i, j)
}

// T returns the transpose of the window.
func (w *window) T() mat.Matrix { return mat.Transpose{Matrix: w} }

// T returns the transpose of the window.
func (w *listWindow) T() mat.Matrix { return mat.Transpose{Matrix: w} }

// DoRowNonZero calls fn for each of the entries of row i.
func (w *listWindow) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	w.check(i)
	w.lists.DoRowNonZero(w.lo+i, func(_, j int, v float64) { fn(i, j, v) })
}

// check panics unless i is a row of the window.
func (w *window) check(i int) {
	if uint(i) >= uint(w.n) {
		panic(mat.ErrRowAccess)
	}
}

// A selection is a view of some rows of any matrix.
type selection struct {
	x     mat.Matrix
	index []int
}

// A listSelection is a selection of a matrix whose rows are lists.
type listSelection struct {
	selection
	lists mat.RowNonZeroDoer // x
}

var _ mat.RowNonZeroDoer = (*listSelection)(nil)

// Select returns the rows of x with the given numbers as a view: nothing is copied. They are lists if those of x are.
func Select(x mat.Matrix, index []int) mat.Matrix {
	s := selection{x, index}
	if _, raw := x.(mat.RawMatrixer); !raw {
		if lists, ok := x.(mat.RowNonZeroDoer); ok {
			return &listSelection{s, lists}
		}
	}
	return &s
}

// Dims returns the shape of the selection.
func (s *selection) Dims() (r, c int) {
	_, c = s.x.Dims()
	return len(s.index), c
}

// At returns element (i, j) of the selection.
func (s *selection) At(i, j int) float64 { return s.x.At(s.index[i], j) }

// T returns the transpose of the selection.
func (s *selection) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// T returns the transpose of the selection.
func (s *listSelection) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// DoRowNonZero calls fn for each of the entries of row i.
func (s *listSelection) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	s.lists.DoRowNonZero(s.index[i], func(_, j int, v float64) { fn(i, j, v) })
}

// List is a row as its entries, or as all coordinates if Columns is nil.
type List struct {
	Values  []float64
	Columns []int
}

// NewList returns the elements of a row that are not 0.
func NewList(x []float64) List {
	l := List{Columns: []int{}}
	for j, v := range x {
		if v != 0 {
			l.Values, l.Columns = append(l.Values, v), append(l.Columns, j)
		}
	}
	return l
}

// Column returns the column of value e.
func (l List) Column(e int) int {
	if l.Columns == nil {
		return e
	}
	return l.Columns[e]
}

// To sets the elements of dst in the list's columns, one each, to its values.
func (l List) To(dst []float64) {
	for e, column := range l.Columns {
		dst[column] = l.Values[e]
	}
}

// Join returns a matrix of rows with this number of coordinates. If one of the rows is a list, all
// become lists.
func Join(all []List, columns int) mat.Matrix {
	if slices.ContainsFunc(all, func(l List) bool { return l.Columns != nil }) {
		lists := &Lists{Cols: columns, Rows: make([]List, len(all))}
		for i, l := range all {
			if lists.Rows[i] = l; l.Columns == nil {
				lists.Rows[i] = NewList(l.Values)
			}
		}
		return lists
	}
	dense := mat.NewDense(len(all), columns, nil)
	for i, l := range all {
		dense.SetRow(i, l.Values)
	}
	return dense
}

// Lists are rows that are lists, with the same number of coordinates, as a mat.RowNonZeroDoer.
type Lists struct {
	Cols int
	Rows []List
}

var _ mat.RowNonZeroDoer = (*Lists)(nil)

// Dims returns the shape of the matrix.
func (l *Lists) Dims() (r, c int) { return len(l.Rows), l.Cols }

// At returns the sum of the entries of (i, j).
func (l *Lists) At(i, j int) (v float64) {
	for e, column := range l.Rows[i].Columns {
		if column == j {
			v += l.Rows[i].Values[e]
		}
	}
	return v
}

// T returns the transpose.
func (l *Lists) T() mat.Matrix { return mat.Transpose{Matrix: l} }

// DoRowNonZero calls fn for the entries of row i.
func (l *Lists) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for e, column := range l.Rows[i].Columns {
		fn(i, column, l.Rows[i].Values[e])
	}
}
