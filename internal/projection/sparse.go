// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
	"github.com/seed-0f95ebc1/featuremap/internal/wht"
)

// Sparse is columns that are cosines, or cosines and sines, of forms each of which reads a few coordinates: for form i
//
//	amplitudeᵢ·cos(2πtᵢ) and amplitudeᵢ·sin(2πtᵢ),  tᵢ = Σ w·x_col over the terms of i.
//
// The sum is a chain of fused multiply-adds in the order of the terms, from 0. Coordinates that a form does not read do
// not affect it, even if they are NaN.
//
// Points lie side by side, wht.Lanes of them, so that a term is one multiply-add of contiguous vectors. The data of a
// tile of forms stays in the cache while many points pass. The bits of an output do not depend on what else is
// computed.
type Sparse struct {
	in, at, sin int
	tier        tier.Tier
	table       phaseTable

	runs      []SparseRun
	cols      []uint32
	weights   []float64
	amplitude []float64
}

// SparseRun is a run of forms with the same number of terms.
type SparseRun struct{ Terms, Forms int }

// NewSparse returns columns amplitudeᵢ·cos(2πΣ w·x_col) of x in R^in, at columns at+i, and, unless sin is 0,
// amplitudeᵢ·sin(2πΣ w·x_col) at columns at+i+sin.
//
// cols and weights, in turns, list the terms of the forms, form after form; runs says which terms belong to
// which form. The number of forms is the length of amplitude. Slices are kept, not copied. NewSparse panics
// unless the lengths agree and the columns are coordinates of R^in.
func NewSparse(in, at, sin int, runs []SparseRun, cols []uint32, weights, amplitude []float64) *Sparse {
	return newSparseIn(tier.Best(), in, at, sin, runs, cols, weights, amplitude)
}

func newSparseIn(t tier.Tier, in, at, sin int, runs []SparseRun, cols []uint32, weights, amplitude []float64) *Sparse {
	s := &Sparse{
		in:        in,
		at:        at,
		sin:       sin,
		tier:      t,
		table:     newPhaseTable(1),
		runs:      runs,
		cols:      cols,
		weights:   weights,
		amplitude: amplitude,
	}
	s.check()
	return s
}

// check panics unless the lengths agree and the columns are coordinates. Assembly relies on this.
func (s *Sparse) check() {
	forms, terms := 0, 0
	for _, r := range s.runs {
		if r.Forms < 0 || r.Terms < 0 || r.Forms > 0 && r.Terms > len(s.cols) {
			panic("projection: run of sparse forms out of range")
		}
		forms += r.Forms
		terms += r.Forms * r.Terms
	}
	if forms != len(s.amplitude) || terms != len(s.cols) || terms != len(s.weights) {
		panic("projection: lengths of sparse forms do not agree")
	}
	checkCols(s.cols, s.in)
}

// checkCols panics unless the columns are coordinates of R^in.
func checkCols(cols []uint32, in int) {
	for _, c := range cols {
		if uint64(c) >= uint64(in) {
			panic("projection: column of a form out of range")
		}
	}
}

const (
	// sparsePoints is the memory, in elements, for points that pass over a tile of forms together:
	// a quarter of a megabyte, in a second-level cache.
	sparsePoints = 1 << 15

	// sparseTile is the number of forms in a tile. Their sums for wht.Lanes points, and most often
	// their terms, stay in the first-level cache.
	sparseTile = 256

	// callTerms is the largest number of terms in one call of a kernel, if there are several forms,
	// because the scheduler cannot interrupt assembly.
	callTerms = 1 << 15
)

// noBias is the biases of a tile of forms without biases.
var noBias [sparseTile]float64

func (s *Sparse) transform(dst, x blas64.General, b *stackBuffer) {
	together := max(sparsePoints/s.in&^(wht.Lanes-1), wht.Lanes)
	for lo := 0; lo < x.Rows; lo += together {
		hi := min(lo+together, x.Rows)
		s.rows(rowRange(from(dst, s.at), lo, hi), rowRange(x, lo, hi), b)
	}
}

// rows transforms rows that pass over each tile of forms together, wht.Lanes at a time side by
// side, and the remaining rows one by one.
func (s *Sparse) rows(dst, x blas64.General, b *stackBuffer) {
	strip := func(i int) []float64 { return b.point[i*s.in : (i+wht.Lanes)*s.in] }
	whole := x.Rows &^ (wht.Lanes - 1)
	b.point = grown(b.point, whole*s.in)
	for i := 0; i < whole; i += wht.Lanes {
		interleave(s.tier, strip(i), rowRange(x, i, i+wht.Lanes))
	}
	b.v[0] = grown(b.v[0], sparseTile*wht.Lanes)
	var next sparseAt
	for lo := 0; lo < len(s.amplitude); lo += sparseTile {
		n, at := min(sparseTile, len(s.amplitude)-lo), next
		o := outputs{
			n:         n,
			v:         b.v[0],
			amplitude: s.amplitude[lo:],
			bias:      noBias[:],
			dstStride: dst.Stride,
			sin:       s.sin,
		}
		for i := 0; i < whole; i += wht.Lanes {
			next = s.sums(o.v, at, n, strip(i), wht.Lanes)
			o.dst = dst.Data[i*dst.Stride+lo:]
			o.compute(s.tier, &s.table)
		}
		for i := whole; i < x.Rows; i++ {
			next = s.sums(o.v, at, n, x.Data[i*x.Stride:], 1)
			o.dst = dst.Data[i*dst.Stride+lo:]
			o.computeVec(s.tier, &s.table)
		}
	}
}

// A sparseAt is a place among the forms.
type sparseAt struct {
	run, form int // form counts the forms of the run before this place
	term      int // the first term
}

// sums sets v to the sums of n forms for some points side by side, and returns the place after
// these forms.
func (s *Sparse) sums(v []float64, at sparseAt, n int, points []float64, lanes int) sparseAt {
	for n > 0 {
		r := s.runs[at.run]
		forms := min(n, r.Forms-at.form, max(1, callTerms/max(1, r.Terms)))
		p := sums{
			forms:   forms,
			terms:   r.Terms,
			cols:    s.cols[at.term:],
			weights: s.weights[at.term:],
			points:  points,
			v:       v,
		}
		if lanes == 1 {
			p.computeVec(s.tier)
		} else {
			p.compute(s.tier)
		}
		v = v[forms*lanes:]
		n -= forms
		at.form += forms
		at.term += forms * r.Terms
		if at.form == r.Forms {
			at.run, at.form = at.run+1, 0
		}
	}
	return at
}
