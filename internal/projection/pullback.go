// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A Pullback is the derivative of a Stack. With J(x), out×in, the Jacobian matrix of the transform at x, it computes
// J(x)ᵀg, the gradient at x of the inner product of the outputs with g.
//
// The bits of each part's pullback do not depend on which rows are computed together. Pullbacks are added in a fixed
// order, from the last part to the first.
type Pullback struct {
	s     *Stack
	pulls []partPullback // for each part; nil if its derivative is 0

	// snapshots is the number of elements, for each row, of the columns that are kept before they are
	// weighted.
	snapshots int
	weighted  bool
	waves     bool // whether all parts are forms with the epilogues Cos and CosSin, or have the derivative 0

	jobs    sync.Pool // of *pullJob
	buffers sync.Pool // of *pullBuffer
}

// differentiablePart is a Part with a derivative.
type differentiablePart interface {
	Part

	// pullback returns the derivative of the part, with packed weights. ok is false if there is no derivative. p is
	// nil if the derivative is 0 everywhere.
	pullback() (p partPullback, ok bool)
}

// A partPullback is the derivative of a Part.
type partPullback interface {
	// pull adds J(x)ᵀg to the rows of dst, where J is the Jacobian matrix of this part only. g has all columns of the
	// stack.
	pull(dst, x, g blas64.General, b *pullBuffer)
}

// pullBuffer is the memory that a goroutine needs.
type pullBuffer struct {
	*stackBuffer
	gRows     []float64 // rows of g from a matrix without slices of them
	scaled    []float64 // rows of g that Weighted parts have multiplied
	values    []float64 // outputs of parts before they are weighted
	snapshots []float64 // some of these
	features  []float64 // outputs of one part, or values of its forms
	factors   [2][]float64
	sums      []float64 // the pullback of one part
	image     []float64 // the same, before the map in front of the part
}

// Pullback returns the derivative of the stack, or the index of the first part without a
// derivative.
func (s *Stack) Pullback() (p *Pullback, without int) {
	p = &Pullback{s: s, pulls: make([]partPullback, len(s.parts)), waves: true}
	for i, part := range s.parts {
		d, ok := part.(differentiablePart)
		if ok {
			p.pulls[i], ok = d.pullback()
		}
		if !ok {
			return nil, i
		}
		if _, ok := p.pulls[i].(*wavePullback); !ok && p.pulls[i] != nil {
			p.waves = false
		}
		if w, ok := p.pulls[i].(*weightedPullback); ok {
			w.at = p.snapshots
			p.snapshots += w.kept()
			p.weighted = true
		}
		if _, ok := p.pulls[i].(Scaled); ok {
			p.weighted = true
		}
	}
	return p, -1
}

// PullbackTo sets row i of dst to J(xᵢ)ᵀgᵢ, with up to GOMAXPROCS goroutines. The caller checks shapes and overlap.
func (p *Pullback) PullbackTo(dst *mat.Dense, x, g mat.Matrix) {
	j, _ := p.jobs.Get().(*pullJob)
	if j == nil {
		j = &pullJob{p: p}
	}
	j.dst = dst.RawMatrix()
	j.x.Reset(x)
	j.g.Reset(g)
	parallel.Run(j, j.dst.Rows, p.grain(j.dst.Rows))
	j.dst = blas64.General{}
	j.x.Reset(nil)
	j.g.Reset(nil)
	p.jobs.Put(j)
}

const (
	// pullElements is the number of outputs of the rows that are pulled back together, at most maxPullRows rows, so
	// that outputs stay in the second-level cache. With many coordinates it takes at least about as many rows as
	// coordinates, up to stackRows, because fetching the weights costs more than fetching outputs. It always takes at
	// least minPullRows.
	pullElements = 1 << 16
	minPullRows  = 16
	maxPullRows  = 512

	// The same if all slopes are slopes of waves, of which a part is kept at a time: the more weights, the more rows.
	leastWaveRows = 128
	mostWaveRows  = 256
)

// together returns the number of rows that pass over all weights together.
func (p *Pullback) together() int {
	if p.waves {
		return min(max(p.s.in, leastWaveRows), max(chunkElements/p.s.in, stackRows), mostWaveRows)
	}
	least := min(max(p.s.in, minPullRows), stackRows)
	return min(max(pullElements/p.s.out, least), maxPullRows)
}

// grain returns the number of rows that a goroutine takes at a time.
func (p *Pullback) grain(n int) int {
	if p.s.serial(n, p.s.in) {
		return n
	}
	const lanes = 8 // whole strips
	grain := (n-1)/runtime.GOMAXPROCS(0) + 1
	return min((grain+lanes-1)&^(lanes-1), p.together())
}

// A pullJob is one call of PullbackTo.
type pullJob struct {
	p    *Pullback
	dst  blas64.General
	x, g rows.Reader
}

// Do pulls back the rows [lo, hi).
func (j *pullJob) Do(lo, hi int) {
	b, ok := j.p.buffers.Get().(*pullBuffer)
	if !ok {
		b = &pullBuffer{stackBuffer: &stackBuffer{buf: new(buffer)}}
	}
	for step := j.p.together(); lo < hi; {
		end := min(lo+step, hi)
		if j.x.Lists != nil {
			end = b.lists.read(j.x.Lists, j.p.s.in, lo, end)
			x := b.scatter(&b.lists, 0, end-lo)
			j.p.block(rowRange(j.dst, lo, end), x, j.g.BlockIn(&b.gRows, lo, end), b)
			b.gather(x, &b.lists, 0)
		} else {
			x := j.x.BlockIn(&b.rows, lo, end)
			j.p.block(rowRange(j.dst, lo, end), x, j.g.BlockIn(&b.gRows, lo, end), b)
		}
		lo = end
	}
	j.p.buffers.Put(b)
}

