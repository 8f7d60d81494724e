// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"
)

// Size returns the number of elements from the first to the last of a, which has at least one row.
func Size(a blas32.General) int { return (a.Rows-1)*a.Stride + a.Cols }

// Whole tells whether a has at least one row, and data for all its elements.
func Whole(a blas32.General) bool {
	return a.Rows > 0 && a.Stride >= a.Cols && len(a.Data) >= Size(a)
}

// OverlapMatrix tells whether the data of two matrices that are Whole share memory.
func OverlapMatrix(a, b blas32.General) bool { return Overlap(a.Data[:Size(a)], b.Data[:Size(b)]) }

// Overlap tells whether two slices share memory.
func Overlap(a, b []float32) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	const size = unsafe.Sizeof(a[0])
	p, q := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return p < q+uintptr(len(b))*size && q < p+uintptr(len(a))*size
}
