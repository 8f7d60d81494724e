// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// structuredPullback is the derivative of a Structured. g times the slopes of the waves goes through the transposed
// blocks
//
//	D₁·H·D₂·H·D₃·H·S,
//
// whose results are added block by block. The sum goes through the transpose of the map in front of the blocks.
type structuredPullback struct {
	*Structured             // its cosines and sines, or the derivatives of its cosines, for a block
	part        *Structured // unchanged
	lengths     []float64   // 2π·scale
	before      beforePullback
}

func (s *Structured) pullback() (partPullback, bool) {
	waves := *s
	waves.at = 0
	if s.epilogue == CosSin {
		waves.sin = s.p
	}
	if s.epilogue == Cos { // −sin 2πt is the cosine a quarter turn further
		waves.bias = aligned(len(s.bias))
		for i, b := range s.bias {
			waves.bias[i] = b + 0.25
		}
	}
	p := &structuredPullback{&waves, s, make([]float64, len(s.scale)), s.before.pullback()}
	for i, v := range s.scale {
		p.lengths[i] = 2 * math.Pi * v
	}
	return p, true
}

func (p *structuredPullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	sums := matrixIn(&b.image, x.Rows, p.in)
	g = from(g, p.part.at)
	eachStrip(x.Rows, func(lo, hi int) { p.strip(rowRange(sums, lo, hi), rowRange(x, lo, hi), rowRange(g, lo, hi), b) })
	p.before.add(dst, sums, b)
}

// strip sets some rows of sums, wht.Lanes or one, to the products of slopes by the transposed blocks.
func (p *structuredPullback) strip(sums, x, g blas64.General, b *pullBuffer) {
	lanes := sums.Rows
	size := p.p * lanes
	b.factors[0], b.v[0], b.v[1] = grown(b.factors[0], size), grown(b.v[0], size), grown(b.v[1], p.in*lanes)
	point, v, total := b.factors[0], b.v[0], b.v[1]
	copy(point, b.points(p.tier, p.Structured.before.rows(x, p.in, b.stackBuffer), p.p))
	clear(total)
	slopes := wavesIn(&b.features, lanes, p.p)
	for first := 0; first < p.forms; first += p.p {
		forms := min(p.p, p.forms-first)
		p.block(slopes, point, v, first)
		for i := range lanes {
			row := slopes.Data[i*slopes.Stride:]
			waveSlopes(p.tier, p.part.epilogue, forms, row, p.p, g.Data[i*g.Stride+first:], p.forms)
			times(p.tier, row[:forms], p.lengths[first:])
		}
		block := slopes
		block.Cols = forms
		hadamard(p.engine, v, b.points(p.tier, block, p.p), nil, lanes)
		hadamard(p.engine, v, v, p.Signs(first, 2), lanes)
		hadamard(p.engine, v, v, p.Signs(first, 1), lanes)
		addSigned(p.tier, total, v, p.Signs(first, 0), lanes)
	}
	separate(sums, total, p.in)
}

// addSigned adds the vectors of v, as many side by side as lanes, to total, with the signs of their elements changed by
// masks. There is at least one coordinate.
func addSigned(t tier.Tier, total, v []float64, signs []uint64, lanes int) {
	v, signs = v[:len(total)], signs[:len(total)/lanes]
	if t == tier.Plain || lanes == 1 {
		addSignedPlain(total, v, signs, lanes)
		return
	}
	for ; len(signs) > callForms; signs = signs[callForms:] {
		addSignedAssembly(t, total[:callForms*lanes], v, signs)
		total, v = total[callForms*lanes:], v[callForms*lanes:]
	}
	addSignedAssembly(t, total, v, signs)
}

// addSignedPlain is the specification of addSigned.
func addSignedPlain(total, v []float64, signs []uint64, lanes int) {
	for k, mask := range signs {
		to, from := total[k*lanes:][:lanes], v[k*lanes:][:lanes]
		for l, e := range from {
			to[l] += math.Float64frombits(math.Float64bits(e) ^ mask)
		}
	}
}

// A beforePullback is the derivative of a Before.
type beforePullback struct {
	linear   *Projection // the transpose; nil: the identity
	diagonal []float64
}

func (w Before) pullback() (p beforePullback) {
	if w.Linear != nil {
		p.linear = w.Linear.transposed(1)
	}
	p.diagonal = w.Diagonal
	return p
}

// add adds to dst what the rows of a are pulled back to. It may overwrite a.
func (p beforePullback) add(dst, a blas64.General, b *pullBuffer) {
	if p.linear != nil {
		p.linear.add(dst, a, b)
		return
	}
	if p.diagonal != nil {
		for i := range a.Rows {
			row := a.Data[i*a.Stride:]
			for k, v := range p.diagonal {
				row[k] = float64(row[k] * v)
			}
		}
	}
	addMatrix(dst, a)
}
