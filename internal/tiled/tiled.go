// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package tiled does the linear algebra of least squares: the symmetric update A += ZᵀZ, the Cholesky factor
// A = UᵀU, and the solution of triangular systems, with the same bits on every machine.
//
// Each entry of ZᵀZ is one chain of fused multiply-adds in the order of the rows of Z. Each entry of U and of
// a solution is one chain in the order of k, times the inverse of the diagonal. So a result does not depend
// on how rows were grouped, the number of goroutines, or the machine. Gonum's Dsyrk and Dpotrf promise
// nothing of the kind, and are about twenty times slower.
//
// A Matrix is the upper triangle in panels of columns. Each panel is stored row by row down to the diagonal,
// so that a tile, some rows of a panel, is contiguous. The kernels (kernels_plain.go is the specification;
// assembly equals it to the last bit) hold a tile in registers:
//
//	add       tile += aᵀb
//	subtract  tile −= aᵀb
//	solve     tile −= aᵀb, then the rows of the tile are solved against the triangle of their columns
//
// where a has the tile's rows and b the tile's columns for each k in turn. In an update they come from a
// Block, rows of Z packed in strips of columns. In a factorization and a solution they are rows of panels, in
// place.
package tiled

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// shape is the shape of a tile: some rows, the columns of a strip, and a panel's columns.
type shape struct {
	strip int // columns of a strip, rows of a tile
	width int // columns of a panel, a multiple of strip
}

// The accumulators of a tile fill 24 of 32 registers with 8 lanes, and 12 of 16 with 4.
var shapes = [...]shape{
	tier.Plain:  {strip: 2, width: 4},
	tier.AVX2:   {strip: 4, width: 12},
	tier.AVX512: {strip: 8, width: 24},
}

// A Matrix is a symmetric matrix, or an upper triangular one.
type Matrix struct {
	n    int
	tier tier.Tier
	shape

	// Panel p has the rows 0 to (p+1)·width, with width elements each. Columns from n on are padding. In
	// the last rows of a panel, elements left of the diagonal have no meaning.
	data []float64

	head int // for NewHeaded, the number of first panels; else 0
}

// New returns the n×n matrix of zeros.
func New(n int) *Matrix { return newIn(tier.Best(), n) }

func newIn(t tier.Tier, n int) *Matrix {
	m := &Matrix{n: n, tier: t, shape: shapes[t]}
	m.data = aligned(m.offset(m.panels()))
	return m
}

// FromColumns returns the symmetric matrix with the given columns, each down to the diagonal. It frees them one by one:
// the elements of columns are nil afterwards.
func FromColumns(columns [][]float64) *Matrix {
	m := New(len(columns))
	for j, c := range columns {
		m.SetColumn(j, c)
		columns[j] = nil
	}
	return m
}

// Dim returns the number of rows and columns.
func (m *Matrix) Dim() int { return m.n }

// panels returns the number of panels.
func (m *Matrix) panels() int { return (m.n + m.width - 1) / m.width }

// offset returns where panel p begins.
func (m *Matrix) offset(p int) int {
	if m.head > 0 && p > m.head {
		return m.headedOffset(p)
	}
	return m.width * m.width * p * (p + 1) / 2
}

// panel returns the elements of panel p.
func (m *Matrix) panel(p int) []float64 { return m.data[m.offset(p):m.offset(p+1)] }

// at returns the index of the element i ≤ j.
func (m *Matrix) at(i, j int) int {
	p := j / m.width
	row := m.row(p, i)
	if row < 0 {
		return -1 // no element
	}
	return m.offset(p) + row*m.width + j%m.width
}

// At returns the element i, j.
func (m *Matrix) At(i, j int) float64 { return m.data[m.at(min(i, j), max(i, j))] }

// Set sets the element i, j, and so j, i.
func (m *Matrix) Set(i, j int, v float64) { m.data[m.at(min(i, j), max(i, j))] = v }

// Column sets dst to the elements of rows 0 to j of column j, or to 0 for those that are not kept.
func (m *Matrix) Column(dst []float64, j int) {
	p := m.panel(j / m.width)
	for i := range dst[:j+1] {
		if at := m.row(j/m.width, i); at >= 0 {
			dst[i] = p[at*m.width+j%m.width]
		} else {
			dst[i] = 0
		}
	}
}

// SetColumn sets the elements of rows 0 to j of column j that are kept.
func (m *Matrix) SetColumn(j int, v []float64) {
	p := m.panel(j / m.width)
	for i, v := range v[:j+1] {
		if at := m.row(j/m.width, i); at >= 0 {
			p[at*m.width+j%m.width] = v
		}
	}
}

