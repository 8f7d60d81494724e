// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"sort"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Product is columns that are products of linear forms,
//
//	∏ⱼ uⱼ·x,  or the real and the imaginary parts of  ∏ⱼ (uⱼ + ivⱼ)·x,
//
// or of affine forms, uⱼ·x + bⱼ. Column i has degrees[i] ≥ 1 factors. Degrees are ascending, so the
// columns with a factor j are the last ones. Each factor is one projection that is multiplied into
// them, in registers. (A complex factor goes through a buffer.)
type Product struct {
	at     int
	imag   int           // columns from a real part to its imaginary part; 0 if all products are real
	starts []int         // the first column of factor j
	u, v   []*Projection // factor j, from this column on
}

// NewProduct returns columns from column at on of products of forms on R^in, all zero, in the best
// available tier. If imag is not 0 the products are complex, and the imaginary parts are imag
// columns after the real ones.
func NewProduct(in, at, imag int, degrees []int) *Product {
	return newProductIn(tier.Best(), in, at, imag, degrees)
}

func newProductIn(t tier.Tier, in, at, imag int, degrees []int) *Product {
	p := &Product{at: at, imag: imag}
	for j := range degrees[len(degrees)-1] {
		start := sort.SearchInts(degrees, j+1)
		e := Multiply
		if j == 0 || imag != 0 {
			e = Store
		}
		p.starts = append(p.starts, start)
		p.u = append(p.u, NewIn(t, len(degrees)-start, in, e, 1))
		if imag != 0 {
			p.v = append(p.v, NewIn(t, len(degrees)-start, in, e, 1))
		}
	}
	return p
}

// Degree returns the number of factors of column i.
func (p *Product) Degree(i int) int { return sort.SearchInts(p.starts, i+1) }

// SetReal makes x ↦ u·x + b factor j of column i, or the real part of the factor.
func (p *Product) SetReal(i, j int, u []float64, b float64) { p.u[j].Set(i-p.starts[j], u, b) }

// SetImag makes x ↦ v·x + b the imaginary part of factor j of column i.
func (p *Product) SetImag(i, j int, v []float64, b float64) { p.v[j].Set(i-p.starts[j], v, b) }

func (p *Product) transform(dst, x blas64.General, b *stackBuffer) {
	p.multiply(dst, b, func(f *Projection, to blas64.General) { f.block(to, x, 0, f.panels(), b.buf) })
}

// multiply sets the columns to the products of the factors, of which one is computed at a time.
func (p *Product) multiply(dst blas64.General, b *stackBuffer, compute func(f *Projection, to blas64.General)) {
	for j, u := range p.u {
		to := from(dst, p.at+p.starts[j])
		if p.imag == 0 {
			compute(u, to)
			continue
		}
		v := p.v[j]
		if j == 0 {
			compute(u, to)
			compute(v, from(to, p.imag))
			continue
		}
		var factor [2]blas64.General
		for i, f := range [2]*Projection{u, v} {
			b.factor[i] = grown(b.factor[i], dst.Rows*f.forms)
			factor[i] = blas64.General{Rows: dst.Rows, Cols: f.forms, Stride: f.forms, Data: b.factor[i]}
			compute(f, factor[i])
		}
		for r := range dst.Rows {
			row := to.Data[r*to.Stride:]
			multiplyComplex(row[:u.forms], row[p.imag:p.imag+u.forms],
				factor[0].Data[r*u.forms:], factor[1].Data[r*u.forms:])
		}
	}
}

// multiplyComplex multiplies re + i·im by a + ib, element by element.
func multiplyComplex(re, im, a, b []float64) {
	im, a, b = im[:len(re)], a[:len(re)], b[:len(re)]
	for i, x := range re {
		y := im[i]
		re[i] = float64(x*a[i]) - float64(y*b[i])
		im[i] = float64(x*b[i]) + float64(y*a[i])
	}
}
