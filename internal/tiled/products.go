// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Products sets row i of dst to the Dots of row i of a, over up to GOMAXPROCS goroutines.
func Products(dst, a blas64.General, w []float64, stride int) {
	products(tier.Best(), dst, a, w, stride)
}

// SerialProducts is Products on the calling goroutine.
func SerialProducts(dst, a blas64.General, w []float64, stride int) {
	serialProducts(tier.Best(), dst, a, w, stride)
}

func products(t tier.Tier, dst, a blas64.General, w []float64, stride int) {
	const work = 1 << 16
	blocks := (a.Rows + productRows - 1) / productRows
	parallel.Run(parallel.Func(func(lo, hi int) {
		first, part, to := lo*productRows, a, dst
		part.Rows, part.Data = min(hi*productRows, a.Rows)-first, a.Data[first*a.Stride:]
		to.Data = dst.Data[first*dst.Stride:]
		serialProducts(t, to, part, w, stride)
	}), blocks, 1+work/(productRows*max(a.Cols*dst.Cols, 1)))
}

// Products processes a in blocks of rows and slabs of columns. The columns of a block, and the rows of w for a tile,
// stay in the first-level cache, and w is read from the second-level cache for every block. A chain continues from slab
// to slab.
const (
	productRows  = 8   // rows of a block
	productSlab  = 512 // columns of a slab
	productTiles = 16  // tiles of rows of w whose chains are kept at a time
)

// productShapes are the tiles of Products: a number of rows of a, which divides productRows, and a number of rows of w.
// Their chains fill registers, and each number that is read is used in several chains.
var productShapes = [...]productShape{
	tier.AVX2:   {2, 3},
	tier.AVX512: {4, 4},
}

type productShape struct{ rows, columns int }

// productSums are the chains of a block, and their sums.
type productSums struct {
	chains [productTiles * maxProductSize][8]float64
	totals [productTiles * maxProductSize]float64
}

// maxProductSize is the largest number of products of a block and a tile.
const maxProductSize = 32

var sumsOfProducts = sync.Pool{New: func() any { return new(productSums) }}

func serialProducts(t tier.Tier, dst, a blas64.General, w []float64, stride int) {
	if t == tier.Plain || a.Cols < 8 {
		for i := range a.Rows {
			dots(t, dst.Data[i*dst.Stride:][:dst.Cols], a.Data[i*a.Stride:][:a.Cols], w, stride)
		}
		return
	}
	shape := productShapes[t]
	if a.Rows < shape.rows || dst.Cols < shape.columns {
		narrowProducts(t, dst, a, w, stride)
		return
	}
	sums := sumsOfProducts.Get().(*productSums)
	tiles := (dst.Cols + shape.columns - 1) / shape.columns
	for first := 0; first < tiles; first += productTiles {
		for row := 0; row < a.Rows; row += productRows {
			b := productBlock{t, shape, dst, a, w, stride, row, min(productRows, a.Rows-row), first, min(productTiles, tiles-first)}
			b.run(sums)
		}
	}
	sumsOfProducts.Put(sums)
}

// narrowProducts is Products for fewer rows or columns than a tile has.
func narrowProducts(t tier.Tier, dst, a blas64.General, w []float64, stride int) {
	row := 0
	for ; row+dotRows <= a.Rows; row += dotRows { // the order of the factors does not matter
		for j := range dst.Cols {
			var one [dotRows]float64
			dots(t, one[:], w[j*stride:][:a.Cols], a.Data[row*a.Stride:], a.Stride)
			for r, v := range one {
				dst.Data[(row+r)*dst.Stride+j] = v
			}
		}
	}
	for ; row < a.Rows; row++ {
		dots(t, dst.Data[row*dst.Stride:][:dst.Cols], a.Data[row*a.Stride:][:a.Cols], w, stride)
	}
}

// productBlock is the products of some rows of a and some tiles of rows of w. If rows do not fill a tile, the tile
// begins before them, and some numbers are computed twice.
type productBlock struct {
	tier.Tier
	productShape
	dst, a       blas64.General
	w            []float64
	stride       int
	row, count   int // of a
	first, tiles int // of w
}

// column returns where a tile begins.
func (b *productBlock) column(tile int) int {
	return min((b.first+tile)*b.columns, b.dst.Cols-b.columns)
}

// run computes the products.
func (b *productBlock) run(sums *productSums) {
	size, full := b.rows*b.columns, b.count/b.rows
	each := (b.count + b.rows - 1) / b.rows * size
	last := b.row + b.count - b.rows // the first row of a tile that overlaps, if there is one
	whole := b.a.Cols &^ 7
	for lo := 0; lo < whole; lo += productSlab {
		hi := min(lo+productSlab, whole)
		groups, totals := (hi-lo)/8, []float64(nil)
		if hi == b.a.Cols {
			totals = sums.totals[:]
		}
		for tile := range b.tiles {
			at, w := tile*each, b.w[b.column(tile)*b.stride+lo:]
			if full > 0 {
				tileSumsAssembly(b.Tier, full, groups, b.a.Data[b.row*b.a.Stride+lo:], b.a.Stride, w, b.stride, lo == 0, sums.chains[:], totals, at)
			}
			if at += full * size; full*size < each {
				tileSumsAssembly(b.Tier, 1, groups, b.a.Data[last*b.a.Stride+lo:], b.a.Stride, w, b.stride, lo == 0, sums.chains[:], totals, at)
			}
		}
	}
	at := 0
	for tile := range b.tiles {
		column := b.column(tile)
		for row := b.row; row < b.row+b.count; row += b.rows {
			for r := min(row, last); r < min(row, last)+b.rows; r++ {
				totals := sums.totals[at:][:b.columns]
				if whole < b.a.Cols {
					b.rest(totals, sums.chains[at:], r, column)
				}
				copy(b.dst.Data[r*b.dst.Stride+column:], totals)
				at += b.columns
			}
		}
	}
}

// rest adds the last products of row r of a to the chains, which it adds up.
func (b *productBlock) rest(totals []float64, chains [][8]float64, r, column int) {
	for c := range totals {
		addRest(&chains[c], b.a.Data[r*b.a.Stride:][:b.a.Cols], b.w[(column+c)*b.stride:])
		totals[c] = total(&chains[c])
	}
}
