// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// tensorPullback is the derivative of a Tensor. The derivatives with respect to the factors are as for a Product. They
// go back through H, which is its own transpose, and the signs.
type tensorPullback struct {
	*Tensor
}

// Tensor takes all coordinates: a warp in front of it is only a center.
func (t *Tensor) pullback() (partPullback, bool) { return &tensorPullback{t}, true }

func (t *tensorPullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	eachStrip(x.Rows, func(lo, hi int) { t.strip(rowRange(dst, lo, hi), rowRange(x, lo, hi), rowRange(g, lo, hi), b) })
}

// strip pulls back wht.Lanes rows, or one row.
func (t *tensorPullback) strip(dst, x, g blas64.General, b *pullBuffer) {
	lanes, in := x.Rows, x.Cols
	centered := matrixIn(&b.image, lanes, in)
	for i := range lanes {
		row := centered.Data[i*in:][:in]
		copy(row, x.Data[i*x.Stride:])
		for k, c := range t.center {
			row[k] -= c
		}
	}
	point := slices.Clone(b.points(t.tier, centered, t.p))
	total := make([]float64, in*lanes)
	for _, block := range t.blocks {
		t.block(total, point, from(g, block.At), block, b)
	}
	sums := matrixIn(&b.sums, lanes, in)
	separate(sums, total, in)
	addMatrix(dst, sums)
}

// block adds the pullback of a block of columns to the totals of some points, all side by side.
func (t *tensorPullback) block(total, point []float64, g blas64.General, block TensorBlock, b *pullBuffer) {
	lanes, columns, size := g.Rows, len(block.Factors[0].Rows), t.p*g.Rows
	// For each part: the derivative with respect to the product of the factors so far, and the values of the forms of
	// all factors.
	var product, values, slopes [2][]float64
	n := columns * lanes
	for c := range t.parts() {
		part := from(g, c*t.imag)
		part.Cols = columns
		product[c] = slices.Clone(b.points(t.tier, part, columns))
		for i := range product[c] {
			product[c][i] *= block.Scale
			if c == 1 {
				product[c][i] = -product[c][i]
			}
		}
		b.factors[c] = grown(b.factors[c], 2*n*len(block.Factors))
		values[c], slopes[c] = b.factors[c][:n*len(block.Factors)], b.factors[c][n*len(block.Factors):]
		b.v[c] = grown(b.v[c], size)
		for j, f := range block.Factors {
			hadamard(t.engine, b.v[c], point, f.Signs[c], lanes)
			takeRows(values[c][j*n:], b.v[c], f.Rows, lanes, 1)
		}
	}
	for j := range block.Factors {
		for c := range t.parts() {
			copy(slopes[c][j*n:(j+1)*n], product[c])
		}
		t.multiply(product, values, j*n)
	}
	for i := range product[0] {
		product[0][i] = 1
	}
	clear(product[1])
	for j := len(block.Factors) - 1; j >= 0; j-- {
		f := block.Factors[j]
		at := [2][]float64{slopes[0][j*n : (j+1)*n]}
		if t.imag != 0 {
			at[1] = slopes[1][j*n : (j+1)*n]
		}
		t.multiply(at, product, 0)
		t.multiply(product, values, j*n)
		for c := range t.parts() {
			v := b.v[c]
			clear(v)
			for i, r := range f.Rows {
				for l := range lanes {
					s := at[c][i*lanes+l]
					if c == 1 {
						s = -s
					}
					v[r*lanes+l] = s
				}
			}
			hadamard(t.engine, v, v, nil, lanes)
			addSigned(t.tier, total, v, f.Signs[c], lanes)
		}
	}
}

// multiply multiplies a by the elements of b from at on: real or complex numbers.
func (t *tensorPullback) multiply(a, b [2][]float64, at int) {
	if t.imag == 0 {
		times(t.tier, a[0], b[0][at:])
		return
	}
	multiplyComplex(a[0], a[1], b[0][at:], b[1][at:])
}
