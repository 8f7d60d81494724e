// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// transposed returns the projection with the epilogue Store whose matrix is the transpose of factor·Ω, without biases.
// Rows of zeros fill its last panel.
func (p *Projection) transposed(factor float64) *Projection {
	s := shapeFor(p.tier, p.in)
	t := newShaped(p.tier, s, s.padded(p.in), p.forms, Store, 1)
	width, size := p.shape.width, t.panelSize()
	for i := range p.forms {
		from := p.packed[i/width*p.panelSize()+i%width:]
		for k := range p.in {
			t.packed[k/s.width*size+(i+1)*s.width+k%s.width] = factor * from[(k+1)*width]
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

// add adds Ωa to the rows of dst. It uses the memory of b.sums.
func (p *Projection) add(dst, a blas64.General, b *pullBuffer) {
	sums := matrixIn(&b.sums, dst.Rows, p.forms)
	p.block(sums, a, 0, p.panels(), b.buf)
	addMatrix(dst, sums)
}

// pullback multiplies g by the derivatives of the epilogue, and then by Ωᵀ.
func (f Forms) pullback() (partPullback, bool) {
	switch f.epilogue {
	case Store:
		return &linearPullback{f.At, f.transposed(1)}, true
	case CosSin:
		return f.wavesThen(f.Projection), true
	case Cos:
		return f.wavesThen(f.quarterOn()), true
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

// quarterOn returns the projection with biases that are a quarter turn larger: its cosines are −sin 2πt, the
// derivatives of cosines with respect to 2πt.
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

// wavePullback is the derivative of cosines, or of cosines and sines. It processes a number of forms at a time, whose
// slopes stay in the second-level cache; the chains of all coordinates then continue from their partial sums.
type wavePullback struct {
	at       int
	waves    *Projection // cosines and sines, or the derivatives of cosines
	epilogue Epilogue    // the part's epilogue
	back     *Projection // 2πΩᵀ
	together int         // the number of forms at a time
}

// waveForms is about the number of forms that a wavePullback processes at a time.
const waveForms = 480

// wavesThen returns the derivative of cosines, or of cosines and sines, with the forms of waves.
func (f Forms) wavesThen(waves *Projection) *wavePullback {
	panels := max(waveForms/waves.shape.width, 1)
	w := &wavePullback{f.At, waves.with(f.epilogue), f.epilogue, f.transposed(2 * math.Pi), panels * waves.shape.width}
	w.waves.sin = w.together
	return w
}

func (w *wavePullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	n := w.waves.forms
	slopes := wavesIn(&b.features, x.Rows, w.together)
	sums := matrixIn(&b.sums, x.Rows, w.back.forms)
	g = from(g, w.at)
	for first := 0; first < n; first += w.together {
		end := min(first+w.together, n)
		width := w.waves.shape.width
		w.waves.blockFrom(first, slopes, x, first/width, (end-1)/width+1, b.buf, func(row, rows, from, to int) {
			for ; row < rows; row++ {
				waves, gradient := slopes.Data[row*slopes.Stride+from-first:], g.Data[row*g.Stride+from:]
				waveSlopes(w.waves.tier, w.epilogue, to-from, waves, w.together, gradient, n)
			}
		})
		w.back.resume(sums, slopes, first, end, b.buf)
	}
	addMatrix(dst, sums)
}

// wavesIn returns room for the cosines and sines of n forms. Rows begin on cache lines, but not on pages, or they
// would evict each other.
func wavesIn(memory *[]float64, rows, n int) blas64.General {
	const line = 8
	stride := (2*n+line-1)&^(line-1) + line
	*memory = grown(*memory, rows*stride)
	return blas64.General{Rows: rows, Cols: 2 * n, Stride: stride, Data: *memory}
}

// waveSlopes takes the cosines of n phases 2πt, and their sines from sin on. It overwrites the cosines by the
// derivatives with respect to 2πt of
//
//	g₀·cos + g₁·sin, that is, g₁·cos − g₀·sin,
//
// with g₁ from up on. With the epilogue Cos it takes the derivatives of the cosines, and multiplies them by g.
func waveSlopes(t tier.Tier, e Epilogue, n int, waves []float64, sin int, g []float64, up int) {
	if e == Cos {
		times(t, waves[:n], g)
		return
	}
	slopes(t, waves[:n], waves[sin:sin+n], g[up:up+n], g[:n])
}

// slopes sets the elements of cos to cos·up − sin·down. Each product is rounded by itself.
func slopes(t tier.Tier, cos, sin, up, down []float64) {
	done := 0
	if t != tier.Plain {
		done = slopesAssembly(t, cos, sin, up, down)
	}
	slopesPlain(cos, sin, up, down, done)
}

// slopesPlain does so from form i on.
func slopesPlain(cos, sin, up, down []float64, i int) {
	cos = cos[i:]
	sin, up, down = sin[i:][:len(cos)], up[i:][:len(cos)], down[i:][:len(cos)]
	for k, c := range cos {
		cos[k] = float64(c*up[k]) - float64(sin[k]*down[k])
	}
}
