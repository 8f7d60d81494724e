// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// Single is rows of float32 as a matrix. A Reader returns views of them, and copies where numbers must be float64.
type Single struct{ blas32.General }

var _ mat.Matrix = (*Single)(nil)

// Dims returns the shape.
func (s *Single) Dims() (r, c int) { return s.Rows, s.Cols }

// At returns element (i, j).
func (s *Single) At(i, j int) float64 {
	switch {
	case uint(i) >= uint(s.Rows):
		panic(mat.ErrRowAccess)
	case uint(j) >= uint(s.Cols):
		panic(mat.ErrColAccess)
	}
	return float64(s.Data[i*s.Stride+j])
}

// T returns the transpose.
func (s *Single) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// slice returns the rows [lo, hi), at least one.
func (s *Single) slice(lo, hi int) Single {
	part := s.General
	part.Rows, part.Data = hi-lo, s.Data[lo*s.Stride:(hi-1)*s.Stride+s.Cols]
	return Single{part}
}

// wide sets dst to the elements of the rows [lo, hi), one row after another.
func (s *Single) wide(dst []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		row := dst[(i-lo)*s.Cols:][:s.Cols]
		for k, v := range s.Data[i*s.Stride:][:s.Cols] {
			row[k] = float64(v)
		}
	}
}
