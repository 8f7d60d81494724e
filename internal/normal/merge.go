// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Merge adds the rows of b, which has as many features and targets and may be s itself, to s; together they are MaxRows at
// most. Sums are added up, so the bits depend on how rows were split, by about 1e-16 of a sum, or 1e-7 of Single sums, of which a
// block ends. Merging into sums of no rows copies the bits of b, and merging sums of no rows changes nothing.
func (s *Sums) Merge(b *Sums) {
	if b.rows == 0 {
		return
	}
	sums := b.settled()
	s.flush()
	if s.rows == 0 {
		copy(s.shift, b.shift)
		s.sums.CopyFrom(sums)
	} else {
		s.addShifted(sums, b.shift)
	}
	s.rows += b.rows
}

// Overflows tells whether Merge would take sums of b that overflow once they are shifted: which only weights above 1 can do.
func (s *Sums) Overflows(b *Sums) bool {
	if s.rows == 0 || b.rows == 0 {
		return false
	}
	weight := b.Weight()
	for j, v := range b.shift {
		if delta := v - s.shift[j]; !(float64(delta*delta)*weight < 0x1p1023) {
			return true
		}
	}
	return false
}

// addShifted adds to the sums others, b, of rows z less a shift, as those less the shift of s. With δ what that shift is more than
// the one of s, and n the sum of the weights,
//
//	Σ(z + δ)(z + δ)ᵀ = Σzzᵀ + δ·(Σz + n·δ)ᵀ + Σz·δᵀ
//
// where the last column, of ones, is not shifted and has Σz beside it.
func (s *Sums) addShifted(b *tiled.Matrix, shift []float64) {
	n := b.Dim()
	delta, total, raised := make([]float64, n), make([]float64, n), make([]float64, n)
	b.Column(total, n-1)
	moved := false
	for j := range delta {
		delta[j] = shift[j] - s.shift[j]
		raised[j] = math.FMA(total[n-1], delta[j], total[j])
		moved = moved || delta[j] != 0
	}
	s.sums.Add(b)
	if moved {
		s.sums.AddProducts(delta, raised)
		s.sums.AddProducts(total, delta)
	}
}

// Whitened returns the sums of the features U⁻ᵀr in place of those of s, r: with G = Σrrᵀ those of products are U⁻ᵀGU⁻¹, and
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
	u.SolveTransVec(w.shift[:d])
	return w
}
