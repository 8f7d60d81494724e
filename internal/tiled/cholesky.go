// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Factor is the upper triangular U of a positive definite A = UᵀU.
type Factor struct {
	u       *Matrix
	inverse []float64 // of the diagonal of U; 1 in the padding
}

// Clone returns a copy of f.
func (f *Factor) Clone() *Factor {
	u := newIn(f.u.tier, f.u.n)
	u.CopyFrom(f.u)
	return &Factor{u: u, inverse: slices.Clone(f.inverse)}
}

// Free returns the memory of f, which is not valid afterwards, as a matrix of zeros.
func (f *Factor) Free() *Matrix {
	f.u.Clear()
	return f.u
}

// Factorize overwrites m = A by its Cholesky factor, with up to GOMAXPROCS goroutines:
//
//	uᵢⱼ = (aᵢⱼ − Σ uₖᵢ·uₖⱼ)·(1/uᵢᵢ), k = 0, 1, …, i−1;    uᵢᵢ = √(aᵢᵢ − Σ uₖᵢ²)
//
// It stops at the first pivot uᵢᵢ² that is not larger than tiny·aᵢᵢ, and returns nil and i; m cannot be
// used afterwards. Otherwise the index is −1.
func (m *Matrix) Factorize(tiny float64) (*Factor, int) {
	c := newFactorization(m, tiny)
	if i := c.run(); i >= 0 {
		return nil, i
	}
	return c.Factor, -1
}

// FactorizeWithout is Factorize, except that it leaves out the rows and columns whose pivots are not larger than
// tiny·aᵢᵢ. It returns them in ascending order. The factor is the factor of A with these rows and columns replaced by
// those of I.
func (m *Matrix) FactorizeWithout(tiny float64) (f *Factor, left []int) {
	c := newFactorization(m, tiny)
	c.leaves = true
	c.run()
	return c.Factor, c.clearLeft()
}

// clearLeft replaces the rows and columns that were left out by those of I, and returns them.
func (c *factorization) clearLeft() []int {
	m := c.u
	for _, i := range c.left {
		c.inverse[i] = 1
		for k := range m.n {
			if k != i {
				m.Set(k, i, 0) // beyond the diagonal it is 0 of any sign
			}
		}
	}
	return c.left
}

// newFactorization begins the factorization of m.
func newFactorization(m *Matrix, tiny float64) *factorization {
	c := &factorization{Factor: &Factor{u: m, inverse: make([]float64, m.panels()*m.width)}, least: make([]float64, m.panels()*m.width)}
	for i := range m.n {
		c.least[i] = tiny * m.data[m.at(i, i)]
	}
	for i := m.n; i < len(c.inverse); i++ {
		m.data[m.at(i, i)] = 1
	}
	return c
}

// run factorizes. It returns the index of a pivot that is too small, or −1.
func (c *factorization) run() int {
	m := c.u
	panels, group := m.panels(), max(blockColumns/m.width, 1)
	for lo := 0; lo < panels; lo += group {
		hi := min(lo+group, panels)
		if c.pivots != nil && !c.pivots.ended {
			c.choose(lo*m.width, min(hi*m.width, m.n))
		}
		if i := c.diagonal(lo, hi); i >= 0 {
			return i
		}
		grain := 1 + minWork[m.tier]/(m.width*m.width*m.width*(hi-lo)*(hi-lo))
		parallel.Run(parallel.Func(func(p, end int) {
			for ; p < end; p++ {
				for s := lo; s < hi; s++ {
					c.rows(s, lo, hi+p)
				}
			}
		}), panels-hi, grain)
		update{to: m, first: hi, k: (hi - lo) * m.width, tiles: func(p, s, end int, tiles []float64) {
			m.subtractRows(lo, hi, p, s, end, tiles)
		}}.run()
	}
	return -1
}

// NewFactor returns the factor U with the elements of u, whose diagonal must be positive.
func NewFactor(u *Matrix) *Factor {
	f := &Factor{u: u, inverse: make([]float64, u.panels()*u.width)}
	for i := range f.inverse {
		if i >= u.n {
			u.data[u.at(i, i)] = 1
		}
		f.inverse[i] = 1 / u.data[u.at(i, i)]
	}
	return f
}

