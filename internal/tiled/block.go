// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// BlockRows is the number of rows of a full Block: three strips of a panel and one of a tile leave room in the first-level
// cache, and they do not all begin at the same place of a page.
const BlockRows = 144

// Limit is beyond the magnitude of all that a Block takes: the squares of 2⁵³ such numbers have a finite sum.
const Limit = 0x1p484

// A Block holds up to BlockRows rows of numbers, for Matrix.Update.
type Block struct {
	n, rows int
	tier    tier.Tier
	shape

	// Strip s has the columns from s·strip on, row by row. Columns from n on are zeros.
	data []float64
}

// NewBlock returns a block without rows, of n columns.
func NewBlock(n int) *Block { return newBlockIn(tier.Best(), n) }

func newBlockIn(t tier.Tier, n int) *Block {
	b := &Block{n: n, tier: t, shape: shapes[t]}
	panels := (n + b.width - 1) / b.width
	b.data = aligned(panels * b.width * BlockRows)
	return b
}

// Rows returns the number of rows.
func (b *Block) Rows() int { return b.rows }

// Room returns the number of rows for which there is room.
func (b *Block) Room() int { return BlockRows - b.rows }

// Truncate drops all rows but the first.
func (b *Block) Truncate(rows int) { b.rows = rows }

// fromStrip returns the data from strip s on.
func (b *Block) fromStrip(s int) []float64 { return b.data[s*b.strip*BlockRows:] }

// Append adds rows, of which there must be room for, to the block. It returns the index of the first of them that has a
// NaN or a number of magnitude Limit or more, and adds none then; otherwise −1.
func (b *Block) Append(rows blas64.General) (bad int) {
	a := appending{b: b, rows: rows}
	strips := (b.n + b.strip - 1) / b.strip
	const elements = 1 << 14
	parallel.Run(&a, strips, 1+elements/(b.strip*rows.Rows))
	if a.bad.Load() {
		return firstBeyond(rows)
	}
	b.rows += rows.Rows
	return -1
}

// firstBeyond returns the index of the first row with a NaN or a number of magnitude Limit or more.
func firstBeyond(rows blas64.General) int {
	for i := range rows.Rows {
		for _, v := range rows.Data[i*rows.Stride : i*rows.Stride+rows.Cols] {
			if !(math.Abs(v) < Limit) {
				return i
			}
		}
	}
	return -1
}
