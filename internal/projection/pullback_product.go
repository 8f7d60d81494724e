// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// productPullback is the derivative of a Product. The derivative of g·∏ₗfₗ with respect to factor j is
// g·∏_{l<j}fₗ·∏_{l>j}fₗ, which then goes through the transposed forms of the factor.
//
// If products are complex, take g = g_re − i·g_im. Then the real part of this is the derivative with respect to the
// real part of the factor, and the imaginary part is minus the derivative with respect to its imaginary part.
type productPullback struct {
	*Product
	forms [2][]*Projection // for the real and the imaginary parts of the factors, with the epilogue Store
	backs [2][]*Projection // their transposes
	first []int            // the place of factor j among the factors of all columns
	count int              // the number of factors of all columns
}

func (p *Product) pullback() (partPullback, bool) {
	q := &productPullback{Product: p}
	for c, factors := range [2][]*Projection{p.u, p.v} {
		for _, f := range factors {
			if c == 0 {
				q.first = append(q.first, q.count)
				q.count += f.forms
			}
			q.forms[c] = append(q.forms[c], f.with(Store))
			q.backs[c] = append(q.backs[c], f.transposed(1))
		}
	}
	return q, true
}

// parts returns 2 if products are complex, otherwise 1.
func (p *productPullback) parts() int {
	if p.imag != 0 {
		return 2
	}
	return 1
}

func (p *productPullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	p.pullFrom(p.at, dst, x, g, b)
}

// pullFrom is pull for a product whose first column is at.
func (p *productPullback) pullFrom(at int, dst, x, g blas64.General, b *pullBuffer) {
	// For each part: the values of all factors, and then the derivatives with respect to them.
	var values, slopes [2]blas64.General
	for c := range p.parts() {
		b.factors[c] = grown(b.factors[c], x.Rows*2*p.count)
		values[c] = blas64.General{Rows: x.Rows, Cols: p.count, Stride: 2 * p.count, Data: b.factors[c]}
		slopes[c] = from(values[c], p.count)
		for j, f := range p.forms[c] {
			f.block(from(values[c], p.first[j]), x, 0, f.panels(), b.buf)
		}
	}
	for i := range x.Rows {
		row := func(a blas64.General) []float64 {
			if a.Data == nil {
				return nil
			}
			return a.Data[i*a.Stride:][:p.count]
		}
		re, im := row(values[0]), row(values[1])
		p.slopes(row(slopes[0]), row(slopes[1]), re, im, g.Data[i*g.Stride+at:], b)
	}
	for c := range p.parts() {
		for j, back := range p.backs[c] {
			back.add(dst, from(slopes[c], p.first[j]), b)
		}
	}
}

// slopes sets u and v to the derivatives of a row with respect to re and im, the real and the imaginary parts of
// its factors. If products are real, v and im are nil.
func (p *productPullback) slopes(u, v, re, im, g []float64, b *pullBuffer) {
	n, on := p.forms[0][0].forms, p.forms[0][0].tier
	b.features = grown(b.features, 2*n)
	product, imag := b.features[:n], b.features[n:2*n]
	if copy(product, g); im == nil {
		imag = nil
	}
	for i := range imag {
		imag[i] = -g[p.imag+i]
	}
	// factor calls f with the place of factor j, and with the places of what it multiplies in a
	// row.
	factor := func(j int, f func(at, end, start int)) {
		f(p.first[j], p.first[j]+n-p.starts[j], p.starts[j])
	}
	for j := range p.first {
		factor(j, func(at, end, start int) {
			copy(u[at:end], product[start:])
			if im == nil {
				times(on, product[start:], re[at:end])
				return
			}
			copy(v[at:end], imag[start:])
			multiplyComplex(product[start:], imag[start:], re[at:end], im[at:end])
		})
	}
	for i := range product {
		product[i] = 1
	}
	clear(imag)
	for j := len(p.first) - 1; j >= 0; j-- {
		factor(j, func(at, end, start int) {
			if im == nil {
				times(on, u[at:end], product[start:])
				times(on, product[start:], re[at:end])
				return
			}
			multiplyComplex(u[at:end], v[at:end], product[start:], imag[start:])
			multiplyComplex(product[start:], imag[start:], re[at:end], im[at:end])
		})
	}
	for i := range v {
		v[i] = -v[i]
	}
}

// times multiplies dst by a, element by element.
func times(t tier.Tier, dst, a []float64) {
	done := 0
	if t != tier.Plain {
		done = timesAssembly(t, dst, a[:len(dst)])
	}
	timesPlain(dst, a, done)
}

// timesPlain does so from element i on.
func timesPlain(dst, a []float64, i int) {
	dst = dst[i:]
	for k, v := range a[i:][:len(dst)] {
		dst[k] *= v
	}
}

func (s Sum) pullback() (partPullback, bool) {
	q := sumPullback{at: s.At}
	for _, p := range s.Products {
		pull, _ := p.pullback()
		q.products = append(q.products, pull.(*productPullback))
	}
	return q, true
}

// sumPullback is the derivative of a Sum, the derivatives of its products one after another.
type sumPullback struct {
	at       int
	products []*productPullback
}

func (s sumPullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	for _, p := range s.products {
		p.pullFrom(s.at, dst, x, g, b)
	}
}
