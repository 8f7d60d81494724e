// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Update adds ZᵀZ to m, for the rows Z of a block with as many columns, with up to GOMAXPROCS goroutines.
func (m *Matrix) Update(z *Block) {
	if z.rows == 0 {
		return
	}
	if z.single != nil {
		m.updateSingle(z)
		return
	}
	if m.head > 0 {
		m.updateHeaded(z)
		return
	}
	update{to: m, k: z.rows, tiles: func(p, lo, hi int, c []float64) {
		m.add(hi-lo, z.rows, z.fromStrip(lo), z.fromStrip(p*m.width/m.strip), c)
	}}.run()
}

// update changes the tiles of a matrix from row and column first·width on.
type update struct {
	to    *Matrix
	first int
	k     int                              // number of rows that are multiplied
	tiles func(p, lo, hi int, c []float64) // processes the strips [lo, hi) of panel p, whose tiles are c
}

// stripBlock is the number of elements of the strips of full blocks over which panels pass while the
// strips stay in the second-level cache: 1 MB.
const stripBlock = 1 << 17

// run processes all tiles. A task is a group of strips in one of the panels that reach down to it. The tasks of a group
// follow one another, and the small ones at the diagonal come last.
func (u update) run() {
	m := u.to
	perPanel := m.width / m.strip
	panels, height := m.panels(), stripBlock/(m.strip*BlockRows)
	tasks := 0
	for s := u.first * perPanel; s < panels*perPanel; s += height {
		tasks += panels - s/perPanel
	}
	parallel.Run(parallel.Func(func(lo, hi int) {
		for ; lo < hi; lo++ {
			s, task := u.first*perPanel, lo
			for task >= panels-s/perPanel {
				task -= panels - s/perPanel
				s += height
			}
			p := panels - 1 - task
			u.tiles(p, s, min(s+height, (p+1)*perPanel), m.panel(p)[s*m.strip*m.width:])
		}
	}), tasks, 1+minWork[m.tier]/(height*m.strip*m.width*u.k))
}

// minWork is the number of multiply-adds below which a second goroutine does not pay.
var minWork = [...]int{tier.Plain: 1 << 16, tier.AVX2: 1 << 20, tier.AVX512: 1 << 21}

// add is addPlain in the instructions of the matrix's tier.
func (m *Matrix) add(tiles, k int, a, b, c []float64) {
	if m.tier == tier.Plain {
		addPlain(tiles, k, a, b, c)
		return
	}
	addAssembly(m.tier, tiles, k, a, b, c)
}

// subtract is subtractPlain in the instructions of the matrix's tier.
func (m *Matrix) subtract(tiles, k int, a, b, c []float64) {
	switch {
	case k == 0:
	case m.tier == tier.Plain:
		subtractPlain(tiles, k, a, b, c)
	default:
		subtractAssembly(m.tier, tiles, k, a, b, c)
	}
}
