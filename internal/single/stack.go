// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package single is package projection for float32: it computes Ωx + b for many x at once, and what follows from it, in one
// pass and in one set of bits.
//
// Each output of a dense projection is one chain of fused multiply-adds of float32 in the order of the coordinates, starting
// at the bias, then a fixed sequence of operations (see sinTurns), each rounded to float32. Plain Go, which has no such
// multiply-add, computes it exactly (package fma), and assembly equals that to the last bit, on any number of rows and
// goroutines. Subnormal numbers are kept, and what overflows is Inf.
//
// Package projection makes the parts from its own, whose weights are rounded once. Its generators write the assembly, too.
// There is no part for what is rare: rows are dense, and a map of other parts stays in float64.
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

// A Stack is a transform of R^in whose outputs are those of its parts, side by side.
type Stack struct {
	in, out int
	parts   []Part
	tier    tier.Tier
	dense   bool // all parts are Forms or Neurons
	simple  bool // or take next to no time
	panels  int  // in these

	buffers sync.Pool // of *buffer
}

// A Part writes some of the columns of a Stack's outputs, in bits that do not depend on which rows come together. It is one of
// Forms, Constants, Copy, Structured, Neurons, Rows and Weighted.
type Part interface {
	transform(dst, x blas32.General, b *buffer)
}

// A densePart is the columns of a projection, with what is made of them.
type densePart interface {
	Part
	projection() *Projection

	// transformPanels does the panels [lo, hi).
	transformPanels(dst, x blas32.General, lo, hi int, b *buffer)
}

// NewStack returns the stack of some parts, with out columns. Each column is to be written by one of them; a Weighted part
// comes after those whose columns it multiplies.
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

// A buffer is what a goroutine needs of memory.
type buffer struct {
	tiles   [2]tile
	before  []float32 // rows that went through a linear map
	point   []float32 // points side by side
	v       []float32 // and their transforms
	scratch []float32 // of cosines
	row     []float64 // a row in float64
	columns []float64 // and what somebody else's function makes of it
}

func (s *Stack) buffer() *buffer {
	if b, ok := s.buffers.Get().(*buffer); ok {
		return b
	}
	return new(buffer)
}

// grown returns s with a length of n, in new memory if it must be.
func grown(s []float32, n int) []float32 {
	if cap(s) < n {
		return aligned(n)
	}
	return s[:n]
}

// TransformVec writes the outputs of x to dst. Lengths are the caller's to check.
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

// Transform writes the outputs of each row of x to the same row of dst, over up to GOMAXPROCS goroutines. Shapes and overlap
// are the caller's to check.
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
	// stackRows is the number of rows that pass over all weights together; where all parts are simple, chunkElements is the
	// number of elements of these rows, 4 MB of them.
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
