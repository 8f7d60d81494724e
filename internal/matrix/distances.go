// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package matrix

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Distances of points in the space of a kernel.

// Coordinates returns points whose Euclidean distances are those of the kernel: the images of its statistics next to
// each other, in units of its length scales. ok is false if the kernel is not a function of distances only.
func (p *Program) Coordinates(x *mat.Dense) (z *mat.Dense, ok bool) {
	if len(p.statistics) == 0 || len(p.weights) > 0 || p.Evaluated > 0 {
		return nil, false
	}
	n, _ := x.Dims()
	var parts []blas64.General
	width := 0
	for _, s := range p.statistics {
		if s.measure.Of > gram.Ratios {
			return nil, false
		}
		image := p.images[s.image].apply(x.RawMatrix(), make([]float64, x.RawMatrix().Cols))
		scaled := blas64.General{Rows: n, Cols: image.Cols, Stride: image.Cols, Data: make([]float64, n*image.Cols)}
		for i := range n {
			for k, v := range Row(image, i) {
				if s.factors != nil {
					v *= s.factors[k]
				}
				scaled.Data[i*scaled.Stride+k] = v * s.measure.Scale
			}
		}
		parts = append(parts, scaled)
		width += image.Cols
	}
	z = mat.NewDense(n, width, nil)
	for i := range n {
		at := z.RawRowView(i)
		for _, part := range parts {
			at = at[copy(at, Row(part, i)):]
		}
	}
	return z, true
}

// Distances returns k(x, x) + k(y, y) − 2k(x, y) for all rows x of points and the rows y with the given numbers.
func (p *Program) Distances(points *mat.Dense, at []int) (*mat.Dense, error) {
	n, _ := points.Dims()
	m := New(p, rows.Pick(points, at))
	d := mat.NewDense(n, len(at), nil)
	m.RowsTo(d.RawMatrix(), points)
	diagonal := make([]float64, n)
	m.DiagonalTo(diagonal, points)
	for i := range n {
		row := d.RawRowView(i)
		for j, k := range at {
			v := diagonal[i] + diagonal[k] - float64(2*row[j])
			if !arith.Finite(v) {
				return nil, fmt.Errorf("featuremap: points: the kernel's distance of two points is %v: must be finite", v)
			}
			row[j] = max(v, 0)
		}
	}
	return d, nil
}
