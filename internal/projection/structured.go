// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// Structured is a projection, with columns from column at on, whose forms are the rows of blocks
//
//	S·H·D₃·H·D₂·H·D₁,  H = the Walsh-Hadamard matrix of p columns over √p,
//
// with diagonal matrices of random signs D and of lengths S. A block takes p·log p additions
// instead of p² multiply-adds, and p numbers instead of p². Points are padded with zeros to p
// coordinates, and the last block may be incomplete.
//
// Rows are processed wht.Lanes at a time, side by side, and the remaining rows one by one. Outputs
// have the same bits either way.
type Structured struct {
	at           int
	forms, in, p int
	epilogue     Epilogue
	sin          int // from a cosine to its sine: the number of forms; 0 for none
	tier         tier.Tier
	engine       wht.Engine
	table        phaseTable

	before Before
	signs  []uint64 // p sign bits for each block and factor
	scale  []float64
	bias   []float64
}

// Before is a linear map that is applied to points before the blocks, and a center that is then
// subtracted. The zero value leaves points unchanged.
type Before struct {
	Linear   *Projection // with the epilogue Store; or
	Diagonal []float64   // factors of the coordinates; nil: 1
	Center   []float64   // subtracted from the coordinates; with Linear it is part of its biases
}

// factors is the number of factors HD in a block.
const factors = 3

// NewStructured returns a projection of R^in, with columns from column at on, by the given number of
// forms. Blocks have p columns, a power of two that is at least in and wht.Lanes. The epilogue is
// Cos or CosSin, and outputs are multiplied by scale ≥ 0. Until they are set, all signs are positive
// and all lengths zero.
//
// Points go through before first; in is the number of coordinates that it produces.
func NewStructured(at, forms, in, p int, e Epilogue, scale float64, before Before) *Structured {
	return newStructuredIn(tier.Best(), at, forms, in, p, e, scale, before)
}

func newStructuredIn(t tier.Tier, at, forms, in, p int, e Epilogue, scale float64, before Before) *Structured {
	blocks := (forms-1)/p + 1
	s := &Structured{
		at:       at,
		forms:    forms,
		in:       in,
		p:        p,
		epilogue: e,
		tier:     t,
		engine:   wht.For(t),
		table:    newPhaseTable(scale),
		before:   before,
		signs:    make([]uint64, blocks*factors*p),
		scale:    aligned(blocks * p),
		bias:     aligned(blocks * p),
	}
	if e == CosSin {
		s.sin = forms
	}
	return s
}

// Signs returns the signs of D₁, D₂ or D₃ (factor 0, 1 or 2) of the block of form i, to be set:
// 1<<63 for −1.
func (s *Structured) Signs(i, factor int) []uint64 {
	at := (i/s.p*factors + factor) * s.p
	return s.signs[at : at+s.p]
}

// Set sets the length and the bias of form i, both in turns.
func (s *Structured) Set(i int, length, b float64) {
	p := float64(s.p)
	s.scale[i] = length / (p * math.Sqrt(p))
	s.bias[i] = b
}

func (s *Structured) transform(dst, x blas64.General, b *stackBuffer) {
	strips(from(dst, s.at), x, func(dst, x blas64.General) {
		lanes := x.Rows
		point := b.points(s.tier, s.before.rows(x, s.in, b), s.p)
		b.v[0] = grown(b.v[0], s.p*lanes)
		for first := 0; first < s.forms; first += s.p {
			s.block(from(dst, first), point, b.v[0], first)
		}
	})
}

// block writes the outputs of the block from form first on to dst, for points side by side, using the
// memory v.
func (s *Structured) block(dst blas64.General, point, v []float64, first int) {
	lanes, end := dst.Rows, min(first+s.p, s.forms)
	hadamard(s.engine, v, point, s.Signs(first, 0), lanes)
	hadamard(s.engine, v, v, s.Signs(first, 1), lanes)
	hadamard(s.engine, v, v, s.Signs(first, 2), lanes)
	if lanes == 1 {
		s.outputsVec(dst.Data, v, first, end)
	} else {
		s.outputs(dst, v, first, end)
	}
}

// callForms is the largest number of forms in one call of a kernel, because the scheduler cannot
// interrupt assembly.
const callForms = 1 << 12

// rows returns the rows of x as w maps them, with in coordinates.
func (w Before) rows(x blas64.General, in int, b *stackBuffer) blas64.General {
	if w.Linear == nil && w.Diagonal == nil && w.Center == nil {
		return x
	}
	b.before = grown(b.before, x.Rows*in)
	y := blas64.General{Rows: x.Rows, Cols: in, Stride: in, Data: b.before}
	if w.Linear != nil {
		w.Linear.block(y, x, 0, w.Linear.panels(), b.buf)
		return y
	}
	for i := range x.Rows {
		from, to := x.Data[i*x.Stride:], y.Data[i*y.Stride:]
		copy(to, from[:in])
		for k, v := range w.Diagonal {
			to[k] *= v
		}
		for k, v := range w.Center {
			to[k] = float64(to[k]) - v
		}
	}
	return y
}

// outputs writes the outputs [lo, hi), of one block, for the points side by side in v. The first
// column of dst is form lo.
func (s *Structured) outputs(dst blas64.General, v []float64, lo, hi int) {
	for ; lo < hi; lo += callForms {
		n := min(callForms, hi-lo)
		o := outputs{
			n:         n,
			v:         v,
			scale:     s.scale[lo:],
			bias:      s.bias[lo:],
			dst:       dst.Data,
			dstStride: dst.Stride,
			sin:       s.sin,
		}
		o.compute(s.tier, &s.table)
		v, dst = v[n*wht.Lanes:], from(dst, n)
	}
}

// outputsVec is outputs for one point.
func (s *Structured) outputsVec(dst, v []float64, lo, hi int) {
	for ; lo < hi; lo += callForms {
		n := min(callForms, hi-lo)
		o := outputs{n: n, v: v, scale: s.scale[lo:], bias: s.bias[lo:], dst: dst, sin: s.sin}
		o.computeVec(s.tier, &s.table)
		v, dst = v[n:], dst[n:]
	}
}
