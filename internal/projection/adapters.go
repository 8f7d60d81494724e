// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "gonum.org/v1/gonum/blas/blas64"

// Forms are the columns of a projection, from column At on.
type Forms struct {
	*Projection
	At int
}

func (f Forms) projection() *Projection { return f.Projection }

func (f Forms) transform(dst, x blas64.General, b *stackBuffer) {
	f.transformPanels(dst, x, 0, f.panels(), b.buf)
}

func (f Forms) transformPanels(dst, x blas64.General, lo, hi int, buf *buffer) {
	f.block(from(dst, f.At), x, lo, hi, buf)
}

// Rows are columns, from column At on, that somebody else's function computes, row by row. It must
// be safe for concurrent use.
type Rows struct {
	At, Columns int
	Of          func(dst, x []float64)
}

func (f Rows) transform(dst, x blas64.General, _ *stackBuffer) {
	for i := range x.Rows {
		f.Of(dst.Data[i*dst.Stride+f.At:][:f.Columns:f.Columns], x.Data[i*x.Stride:][:x.Cols:x.Cols])
	}
}

// Weighted multiplies columns that other parts have written, from column At on, by a function of
// the row, which must be safe for concurrent use.
type Weighted struct {
	At, Columns int
	Weight      func(x []float64) float64
}

func (w Weighted) transform(dst, x blas64.General, _ *stackBuffer) {
	for i := range x.Rows {
		c := w.Weight(x.Data[i*x.Stride:][:x.Cols:x.Cols])
		row := dst.Data[i*dst.Stride+w.At:][:w.Columns]
		for j := range row {
			row[j] *= c
		}
	}
}
