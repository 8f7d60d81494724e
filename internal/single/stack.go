// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package single is package projection for float32: it computes Ωx + b for many x at once, and functions of it, in one
// pass and with the same bits on every machine.
//
// Each output of a dense projection is one chain of fused multiply-adds of float32 in the order of the coordinates,
// starting at the bias, then a fixed sequence of operations (see sinTurns), each rounded to float32. Plain Go has no
// such multiply-add. It computes it exactly (package fma), and assembly equals this to the last bit, on any number of
// rows and goroutines. Subnormal numbers are kept, and overflow gives Inf.
//
// Package projection makes the parts from its own, whose weights are rounded once. Its generators also write the
// assembly. Rare cases have no part here: rows are dense, and maps with other parts have no form in float32.
package single

import (
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/blocking"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
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
	panels  int  // the number of panels in these

	buffers sync.Pool // of *buffer
}

// Part writes some of the columns of a Stack's outputs. Its bits do not depend on which rows are computed together. It
// is one of Forms, Constants, Copy, Structured, Neurons, Rows and Weighted.
type Part interface {
	transform(dst, x blas32.General, b *buffer)
}

// densePart is the columns of a projection, and functions of them.
type densePart interface {
	Part
	projection() *Projection

	// transformPanels applies the panels [lo, hi).
	transformPanels(dst, x blas32.General, lo, hi int, b *buffer)
}

// NewStack returns the stack of some parts, with out columns. One of the parts must write each column. A Weighted part
// comes after the parts whose columns it multiplies.
func NewStack(in, out int, parts ...Part) *Stack {
	s := &Stack{in: in, out: out, parts: parts, tier: tier.Best(), dense: true, simple: true}
	for _, p := range parts {
		switch p := p.(type) {
		case densePart:
			s.tier = p.projection().tier
			s.panels += p.projection().panels()
		case Constants, Copy:
			s.dense = false
		default:
			s.dense, s.simple = false, false
		}
	}
	return s
}

// Dims returns the numbers of coordinates and columns.
func (s *Stack) Dims() (in, out int) { return s.in, s.out }

// buffer is the memory that a goroutine needs.
type buffer struct {
	tiles   [2]tile
	before  []float32 // rows that went through a linear map
	point   []float32 // points side by side
	v       []float32 // their transforms
	scratch []float32 // for cosines
	row     []float64 // a row in float64
	columns []float64 // the result of another package's function for this row
}

func (s *Stack) buffer() *buffer {
	if b, ok := s.buffers.Get().(*buffer); ok {
		return b
	}
	return new(buffer)
}

// grown returns s with length n, in new memory if necessary.
func grown(s []float32, n int) []float32 {
	if cap(s) < n {
		return aligned(n)
	}
	return s[:n]
}

// TransformVec writes the outputs of x to dst. The caller checks lengths.
func (s *Stack) TransformVec(dst, x []float32) {
	b := s.buffer()
	for _, p := range s.parts {
		p.transform(
			blas32.General{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst},
			blas32.General{Rows: 1, Cols: len(x), Stride: len(x), Data: x},
			b,
		)
	}
	s.buffers.Put(b)
}

// Transform writes the outputs of each row of x to the same row of dst, with up to GOMAXPROCS goroutines. The caller
// checks shapes and overlap.
func (s *Stack) Transform(dst, x blas32.General) {
	rows, workers := x.Rows, runtime.GOMAXPROCS(0)
	serial := float64(rows)*float64(s.out)*float64(s.in+16) < shapes[s.tier].serialWork
	switch {
	case serial:
		s.rows(dst, x, 0, rows)
	case s.dense && rows < workers*shapes[s.tier].rows:
		parallel.Run(parallel.Func(func(lo, hi int) { s.byPanels(dst, x, lo, hi) }), s.panels, (s.panels-1)/workers+1)
	default:
		parallel.Run(parallel.Func(func(lo, hi int) { s.rows(dst, x, lo, hi) }), rows, blocking.Grain(rows, s.chunkRows(), workers, wht.Lanes32))
	}
}

const (
	// stackRows is the number of rows that pass over all weights together. If all parts are simple, chunkElements is
	// the number of elements of these rows, 4 MB.
	stackRows     = 64
	chunkElements = 1 << 20
)

// chunkRows returns the number of rows that pass over all weights together.
func (s *Stack) chunkRows() int {
	if !s.simple {
		return stackRows
	}
	return max(chunkElements/s.in, blocking.MinChunk)
}

// rows transforms the rows [lo, hi).
func (s *Stack) rows(dst, x blas32.General, lo, hi int) {
	b := s.buffer()
	for step := s.chunkRows(); lo < hi; lo += step {
		end := min(lo+step, hi)
		for _, p := range s.parts {
			p.transform(rowRange(dst, lo, end), rowRange(x, lo, end), b)
		}
	}
	s.buffers.Put(b)
}

// byPanels transforms all rows by the panels [lo, hi) of all parts.
func (s *Stack) byPanels(dst, x blas32.General, lo, hi int) {
	b := s.buffer()
	for _, p := range s.parts {
		p := p.(densePart)
		n := p.projection().panels()
		if lo < n && hi > 0 {
			p.transformPanels(dst, x, max(lo, 0), min(hi, n), b)
		}
		lo, hi = lo-n, hi-n
	}
	s.buffers.Put(b)
}

// rowRange returns rows [lo, hi) of a.
func rowRange(a blas32.General, lo, hi int) blas32.General {
	a.Data = a.Data[lo*a.Stride:]
	a.Rows = hi - lo
	return a
}

// from returns the columns of a from column j on.
func from(a blas32.General, j int) blas32.General {
	a.Data = a.Data[j:]
	a.Cols -= j
	return a
}
