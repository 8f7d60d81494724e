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

// Merge adds the rows of b to s. b must have the same numbers of features and targets, and may be s itself. Together
// they have at most MaxRows rows.
//
// Sums are added, so bits depend on how rows were split, by about 1e-16 of a sum, or 1e-7 for Single sums, whose
// current block ends. Merging into sums without rows copies the bits of b, and merging sums without rows changes
// nothing. The shift of s stays, unless the shift of b outweighs it. So neither shift is so far from the other's rows,
// times the roots of their weights, that sums overflow.
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
		total, raised := moves(sums, delta) // computed before sums change, which may be those of s
		s.sums.Add(sums)
		if moved {
			s.sums.AddProducts(delta, raised)
			s.sums.AddProducts(total, delta)
		}
	}
	s.rows += b.rows
}

// move changes the shift of the sums. There are no pending rows, and s does not have the new shift yet.
func (s *Sums) move(shift []float64) {
	if delta, moved := difference(s.shift, append(slices.Clone(shift), 0)); moved {
		total, raised := moves(s.sums, delta)
		s.sums.AddProducts(delta, raised)
		s.sums.AddProducts(total, delta)
	}
}

// difference returns from minus to, two shifts, and whether it is not 0.
func difference(from, to []float64) (delta []float64, moved bool) {
	delta = make([]float64, len(from))
	for j, v := range from {
		delta[j] = v - to[j]
		moved = moved || delta[j] != 0
	}
	return delta, moved
}

// moves returns the factors of the terms that the sums b, of rows z minus a shift, lack for another shift. With δ the
// former shift minus the latter, and n the sum of the weights,
//
//	Σ(z + δ)(z + δ)ᵀ = Σzzᵀ + δ·(Σz + n·δ)ᵀ + Σz·δᵀ
//
// The last column, of ones, is not shifted; it contains Σz.
func moves(b *tiled.Matrix, delta []float64) (total, raised []float64) {
	n := len(delta)
	total, raised = make([]float64, n), make([]float64, n)
	b.Column(total, n-1)
	for j, v := range delta {
		raised[j] = math.FMA(total[n-1], v, total[j])
	}
	return total, raised
}

// Whitened returns the sums for the features U⁻ᵀr, where s has the sums for r. Products G = Σrrᵀ become U⁻ᵀGU⁻¹. U⁻ᵀ is
// applied once to the products of features with targets and ones, and to the shift. It takes D³ multiply-adds, and
// memory for D² more numbers.
func (s *Sums) Whitened(u *tiled.Factor) *Sums {
	sums := s.settled()
	w := &Sums{features: s.features, targets: s.targets, rows: s.rows, shift: make([]float64, len(s.shift)), sums: sums.NewLike()}
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