// block pulls back some rows.
func (p *Pullback) block(dst, x, g blas64.General, b *pullBuffer) {
	for i := range dst.Rows {
		clear(dst.Data[i*dst.Stride:][:dst.Cols])
	}
	if p.weighted {
		g = b.copied(g)
		p.keep(x, b)
	}
	for i := len(p.pulls) - 1; i >= 0; i-- {
		if pull := p.pulls[i]; pull != nil {
			pull.pull(dst, x, g, b)
		}
	}
}

// keep computes the outputs at some rows, and keeps columns as they are before they are weighted. It does not compute
// what only later columns need.
func (p *Pullback) keep(x blas64.General, b *pullBuffer) {
	if p.snapshots == 0 {
		return
	}
	values := matrixIn(&b.values, x.Rows, p.s.out)
	b.snapshots = grown(b.snapshots, x.Rows*p.snapshots)
	kept := 0
	for i, part := range p.s.parts {
		if w, ok := p.pulls[i].(*weightedPullback); ok && w.kept() > 0 {
			w.keep(b.snapshots[w.at*x.Rows:], values)
			if kept += w.kept(); kept == p.snapshots {
				return
			}
		}
		part.transform(values, x, b.stackBuffer)
	}
}

// copied returns a copy of some rows of g.
func (b *pullBuffer) copied(g blas64.General) blas64.General {
	to := matrixIn(&b.scaled, g.Rows, g.Cols)
	for i := range g.Rows {
		copy(to.Data[i*to.Stride:][:to.Cols], g.Data[i*g.Stride:])
	}
	return to
}

// matrixIn returns a matrix in memory that grows if necessary.
func matrixIn(memory *[]float64, rows, cols int) blas64.General {
	*memory = grown(*memory, rows*cols)
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: *memory}
}

// addMatrix adds a to dst.
func addMatrix(dst, a blas64.General) {
	for i := range dst.Rows {
		to := dst.Data[i*dst.Stride:][:dst.Cols]
		for k, v := range a.Data[i*a.Stride:][:len(to)] {
			to[k] += v
		}
	}
}

// Constants have the derivative 0.
func (c Constants) pullback() (partPullback, bool) { return nil, true }

// pullback returns the part itself: its derivative is the derivative of x ↦ scale·x.
func (c Copy) pullback() (partPullback, bool) { return c, true }

func (c Copy) pull(dst, _, g blas64.General, _ *pullBuffer) {
	for i := range dst.Rows {
		to := dst.Data[i*dst.Stride:][:dst.Cols]
		for k, v := range g.Data[i*g.Stride+c.At:][:len(to)] {
			to[k] += float64(c.Scale * v)
		}
	}
}

func (f Rows) pullback() (partPullback, bool) {
	if f.Derive == nil {
		return nil, false
	}
	p := rowsPullback{f, f.Derive()}
	return p, p.derivative != nil
}

// A rowsPullback is the derivative of Rows.
type rowsPullback struct {
	Rows
	derivative func(dst, x, g []float64)
}

func (f rowsPullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	sums := matrixIn(&b.sums, 1, dst.Cols)
	for i := range dst.Rows {
		f.derivative(sums.Data, x.Data[i*x.Stride:][:x.Cols:x.Cols], g.Data[i*g.Stride+f.At:][:f.Columns:f.Columns])
		addMatrix(rowRange(dst, i, i+1), sums)
	}
}

func (w Weighted) pullback() (partPullback, bool) {
	return &weightedPullback{w, 0}, w.Gradient != nil || w.Flat
}

// pullback returns the part itself: it multiplies gradients with respect to its columns by its factors.
func (s Scaled) pullback() (partPullback, bool) { return s, true }

func (s Scaled) pull(_, _, g blas64.General, _ *pullBuffer) { s.multiply(g) }

// weightedPullback is the derivative of a Weighted part. With columns ψ, their Jacobian J, and the weight w, the
// derivative of wψ is wJᵀg + ⟨ψ, g⟩∇w. It adds the second term itself. For the first it multiplies g by w for the parts
// before it.
type weightedPullback struct {
	Weighted
	at int // the place of its columns in the snapshot of a row
}

// kept returns the number of columns that are kept.
func (w *weightedPullback) kept() int {
	if w.Flat {
		return 0
	}
	return w.Columns
}

// keep copies the columns.
func (w *weightedPullback) keep(to []float64, values blas64.General) {
	for i := range values.Rows {
		copy(to[i*w.Columns:][:w.Columns], values.Data[i*values.Stride+w.At:])
	}
}

func (w *weightedPullback) pull(dst, x, g blas64.General, b *pullBuffer) {
	gradient := matrixIn(&b.sums, 1, dst.Cols).Data
	for i := range dst.Rows {
		point := x.Data[i*x.Stride:][:x.Cols:x.Cols]
		row := g.Data[i*g.Stride+w.At:][:w.Columns]
		if !w.Flat {
			var sum float64
			for j, v := range b.snapshots[w.at*dst.Rows+i*w.Columns:][:len(row)] {
				sum += float64(v * row[j])
			}
			w.Gradient(gradient, point)
			to := dst.Data[i*dst.Stride:][:dst.Cols]
			for k, v := range gradient {
				to[k] += float64(sum * v)
			}
		}
		c := w.Weight(point)
		for j := range row {
			row[j] *= c
		}
	}
}
