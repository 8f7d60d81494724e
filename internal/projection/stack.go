// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/blocking"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// Stack is a transform of R^in whose outputs are the outputs of its parts, next to each other.
type Stack struct {
	in, out int
	parts   []Part
	tier    tier.Tier
	dense   bool // whether all parts are Forms or Neurons
	simple  bool // whether all parts are these or take almost no time
	forms   int  // the number of forms in these
	panels  int

	jobs    sync.Pool // of *stackJob
	buffers sync.Pool // of *stackBuffer
}

// Part writes some of the columns of a Stack's outputs. Its bits do not depend on which rows are
// computed together. It is one of Forms, Constants, Copy, Powers, Product, Sum, Tensor, Structured,
// Sparse, Monomials, Neurons, Rows, Weighted and Scaled.
type Part interface {
	transform(dst, x blas64.General, b *stackBuffer)
}

// NewStack returns the stack of some parts, with out columns. One of the parts must write each
// column. A Weighted or Scaled part comes after the parts whose columns it multiplies.
func NewStack(in, out int, parts ...Part) *Stack {
	s := &Stack{in: in, out: out, parts: parts, tier: tier.Best(), dense: true, simple: true}
	for _, p := range parts {
		switch p := p.(type) {
		case densePart:
			f := p.projection()
			s.tier = f.tier
			s.forms += f.forms
			s.panels += f.panels()
		case Constants, Copy:
			s.dense = false
		default:
			s.dense, s.simple = false, false
		}
	}
	return s
}

// densePart is the columns of a projection, and functions of them.
type densePart interface {
	Part
	projection() *Projection

	// transformPanels applies the panels [lo, hi).
	transformPanels(dst, x blas64.General, lo, hi int, buf *buffer)
	transformNonZerosPanels(dst blas64.General, z *nonZeros, lo, hi int, b *stackBuffer)
}

// Out returns the number of columns.
func (s *Stack) Out() int { return s.out }

const (
	// stackRows is the number of rows that pass over all weights together. If all parts are simple,
	// chunkElements is the number of elements of these rows, 4 MB.
	stackRows     = 64
	chunkElements = 1 << 19
)

// stackBuffer is the memory that a goroutine needs.
type stackBuffer struct {
	rows     []float64 // rows of a matrix without slices of them
	buf      *buffer
	factor   [2][]float64 // for a Product; for Powers: monomials of degrees without columns
	before   []float64    // for a Structured or Powers: rows that went through a linear map
	point    []float64    // points side by side
	v        [2][]float64 // for a Tensor or Structured: transforms of points; for a Sparse: sums
	products [2][]float64 // for a Tensor, Monomials or a Sum
	box      []float64    // for Monomials: coordinates for a Box or a Vector
	vector   []float64    // the values of a Vector
	elements []float64    // the elements of all vectors that boxes take

	lists     nonZeros  // rows that are given as lists
	splits    []int     // the parts of them that pass over the weights together
	sums      []float64 // their partial sums
	touched   float64
	scattered []float64 // some of them as dense rows; zeros otherwise
}

func (s *Stack) buffer() *stackBuffer {
	if b, ok := s.buffers.Get().(*stackBuffer); ok {
		return b
	}
	return &stackBuffer{buf: new(buffer)}
}

// grown returns s with length n, in new memory if necessary.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return aligned(n)
	}
	return s[:n]
}

// TransformVec writes the outputs of x to dst. The caller checks lengths.
func (s *Stack) TransformVec(dst, x []float64) {
	b := s.buffer()
	for _, p := range s.parts {
		p.transform(
			blas64.General{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst},
			blas64.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x},
			b,
		)
	}
	s.buffers.Put(b)
}

// Transform writes the outputs of each row of x to the same row of dst, with up to GOMAXPROCS
// goroutines. The caller checks shapes and overlap.
func (s *Stack) Transform(dst *mat.Dense, x mat.Matrix) {
	j, _ := s.jobs.Get().(*stackJob)
	if j == nil {
		j = &stackJob{s: s}
	}
	j.dst = dst.RawMatrix()
	j.x.Reset(x)
	rows, workers := j.dst.Rows, runtime.GOMAXPROCS(0)
	j.byPanels = s.dense && rows < workers*shapes[s.tier].rows
	switch {
	case j.byPanels && j.x.Lists != nil:
		parallel.Run(j, s.panels, s.panelGrain(rows, workers, s.guessedEntries()))
	case j.byPanels:
		parallel.Run(j, s.panels, s.panelGrain(rows, workers, s.in))
	case j.x.Lists != nil:
		parallel.Run(j, rows, s.nonZeroGrain(rows, workers))
	default:
		parallel.Run(j, rows, s.rowGrain(rows, workers))
	}
	j.dst = blas64.General{}
	j.x.Reset(nil)
	s.jobs.Put(j)
}

// serial reports whether rows, with coords coordinates each, are too little work for two goroutines. A
// cosine and the other work for an output count as some multiply-adds.
func (s *Stack) serial(rows, coords int) bool {
	work := float64(rows) * float64(s.out) * float64(coords)
	if s.simple {
		work = float64(rows) * float64(s.forms) * float64(coords+16)
	}
	return work < shapes[s.tier].serialWork
}

// panelGrain returns the number of panels that a goroutine takes at a time.
func (s *Stack) panelGrain(rows, workers, coords int) int {
	if s.serial(rows, coords) {
		return s.panels
	}
	return (s.panels-1)/workers + 1
}

