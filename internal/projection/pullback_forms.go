// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// transposed returns the projection with the epilogue Store whose matrix is the transpose of factor·Ω, without biases.
func (p *Projection) transposed(factor float64) *Projection {
	t := NewIn(p.tier, p.in, p.forms, Store, 1)
	width, size := p.shape.width, t.panelSize()
	for i := range p.forms {
		from := p.packed[i/width*p.panelSize()+i%width:]
		for k := range p.in {
			t.packed[k/width*size+(i+1)*width+k%width] = factor * from[(k+1)*width]
		}
	}
	for k := range t.least {
		t.least[k] = noLists // rows of gradients are never lists
	}
	return t
}

// with returns the projection with another epilogue. It shares the weights.
func (p *Projection) with(e Epilogue) *Projection {
	q := *p
	q.epilogue = e
	return &q
}

// add adds Ωa to the rows of dst. It takes the memory of b.sums.
func (p *Projection) add(dst, a blas64.General, b *pullBuffer) {
	sums := matrixIn(&b.sums, dst.Rows, p.forms)
	p.block(sums, a, 0, p.panels(), b.buf)
	addMatrix(dst, sums)
}

// pullback of forms is the product by Ωᵀ of g times the derivatives of the epilogue.
func (f Forms) pullback() (partPullback, bool) {
	switch f.epilogue {
	case Store:
		return &linearPullback{f.At, f.transposed(1)}, true
	case CosSin:
		return &wavePullback{f.At, f.Projection, f.epilogue, f.transposed(2 * math.Pi)}, true
	case Cos:
		return &wavePullback{f.At, f.quarterOn(), f.epilogue, f.transposed(2 * math.Pi)}, true
	}
	return nil, false
}

// A linearPullback is the derivative of forms with the epilogue Store.
type linearPullback struct {
	at   int
	back *Projection // Ωᵀ
}

func (l *linearPullback) pull(dst, _, g blas64.General, b *pullBuffer) {
	l.back.add(dst, from(g, l.at), b)
}

// quarterOn returns the projection whose biases are a quarter turn larger: its cosines are the derivatives −sin 2πt of cosines by 2πt.
func (p *Projection) quarterOn() *Projection {
	q := *p
	q.packed = aligned(len(p.packed))
	copy(q.packed, p.packed)
	q.least = slices.Clone(p.least)
	w := make([]float64, p.in)
	for i := range p.forms {
		b := p.Form(w, i)
		q.Set(i, w, b+0.25)
	}
	return &q
}

// A wavePullback is the derivative of cosines, or of cosines and sines.
type wavePullback struct {
	at       int
	waves    *Projection // cosines and sines, or the derivatives of cosines
	epilogue Epilogue    // of the part
	back     *Projection // 2πΩᵀ
}

func (w *wavePullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	n := w.waves.forms
	slopes := wavesIn(&b.features, x.Rows, n)
	g = from(g, w.at)
	w.waves.blockThen(slopes, x, 0, w.waves.panels(), b.buf, func(row, end, first, last int) {
		for ; row < end; row++ {
			waveSlopes(w.epilogue, slopes.Data[row*slopes.Stride:], g.Data[row*g.Stride:], n, first, last)
		}
	})
	slopes.Cols = n
	w.back.add(dst, slopes, b)
}

// wavesIn returns room for the cosines and sines of n forms. Rows begin on cache lines, but not on pages, which would
// evict each other.
func wavesIn(memory *[]float64, rows, n int) blas64.General {
	const line = 8
	stride := (2*n+line-1)&^(line-1) + line
	*memory = grown(*memory, rows*stride)
	return blas64.General{Rows: rows, Cols: 2 * n, Stride: stride, Data: *memory}
}

// waveSlopes takes the cosines and sines of n phases 2πt, of which it overwrites the cosines by the derivatives by 2πt of
//
//	g₀·cos + gₙ·sin, that is, gₙ·cos − g₀·sin,
//
// for the forms [first, last). Each product is rounded by itself. With the epilogue Cos it takes the derivatives of the cosines, and
// multiplies them by g.
func waveSlopes(e Epilogue, waves, g []float64, n, first, last int) {
	cos, down := waves[first:last], g[first:last]
	if e == Cos {
		times(cos, down)
		return
	}
	const together = 8
	sin, up := waves[n+first:n+last], g[n+first:n+last]
	for ; len(cos) >= together; cos, sin, up, down = cos[together:], sin[together:], up[together:], down[together:] {
		c, s := (*[together]float64)(cos), (*[together]float64)(sin)
		u, d := (*[together]float64)(up), (*[together]float64)(down)
		c[0] = float64(c[0]*u[0]) - float64(s[0]*d[0])
		c[1] = float64(c[1]*u[1]) - float64(s[1]*d[1])
		c[2] = float64(c[2]*u[2]) - float64(s[2]*d[2])
		c[3] = float64(c[3]*u[3]) - float64(s[3]*d[3])
		c[4] = float64(c[4]*u[4]) - float64(s[4]*d[4])
		c[5] = float64(c[5]*u[5]) - float64(s[5]*d[5])
		c[6] = float64(c[6]*u[6]) - float64(s[6]*d[6])
		c[7] = float64(c[7]*u[7]) - float64(s[7]*d[7])
	}
	for i, c := range cos {
		cos[i] = float64(c*up[i]) - float64(sin[i]*down[i])
	}
}
