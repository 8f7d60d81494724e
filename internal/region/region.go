// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package region tells whether matrices share memory. It is gonum's check, which gonum does not
// export.
package region

import (
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// CheckMatrix panics as gonum does if dst shares an element with x. It only checks an x whose data
// can be seen, transposed or not.
func CheckMatrix(dst blas64.General, x mat.Matrix) {
	for {
		u, ok := x.(mat.Untransposer)
		if !ok {
			break
		}
		x = u.Untranspose()
	}
	n, d := x.Dims()
	switch x := x.(type) {
	case mat.RawMatrixer:
		Check(dst, x.RawMatrix())
	case mat.RawSymmetricer:
		raw := x.RawSymmetric()
		Check(dst, blas64.General{Rows: n, Cols: d, Stride: raw.Stride, Data: raw.Data})
	case mat.RawTriangular:
		raw := x.RawTriangular()
		Check(dst, blas64.General{Rows: n, Cols: d, Stride: raw.Stride, Data: raw.Data})
	case mat.RawBander: // DiagDense too
		raw := x.RawBand()
		Check(dst, blas64.General{Rows: raw.Rows, Cols: raw.KL + raw.KU + 1, Stride: raw.Stride, Data: raw.Data})
	case mat.RawSymBander:
		raw := x.RawSymBand()
		Check(dst, blas64.General{Rows: raw.N, Cols: raw.K + 1, Stride: raw.Stride, Data: raw.Data})
	case mat.RawTriBander:
		raw := x.RawTriBand()
		Check(dst, blas64.General{Rows: raw.N, Cols: raw.K + 1, Stride: raw.Stride, Data: raw.Data})
	case mat.RawVectorer:
		raw := x.RawVector()
		Check(dst, blas64.General{Rows: raw.N, Cols: 1, Stride: raw.Inc, Data: raw.Data})
	}
}

// Vector returns v as a matrix of one row.
func Vector(v []float64) blas64.General {
	return blas64.General{Rows: 1, Cols: len(v), Stride: max(len(v), 1), Data: v}
}

// Check panics, in gonum's words, if a and b share an element.
func Check(a, b blas64.General) {
	const size = unsafe.Sizeof(float64(0))
	endA, endB := end(a), end(b)
	if endA == 0 || endB == 0 {
		return
	}
	startA := uintptr(unsafe.Pointer(unsafe.SliceData(a.Data)))
	startB := uintptr(unsafe.Pointer(unsafe.SliceData(b.Data)))
	if startB < startA {
		a, b, startA, startB, endA = b, a, startB, startA, endB
	}
	off := int((startB - startA) / size)
	switch {
	case off >= endA:
		return // a ends before b begins
	case off == 0 && a.Rows == b.Rows && a.Cols == b.Cols && a.Stride == b.Stride:
		panic("mat: bad region: identical")
	case a.Rows == 1 || b.Rows == 1:
		// One row and a rectangle: as if both had the rectangle's stride.
		stride := a.Stride
		if a.Rows == 1 {
			stride = b.Stride
		}
		a.Stride, b.Stride = stride, stride
	case a.Stride != b.Stride:
		panic("mat: bad region: different strides")
	}
	// Columns relative to a's first, modulo the stride. The columns of b are disjoint from a's only
	// if they neither begin among them nor wrap round to them.
	from := off % a.Stride
	if from < a.Cols || from+b.Cols > a.Stride {
		panic("mat: bad region: overlap")
	}
}

// end returns the length of the data from the first element of a to its last.
func end(a blas64.General) int {
	if a.Rows == 0 || a.Cols == 0 {
		return 0
	}
	return (a.Rows-1)*a.Stride + a.Cols
}
