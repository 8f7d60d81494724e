// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A pixel is a place of the image.
type pixel struct{ row, col int }

func (p pixel) index() int { return p.row*side + p.col }

func pixelAt(i int) pixel { return pixel{i / side, i % side} }

// correlation is the correlation, for all i and j, of the events that a sample reads pixel i and
// that it reads pixel j.
type correlation struct{ values *mat.SymDense }

// correlate counts which pixels the samples of a map read together.
func correlate(m *featuremap.Compositional) *correlation {
	together := mat.NewSymDense(side*side, nil)
	// The first Distinct columns contain every feature once; the imaginary parts follow.
	for f := range m.Distinct() {
		read, draws := m.Support(f), float64(m.Count(f))
		for a, i := range read {
			for _, j := range read[a:] {
				together.SetSym(i, j, together.At(i, j)+draws)
			}
		}
	}
	n := float64(m.Draws())
	c := mat.NewSymDense(side*side, nil)
	for i := range side * side {
		for j := i; j < side*side; j++ {
			p, q := together.At(i, i)/n, together.At(j, j)/n
			c.SetSym(i, j, (together.At(i, j)/n-p*q)/math.Sqrt(p*(1-p)*q*(1-q)))
		}
	}
	return &correlation{c}
}

// tiers returns the means over the pairs of pixels of each tier.
func (c *correlation) tiers() []float64 {
	sums, pairs := make([]float64, len(layers)+1), make([]float64, len(layers)+1)
	for i := range side * side {
		for j := range i {
			t := tier(pixelAt(i), pixelAt(j))
			sums[t] += c.values.At(i, j)
			pairs[t]++
		}
	}
	for t := range sums {
		sums[t] /= pairs[t]
	}
	return sums
}

// tier returns the first layer, from 0, that has a window with both pixels, or the number of layers
// if no layer has one.
func tier(p, q pixel) int {
	field, apart := 1, 1 // pixels that a node of the layer sees, and between its nodes
	for layer, l := range layers {
		field += (l.size - 1) * apart
		apart *= l.stride
		if windowOf(p.row, q.row, field, apart) && windowOf(p.col, q.col, field, apart) {
			return layer
		}
	}
	return len(layers)
}

// windowOf tells whether an interval k·apart … k·apart+field−1 in the image contains both
// coordinates.
func windowOf(a, b, field, apart int) bool {
	for first := 0; first+field <= side; first += apart {
		if min(a, b) >= first && max(a, b) < first+field {
			return true
		}
	}
	return false
}
