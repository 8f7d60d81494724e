// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "gonum.org/v1/gonum/blas/blas64"

// Parts made of other transforms, so that several of them pass over the rows together.

// Parts returns the parts of the stack.
func (s *Stack) Parts() []Part { return s.parts }

// Forms is the Part that is a whole projection.
type Forms struct{ *Projection }

func (f Forms) transform(dst, x blas64.General, b *stackBuffer) {
	f.block(dst, x, 0, f.panels(), b.buf)
}

// A Shift is some columns, from column At on, that parts write from their column 0 on, each
// multiplied by Weight of its row, unless that is nil.
type Shift struct {
	At, Columns int
	Parts       []Part
	Weight      func(x []float64) float64
}

func (s Shift) transform(dst, x blas64.General, b *stackBuffer) {
	dst = from(dst, s.At)
	dst.Cols = s.Columns
	for _, p := range s.Parts {
		p.transform(dst, x, b)
	}
	if s.Weight == nil {
		return
	}
	for i := range x.Rows {
		w := s.Weight(x.Data[i*x.Stride:][:x.Cols:x.Cols])
		row := dst.Data[i*dst.Stride:][:s.Columns]
		for j := range row {
			row[j] *= w
		}
	}
}

// Rows is a part that somebody else's function computes, row by row. It must be safe for
// concurrent use.
type Rows func(dst, x []float64)

func (f Rows) transform(dst, x blas64.General, _ *stackBuffer) {
	for i := range x.Rows {
		f(dst.Data[i*dst.Stride:][:dst.Cols:dst.Cols], x.Data[i*x.Stride:][:x.Cols:x.Cols])
	}
}

// A Neurons is a projection whose outputs go through an activation, times a scale.
type Neurons struct {
	*Projection // with the epilogue Store
	Activation  func(t float64) float64
	Scale       float64
}

func (n Neurons) transform(dst, x blas64.General, b *stackBuffer) {
	n.block(dst, x, 0, n.panels(), b.buf)
	for i := range x.Rows {
		row := dst.Data[i*dst.Stride:][:dst.Cols]
		for j, v := range row {
			row[j] = n.Scale * n.Activation(v)
		}
	}
}