// blockColumns is the number of columns whose rows of U are computed before they are subtracted from the
// other rows.
const blockColumns = 144

// factorization is a Cholesky factorization in progress.
type factorization struct {
	*Factor
	least  []float64 // the pivots must be larger
	leaves bool      // whether rows are left out if their pivots are not larger
	left   []int     // the rows that were left out
	pivots *pivots   // for another order of the rows
}

// diagonal factorizes the panels [lo, hi), from row lo·width on. It returns the index of a pivot that is too
// small, or −1.
func (c *factorization) diagonal(lo, hi int) int {
	m := c.u
	for s := lo * m.width / m.strip; s < hi*m.width/m.strip; s++ {
		p := s * m.strip / m.width
		if i := c.corner(s, lo, p); i >= 0 {
			return i
		}
		for q := p + 1; q < hi; q++ {
			c.tile(s, lo, q)
		}
	}
	return -1
}

// rows computes the rows of U that belong to the columns of panel s in panel q, below row lo·width.
func (c *factorization) rows(s, lo, q int) {
	per := c.u.width / c.u.strip
	for i := s * per; i < (s+1)*per; i++ {
		c.tile(i, lo, q)
	}
}

// tile computes the tile of strip s in panel q.
func (c *factorization) tile(s, lo, q int) {
	m := c.u
	a, u := m.columns(s, lo*m.width)
	c.solve(s*m.strip-lo*m.width, a, m.panel(q)[lo*m.width*m.width:], u, c.inverse[s*m.strip:])
}

// columns returns the columns of strip s: from row first on, and from its diagonal on.
func (m *Matrix) columns(s, first int) (a, u []float64) {
	column := s * m.strip
	p := m.panel(column / m.width)[column%m.width:]
	return p[first*m.width:], p[column*m.width:]
}

// corner computes the tile of strip s that contains the diagonal, in panel p.
func (c *factorization) corner(s, lo, p int) int {
	m := c.u
	first, column := lo*m.width, s*m.strip
	panel := m.panel(p)
	tile := panel[column*m.width:]
	v := column % m.width
	m.subtract(1, column-first, panel[first*m.width+v:], panel[first*m.width:], tile)

	var small [maxStrip * maxWidth]float64 // the triangle, in rows with a panel's stride
	for r := range m.strip {
		copy(small[r*m.width:], tile[r*m.width+v:][:m.strip])
	}
	for r := range m.strip {
		row := small[r*m.width:]
		switch large := row[r] > c.least[column+r] && !math.IsInf(row[r], 1); {
		case large:
			row[r] = math.Sqrt(row[r])
			c.inverse[column+r] = 1 / row[r]
		case c.leaves:
			row[r], c.inverse[column+r] = 1, 0 // makes the rest of the row 0
			c.left = append(c.left, column+r)
		default:
			return column + r
		}
		for j := r + 1; j < m.strip; j++ {
			row[j] *= c.inverse[column+r]
		}
		for i := r + 1; i < m.strip; i++ {
			for j := i; j < m.strip; j++ {
				small[i*m.width+j] = math.FMA(-row[i], row[j], small[i*m.width+j])
			}
		}
	}
	c.solve(0, tile, tile, small[:], c.inverse[column:])
	for r := range m.strip {
		tile[r*m.width+v+r] = small[r*m.width+r]
	}
	return -1
}

// solve is solvePlain in the instructions of the factor's tier.
func (f *Factor) solve(k int, a, b, u, inverse []float64) {
	if f.u.tier == tier.Plain {
		solvePlain(k, a, b, u, inverse)
		return
	}
	solveAssembly(f.u.tier, k, a, b, u, inverse)
}

// subtractRows subtracts the products of the rows of panels [lo, hi) from the tiles c of strips [s, end) of panel p.
func (m *Matrix) subtractRows(lo, hi, p, s, end int, c []float64) {
	perPanel := m.width / m.strip
	b := m.panel(p)[lo*m.width*m.width:]
	for s < end {
		a, _ := m.columns(s, lo*m.width)
		tiles := min(end-s, perPanel-s%perPanel) // strips of one panel
		m.subtract(tiles, (hi-lo)*m.width, a, b, c)
		s += tiles
		c = c[tiles*m.strip*m.width:]
	}
}
