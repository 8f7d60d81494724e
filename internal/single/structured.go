// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// A Structured is a projection, with columns from column at on, whose forms are the rows of blocks
//
//	S·H·D₃·H·D₂·H·D₁
//
// as in package projection. Rows go through it wht.Lanes32 at a time, side by side, and by themselves what is left. Each
// output has the same bits either way.
type Structured struct {
	at           int
	forms, in, p int
	epilogue     Epilogue
	tier         tier.Tier
	engine       wht.Engine32
	table        phaseTable

	before Before
	rows   []uint64 // for each block and factor p masks of rows of points side by side
	signs  []uint32 // and of one point
	scale  []float32
	bias   []float32
}

// Before is a linear map that points go through before the blocks, and what is then subtracted; the zero value leaves them as
// they are.
type Before struct {
	Linear   *Projection // with the epilogue Store; or
	Diagonal []float32   // factors of the coordinates; nil: 1
	Centre   []float32   // subtracted from the coordinates, unless there is Linear, in whose biases it is
}

// factors is the number of factors HD in a block.
const factors = 3

// A Block is what a Structured is made of: for each block and factor p signs, 1<<63 for −1, and for each form a factor and a
// bias, in turns. They are rounded to float32.
type Block struct {
	Signs       []uint64
	Scale, Bias []float64
}

// NewStructured returns a projection of R^in, with columns from column at on, by the given number of forms, with blocks of p, a
// power of two that is at least in. The epilogue is Cos or CosSin, and outputs are multiplied by scale ≥ 0. Points go through
// before first; in is the number of coordinates that it leaves.
func NewStructured(at, forms, in, p int, e Epilogue, scale float64, before Before, of Block) *Structured {
	return newStructuredIn(tier.Best(), at, forms, in, p, e, scale, before, of)
}

func newStructuredIn(t tier.Tier, at, forms, in, p int, e Epilogue, scale float64, before Before, b Block) *Structured {
	s := &Structured{
		at: at, forms: forms, in: in, p: p, epilogue: e, tier: t, engine: wht.For32(t), table: newPhaseTable(scale), before: before,
		rows: make([]uint64, len(b.Signs)), signs: make([]uint32, len(b.Signs)),
		scale: Rounded(b.Scale), bias: Rounded(b.Bias),
	}
	for i, sign := range b.Signs {
		if sign != 0 {
			s.rows[i], s.signs[i] = wht.SignOfRow, wht.Sign32
		}
	}
	return s
}

// Rounded returns the nearest float32 of numbers, or nil of none.
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

// strip transforms one row, or wht.Lanes32 of them side by side.
func (s *Structured) strip(dst, x blas32.General, b *buffer) {
	lanes := x.Rows
	point := b.points(s.tier, s.before.image(x, s.in, b), s.p)
	b.v = grown(b.v, s.p*lanes)
	for first := 0; first < s.forms; first += s.p {
		for factor := range factors {
			at := (first/s.p*factors + factor) * s.p
			from := point
			if factor > 0 {
				from = b.v
			}
			if lanes == 1 {
				s.engine.Vector(b.v, from, s.signs[at:at+s.p])
			} else {
				s.engine.Batch(b.v, from, s.rows[at:at+s.p])
			}
		}
		s.outputs(dst, first, min(first+s.p, s.forms), b)
	}
}

// points returns the rows of x side by side, with zeros appended up to p coordinates.
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

// image returns the rows of x as w maps them, of in coordinates.
func (w Before) image(x blas32.General, in int, b *buffer) blas32.General {
	if w.Linear == nil && w.Diagonal == nil && w.Centre == nil {
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
		for k, v := range w.Centre {
			to[k] -= v
		}
	}
	return y
}

// callForms is the most forms in one call of a kernel: the scheduler cannot interrupt assembly.
const callForms = 1 << 12

// outputs writes the outputs [lo, hi), which are one block's, of the products in b.v.
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
