// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// Times returns the factor FG, for an upper triangular G of the same size, with up to GOMAXPROCS goroutines:
//
//	(FG)ᵢⱼ = Σ fᵢₖ·gₖⱼ, k = i, i+1, …, j, a chain of fused multiply-adds
//
// Solving with (FG)ᵀ is solving with Gᵀ and then with Fᵀ, in half the time.
func (f *Factor) Times(g *Factor) *Factor {
	product := newIn(f.u.tier, f.u.n)
	triangles := g.triangles()
	parallel.Run(parallel.Func(func(lo, hi int) {
		for q := lo; q < hi; q++ {
			product.addRows(q, f.negativeRows(q), g.u, triangles)
		}
	}), product.panels(), 1+minWork[product.tier]/(product.width*product.n*product.n))
	return NewFactor(product)
}

// triangles returns the last rows of each panel, a square that contains the diagonal, with zeros below it and in the
// padding.
func (f *Factor) triangles() []float64 {
	m := f.u
	square := m.width * m.width
	triangles := aligned(m.panels() * square)
	for p := range m.panels() {
		from, to := m.panel(p)[p*square:], triangles[p*square:]
		for r := range min(m.width, m.n-p*m.width) {
			for j := r; j < min(m.width, m.n-p*m.width); j++ {
				to[r*m.width+j] = from[r*m.width+j]
			}
		}
	}
	return triangles
}

// negativeRows returns −f from the diagonal on, for as many rows as panel q has columns, column by column: first the
// elements of these rows in column q·width, then those in the next column, and so on. Elements below the diagonal are
// zeros.
func (f *Factor) negativeRows(q int) []float64 {
	m := f.u
	first := q * m.width
	columns := make([]float64, (m.panels()-q)*m.width*m.width)
	for k := first; k < m.n; k++ {
		panel := m.panel(k / m.width)
		to := columns[(k-first)*m.width:]
		for r := range min(m.width, k-first+1) {
			to[r] = -panel[(first+r)*m.width+k%m.width]
		}
	}
	return columns
}

// addRows adds the product of some rows and g to the rows of m that begin with row q·width. negative holds the
// negatives of the rows, column by column, and triangles the triangles of g.
func (m *Matrix) addRows(q int, negative []float64, g *Matrix, triangles []float64) {
	square, tiles := m.width*m.width, m.width/m.strip
	for p := q; p < m.panels(); p++ {
		above, to := (p-q)*m.width, m.panel(p)[q*square:]
		m.subtract(tiles, above, negative, g.panel(p)[q*square:], to)
		m.subtract(tiles, m.width, negative[above*m.width:], triangles[p*square:], to)
	}
}

// Turned is a factor U in reverse order: G with gᵢⱼ = uₙ₋₁₋ⱼ,ₙ₋₁₋ᵢ, counted from 0. The solution of Gᵀx = b is, from
// the last element to the first, the solution of Uy = b reversed. With it, many vectors are solved in tiles, again and
// again.
type Turned struct{ g *Factor }

// Turned returns U in reverse order, which takes as much memory again.
func (f *Factor) Turned() *Turned { return f.TurnedIn(nil) }

// TurnedIn is Turned in the memory of t, which is not valid afterwards; nil is new memory.
func (f *Factor) TurnedIn(t *Turned) *Turned {
	m, n := f.u, f.u.n
	var g *Matrix
	if t != nil {
		g = t.g.u
		g.Clear()
	} else {
		g = newIn(m.tier, n)
	}
	for p := range g.panels() {
		first, to := p*g.width, g.panel(p)
		for i := range min(first+g.width, n) {
			column := n - 1 - i
			from := m.panel(column / m.width)[column%m.width:]
			for j := max(i, first); j < min(first+g.width, n); j++ { // rows of one column of U, which are those of the next i too
				to[i*g.width+j-first] = from[(n-1-j)*m.width]
			}
		}
	}
	return &Turned{NewFactor(g)}
}

// SolveVecs overwrites each row of b by the solution of Ux = row, with the bits of Factor.SolveVecs, with up to
// GOMAXPROCS goroutines.
func (t *Turned) SolveVecs(b blas64.General) {
	t.reverse(b)
	t.g.SolveTransVecs(b)
	t.reverse(b)
}

// reverse reverses each row.
func (t *Turned) reverse(b blas64.General) {
	for i := range b.Rows {
		slices.Reverse(b.Data[i*b.Stride:][:t.g.u.n])
	}
}
