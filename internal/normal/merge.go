// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Merge adds the rows of b, which has as many features and targets and may be s itself, to s; together they are MaxRows at
// most. Sums are added up, so the bits depend on how rows were split, by about 1e-16 of a sum, or 1e-7 of Single sums, of which a
// block ends. Merging into sums of no rows copies the bits of b, and merging sums of no rows changes nothing. The shift of s stays, unless
// that of b outweighs it: so neither is so far from rows of the other, times the roots of their weights, that sums overflow.
func (s *Sums) Merge(b *Sums) {
	if b.rows == 0 {
		return
	}
	sums := b.settled()
	s.flush()
	switch {
	case s.rows == 0:
		copy(s.shift, b.shift)
		s.root = b.root
		s.sums.CopyFrom(sums)
	case Outweighs(b.root, s.root):
		s.move(b.Shift())
		copy(s.shift, b.shift)
		s.root = b.root
		s.sums.Add(sums)
	default:
		delta, moved := difference(b.shift, s.shift)
		total, raised := moves(sums, delta) // before sums change, which may be those of s
		s.sums.Add(sums)
		if moved {
			s.sums.AddProducts(delta, raised)
			s.sums.AddProducts(total, delta)
		}
	}
	s.rows += b.rows
}

// move makes the sums, of no pending rows, those of rows less another shift, which s does not have yet.
func (s *Sums) move(shift []float64) {
	if delta, moved := difference(s.shift, append(slices.Clone(shift), 0)); moved {
		total, raised := moves(s.sums, delta)
		s.sums.AddProducts(delta, raised)
		s.sums.AddProducts(total, delta)
	}
}

// difference returns what a shift is more than another, and whether it is.
func difference(from, to []float64) (delta []float64, moved bool) {
	delta = make([]float64, len(from))
	for j, v := range from {
		delta[j] = v - to[j]
		moved = moved || delta[j] != 0
	}
	return delta, moved
}

// moves returns the factors of what the sums b, of rows z less a shift, have less than those less another shift. With δ what the former
// is more than the latter, and n the sum of the weights,
//
//	Σ(z + δ)(z + δ)ᵀ = Σzzᵀ + δ·(Σz + n·δ)ᵀ + Σz·δᵀ
//
// where the last column, of ones, is not shifted and has Σz beside it.
func moves(b *tiled.Matrix, delta []float64) (total, raised []float64) {
	n := len(delta)
	total, raised = make([]float64, n), make([]float64, n)
	b.Column(total, n-1)
	for j, v := range delta {
		raised[j] = math.FMA(total[n-1], v, total[j])
	}
	return total, raised
}

// Whitened returns the sums of the features U⁻ᵀr instead of those of s, r: with G = Σrrᵀ those of products are U⁻ᵀGU⁻¹, and
// U⁻ᵀ is applied once to what features have with targets and ones, and to the shift. It takes D³ multiply-adds, and D²
// numbers of memory besides.
func (s *Sums) Whitened(u *tiled.Factor) *Sums {
	sums := s.settled()
	w := New(s.features, s.targets)
	w.rows = s.rows
	d, n := s.features, sums.Dim()
	stride := tiled.Stride(d)
	square := blas64.General{Rows: d, Cols: d, Stride: stride, Data: make([]float64, d*stride)}
	column := make([]float64, n)
	for j := range d {
		sums.Column(column, j)
		for i, v := range column[:j+1] {
			square.Data[i*stride+j], square.Data[j*stride+i] = v, v
		}
	}
	u.SolveTransVecs(square)
	for j := range d { // transposed
		for i := range j {
			a, b := &square.Data[i*stride+j], &square.Data[j*stride+i]
			*a, *b = *b, *a
		}
	}
	u.SolveTransVecs(square)
	for j := range n {
		sums.Column(column, j)
		if j < d {
			for i := range j + 1 {
				column[i] = square.Data[i*stride+j]
			}
		} else {
			u.SolveTransVec(column[:d])
		}
		w.sums.SetColumn(j, column)
	}
	copy(w.shift, s.shift)
	w.root = s.root
	u.SolveTransVec(w.shift[:d])
	return w
}
