// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package window has views of some rows of any matrix.
package window

import "gonum.org/v1/gonum/mat"

// Rows are the N rows of X from row Lo on.
type Rows struct {
	X     mat.Matrix
	Lo, N int
}

// Dims returns the shape of the window.
func (w *Rows) Dims() (r, c int) {
	_, c = w.X.Dims()
	return w.N, c
}

// At returns element (i, j) of the window.
func (w *Rows) At(i, j int) float64 {
	w.check(i)
	return w.X.At(w.Lo+i, j)
}

// T returns the transpose of the window.
func (w *Rows) T() mat.Matrix { return mat.Transpose{Matrix: w} }

// check panics unless i is a row of the window.
func (w *Rows) check(i int) {
	if uint(i) >= uint(w.N) {
		panic(mat.ErrRowAccess)
	}
}

// Lists are rows of a matrix that is a mat.RowNonZeroDoer, as they are.
type Lists struct {
	Rows
	Of mat.RowNonZeroDoer // X
}

// DoRowNonZero calls fn for each of the non-zero elements of row i.
func (w *Lists) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	w.check(i)
	w.Of.DoRowNonZero(w.Lo+i, func(_, j int, v float64) { fn(i, j, v) })
}

// T returns the transpose of the window.
func (w *Lists) T() mat.Matrix { return mat.Transpose{Matrix: w} }
