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

// BlockRows is the number of rows of a full Block. Three strips of a panel and one of a tile leave room in the
// first-level cache, and they do not all begin at the same place of a page.
const BlockRows = 144

// Limit is above the magnitude of all numbers that a Block accepts. The squares of 2⁵³ differences of two such numbers
// have a finite sum.
const Limit = 0x1p484

// SingleLimit is Limit for a Block of float32: the squares of the differences of two such numbers have a finite sum in
// float32.
const SingleLimit = 0x1p59

// A Block holds up to BlockRows rows of numbers, for Matrix.Update.
type Block struct {
	n, rows int
	tier    tier.Tier
	shape

	// Shift is subtracted from rows: n numbers below the limit in magnitude, initially zeros.
	Shift []float64

	// Strip s holds the columns from s·strip on, row by row. Columns from n on are zeros. One of the two is
	// nil.
	data   []float64
	single []float32
}

// NewBlock returns a block without rows, of n columns.
func NewBlock(n int) *Block { return newBlockIn(tier.Best(), n) }

func newBlockIn(t tier.Tier, n int) *Block {
	b := &Block{n: n, tier: t, shape: shapes[t], Shift: make([]float64, n)}
	b.data = aligned(b.size())
	return b
}

// size returns the number of elements of all strips.
func (b *Block) size() int { return (b.n + b.width - 1) / b.width * b.width * BlockRows }

// Rows returns the number of rows.
func (b *Block) Rows() int { return b.rows }

// Room returns the number of rows for which there is room.
func (b *Block) Room() int { return BlockRows - b.rows }

// Limit returns the number that magnitudes must be below.
func (b *Block) Limit() float64 {
	if b.single != nil {
		return SingleLimit
	}
	return Limit
}

// Truncate drops all rows except the first rows.
func (b *Block) Truncate(rows int) { b.rows = rows }

// CopyFrom makes b, which has the same columns, a copy of the rows of a.
func (b *Block) CopyFrom(a *Block) {
	b.rows = a.rows
	copy(b.data, a.data)
	copy(b.single, a.single)
}

// fromStrip returns the data from strip s on.
func (b *Block) fromStrip(s int) []float64 { return b.data[s*b.strip*BlockRows:] }

// Append adds rows, minus the Shift, to the block, in which there must be room. If a row has NaN, or a number whose
// magnitude is the limit or more, it adds no rows and returns the index of the first such row; otherwise −1.
func (b *Block) Append(rows blas64.General) (bad int) {
	a := appending{b: b, rows: rows}
	strips := (b.n + b.strip - 1) / b.strip
	const elements = 1 << 14
	parallel.Run(&a, strips, 1+elements/(b.strip*rows.Rows))
	if a.bad.Load() {
		return firstBeyond(rows, b.Limit())
	}
	b.rows += rows.Rows
	return -1
}

// Scale multiplies the last rows of the block, as many as there are factors, each by its factor. The caller makes sure
// that all numbers stay below twice the limit in magnitude.
func (b *Block) Scale(factors []float64) {
	first := b.rows - len(factors)
	for s := 0; s*b.strip < b.n; s++ {
		for i, f := range factors {
			if f == 1 {
				continue
			}
			at := (s*BlockRows + first + i) * b.strip
			if b.single != nil {
				for j, v := range b.single[at:][:b.strip] {
					b.single[at+j] = float32(float64(v) * f)
				}
				continue
			}
			row := b.data[at:][:b.strip]
			for j := range row {
				row[j] *= f
			}
		}
	}
}

// firstBeyond returns the index of the first row with a NaN or a number of magnitude limit or more.
func firstBeyond(rows blas64.General, limit float64) int {
	for i := range rows.Rows {
		for _, v := range rows.Data[i*rows.Stride : i*rows.Stride+rows.Cols] {
			if !(math.Abs(v) < limit) {
				return i
			}
		}
	}
	return -1
}
