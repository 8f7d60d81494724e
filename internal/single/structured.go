// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// Structured is a projection, with columns from column at on, whose forms are the rows of blocks
//
//	S·H·D₃·H·D₂·H·D₁
//
// as in package projection. Rows are processed wht.Lanes32 at a time, side by side, and the remaining rows one by one.
// Outputs have the same bits either way.
type Structured struct {
	at           int
	forms, in, p int
	epilogue     Epilogue
	tier         tier.Tier
	engine       wht.Engine32
	table        phaseTable

	before Before
	blocks int      // one more than the forms need, if blocks are processed in pairs
	rows   []uint64 // p masks for each factor and block, for rows of points side by side
	signs  []uint32 // the same for one point
	scale  []float32
	bias   []float32
}

// Before is a linear map that is applied to points before the blocks, and a center that is then subtracted. The zero
// value leaves points unchanged.
type Before struct {
	Linear   *Projection // with the epilogue Store; or
	Diagonal []float32   // factors of the coordinates; nil: 1
	Center   []float32   // subtracted from the coordinates; with Linear it is part of its biases
}

// factors is the number of factors HD in a block.
const factors = 3

// Block is the data of a Structured: p signs for each block and factor, 1<<63 for −1, and for each form a factor and a
// bias, in turns. They are rounded to float32.
type Block struct {
	Signs       []uint64
	Scale, Bias []float64
}

// NewStructured returns a projection of R^in, with columns from column at on, by the given number of forms. Blocks have
// p columns, a power of two that is at least in. The epilogue is Cos or CosSin, and outputs are multiplied by scale ≥
// 0. Points go through before first; in is the number of coordinates that it produces.
func NewStructured(at, forms, in, p int, e Epilogue, scale float64, before Before, of Block) *Structured {
	return newStructuredIn(tier.Best(), at, forms, in, p, e, scale, before, of)
}

func newStructuredIn(t tier.Tier, at, forms, in, p int, e Epilogue, scale float64, before Before, b Block) *Structured {
	blocks := len(b.Signs) / (factors * p)
	s := &Structured{
		at: at, forms: forms, in: in, p: p, epilogue: e, tier: t, engine: wht.For32(t), table: newPhaseTable(scale), before: before,
		blocks: blocks, scale: Rounded(b.Scale), bias: Rounded(b.Bias),
	}
	if s.together() > 1 {
		s.blocks += blocks % 2
	}
	s.rows, s.signs = make([]uint64, s.blocks*factors*p), make([]uint32, s.blocks*factors*p)
	for i, sign := range b.Signs {
		if block, factor := i/p/factors, i/p%factors; sign != 0 {
			to := s.signsAt(block, factor) + i%p
			s.rows[to], s.signs[to] = wht.SignOfRow, wht.Sign32
		}
	}
	return s
}

// signsAt returns the place where the signs of a block and factor begin.
func (s *Structured) signsAt(block, factor int) int { return (factor*s.blocks + block) * s.p }

// together returns the number of blocks that are applied to one point together: an even number if they are
// short.
func (s *Structured) together() int {
	if s.p == wht.HalfOfBlock {
		return 16
	}
	return 1
}

// Rounded returns numbers rounded to float32, or nil for nil.
func Rounded(v []float64) []float32 {
	if v == nil {
		return nil
	}
	r := aligned(len(v))
	for i, v := range v {
		r[i] = float32(v)
	}
	return r
}

func (s *Structured) transform(dst, x blas32.General, b *buffer) {
	dst = from(dst, s.at)
	for i := 0; i < x.Rows; {
		n := 1
		if x.Rows-i >= wht.Lanes32 {
			n = wht.Lanes32
		}
		s.strip(rowRange(dst, i, i+n), rowRange(x, i, i+n), b)
		i += n
	}
}

// strip transforms one row, or wht.Lanes32 rows side by side.
func (s *Structured) strip(dst, x blas32.General, b *buffer) {
	lanes, group := x.Rows, 1
	point := b.points(s.tier, s.before.image(x, s.in, b), s.p)
	if lanes == 1 {
		group = s.together()
	}
	b.v = grown(b.v, s.p*max(lanes, group))
	for block := 0; block < s.blocks; block += group {
		n := min(group, s.blocks-block)
		if lanes == 1 {
			s.vectors(b.v[:n*s.p], point, block)
		} else {
			s.batch(b.v, point, block)
		}
		s.outputs(dst, block*s.p, min((block+n)*s.p, s.forms), b)
	}
}

// batch sets v to the products of points side by side with a block.
func (s *Structured) batch(v, point []float32, block int) {
	for factor := range factors {
		s.engine.Batch(v, point, s.rows[s.signsAt(block, factor):][:s.p])
		point = v
	}
}

// vectors sets v to the products of one point and as many blocks as there is room for, from this block on.
func (s *Structured) vectors(v, point []float32, block int) {
	if len(v) > s.p {
		for at := 0; at < len(v); at += s.p {
			copy(v[at:], point)
		}
		point = v
	}
	for factor := range factors {
		s.engine.Vectors(v, point, s.p, s.signs[s.signsAt(block, factor):][:len(v)])
		point = v
	}
}

// points returns the rows of x side by side, padded with zeros to p coordinates.
func (b *buffer) points(t tier.Tier, x blas32.General, p int) []float32 {
	b.point = grown(b.point, p*x.Rows)
	if x.Rows == 1 {
		copy(b.point, x.Data[:x.Cols])
	} else {
		interleave(t, b.point, x)
	}
	clear(b.point[x.Cols*x.Rows:])
	return b.point
}

// image returns the rows of x as w maps them, with in coordinates.
func (w Before) image(x blas32.General, in int, b *buffer) blas32.General {
	if w.Linear == nil && w.Diagonal == nil && w.Center == nil {
		return x
	}
	b.before = grown(b.before, x.Rows*in)
	y := blas32.General{Rows: x.Rows, Cols: in, Stride: in, Data: b.before}
	if w.Linear != nil {
		w.Linear.block(y, x, 0, w.Linear.panels(), &b.tiles)
		return y
	}
	for i := range x.Rows {
		to := y.Data[i*y.Stride:]
		copy(to, x.Data[i*x.Stride:][:in])
		for k, v := range w.Diagonal {
			to[k] = float32(to[k] * v)
		}
		for k, v := range w.Center {
			to[k] -= v
		}
	}
	return y
}

// callForms is the largest number of forms in one call of a kernel, because the scheduler cannot
// interrupt assembly.
const callForms = 1 << 12

// outputs writes the outputs [lo, hi), of one block, from the products in b.v.
func (s *Structured) outputs(dst blas32.General, lo, hi int, b *buffer) {
	v := b.v
	for ; lo < hi; lo += callForms {
		n := min(callForms, hi-lo)
		o := outputs{n: n, v: v, scale: s.scale[lo:], bias: s.bias[lo:], dst: dst.Data[lo:], dstStride: dst.Stride}
		if s.epilogue == CosSin {
			o.sin = s.forms
		}
		if dst.Rows == 1 {
			o.computeVec(s.tier, &s.table)
		} else {
			const slots = 32 // cosines and sines of 16 forms
			b.scratch = grown(b.scratch, slots*wht.Lanes32)
			o.compute(s.tier, &s.table, b.scratch)
		}
		v = v[n*dst.Rows:]
	}
}
