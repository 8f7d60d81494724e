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
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// A Stack is a transform of R^in whose outputs are those of its parts, side by side.
type Stack struct {
	in    int
	parts []Part

	jobs    sync.Pool // of *stackJob
	buffers sync.Pool // of *stackBuffer
}

// A Part writes some of the columns of a Stack's outputs, in bits that do not depend on
// which rows come together. It is one of Constants, Copy, Product, Tensor, Structured,
// Sparse and Monomials.
type Part interface {
	transform(dst, x blas64.General, b *stackBuffer)
}

// NewStack returns the stack of some parts. Each column is to be written by one of them.
func NewStack(in int, parts ...Part) *Stack { return &Stack{in: in, parts: parts} }

// stackRows is the number of rows that pass over all weights together.
const stackRows = 64

// A stackBuffer is what a goroutine needs of memory.
type stackBuffer struct {
	rows     []float64 // rows of a matrix that has no slice of them
	buf      *buffer
	factor   [2][]float64 // of a Product
	before   []float64    // of a Structured: rows that went through a linear map
	point    []float64    // points side by side
	v        [2][]float64 // of a Tensor or Structured: transforms of them; of a Sparse: sums
	products [2][]float64 // of a Tensor or Monomials
	box      []float64    // of Monomials: coordinates for a Box
}

func (s *Stack) buffer() *stackBuffer {
	if b, ok := s.buffers.Get().(*stackBuffer); ok {
		return b
	}
	return &stackBuffer{buf: new(buffer)}
}

// grown returns s with a length of n, in new memory if it must be.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return aligned(n)
	}
	return s[:n]
}

// TransformVec writes the outputs of x to dst. Lengths are the caller's to check.
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

// Transform writes the outputs of each row of x to the same row of dst, over up to
// GOMAXPROCS goroutines. Shapes and overlap are the caller's to check.
func (s *Stack) Transform(dst *mat.Dense, x mat.Matrix) {
	j, _ := s.jobs.Get().(*stackJob)
	if j == nil {
		j = &stackJob{s: s}
	}
	j.dst = dst.RawMatrix()
	j.x.reset(x)
	rows, workers := j.dst.Rows, runtime.GOMAXPROCS(0)
	grain := (rows-1)/workers + 1
	grain = min((grain+wht.Lanes-1)&^(wht.Lanes-1), stackRows)
	if float64(rows)*float64(j.dst.Cols)*float64(s.in) < shapes[tier.Best()].serialWork {
		grain = rows
	}
	parallel.Run(j, rows, grain)
	j.dst = blas64.General{}
	j.x.reset(nil)
	s.jobs.Put(j)
}

// A stackJob is one call of Transform.
type stackJob struct {
	s   *Stack
	dst blas64.General
	x   source
}

// Do transforms the rows [lo, hi).
func (j *stackJob) Do(lo, hi int) {
	b := j.s.buffer()
	for ; lo < hi; lo += stackRows {
		end := min(lo+stackRows, hi)
		dst, x := rowRange(j.dst, lo, end), j.x.rows(lo, end, &b.rows)
		for _, p := range j.s.parts {
			p.transform(dst, x, b)
		}
	}
	j.s.buffers.Put(b)
}

// strips calls f with wht.Lanes rows at a time, and with single ones of what is left.
func strips(dst, x blas64.General, f func(dst, x blas64.General)) {
	for i := 0; i < x.Rows; {
		rows := 1
		if x.Rows-i >= wht.Lanes {
			rows = wht.Lanes
		}
		f(rowRange(dst, i, i+rows), rowRange(x, i, i+rows))
		i += rows
	}
}

// points returns the rows of x side by side, with zeros appended up to p coordinates.
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

// Copy is the columns scale·x, from column At on.
type Copy struct {
	At    int
	Scale float64
}

func (c Copy) transform(dst, x blas64.General, _ *stackBuffer) {
	for i := range x.Rows {
		to := dst.Data[i*dst.Stride+c.At:]
		for k, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			to[k] = c.Scale * v
		}
	}
}
