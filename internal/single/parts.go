// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import "gonum.org/v1/gonum/blas/blas32"

// Forms are the columns of a projection, from column At on.
type Forms struct {
	*Projection
	At int
}

func (f Forms) projection() *Projection { return f.Projection }

func (f Forms) transform(dst, x blas32.General, b *buffer) {
	f.transformPanels(dst, x, 0, f.panels(), b)
}

func (f Forms) transformPanels(dst, x blas32.General, lo, hi int, b *buffer) {
	f.block(from(dst, f.At), x, lo, hi, &b.tiles)
}

// Constants are columns, from column At on, that do not depend on x.
type Constants struct {
	At     int
	Values []float32
}

func (c Constants) transform(dst, _ blas32.General, _ *buffer) {
	for i := range dst.Rows {
		copy(dst.Data[i*dst.Stride+c.At:], c.Values)
	}
}

// Copy is the columns scale·x − scale·c, each product rounded by itself, from column At on.
type Copy struct {
	At     int
	Scale  float32
	Center []float32 // c; nil: 0
}

func (c Copy) transform(dst, x blas32.General, _ *buffer) {
	for i := range x.Rows {
		to := dst.Data[i*dst.Stride+c.At:]
		for k, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			to[k] = float32(c.Scale * v)
		}
		for k, v := range c.Center {
			to[k] -= float32(c.Scale * v)
		}
	}
}

// Rows are columns, from column At on, that a function computes in float64, row by row. They are rounded once. The
// function must be safe for concurrent use.
type Rows struct {
	At, Columns int
	Of          func(dst, x []float64)
}

func (f Rows) transform(dst, x blas32.General, b *buffer) {
	if len(b.columns) < f.Columns {
		b.columns = make([]float64, f.Columns)
	}
	columns := b.columns[:f.Columns:f.Columns]
	for i := range x.Rows {
		f.Of(columns, b.wide(x.Data[i*x.Stride:][:x.Cols]))
		to := dst.Data[i*dst.Stride+f.At:]
		for j, v := range columns {
			to[j] = float32(v)
		}
	}
}

// Weighted multiplies columns that other parts have written, from column At on, by a function of the row in float64.
// The function must be safe for concurrent use. Products with the weight are computed in float64 and rounded once.
type Weighted struct {
	At, Columns int
	Weight      func(x []float64) float64
}

func (w Weighted) transform(dst, x blas32.General, b *buffer) {
	for i := range x.Rows {
		c := w.Weight(b.wide(x.Data[i*x.Stride:][:x.Cols]))
		row := dst.Data[i*dst.Stride+w.At:][:w.Columns]
		for j, v := range row {
			row[j] = float32(float64(v) * c)
		}
	}
}

// wide returns a row in float64, valid until the next one.
func (b *buffer) wide(x []float32) []float64 {
	if len(b.row) < len(x) {
		b.row = make([]float64, len(x))
	}
	row := b.row[:len(x):len(x)]
	for k, v := range x {
		row[k] = float64(v)
	}
	return row
}
