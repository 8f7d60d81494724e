// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"github.com/seed-0f95ebc1/featuremap/internal/fma"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Blocks of float32. Each entry of ZᵀZ is one chain of fused multiply-adds of float32 in the order of the rows of the
// block, from 0 on, and is then added to a matrix of float64. So sums over the rows of many blocks have the error of
// about 144 roundings to float32, and depend on where a block begins.

// NewSingleBlock returns a block of float32 without rows, with n columns. A register holds twice as many numbers. So a
// tile has the columns of two panels of a matrix, and a strip the rows of two tiles.
func NewSingleBlock(n int) *Block { return newSingleBlockIn(tier.Best(), n) }

func newSingleBlockIn(t tier.Tier, n int) *Block {
	b := &Block{n: n, tier: t, shape: shape{strip: 2 * shapes[t].strip, width: 2 * shapes[t].width}, Shift: make([]float64, n)}
	b.single = alignedSingle(b.size())
	return b
}

// updateSingle is Update by a block of float32. The work for two panels is done when the second one is
// reached.
func (m *Matrix) updateSingle(z *Block) {
	perPanel, last := m.width/m.strip, m.panels()-1
	update{to: m, k: z.rows, tiles: func(p, lo, hi int, c []float64) {
		var left []float64 // in the first panel
		right := c         // in the second
		switch {
		case p%2 == 1:
			left = m.panel(p - 1)[min(lo, p*perPanel)*m.strip*m.width:]
		case p == last:
			left, right = c, nil
		default:
			return
		}
		columns := z.single[(p-p%2)*m.width*BlockRows:]
		var nowhere [maxStrip * maxWidth]float64
		next := m.strip * m.width
		for s := lo; s < hi; s++ {
			rows := z.single[s/2*z.strip*BlockRows+s%2*m.strip:]
			l, r := nowhere[:], nowhere[:]
			if len(left) > 0 {
				l, left = left, left[next:]
			}
			if len(right) > 0 {
				r, right = right, right[next:]
			}
			m.addSingle(z.rows, rows, columns, l, r)
		}
	}}.run()
}

// addSingle is addSinglePlain in the instructions of the matrix's tier.
func (m *Matrix) addSingle(k int, a, b []float32, left, right []float64) {
	if m.tier == tier.Plain {
		addSinglePlain(k, a, b, left, right)
	} else {
		addSingleAssembly(m.tier, k, a, b, left, right)
	}
}

// addSinglePlain adds to two tiles, side by side, the products of a strip of a Block of float32, a, with the rows of
// the tiles, and of the strips b with their columns:
//
//	t = Σ a[k][r]·b[k][j], k = 0, 1, …, in float32; tile[r][j] += t
func addSinglePlain(k int, a, b []float32, left, right []float64) {
	const strip = 2 * plainStrip // columns of a strip
	for half, tile := range [][]float64{left, right} {
		for r := range plainStrip {
			for j := range plainWidth {
				column := half*plainWidth + j
				at := column/strip*strip*BlockRows + column%strip
				var t float32
				for i := range k {
					t = fma.Float32(a[i*strip+r], b[at+i*strip], t)
				}
				tile[r*plainWidth+j] += float64(t)
			}
		}
	}
}
