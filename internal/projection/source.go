// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A source is the matrix that is being transformed.
type source struct {
	x     mat.Matrix
	raw   blas64.General
	isRaw bool

	lists mat.RowNonZeroDoer // its rows are lists, unless nil
}

// reset makes x the matrix.
func (s *source) reset(x mat.Matrix) {
	*s = source{x: x}
	switch x := x.(type) {
	case mat.RawMatrixer:
		s.raw, s.isRaw = x.RawMatrix(), true
	case mat.RowNonZeroDoer:
		s.lists = x
	}
}

// rows returns the rows [lo, hi), copied to buf where the matrix has no slice of them.
func (s *source) rows(lo, hi int, buf *[]float64) blas64.General {
	if s.isRaw {
		return rowRange(s.raw, lo, hi)
	}
	_, in := s.x.Dims()
	if need := (hi - lo) * in; cap(*buf) < need {
		*buf = make([]float64, need)
	}
	x := blas64.General{Rows: hi - lo, Cols: in, Stride: in, Data: (*buf)[:(hi-lo)*in]}
	for i := range x.Rows {
		for k := range in {
			x.Data[i*in+k] = s.x.At(lo+i, k)
		}
	}
	return x
}

// rowRange returns rows [lo, hi) of a.
func rowRange(a blas64.General, lo, hi int) blas64.General {
	a.Data = a.Data[lo*a.Stride:]
	a.Rows = hi - lo
	return a
}
