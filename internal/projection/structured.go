// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// A Structured is a projection whose forms are the rows of blocks
//
//	S·H·D₃·H·D₂·H·D₁,  H = the Walsh-Hadamard matrix of p columns over √p,
//
// with diagonal matrices of random signs D and of lengths S. A block takes p·log p
// additions in place of p² multiply-adds, and p numbers in place of p². Points have zeros
// appended up to the p coordinates, and the last block may be a part of one.
//
// Rows go through it wht.Lanes at a time, side by side, and by themselves what is left.
// Each output has the same bits either way.
type Structured struct {
	forms, in, p int
	epilogue     Epilogue
	tier         tier.Tier
	transform    wht.Engine
	table        phaseTable

	before Before
	signs  []uint64 // for each block and factor p sign bits
	scale  []float64
	bias   []float64

	jobs    sync.Pool // of *structuredJob
	buffers sync.Pool // of *structuredBuffer
}

// Before is a linear map that points go through before the blocks; the zero value leaves
// them as they are.
type Before struct {
	Linear   *Projection // with the epilogue Store; or
	Diagonal []float64   // factors of the coordinates
}

// factors is the number of factors HD in a block.
const factors = 3

// NewStructured returns a projection of R^in by the given number of forms, with
// blocks of p, a power of two that is at least in and wht.Lanes. The epilogue is Cos or
// CosSin, and outputs are multiplied by scale ≥ 0. All signs are positive and all lengths
// zero until they are set.
//
// Points go through before first; in is the number of coordinates that it leaves.
func NewStructured(forms, in, p int, e Epilogue, scale float64, before Before) *Structured {
	return newStructuredIn(tier.Best(), forms, in, p, e, scale, before)
}

func newStructuredIn(t tier.Tier, forms, in, p int, e Epilogue, scale float64, before Before) *Structured {
	blocks := (forms-1)/p + 1
	return &Structured{
		forms:     forms,
		in:        in,
		p:         p,
		epilogue:  e,
		tier:      t,
		transform: wht.For(t),
		table:     newPhaseTable(scale),
		before:    before,
		signs:     make([]uint64, blocks*factors*p),
		scale:     aligned(blocks * p),
		bias:      aligned(blocks * p),
	}
}

// Signs returns the signs of D₁, D₂ or D₃ (factor 0, 1 or 2) of the block of form i, to
// be set: 1<<63 for −1.
func (s *Structured) Signs(i, factor int) []uint64 {
	at := (i/s.p*factors + factor) * s.p
	return s.signs[at : at+s.p]
}

// Set makes length and b, both in turns, the length and the bias of form i.
func (s *Structured) Set(i int, length, b float64) {
	p := float64(s.p)
	s.scale[i] = length / (p * math.Sqrt(p))
	s.bias[i] = b
}

// TransformVec writes the outputs of x to dst. Lengths are the caller's to check.
func (s *Structured) TransformVec(dst, x []float64) {
	b := s.buffer()
	s.row(dst, x, b)
	s.buffers.Put(b)
}

// Transform writes the outputs of each row of x to the same row of dst, over up to
// GOMAXPROCS goroutines. Shapes and overlap are the caller's to check.
func (s *Structured) Transform(dst *mat.Dense, x mat.Matrix) {
	j, _ := s.jobs.Get().(*structuredJob)
	if j == nil {
		j = &structuredJob{s: s}
	}
	j.dst = dst.RawMatrix()
	j.x.reset(x)
	rows, workers := j.dst.Rows, runtime.GOMAXPROCS(0)
	// Whole strips, and the same number of them for each goroutine.
	grain := (rows-1)/workers + 1
	grain = min((grain+wht.Lanes-1)&^(wht.Lanes-1), maxStructuredRows)
	if float64(rows)*float64(s.forms) < structuredSerialWork {
		grain = rows
	}
	parallel.Run(j, rows, grain)
	j.dst = blas64.General{}
	j.x.reset(nil)
	s.jobs.Put(j)
}

const (
	// structuredSerialWork is the number of outputs under which a second goroutine does
	// not pay.
	structuredSerialWork = 1 << 14

	// maxStructuredRows is the most rows that a goroutine takes at a time.
	maxStructuredRows = 64

	// callForms is the most forms in one call of a kernel: the scheduler cannot
	// interrupt assembly.
	callForms = 1 << 12
)

// A structuredJob is one call of Transform.
type structuredJob struct {
	s   *Structured
	dst blas64.General
	x   source
}

