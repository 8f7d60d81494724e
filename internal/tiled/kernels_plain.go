// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package tiled

import "math"

// addPlain adds to tiles, one below the other in c, the products of strips a and b of a Block, tile by tile:
//
//	c[t·strip+r][j] += Σ a_t[k][r]·b[k][j], k = 0, 1, …
func addPlain(tiles, k int, a, b, c []float64) {
	const next = plainStrip * BlockRows // from strip to strip
	for t := range tiles {
		tile := (*[plainStrip * plainWidth]float64)(c[t*plainStrip*plainWidth:])
		for r := range plainStrip {
			chains(tile[r*plainWidth:], k, a[t*next+r:], plainStrip, b, plainStrip, next, 1)
		}
	}
}

// subtractPlain is addPlain with −a instead of a, for a and b that are rows of panels. a is a strip of a
// panel.
func subtractPlain(tiles, k int, a, b, c []float64) {
	for t := range tiles {
		tile := (*[plainStrip * plainWidth]float64)(c[t*plainStrip*plainWidth:])
		for r := range plainStrip {
			chains(tile[r*plainWidth:], k, a[t*plainStrip+r:], plainWidth, b, plainWidth, plainStrip, -1)
		}
	}
}

// chains adds sign·a[k]·b[k][j] to c[j], k by k. Row k of b is at k·bStep, in groups of a strip's columns that
// are bGroup apart.
func chains(c []float64, k int, a []float64, aStep int, b []float64, bStep, bGroup int, sign float64) {
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	for i := range k {
		v := sign * a[i*aStep]
		p, q := (*[2]float64)(b[i*bStep:]), (*[2]float64)(b[i*bStep+bGroup:])
		c0 = math.FMA(v, p[0], c0)
		c1 = math.FMA(v, p[1], c1)
		c2 = math.FMA(v, q[0], c2)
		c3 = math.FMA(v, q[1], c3)
	}
	c[0], c[1], c[2], c[3] = c0, c1, c2, c3
}

// solvePlain takes b as k rows of a panel, followed by the rows of a tile. It subtracts from the tile what
// subtractPlain does. Then it solves the tile with the triangle u, in rows of a panel, and the inverses of
// its diagonal:
//
//	tile[r] = (tile[r] − Σ u[q][r]·tile[q])·inverse[r], q = 0, 1, …, r−1
func solvePlain(k int, a, b, u, inverse []float64) {
	tile := (*[plainStrip * plainWidth]float64)(b[k*plainWidth:])
	subtractPlain(1, k, a, b, tile[:])
	for r := range plainStrip {
		row := tile[r*plainWidth : (r+1)*plainWidth]
		for j, v := range row {
			for q := range r {
				v = math.FMA(-u[q*plainWidth+r], tile[q*plainWidth+j], v)
			}
			row[j] = v * inverse[r]
		}
	}
}

// solveRowsPlain solves the next elements x, as many as a panel has columns, of rows b whose first k elements are
// solved, with the rows of the panel:
//
//	x[j] = (x[j] − Σ panel[i][j]·b[i] − Σ panel[k+q][j]·x[q])·inverse[j], i = 0, 1, …, k−1, q = 0, 1, …, j−1
func solveRowsPlain(rows, k int, panel, b, x []float64, stride int, inverse []float64) {
	for r := range rows {
		next := (*[plainWidth]float64)(x[r*stride:])
		chains(next[:], k, b[r*stride:], 1, panel, plainWidth, plainStrip, -1)
		for q := range next {
			next[q] *= inverse[q]
			for j := q + 1; j < plainWidth; j++ {
				next[j] = math.FMA(-panel[(k+q)*plainWidth+j], next[q], next[j])
			}
		}
	}
}

// transposePlain sets to[j·toStep + i] to from[i·fromStep + j] for some rows i and columns j.
func transposePlain(rows, columns int, from []float64, fromStep int, to []float64, toStep int) {
	for i := range rows {
		for j := range columns {
			to[j*toStep+i] = from[i*fromStep+j]
		}
	}
}

// squaresPlain sets sums to the squared norms of the columns of the first k rows of a panel, each one chain.
func squaresPlain(k int, panel, sums []float64) {
	for i := range k {
		for j, v := range panel[i*plainWidth:][:plainWidth] {
			sums[j] = math.FMA(v, v, sums[j])
		}
	}
}

const (
	plainStrip = 2
	plainWidth = 4
)

// The largest of all tiers.
const (
	maxStrip = 8
	maxWidth = 24
)
