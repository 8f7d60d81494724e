// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "gonum.org/v1/gonum/blas/blas64"

// powersPullback is the derivative of Powers. A monomial of degree n + 1 is a monomial of degree n times a coordinate.
// So derivatives with respect to one degree give derivatives with respect to the degree below, and to the coordinates.
type powersPullback struct {
	*Powers
	before beforePullback
	first  []int // for degree 1, 2, …, its place among all monomials
	count  int   // the number of monomials
}

func (p *Powers) pullback() (partPullback, bool) {
	q := &powersPullback{p, p.before.pullback(), []int{0}, p.in}
	for _, n := range p.sizes {
		q.first = append(q.first, q.count)
		q.count += n
	}
	return q, true
}

func (p *powersPullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	y := p.Powers.before.rows(x, p.in, b.stackBuffer)
	sums := matrixIn(&b.image, x.Rows, p.in)
	b.features = grown(b.features, 2*p.count)
	for i := range x.Rows {
		p.row(sums.Data[i*p.in:][:p.in], y.Data[i*y.Stride:][:p.in], g.Data[i*g.Stride+p.at:],
			b.features[:p.count], b.features[p.count:2*p.count])
	}
	p.before.add(dst, sums, b)
}

// row sets dst to the pullback at a point y, in memory for the monomials and the derivatives with
// respect to them.
func (p *powersPullback) row(dst, y, g, monomials, slopes []float64) {
	copy(monomials, y)
	for n, ends := range p.ends {
		at := p.first[n+1]
		for k, end := range ends {
			multiply(monomials[at:at+end], monomials[p.first[n]:], y[k])
			at += end
		}
	}
	clear(slopes)
	for n, c := range p.coefficients {
		for i, v := range c {
			slopes[p.first[n+1]+i] = v * g[i]
		}
		g = g[len(c):]
	}
	clear(dst)
	for n := len(p.ends) - 1; n >= 0; n-- {
		at, below := p.first[n+1], p.first[n]
		for k, end := range p.ends[n] {
			sum := dst[k]
			for i, s := range slopes[at : at+end] {
				sum += float64(s * monomials[below+i])
				slopes[below+i] += float64(s * y[k])
			}
			dst[k] = sum
			at += end
		}
	}
	for k, s := range slopes[:p.in] {
		dst[k] += s
	}
}
