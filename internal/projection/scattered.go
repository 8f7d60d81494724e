// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Scattered is a matrix of linear forms most of whose weights are 0, such as sparse points. It keeps the others alone,
// by coordinates, and gives the bits of a Projection of the forms without biases, with the epilogue Store. It is safe
// for concurrent use.
type Scattered struct {
	forms, in int
	starts    []int // of the weights of each coordinate, and the end of the last
	numbers   []int32
	weights   []float64
	least     int // the leastExponent of the weights, or noLists
}

// NewScattered returns the forms 0, 1, …, each with the weights values in some columns, in ascending order, and 0 in
// others.
func NewScattered(forms, in int, form func(i int) (columns []int, values []float64)) *Scattered {
	s := &Scattered{forms: forms, in: in, starts: make([]int, in+1), least: leastOfNone}
	for i := range forms {
		columns, values := form(i)
		for e, v := range values {
			if v == 0 {
				continue
			}
			s.starts[columns[e]+1]++
			if !(math.Abs(v) <= math.MaxFloat64) {
				s.least = noLists
			}
			s.least = min(s.least, leastExponent(v))
		}
	}
	for k := range in {
		s.starts[k+1] += s.starts[k]
	}
	s.numbers, s.weights = make([]int32, s.starts[in]), make([]float64, s.starts[in])
	next := slices.Clone(s.starts)
	for i := range forms {
		columns, values := form(i)
		for e, v := range values {
			if v == 0 {
				continue
			}
			k := columns[e]
			s.numbers[next[k]], s.weights[next[k]] = int32(i), v
			next[k]++
		}
	}
	return s
}

// List is like Projection.List: nil if the bits of a list might differ, or for a row that is nearly full.
func (s *Scattered) List(x []float64) *ListRow {
	var entries []nonZero
	for k, v := range x {
		if v != 0 {
			entries = append(entries, nonZero{k, v})
		}
	}
	return s.listRow(entries)
}

// ListOf is like Projection.ListOf.
func (s *Scattered) ListOf(other *ListRow, columns []int, values []float64) *ListRow {
	return s.listRow(other.entriesOf(columns, values))
}

// listRow returns the row with these entries, or nil.
func (s *Scattered) listRow(entries []nonZero) *ListRow {
	if len(entries) > s.in/2 || !s.skipsZeros(entries) {
		return nil
	}
	return &ListRow{entries}
}

// skipsZeros tells whether products with 0 can be left out of the sums of a row: see Projection.asDense.
func (s *Scattered) skipsZeros(entries []nonZero) bool {
	const multiples = 2*1075 - 1074
	least := leastOfNone
	for _, e := range entries {
		if !(math.Abs(e.v) <= math.MaxFloat64) {
			return false
		}
		least = min(least, leastExponent(e.v))
	}
	return s.least+least >= multiples
}

// ListColumns sets dst to the forms [lo, hi) of a row that is a list.
func (s *Scattered) ListColumns(dst []float64, l *ListRow, lo, hi int) {
	dst = dst[:hi-lo]
	clear(dst)
	for _, e := range l.entries {
		s.add(dst, e.col, e.v, lo, hi)
	}
}

// add adds to dst the products of the forms [lo, hi) with coordinate k, except those with weights of 0.
func (s *Scattered) add(dst []float64, k int, v float64, lo, hi int) {
	numbers, weights := s.numbers[s.starts[k]:s.starts[k+1]], s.weights[s.starts[k]:s.starts[k+1]]
	first := 0
	if lo > 0 {
		first, _ = slices.BinarySearch(numbers, int32(lo))
	}
	for e := first; e < len(numbers) && int(numbers[e]) < hi; e++ {
		i := int(numbers[e]) - lo
		dst[i] = math.FMA(weights[e], v, dst[i])
	}
}

// Columns sets dst to the forms [lo, hi) of the rows of x.
func (s *Scattered) Columns(dst, x blas64.General, lo, hi int) {
	var entries []nonZero
	for i := range x.Rows {
		row, to := x.Data[i*x.Stride:][:x.Cols], dst.Data[i*dst.Stride:][:hi-lo]
		entries = entries[:0]
		for k, v := range row {
			if v != 0 {
				entries = append(entries, nonZero{k, v})
			}
		}
		if s.skipsZeros(entries) {
			s.ListColumns(to, &ListRow{entries}, lo, hi)
			continue
		}
		clear(to)
		w := make([]float64, hi-lo)
		for k, v := range row {
			clear(w)
			s.add(w, k, 1, lo, hi)
			for j, weight := range w {
				to[j] = math.FMA(weight, v, to[j])
			}
		}
	}
}

// Weights returns the mean number of weights of a form that are not 0.
func (s *Scattered) Weights() int { return len(s.weights) / max(s.forms, 1) }
