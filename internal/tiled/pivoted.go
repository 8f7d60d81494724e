// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// FactorizePivoted is FactorizeWithout of PAPᵀ. The permutation P takes as the next row the one whose pivot is the
// largest part of its diagonal element of A, and of several the first row of A, until no part is larger than tiny. It
// returns the order: row i of PAPᵀ is row order[i] of A.
//
// What is left then is rounding error, whatever the order of A (Higham, Accuracy and Stability of Numerical Algorithms,
// 2002, section 10.3). With other orders it may have any size.
func (m *Matrix) FactorizePivoted(tiny float64) (f *Factor, order, left []int) {
	c := newFactorization(m, tiny)
	c.pivots = newPivots(m, tiny)
	c.leaves = true
	c.run()
	c.arrange()
	return c.Factor, c.pivots.order, c.clearLeft()
}

// pivots holds the order of the rows during a factorization, and what finds the next rows. Pivots only decrease.
// So only the rows that lead a heap are brought up to date, until one still leads: the pivots of other rows are
// not needed before the block is subtracted from them.
type pivots struct {
	tiny  float64
	above []int     // for each column the index of its first element
	order []int     // the row of A that each row is
	whole []float64 // the row's diagonal element of A
	ended bool      // whether no other pivot is larger than tiny
	was   [][]int   // the order at the time when a block of columns was chosen: its rows of U still have it

	// For a block of columns, and each row:
	part  []float64 // its pivot as far as it is known, as a part of whole
	pivot []float64
	known []int     // how many of the chosen rows are subtracted from it
	rows  []float64 // its elements of U for these rows, blockColumns apart
	heap  []int     // rows that are not chosen, the one with the largest part first

	chosen  []int
	top     []float64 // for the chosen rows: their elements of U for the rows before them, blockColumns apart
	inverse []float64 // the inverses of the diagonal of U for these rows
}

func newPivots(m *Matrix, tiny float64) *pivots {
	p := &pivots{
		tiny:  tiny,
		above: make([]int, m.n),
		order: make([]int, m.n), whole: make([]float64, m.n),
		part: make([]float64, m.n), pivot: make([]float64, m.n), known: make([]int, m.n), rows: make([]float64, m.n*blockColumns),
		top: make([]float64, blockColumns*blockColumns),
	}
	for i := range p.order {
		p.order[i], p.above[i] = i, m.at(0, i)
	}
	m.Diagonal(p.whole)
	return p
}

// choose moves the next pivots to the rows [first, end) of m. All rows before are subtracted from these
// already.
func (c *factorization) choose(first, end int) {
	p, m := c.pivots, c.u
	p.begin(m, first)
	for len(p.chosen) < end-first && !p.ended {
		i := p.heap[0]
		switch {
		case p.known[i] < len(p.chosen):
			p.update(m, i)
			p.sink(0)
		case p.part[i] > p.tiny:
			copy(p.top[len(p.chosen)*blockColumns:], p.rows[i*blockColumns:][:len(p.chosen)])
			p.chosen = append(p.chosen, i)
			p.inverse = append(p.inverse, 1/math.Sqrt(p.pivot[i]))
			last := len(p.heap) - 1
			p.heap[0], p.heap = p.heap[last], p.heap[:last]
			p.sink(0)
		default:
			p.ended = true
		}
	}
	for k, i := range p.chosen {
		to := first + k
		c.swap(first, to, i)
		for l, j := range p.chosen[k+1:] {
			if j == to {
				p.chosen[k+1+l] = i
			}
		}
	}
	p.was = append(p.was, slices.Clone(p.order))
}

// arrange puts the columns of the rows of U in the final order.
func (c *factorization) arrange() {
	m, p := c.u, c.pivots
	column, from := make([]int, m.n), make([]int, m.n)
	for b, was := range p.was {
		for j, i := range was {
			column[i] = j
		}
		for j, i := range p.order {
			from[j] = column[i]
		}
		first, end := b*blockColumns, min((b+1)*blockColumns, m.n)
		parallel.Run(parallel.Func(func(lo, hi int) {
			row, moved := make([]float64, m.n), make([]float64, m.n)
			for i := first + lo; i < first+hi; i++ {
				m.Row(row, i)
				for j, k := range from[i:] {
					moved[i+j] = row[k]
				}
				m.SetRow(i, i, moved[i:])
			}
		}), end-first, 1+1<<15/m.n)
	}
}