// Do transforms the rows [lo, hi).
func (j *structuredJob) Do(lo, hi int) {
	b := j.s.buffer()
	for ; lo < hi; lo += wht.Lanes {
		end := min(lo+wht.Lanes, hi)
		dst, x := rowRange(j.dst, lo, end), j.x.rows(lo, end, &b.rows)
		if end-lo == wht.Lanes {
			j.s.strip(dst, x, b)
			continue
		}
		for i := range x.Rows {
			j.s.row(dst.Data[i*dst.Stride:], x.Data[i*x.Stride:i*x.Stride+x.Cols], b)
		}
	}
	j.s.buffers.Put(b)
}

// A structuredBuffer is what a goroutine needs of memory.
type structuredBuffer struct {
	x    []float64 // wht.Lanes points side by side, or one; zeros beyond their in coordinates
	v    []float64 // their transforms
	pre  []float64 // what before makes of them
	rows []float64 // rows of a matrix that has no slice of them
	buf  *buffer   // before's
}

func (s *Structured) buffer() *structuredBuffer {
	if b, ok := s.buffers.Get().(*structuredBuffer); ok {
		return b
	}
	b := &structuredBuffer{x: aligned(wht.Lanes * s.p), v: aligned(wht.Lanes * s.p)}
	if s.before.Linear != nil {
		b.buf = s.before.Linear.buffer()
	}
	if s.before.Linear != nil || s.before.Diagonal != nil {
		b.pre = make([]float64, wht.Lanes*s.in)
	}
	return b
}

// through returns the rows of x as before maps them.
func (s *Structured) through(x blas64.General, b *structuredBuffer) blas64.General {
	y := blas64.General{Rows: x.Rows, Cols: s.in, Stride: s.in, Data: b.pre}
	switch {
	case s.before.Linear != nil:
		s.before.Linear.block(y, x, 0, s.before.Linear.panels(), b.buf)
	case s.before.Diagonal != nil:
		for i := range x.Rows {
			from, to := x.Data[i*x.Stride:], y.Data[i*y.Stride:]
			for k, v := range s.before.Diagonal {
				to[k] = from[k] * v
			}
		}
	default:
		return x
	}
	return y
}

// strip transforms wht.Lanes rows side by side.
func (s *Structured) strip(dst, x blas64.General, b *structuredBuffer) {
	x = s.through(x, b)
	interleave(s.tier, b.x, x)
	for first := 0; first < s.forms; first += s.p {
		s.transform.Batch(b.v, b.x, s.Signs(first, 0))
		s.transform.Batch(b.v, b.v, s.Signs(first, 1))
		s.transform.Batch(b.v, b.v, s.Signs(first, 2))
		s.outputs(dst, b.v, first, min(first+s.p, s.forms))
	}
}

// row transforms one row.
func (s *Structured) row(dst, x []float64, b *structuredBuffer) {
	y := s.through(blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x}, b)
	point, v := b.x[:s.p], b.v[:s.p]
	copy(point, y.Data[:s.in])
	clear(point[s.in:])
	for first := 0; first < s.forms; first += s.p {
		s.transform.Vector(v, point, s.Signs(first, 0))
		s.transform.Vector(v, v, s.Signs(first, 1))
		s.transform.Vector(v, v, s.Signs(first, 2))
		s.outputsVec(dst, v, first, min(first+s.p, s.forms))
	}
}

// outputs writes the outputs [lo, hi), which are one block's, of the points side by side
// in v.
func (s *Structured) outputs(dst blas64.General, v []float64, lo, hi int) {
	for ; lo < hi; lo += callForms {
		n := min(callForms, hi-lo)
		o := outputs{
			n:         n,
			v:         v,
			scale:     s.scale[lo:],
			bias:      s.bias[lo:],
			dst:       dst.Data[lo:],
			dstStride: dst.Stride,
			sin:       s.sin(),
		}
		o.compute(s.tier, &s.table)
		v = v[n*wht.Lanes:]
	}
}

// outputsVec is outputs for one point.
func (s *Structured) outputsVec(dst, v []float64, lo, hi int) {
	for ; lo < hi; lo += callForms {
		n := min(callForms, hi-lo)
		o := outputs{n: n, v: v, scale: s.scale[lo:], bias: s.bias[lo:], dst: dst[lo:], sin: s.sin()}
		o.computeVec(s.tier, &s.table)
		v = v[n:]
	}
}

// sin returns the number of elements from a cosine to its sine, 0 if there is none.
func (s *Structured) sin() int {
	if s.epilogue == CosSin {
		return s.forms
	}
	return 0
}
