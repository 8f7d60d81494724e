// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
)

// A grid has a value at each place of a lattice, NaN where none was set.
type grid struct {
	x, y   []float64 // increasing
	values []float64
}

func newGrid(x, y []float64) *grid {
	g := &grid{x, y, make([]float64, len(x)*len(y))}
	for i := range g.values {
		g.values[i] = math.NaN()
	}
	return g
}

// counted returns 0, 1, … n−1.
func counted(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i)
	}
	return v
}

// at returns the value of a column and row.
func (g *grid) at(c, r int) *float64 { return &g.values[r*len(g.x)+c] }

// picture returns a picture of the grid, whose places are even, with a square in each of the color of
// its value. A square is of many dots, so that scaling does not blur it.
func (g *grid) picture(color func(v float64) color.Color) *plotter.Image {
	const dots = 8
	columns, rows := g.Dims()
	img := image.NewRGBA(image.Rect(0, 0, columns*dots, rows*dots))
	for x := range columns * dots {
		for y := range rows * dots {
			img.Set(x, y, color(*g.at(x/dots, rows-1-y/dots)))
		}
	}
	left, right := edges(g.x)
	bottom, top := edges(g.y)
	return plotter.NewImage(img, left, bottom, right, top)
}

// edges returns the ends of the squares around the first and the last of some places.
func edges(v []float64) (first, last float64) {
	n := len(v)
	half := (v[n-1] - v[0]) / float64(n-1) / 2
	return v[0] - half, v[n-1] + half
}

// The methods of plotter.GridXYZ.

func (g *grid) Dims() (c, r int)   { return len(g.x), len(g.y) }
func (g *grid) Z(c, r int) float64 { return *g.at(c, r) }
func (g *grid) X(c int) float64    { return g.x[c] }
func (g *grid) Y(r int) float64    { return g.y[r] }
