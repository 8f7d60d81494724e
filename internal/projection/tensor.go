// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// Tensor is columns that are products, like those of a Product, of linear forms which are rows of
// signed Walsh-Hadamard matrices: column i of a block is
//
//	scale·∏ⱼ (HDⱼx)_{rⱼ(i)},  or the parts of  scale·∏ⱼ (H(Dⱼ + iD'ⱼ)x)_{rⱼ(i)},
//
// with H the Walsh-Hadamard matrix of p columns, D diagonal matrices of signs, and rⱼ(i) the rows of
// factor j. A center is subtracted from points, and they are padded with zeros to p coordinates.
type Tensor struct {
	p      int
	imag   int // columns from a real part to its imaginary part; 0 if all products are real
	tier   tier.Tier
	engine wht.Engine
	center []float64 // nil: 0
	blocks []TensorBlock
}

// TensorBlock is columns that share their factors' signs.
type TensorBlock struct {
	At      int // first column
	Scale   float64
	Factors []TensorFactor // at least one
}

// A TensorFactor is one factor of the columns of a block.
type TensorFactor struct {
	Signs [2][]uint64 // of D, and of D' if products are complex: p signs, 1<<63 for −1
	Rows  []int       // of H, for each column
}

// NewTensor returns columns of products of forms on points padded to p coordinates, a power of two, in
// the best available tier. If imag is not 0 the products are complex, and the imaginary parts are imag
// columns after the real ones. The center, unless it is nil, is subtracted from points first.
func NewTensor(p, imag int, center []float64, blocks []TensorBlock) *Tensor {
	return newTensorIn(tier.Best(), p, imag, center, blocks)
}

func newTensorIn(t tier.Tier, p, imag int, center []float64, blocks []TensorBlock) *Tensor {
	return &Tensor{p: p, imag: imag, tier: t, engine: wht.For(t), center: center, blocks: blocks}
}

// parts returns the number of real transforms for a factor.
func (t *Tensor) parts() int {
	if t.imag != 0 {
		return 2
	}
	return 1
}

func (t *Tensor) transform(dst, x blas64.General, b *stackBuffer) {
	strips(dst, x, func(dst, x blas64.General) { t.strip(dst, x, b) })
}

// strip transforms wht.Lanes rows side by side, or one.
func (t *Tensor) strip(dst, x blas64.General, b *stackBuffer) {
	lanes := x.Rows
	point := b.points(t.tier, x, t.p)
	for k, c := range t.center {
		of := point[k*lanes:][:lanes]
		for l := range of {
			of[l] -= c
		}
	}
	for _, block := range t.blocks {
		columns := len(block.Factors[0].Rows)
		for c := range t.parts() {
			b.v[c] = grown(b.v[c], t.p*lanes)
			b.products[c] = grown(b.products[c], columns*lanes)
		}
		for j, f := range block.Factors {
			for c := range t.parts() {
				hadamard(t.engine, b.v[c], point, f.Signs[c], lanes)
				if j == 0 {
					takeRows(b.products[c], b.v[c], f.Rows, lanes, block.Scale)
				}
			}
			switch {
			case j == 0:
			case t.imag == 0:
				multiplyRows(b.products[0], b.v[0], f.Rows, lanes)
			default:
				for i, r := range f.Rows {
					multiplyComplex(b.products[0][i*lanes:(i+1)*lanes], b.products[1][i*lanes:],
						b.v[0][r*lanes:], b.v[1][r*lanes:])
				}
			}
		}
		for c := range t.parts() {
			separate(from(dst, block.At+c*t.imag), b.products[c], columns)
		}
	}
}

// group is one element of each of wht.Lanes vectors side by side. Loops over a group are unrolled,
// because the speed of the compiler's loop over eight elements depends on its address.
type group = *[wht.Lanes]float64

// takeRows sets element i of each lane of dst to scale times element rows[i] of v.
func takeRows(dst, v []float64, rows []int, lanes int, scale float64) {
	if lanes == 1 {
		for i, r := range rows {
			dst[i] = scale * v[r]
		}
		return
	}
	for i, r := range rows {
		to, from := group(dst[i*wht.Lanes:]), group(v[r*wht.Lanes:])
		to[0], to[1], to[2], to[3] = scale*from[0], scale*from[1], scale*from[2], scale*from[3]
		to[4], to[5], to[6], to[7] = scale*from[4], scale*from[5], scale*from[6], scale*from[7]
	}
}

// multiplyRows multiplies element i of each lane of dst by element rows[i] of v.
func multiplyRows(dst, v []float64, rows []int, lanes int) {
	if lanes == 1 {
		for i, r := range rows {
			dst[i] *= v[r]
		}
		return
	}
	for i, r := range rows {
		to, from := group(dst[i*wht.Lanes:]), group(v[r*wht.Lanes:])
		to[0], to[1], to[2], to[3] = to[0]*from[0], to[1]*from[1], to[2]*from[2], to[3]*from[3]
		to[4], to[5], to[6], to[7] = to[4]*from[4], to[5]*from[5], to[6]*from[6], to[7]*from[7]
	}
}

// separate writes the lanes of v, of n elements each, to the rows of dst.
func separate(dst blas64.General, v []float64, n int) {
	if dst.Rows == 1 {
		copy(dst.Data[:n], v)
		return
	}
	var row [wht.Lanes][]float64
	for l := range row {
		row[l] = dst.Data[l*dst.Stride:][:n]
	}
	for i := range n {
		from := group(v[i*wht.Lanes:])
		row[0][i], row[1][i], row[2][i], row[3][i] = from[0], from[1], from[2], from[3]
		row[4][i], row[5][i], row[6][i], row[7][i] = from[4], from[5], from[6], from[7]
	}
}
