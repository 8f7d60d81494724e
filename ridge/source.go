// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/window"
)

// A source hands out the rows of a matrix in blocks: views if the matrix shows its data (mat.RawMatrixer), otherwise
// copies made by At. The rows of a mat.RowNonZeroDoer stay lists of non-zeros: their blocks are views of it.
type source struct {
	x      mat.Matrix
	n, in  int
	raw    blas64.General
	isRaw  bool
	lists  mat.RowNonZeroDoer // unless nil
	window window.Lists       // a block of them

	buffer     []float64
	first, end int // the rows in buffer
	view       mat.Dense
}

// reset makes x the matrix; nil lets go of it.
func (s *source) reset(x mat.Matrix) {
	*s = source{x: x, buffer: s.buffer}
	if x == nil {
		return
	}
	s.n, s.in = x.Dims()
	switch x := x.(type) {
	case mat.RawMatrixer:
		s.raw, s.isRaw = x.RawMatrix(), true
	case mat.RowNonZeroDoer:
		s.lists = x
	}
}

// copyElements is the number of elements of a block of copied rows: 4 MB of them.
const copyElements = 1 << 19

// step returns the number of rows that come in one block, at most.
func (s *source) step() int {
	if s.isRaw || s.lists != nil {
		return s.n
	}
	return max(copyElements/s.in, 1)
}

// rows returns the rows [lo, hi), no more than step, as a matrix that is valid until the next call.
func (s *source) rows(lo, hi int) mat.Matrix {
	if s.lists != nil {
		s.window = window.Lists{Rows: window.Rows{X: s.x, Lo: lo, N: hi - lo}, Of: s.lists}
		return &s.window
	}
	block := s.block(lo, hi)
	s.view.SetRawMatrix(block)
	return &s.view
}

// block returns the rows [lo, hi), which are no lists.
func (s *source) block(lo, hi int) blas64.General {
	if s.isRaw {
		end := (hi-1)*s.raw.Stride + s.in
		return blas64.General{Rows: hi - lo, Cols: s.in, Stride: s.raw.Stride, Data: s.raw.Data[lo*s.raw.Stride : end]}
	}
	need := (hi - lo) * s.in
	if cap(s.buffer) < need {
		s.buffer = make([]float64, need)
	}
	block := blas64.General{Rows: hi - lo, Cols: s.in, Stride: s.in, Data: s.buffer[:need]}
	if lo == s.first && hi == s.end {
		return block
	}
	s.first, s.end = 0, 0
	for i := range block.Rows {
		for k := range s.in {
			block.Data[i*s.in+k] = s.x.At(lo+i, k)
		}
	}
	s.first, s.end = lo, hi
	return block
}

// validate refuses a matrix with an element that is not finite.
func (s *source) validate() error {
	if s.lists != nil {
		return s.validateLists()
	}
	for lo, step := 0, s.step(); lo < s.n; lo += step {
		block := s.block(lo, min(lo+step, s.n))
		if finite(block) {
			continue
		}
		for i := range block.Rows {
			for j, v := range block.Data[i*block.Stride:][:s.in] {
				if !(math.Abs(v) <= math.MaxFloat64) {
					return errNotFinite(lo+i, j, v)
				}
			}
		}
	}
	return nil
}

// validateLists is validate for lists.
func (s *source) validateLists() (err error) {
	row := 0
	check := func(_, j int, v float64) {
		if err == nil && !(math.Abs(v) <= math.MaxFloat64) {
			err = errNotFinite(row, j, v)
		}
	}
	for ; row < s.n && err == nil; row++ {
		s.lists.DoRowNonZero(row, check)
	}
	return err
}

func errNotFinite(row, column int, v float64) error {
	return fmt.Errorf("ridge: x: row %d, column %d = %v: must be finite", row, column, v)
}

// finite tells whether all elements are finite.
func finite(a blas64.General) bool {
	const elements = 1 << 16
	grain := 1 + elements/a.Cols
	if a.Rows <= grain {
		return finiteRows(a, 0, a.Rows)
	}
	var bad atomic.Bool
	parallel.Run(parallel.Func(func(lo, hi int) {
		if !finiteRows(a, lo, hi) {
			bad.Store(true)
		}
	}), a.Rows, grain)
	return !bad.Load()
}

// finiteRows tells whether all elements of the rows [lo, hi) are finite: v − v is 0 then, and NaN otherwise.
func finiteRows(a blas64.General, lo, hi int) bool {
	var s0, s1, s2, s3 float64
	for i := lo; i < hi; i++ {
		row := a.Data[i*a.Stride:][:a.Cols]
		for ; len(row) >= 4; row = row[4:] {
			s0 += row[0] - row[0]
			s1 += row[1] - row[1]
			s2 += row[2] - row[2]
			s3 += row[3] - row[3]
		}
		for _, v := range row {
			s0 += v - v
		}
	}
	return s0+s1+s2+s3 == 0
}

// validateTargets refuses targets that are not finite or whose squares may overflow.
func validateTargets(y mat.Matrix) error {
	n, targets := y.Dims()
	for i := range n {
		for t := range targets {
			if v := y.At(i, t); !(math.Abs(v) < targetLimit) {
				return fmt.Errorf("ridge: y: row %d, column %d = %v: must be finite and less than 2^483 in magnitude", i, t, v)
			}
		}
	}
	return nil
}
