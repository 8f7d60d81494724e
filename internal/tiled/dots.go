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

// Dots sets dst[t] to the inner product of a and the row of w from t·stride on. The products k, k+8, k+16, …
// are a chain of fused multiply-adds each, and the eight chains are added up in a fixed order.
func Dots(dst, a, w []float64, stride int) { dots(tier.Best(), dst, a, w, stride) }

// Dot returns the inner product of a and b, of the same length, as Dots sets it.
func Dot(a, b []float64) float64 {
	var sum [1]float64
	Dots(sum[:], a, b, len(b))
	return sum[0]
}

// Stride returns the stride of rows of n elements that many of these functions read: whole cache lines, and no multiple of a
// page, so that the same column of neighbouring rows does not fall in one set of the cache.
func Stride(n int) int {
	const line, page = 8, 512
	stride := (n + line - 1) &^ (line - 1)
	if stride%page == 0 {
		stride += line
	}
	return stride
}

// Products sets row i of dst to the Dots of row i of a, over up to GOMAXPROCS goroutines.
func Products(dst, a blas64.General, w []float64, stride int) {
	products(tier.Best(), dst, a, w, stride)
}

// SerialProducts is Products on the calling goroutine.
func SerialProducts(dst, a blas64.General, w []float64, stride int) {
	serialProducts(tier.Best(), dst, a, w, stride)
}

func serialProducts(t tier.Tier, dst, a blas64.General, w []float64, stride int) {
	for first := 0; first < a.Rows; first += dotRows {
		strip, to := a, dst
		strip.Rows, strip.Data = min(a.Rows-first, dotRows), a.Data[first*a.Stride:]
		to.Data = dst.Data[first*dst.Stride:]
		productsOfStrip(t, to, strip, w, stride)
	}
}

// dotRows is the number of rows that assembly multiplies at a time, to hide the latency of the chains.
const dotRows = 4

// dotTiles are the tiles of Products, of rows of a, which divide dotRows, and rows of w: their chains fill registers, and each
// number that is read is in several.
var dotTiles = [...]struct{ rows, columns int }{
	tier.AVX2:   {2, 3},
	tier.AVX512: {4, 4},
}

func products(t tier.Tier, dst, a blas64.General, w []float64, stride int) {
	const work = 1 << 16
	strips := (a.Rows + dotRows - 1) / dotRows
	parallel.Run(parallel.Func(func(lo, hi int) {
		first, part, to := lo*dotRows, a, dst
		part.Rows, part.Data = min(hi*dotRows, a.Rows)-first, a.Data[first*a.Stride:]
		to.Data = dst.Data[first*dst.Stride:]
		serialProducts(t, to, part, w, stride)
	}), strips, 1+work/(dotRows*max(a.Cols*dst.Cols, 1)))
}

// productsOfStrip is products of up to dotRows rows.
func productsOfStrip(t tier.Tier, dst, a blas64.General, w []float64, stride int) {
	if a.Rows < dotRows || t == tier.Plain || a.Cols < 8 {
		for i := range a.Rows {
			dots(t, dst.Data[i*dst.Stride:][:dst.Cols], a.Data[i*a.Stride:][:a.Cols], w, stride)
		}
		return
	}
	var sums [maxDotTile][8]float64
	tile, column := dotTiles[t], 0
	for ; column+tile.columns <= dst.Cols; column += tile.columns {
		for row := 0; row < dotRows; row += tile.rows {
			b := w[column*stride:]
			tileSumsAssembly(t, sums[:], a.Data[row*a.Stride:], a.Stride, a.Cols/8, b, stride)
			for r := range tile.rows {
				chains, to := sums[r*tile.columns:][:tile.columns], dst.Data[(row+r)*dst.Stride+column:][:tile.columns]
				if a.Cols%8 > 0 {
					for c := range chains {
						addRest(&chains[c], a.Data[(row+r)*a.Stride:][:a.Cols], b[c*stride:])
					}
				}
				for c := range to {
					to[c] = total(&chains[c])
				}
			}
		}
	}
	for ; column < dst.Cols; column++ { // the product of two numbers is the same the other way round
		var one [dotRows]float64
		dots(t, one[:], w[column*stride:][:a.Cols], a.Data, a.Stride)
		for r, v := range one {
			dst.Data[r*dst.Stride+column] = v
		}
	}
}

// maxDotTile is the size of the largest of dotTiles.
const maxDotTile = 16

func dots(t tier.Tier, dst, a, w []float64, stride int) {
	var sums [dotRows][8]float64
	for i := 0; i < len(dst); {
		rows := 1
		if len(dst)-i >= dotRows {
			rows = dotRows
		}
		row := w[i*stride:]
		if t == tier.Plain || len(a) < 8 {
			sumsPlain(sums[:rows], a, row, stride)
		} else {
			sumsAssembly(t, sums[:rows], a, row, stride)
		}
		for r := range rows {
			addRest(&sums[r], a, row[r*stride:])
			dst[i+r] = total(&sums[r])
		}
		i += rows
	}
}

// addRest adds the last len(a)%8 products of a and b to their chains.
func addRest(s *[8]float64, a, b []float64) {
	for k := len(a) &^ 7; k < len(a); k++ {
		s[k%8] = math.FMA(a[k], b[k], s[k%8])
	}
}

// total returns the sum of the chains.
func total(s *[8]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// sumsPlain sets sums to the chains of the inner products of a and rows of w, but for the last len(a)%8 products.
func sumsPlain(sums [][8]float64, a, w []float64, stride int) {
	for r := range sums {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		row := w[r*stride:]
		for k := 0; k+8 <= len(a); k += 8 {
			u, v := (*[8]float64)(a[k:]), (*[8]float64)(row[k:])
			s0 = math.FMA(u[0], v[0], s0)
			s1 = math.FMA(u[1], v[1], s1)
			s2 = math.FMA(u[2], v[2], s2)
			s3 = math.FMA(u[3], v[3], s3)
			s4 = math.FMA(u[4], v[4], s4)
			s5 = math.FMA(u[5], v[5], s5)
			s6 = math.FMA(u[6], v[6], s6)
			s7 = math.FMA(u[7], v[7], s7)
		}
		sums[r] = [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}
