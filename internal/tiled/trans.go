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

// AddTransProducts adds aᵀb, of as many rows, to dst, over up to GOMAXPROCS goroutines. Each element is one chain of fused
// multiply-adds in the order of the rows,
//
//	dst[r][j] += Σ a[i][r]·b[i][j], i = 0, 1, …
//
// so that it has the same bits however the rows come in blocks.
func AddTransProducts(dst, a, b blas64.General) { addTransProducts(tier.Best(), dst, a, b) }

func addTransProducts(t tier.Tier, dst, a, b blas64.General) {
	if a.Rows == 0 {
		return
	}
	if t == tier.Plain {
		parallel.Run(parallel.Func(func(lo, hi int) { transPlain(dst, a, b, lo, hi) }), dst.Cols, 1+minWork[t]/(a.Rows*dst.Rows))
		return
	}
	groups := packGroups(t, a)
	defer buffers.Put(groups)
	width := shapes[t].width
	panels := (b.Cols + width - 1) / width
	parallel.Run(parallel.Func(func(lo, hi int) {
		for ; lo < hi; lo++ {
			transPanel(t, dst, *groups, b, lo*width)
		}
	}), panels, 1+minWork[t]/(4*a.Rows*width*dst.Rows))
}

// transPlain does the columns [lo, hi).
func transPlain(dst, a, b blas64.General, lo, hi int) {
	for i := range b.Rows {
		from := b.Data[i*b.Stride+lo : i*b.Stride+hi]
		for r := range dst.Rows {
			to, v := dst.Data[r*dst.Stride+lo:], a.Data[i*a.Stride+r]
			for j, w := range from {
				to[j] = math.FMA(v, w, to[j])
			}
		}
	}
}

// groupRows returns the number of rows of the tile for what is left of the rows of dst.
func groupRows(t tier.Tier, left int) int {
	if left > 4 {
		return shapes[t].strip
	}
	return 4
}

// packGroups returns the columns of a in groups, one for each row of tiles, with zeros beyond the last one: row after row the
// elements of the first group, then those of the second.
func packGroups(t tier.Tier, a blas64.General) *[]float64 {
	packed := buffer(a.Rows * (a.Cols + maxStrip))
	to := *packed
	for first := 0; first < a.Cols; {
		group := groupRows(t, a.Cols-first)
		columns := min(group, a.Cols-first)
		for i := range a.Rows {
			n := copy(to[i*group:][:group], a.Data[i*a.Stride+first:][:columns])
			clear(to[i*group+n : (i+1)*group])
		}
		to, first = to[a.Rows*group:], first+group
	}
	return packed
}

// transPanel does the columns of a panel from the first on. Tiles beyond the edges of dst are done in memory of their own.
func transPanel(t tier.Tier, dst blas64.General, groups []float64, b blas64.General, first int) {
	width := shapes[t].width
	columns := min(width, b.Cols-first)
	from, stride := b.Data[first:], b.Stride
	if columns < width {
		padded := buffer(b.Rows * width)
		defer buffers.Put(padded)
		for i := range b.Rows {
			row := (*padded)[i*width:][:width]
			clear(row[copy(row, b.Data[i*b.Stride+first:][:columns]):])
		}
		from, stride = *padded, width
	}
	for r := 0; r < dst.Rows; {
		group := groupRows(t, dst.Rows-r)
		rows := min(group, dst.Rows-r)
		to := dst.Data[r*dst.Stride+first:]
		if rows == group && columns == width {
			transAssembly(t, group, b.Rows, groups, from, stride, to, dst.Stride)
		} else {
			var tile [maxStrip * maxWidth]float64
			for i := range rows {
				copy(tile[i*width:], to[i*dst.Stride:][:columns])
			}
			transAssembly(t, group, b.Rows, groups, from, stride, tile[:], width)
			for i := range rows {
				copy(to[i*dst.Stride:][:columns], tile[i*width:])
			}
		}
		groups, r = groups[b.Rows*group:], r+group
	}
}
