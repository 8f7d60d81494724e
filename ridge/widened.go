// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/single"
)

// A widened map has the features of a Map32, which are exact as float64, so that fits and predictions in float64 can
// read them. It takes rows of any matrix, which it rounds to float32.
type widened struct {
	featuremap.FeatureMap // the map in float64
	in32                  *featuremap.Map32
	workspaces            *sync.Pool // of *workspace32
}

func newWidened(phi *featuremap.Map32) *widened {
	return &widened{phi.Float64(), phi, new(sync.Pool)}
}

// A workspace32 is the memory for widening.
type workspace32 struct {
	reader   rows.Reader
	rows     []float32
	features []float32
	wide     []float64
}

func (w *widened) workspace() *workspace32 {
	if s, ok := w.workspaces.Get().(*workspace32); ok {
		return s
	}
	return new(workspace32)
}

// resize returns s with n elements, in new memory if it must be.
func resize[F float32 | float64](s []F, n int) []F {
	if cap(s) < n {
		return make([]F, n)
	}
	return s[:n]
}

// TransformTo sets dst to the features of x. An empty dst is sized.
func (w *widened) TransformTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	_, out := w.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
	}
	to := dst.RawMatrix()
	s := w.workspace()
	s.reader.Reset(x)
	step := linear.BlockRows(out)
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		s.features = resize(s.features, (hi-lo)*out)
		features := blas32.General{Rows: hi - lo, Cols: out, Stride: out, Data: s.features}
		w.in32.TransformTo(features, s.single(lo, hi))
		single.Widen(blas64.General{Rows: hi - lo, Cols: out, Stride: to.Stride, Data: to.Data[lo*to.Stride:]}, features)
	}
	s.reader.Reset(nil)
	w.workspaces.Put(s)
}

// single returns the rows [lo, hi) of the reader's matrix in float32.
func (s *workspace32) single(lo, hi int) blas32.General {
	if s.reader.Lists == nil {
		if part, ok := s.reader.Matrix(lo, hi).(*rows.Single); ok {
			return part.General
		}
	}
	d := s.reader.Cols
	s.rows = resize(s.rows, (hi-lo)*d)
	for i := lo; i < hi; i++ {
		to := s.rows[(i-lo)*d:]
		for k, v := range s.reader.Row(i) {
			to[k] = float32(v)
		}
	}
	return blas32.General{Rows: hi - lo, Cols: d, Stride: d, Data: s.rows}
}

// TransformVec writes the features of x to dst and returns dst; a nil dst is allocated.
func (w *widened) TransformVec(dst, x []float64) []float64 {
	s := w.workspace()
	s.rows = resize(s.rows, len(x))
	for k, v := range x {
		s.rows[k] = float32(v)
	}
	dst = w.features(s, dst, s.rows)
	w.workspaces.Put(s)
	return dst
}

// features writes those of a row to dst and returns dst; a nil dst is allocated.
func (w *widened) features(s *workspace32, dst []float64, x []float32) []float64 {
	_, out := w.Dims()
	if dst == nil {
		dst = make([]float64, out)
	}
	s.features = w.in32.TransformVec(resize(s.features, out), x)
	single.WidenVec(dst, s.features)
	return dst
}