// begin makes the heap of the rows of m from first on.
func (p *pivots) begin(m *Matrix, first int) {
	p.chosen, p.inverse, p.heap = p.chosen[:0], p.inverse[:0], p.heap[:0]
	for i := first; i < m.n; i++ {
		p.pivot[i], p.known[i] = m.data[m.at(i, i)], 0
		p.setPart(i)
		p.heap = append(p.heap, i)
	}
	for k := len(p.heap)/2 - 1; k >= 0; k-- {
		p.sink(k)
	}
}

// setPart sets the pivot of row i as a part of whole.
func (p *pivots) setPart(i int) {
	if p.part[i] = p.pivot[i] / p.whole[i]; !(p.whole[i] > 0) {
		p.part[i] = 0
	}
}

// updated is the largest number of chosen rows that are subtracted from a pivot before it is checked whether its row
// still leads.
const updated = 24

// update subtracts the next chosen rows from the pivot of row i.
func (p *pivots) update(m *Matrix, i int) {
	row := p.rows[i*blockColumns:][:min(len(p.chosen), p.known[i]+updated)]
	for l := p.known[i]; l < len(row); l++ {
		s := p.chosen[l]
		row[l] = m.data[p.above[max(s, i)]+min(s, i)*m.width] // in a loop of their own: these loads are slow, and overlap
	}
	var sum [1]float64
	for l := p.known[i]; l < len(row); l++ {
		dots(m.tier, sum[:], row[:l], p.top[l*blockColumns:], blockColumns)
		row[l] = (row[l] - sum[0]) * p.inverse[l]
		p.pivot[i] = math.FMA(-row[l], row[l], p.pivot[i])
	}
	p.known[i] = len(row)
	p.setPart(i)
}

// before tells whether row i comes before row j, given what is known of their pivots.
func (p *pivots) before(i, j int) bool {
	return p.part[i] > p.part[j] || p.part[i] == p.part[j] && p.order[i] < p.order[j]
}

// sink moves the row at k of the heap to its place.
func (p *pivots) sink(k int) {
	for {
		child := 2*k + 1
		if child >= len(p.heap) {
			return
		}
		if child+1 < len(p.heap) && p.before(p.heap[child+1], p.heap[child]) {
			child++
		}
		if !p.before(p.heap[child], p.heap[k]) {
			return
		}
		p.heap[k], p.heap[child] = p.heap[child], p.heap[k]
		k = child
	}
}

// swap exchanges rows and columns a and b ≥ a, and what is known of them, except for the rows of U above first.
func (c *factorization) swap(first, a, b int) {
	if a == b {
		return
	}
	p, m := c.pivots, c.u
	p.order[a], p.order[b] = p.order[b], p.order[a]
	p.whole[a], p.whole[b] = p.whole[b], p.whole[a]
	c.least[a], c.least[b] = c.least[b], c.least[a]
	// Elements (a, j) and (b, j) beyond the diagonal are elements (j, a) and (j, b).
	columnA, columnB, rowA, rowB := m.data[p.above[a]:], m.data[p.above[b]:], a*m.width, b*m.width
	for i := first * m.width; i < rowA; i += m.width {
		columnA[i], columnB[i] = columnB[i], columnA[i]
	}
	columnA[rowA], columnB[rowB] = columnB[rowB], columnA[rowA]
	for j := a + 1; j < b; j++ {
		u, v := &m.data[p.above[j]+rowA], &columnB[j*m.width]
		*u, *v = *v, *u
	}
	for _, above := range p.above[b+1:] {
		u, v := &m.data[above+rowA], &m.data[above+rowB]
		*u, *v = *v, *u
	}
}