// Row sets dst[j] to the element i, j, for j from i on.
func (m *Matrix) Row(dst []float64, i int) {
	for first := i / m.width * m.width; first < m.n; first += m.width {
		row := m.panel(first / m.width)[i*m.width:]
		lo := max(i, first)
		copy(dst[lo:min(first+m.width, m.n)], row[lo-first:])
	}
}

// SetRow sets the elements i, j of row i, from j = lo ≥ i on, to v.
func (m *Matrix) SetRow(i, lo int, v []float64) {
	for len(v) > 0 {
		p := lo / m.width
		n := copy(m.panel(p)[i*m.width:][lo-p*m.width:m.width], v)
		v, lo = v[n:], lo+n
	}
}

// SquaredError returns the sum of weights[i, j]·(scale·m[i, j] − b[i, j])² over i ≤ j, for matrices of one size. The
// order of summation is the same on every tier: each row in four chains by j modulo 4, whose sums are added in pairs,
// row after row.
func (m *Matrix) SquaredError(scale float64, b, weights *Matrix) (sum float64) {
	for i := range m.n {
		var chains [4]float64
		for p := i / m.width; p < m.panels(); p++ {
			at := m.offset(p) + i*m.width
			last := min(m.width, m.n-p*m.width)
			values, others, w := m.data[at:][:last], b.data[at:][:last], weights.data[at:][:last]
			for k := max(i-p*m.width, 0); k < last; k++ {
				e := float64(scale*values[k]) - others[k]
				chains[k&3] += float64(float64(w[k]*e) * e) // a panel is a multiple of 4 wide
			}
		}
		sum += (chains[0] + chains[1]) + (chains[2] + chains[3])
	}
	return sum
}

// AddSquaredErrors adds weights[i, j]·(scale·m[i, j] − b[i, j])² to dst[i] and to dst[j] for all i < j.
func (m *Matrix) AddSquaredErrors(dst []float64, scale float64, b, weights *Matrix) {
	for i := range m.n {
		var sum float64
		for p := i / m.width; p < m.panels(); p++ {
			at, first := m.offset(p)+i*m.width, p*m.width
			last := min(m.width, m.n-first)
			values, others, w, to := m.data[at:][:last], b.data[at:][:last], weights.data[at:][:last], dst[first:][:last]
			for k := max(i+1-first, 0); k < last; k++ {
				e := float64(scale*values[k]) - others[k]
				v := float64(float64(w[k]*e) * e)
				sum += v
				to[k] += v
			}
		}
		dst[i] += sum
	}
}

// Clear makes m zero.
func (m *Matrix) Clear() { clear(m.data) }

// CopyFrom copies b, of the same size, into m.
func (m *Matrix) CopyFrom(b *Matrix) { copy(m.data, b.data) }

// CopyLeading makes m the leading rows and columns of b, which has at least as many.
func (m *Matrix) CopyLeading(b *Matrix) {
	m.eachPanel(func(p int) {
		first, to, from := p*m.width, m.panel(p), b.panel(p)
		width := min(m.width, m.n-first)
		clear(to)
		for i := range min(first+width, m.n) {
			copy(to[i*m.width:][:width], from[i*m.width:][:width])
		}
	})
}

// AddProducts adds the products of the elements of u and v, of m's size, to the upper triangle of m,
//
//	mᵢⱼ += uᵢ·vⱼ, i ≤ j, a fused multiply-add.
//
// The result is a symmetric matrix only together with other products.
func (m *Matrix) AddProducts(u, v []float64) {
	m.eachPanel(func(p int) {
		first, to := p*m.width, m.panel(p)
		columns := v[first:min(first+m.width, m.n)]
		for i, u := range u[:first+len(columns)] {
			at := m.row(p, i)
			if at < 0 {
				continue
			}
			row := to[at*m.width:][:len(columns)]
			for j, w := range columns {
				row[j] = math.FMA(u, w, row[j])
			}
		}
	})
}

// eachPanel calls f for each panel, with up to GOMAXPROCS goroutines.
func (m *Matrix) eachPanel(f func(p int)) {
	parallel.Run(parallel.Func(func(lo, hi int) {
		for p := lo; p < hi; p++ {
			f(p)
		}
	}), m.panels(), 1+1<<16/(m.n*m.width))
}

// AddDiagonal adds v to each element of the diagonal.
func (m *Matrix) AddDiagonal(v float64) {
	for i := range m.n {
		m.data[m.at(i, i)] += v
	}
}

// Diagonal sets dst to the diagonal.
func (m *Matrix) Diagonal(dst []float64) {
	for i := range m.n {
		dst[i] = m.data[m.at(i, i)]
	}
}

// Add adds b, of the same size, to m, entry by entry.
func (m *Matrix) Add(b *Matrix) {
	for i, v := range b.data {
		m.data[i] += v
	}
}