// rowGrain returns the number of rows that a goroutine takes at a time.
func (s *Stack) rowGrain(rows, workers int) int {
	if s.serial(rows, s.in) {
		return rows
	}
	if !s.simple {
		grain := (rows-1)/workers + 1
		return min((grain+wht.Lanes-1)&^(wht.Lanes-1), stackRows)
	}
	return blocking.Grain(rows, s.chunkRows(), workers, shapes[s.tier].rows)
}

// chunkRows returns the number of rows that pass over all weights together.
func (s *Stack) chunkRows() int {
	if !s.simple {
		return stackRows
	}
	return max(chunkElements/s.in, blocking.MinChunk)
}

// A stackJob is one call of Transform.
type stackJob struct {
	s        *Stack
	byPanels bool
	dst      blas64.General
	x        rows.Reader
}

// Do transforms the rows [lo, hi), or all rows by the panels [lo, hi) of all parts.
func (j *stackJob) Do(lo, hi int) {
	b := j.s.buffer()
	switch {
	case j.byPanels && j.x.Lists != nil:
		for row := 0; row < j.dst.Rows; {
			end := b.lists.read(j.x.Lists, j.s.in, row, j.dst.Rows)
			dst := rowRange(j.dst, row, end)
			j.s.eachPanels(lo, hi, func(p densePart, lo, hi int) { p.transformNonZerosPanels(dst, &b.lists, lo, hi, b) })
			row = end
		}
	case j.byPanels:
		x := j.x.BlockIn(&b.rows, 0, j.dst.Rows)
		j.s.eachPanels(lo, hi, func(p densePart, lo, hi int) { p.transformPanels(j.dst, x, lo, hi, b.buf) })
	case j.x.Lists != nil:
		for lo < hi {
			end := b.lists.read(j.x.Lists, j.s.in, lo, hi)
			j.s.nonZeros(rowRange(j.dst, lo, end), &b.lists, b)
			lo = end
		}
	default:
		for step := j.s.chunkRows(); lo < hi; lo += step {
			end := min(lo+step, hi)
			dst, x := rowRange(j.dst, lo, end), j.x.BlockIn(&b.rows, lo, end)
			for _, p := range j.s.parts {
				p.transform(dst, x, b)
			}
		}
	}
	j.s.buffers.Put(b)
}

// rowRange returns rows [lo, hi) of a.
func rowRange(a blas64.General, lo, hi int) blas64.General {
	a.Data = a.Data[lo*a.Stride:]
	a.Rows = hi - lo
	return a
}

// eachPanels calls f with each dense part that has some of the panels [lo, hi) of all, and with the range of
// these among the part's own panels.
func (s *Stack) eachPanels(lo, hi int, f func(p densePart, lo, hi int)) {
	for _, p := range s.parts {
		p := p.(densePart)
		n := p.projection().panels()
		if lo < n && hi > 0 {
			f(p, max(lo, 0), min(hi, n))
		}
		lo, hi = lo-n, hi-n
	}
}

// strips calls f with wht.Lanes rows at a time, and with the remaining rows one by one.
func strips(dst, x blas64.General, f func(dst, x blas64.General)) {
	eachStrip(x.Rows, func(lo, hi int) { f(rowRange(dst, lo, hi), rowRange(x, lo, hi)) })
}

// eachStrip calls f with the ranges [lo, hi) of these strips of rows.
func eachStrip(rows int, f func(lo, hi int)) {
	for i := 0; i < rows; {
		n := 1
		if rows-i >= wht.Lanes {
			n = wht.Lanes
		}
		f(i, i+n)
		i += n
	}
}

// points returns the rows of x side by side, padded with zeros to p coordinates.
func (b *stackBuffer) points(t tier.Tier, x blas64.General, p int) []float64 {
	b.point = grown(b.point, p*x.Rows)
	if x.Rows == 1 {
		copy(b.point, x.Data[:x.Cols])
	} else {
		interleave(t, b.point, x)
	}
	clear(b.point[x.Cols*x.Rows:])
	return b.point
}

// hadamard transforms wht.Lanes vectors side by side, or one.
func hadamard(e wht.Engine, dst, src []float64, signs []uint64, lanes int) {
	if lanes == 1 {
		e.Vector(dst, src, signs)
	} else {
		e.Batch(dst, src, signs)
	}
}

// from returns the columns of a from column j on.
func from(a blas64.General, j int) blas64.General {
	a.Data = a.Data[j:]
	a.Cols -= j
	return a
}

// Constants are columns, from column At on, that do not depend on x.
type Constants struct {
	At     int
	Values []float64
}

func (c Constants) transform(dst, _ blas64.General, _ *stackBuffer) {
	for i := range dst.Rows {
		copy(dst.Data[i*dst.Stride+c.At:], c.Values)
	}
}

// Copy is the columns scale·x − scale·c, each product rounded by itself, from column At on.
type Copy struct {
	At     int
	Scale  float64
	Center []float64 // c; nil: 0
}

func (c Copy) transform(dst, x blas64.General, _ *stackBuffer) {
	for i := range x.Rows {
		to := dst.Data[i*dst.Stride+c.At:]
		for k, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			to[k] = c.Scale * v
		}
		for k, v := range c.Center {
			to[k] -= float64(c.Scale * v)
		}
	}
}
