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

// Rows are columns, from column At on, that a function of another package computes, row by row. The
// function must be safe for concurrent use.
type Rows struct {
	At, Columns int
	Of          func(dst, x []float64)

	// Derive returns a function that sets dst to J(x)ᵀg, where J is the Jacobian matrix of Of, and that is safe for
	// concurrent use. It returns nil if Of has no derivative. Derive may be nil, too.
	Derive func() func(dst, x, g []float64)

	// Rounded says that in float32 the columns may be computed in float64 and rounded.
	Rounded bool
}

func (f Rows) transform(dst, x blas64.General, _ *stackBuffer) {
	for i := range x.Rows {
		f.Of(dst.Data[i*dst.Stride+f.At:][:f.Columns:f.Columns], x.Data[i*x.Stride:][:x.Cols:x.Cols])
	}
}

// Weighted multiplies columns that other parts have written, from column At on, by a function of
// the row. The function must be safe for concurrent use.
type Weighted struct {
	At, Columns int
	Weight      func(x []float64) float64

	// Gradient sets dst to the gradient of Weight, and must be safe for concurrent use too; nil if there is no
	// gradient. Flat says that the gradient is 0 everywhere.
	Gradient func(dst, x []float64)
	Flat     bool
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

// Scaled multiplies each column that other parts have written, from column At on, by its own factor.
type Scaled struct {
	At      int
	Factors []float64
}

func (s Scaled) transform(dst, _ blas64.General, _ *stackBuffer) { s.multiply(dst) }

func (s Scaled) multiply(a blas64.General) {
	for i := range a.Rows {
		row := a.Data[i*a.Stride+s.At:][:len(s.Factors)]
		for j, c := range s.Factors {
			row[j] *= c
		}
	}
}
