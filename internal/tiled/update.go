// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Update adds ZᵀZ to m, for the rows Z of a block of as many columns. Tiles are shared out over up to GOMAXPROCS
// goroutines.
func (m *Matrix) Update(z *Block) {
	if z.rows == 0 {
		return
	}
	newUpdate(m, 0, z).run()
}

// An operand has the rows that an update multiplies.
type operand interface {
	// count returns the number of rows.
	count() int

	// panel returns the columns of panel p, in groups of a strip's.
	panel(p int) (b []float64, step, group int)

	// strips returns up to n strips from strip s on, next apart, and how many those are.
	strips(s, n int) (a []float64, step, next, found int)
}

func (b *Block) count() int { return b.rows }

func (b *Block) panel(p int) (data []float64, step, group int) {
	return b.fromStrip(p * b.width / b.strip), b.strip, b.strip * BlockRows
}

func (b *Block) strips(s, n int) (a []float64, step, next, found int) {
	return b.fromStrip(s), b.strip, b.strip * BlockRows, n
}

// stripBlock is the number of elements of strips, of full blocks, over which panels pass while they stay
// in the second-level cache: 1 MB of them.
const stripBlock = 1 << 17

// An update adds products to the tiles of a matrix from panel first on, in rows and columns, or subtracts them.
type update struct {
	to       *Matrix
	z        operand
	first    int
	subtract bool
	height   int // strips in a group
}

func newUpdate(to *Matrix, first int, z operand) *update {
	height := max(stripBlock/(to.strip*BlockRows), 1)
	return &update{to: to, z: z, first: first, height: height}
}

// run does all tiles: a group of strips after another, for each the panels that reach down to it.
func (u *update) run() {
	perPanel := u.to.width / u.to.strip
	panels := u.to.panels()
	for s := u.first * perPanel; s < panels*perPanel; s += u.height {
		from := s / perPanel
		parallel.Run(parallel.Func(func(lo, hi int) {
			for p := lo; p < hi; p++ {
				u.panel(from+p, s, min(s+u.height, (from+p+1)*perPanel))
			}
		}), panels-from, u.grain(s))
	}
}

// grain returns the number of panels that a goroutine takes at a time: work of some tens of microseconds.
func (u *update) grain(int) int {
	work := u.height * u.to.strip * u.to.width * u.z.count()
	return 1 + minWork[u.to.tier]/work
}

// minWork is the number of multiply-adds under which a second goroutine does not pay.
var minWork = [...]int{tier.Plain: 1 << 16, tier.AVX2: 1 << 20, tier.AVX512: 1 << 21}

// panel does the tiles of strips [lo, hi) of panel p.
func (u *update) panel(p, lo, hi int) {
	m := u.to
	b, bStep, bGroup := u.z.panel(p)
	c := m.panel(p)
	for s := lo; s < hi; {
		a, aStep, aNext, n := u.z.strips(s, hi-s)
		m.kernel(u.subtract, n, u.z.count(), a, aStep, aNext, b, bStep, bGroup, c[s*m.strip*m.width:])
		s += n
	}
}

// kernel is addPlain or subtractPlain, in the instructions of the matrix's tier.
func (m *Matrix) kernel(subtract bool, tiles, k int, a []float64, aStep, aNext int, b []float64, bStep, bGroup int, c []float64) {
	switch {
	case k == 0:
	case m.tier != tier.Plain:
		productAssembly(m.tier, subtract, tiles, k, a, aStep, aNext, b, bStep, bGroup, c)
	case subtract:
		subtractPlain(tiles, k, a, aStep, aNext, b, bStep, bGroup, c)
	default:
		addPlain(tiles, k, a, aStep, aNext, b, bStep, bGroup, c)
	}
}
