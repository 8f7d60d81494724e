// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Powers are columns that are monomials ∏ xₖ^αₖ times coefficients: all monomials of degree 2, or none,
// then those of degree 3, and so on.
//
// The monomials of degree n are, for k = 0, 1, …, xₖ times the monomials of degree n − 1 in the
// coordinates up to k, which come first in that degree. So each column takes two multiplications, in a
// fixed order.
type Powers struct {
	at, in       int
	before       Before
	coefficients [][]float64
	sizes        []int   // the number of monomials of degree 2, 3, …
	ends         [][]int // the same for each k, for degree 1, 2, … in the coordinates 0 … k
}

// NewPowers returns the monomials, from column at on, of the in coordinates that before produces.
// coefficients lists the coefficients of degree 2, degree 3, …. A degree with nil coefficients has no
// columns; the last degree must have columns.
func NewPowers(at, in int, before Before, coefficients [][]float64) *Powers {
	p := &Powers{at: at, in: in, before: before, coefficients: coefficients}
	ends := make([]int, in)
	for k := range ends {
		ends[k] = k + 1
	}
	for range coefficients {
		p.ends = append(p.ends, slices.Clone(ends))
		for k := 1; k < in; k++ {
			ends[k] += ends[k-1]
		}
		p.sizes = append(p.sizes, ends[in-1])
	}
	return p
}

func (p *Powers) transform(dst, x blas64.General, b *stackBuffer) {
	y := p.before.rows(x, p.in, b)
	for i := range y.Rows {
		p.row(dst.Data[i*dst.Stride+p.at:], y.Data[i*y.Stride:][:y.Cols], b)
	}
}

// row writes the columns of one point: first monomials, of which those of the highest degree have their
// coefficients, then the coefficients of the others.
func (p *Powers) row(dst, x []float64, b *stackBuffer) {
	to, before := dst, x
	for n, c := range p.coefficients {
		next, size := to, p.sizes[n]
		if c != nil {
			to = to[size:]
		} else {
			b.factor[n%2] = grown(b.factor[n%2], size)
			next = b.factor[n%2]
		}
		at := 0
		for k, end := range p.ends[n] {
			if n == len(p.coefficients)-1 {
				multiplyScaled(next[at:at+end], before, c[at:], x[k])
			} else {
				multiply(next[at:at+end], before, x[k])
			}
			at += end
		}
		before = next
	}
	for _, c := range p.coefficients[:len(p.coefficients)-1] {
		for i, v := range c {
			dst[i] *= v
		}
		dst = dst[len(c):]
	}
}

// multiply sets dst to v·m.
func multiply(dst, m []float64, v float64) {
	m = m[:len(dst)]
	for i := range dst {
		dst[i] = v * m[i]
	}
}

// multiplyScaled sets dst to v·m, times c element by element.
func multiplyScaled(dst, m, c []float64, v float64) {
	m, c = m[:len(dst)], c[:len(dst)]
	for i := range dst {
		dst[i] = float64(v*m[i]) * c[i]
	}
}
