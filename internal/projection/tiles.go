// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

// shape is the shape of the tiles that a tier's kernels compute in registers.
type shape struct {
	width int // forms in a panel
	rows  int // rows in a strip, a power of two; there are kernels for the smaller ones

	// narrow is the number of registers of a panel that is narrower than the tier's, for the epilogue Store; otherwise
	// 0.
	narrow int

	// blockWeights is the number of weights, of whole panels, that rows pass over while they stay in the second-level
	// cache: 256 KB, or with AVX-512, whose CPUs have larger caches, 1 MB.
	blockWeights int

	// passCoords is about the number of coordinates at a time, for rows with many more coordinates.
	passCoords int

	// serialWork is the number of multiply-adds, tens of microseconds of work, below which a second
	// goroutine does not pay.
	serialWork float64
}

// The accumulators of a tile fill 24 of 32 registers with 8 lanes, and 12 of 16 with 4.
var shapes = [...]shape{
	tier.Plain:  {width: plainWidth, rows: 8, blockWeights: 1 << 15, passCoords: maxCallCoords, serialWork: 1 << 16},
	tier.AVX2:   {width: 12, rows: 4, blockWeights: 1 << 15, passCoords: maxCallCoords, serialWork: 1 << 20},
	tier.AVX512: {width: 24, rows: 8, blockWeights: 1 << 17, passCoords: 1 << 10, serialWork: 1 << 21},
}

// shapeFor returns the shape for a number of forms with the epilogue Store: the tier's shape, or a narrow one with less
// padding.
func shapeFor(t tier.Tier, forms int) shape {
	best := shapes[t]
	if t == tier.Plain {
		return best
	}
	for registers := 2; registers > 0; registers-- {
		s := best
		s.narrow, s.width, s.rows = registers, registers*registerLanes(t), 8
		if t == tier.AVX2 { // it has 16 registers
			s.rows = 8 / registers
		}
		const pays = 0.95 // narrow tiles are slower
		if float64(s.padded(forms)) < pays*float64(best.padded(forms)) {
			best = s
		}
	}
	return best
}

// padded returns the number of forms in the panels for this number of forms.
func (s shape) padded(forms int) int { return ((forms-1)/s.width + 1) * s.width }

// registerLanes returns the number of elements in a register of a tier other than Plain.
func registerLanes(t tier.Tier) int {
	if t == tier.AVX512 {
		return 8
	}
	return 4
}

const (
	maxWidth = 24
	maxRows  = 8
)

// A strip is a few rows and some panels, the work of one call of a kernel. Strides are in elements.
type strip struct {
	epilogue Epilogue
	rows     int
	panels   int
	narrow   int // see shape
	k        int // coordinates

	// The weights of the first panel, from the first of the k coordinates on.
	w       []float64
	wStride int // from panel to panel

	// The starting values of the chains of the first panel: its biases, the same for every row
	// (startRow is 0), or partial sums. From panel to panel it advances like w.
	start    []float64
	startRow int

	x       []float64
	xStride int

	// The strip is one row, given as k entries instead of x, and w starts at coordinate 0.
	listed  bool
	entries []nonZero

	dst       []float64
	dstStride int
	sin       int // from a cosine to its sine
	first     int // the form in the first column of dst, until the strip is one of panels
}

// compute runs the kernel of a tier on a strip.
func (s *strip) compute(t tier.Tier, table *phaseTable) {
	switch {
	case t != tier.Plain:
		tilesAssembly(t, s, table)
	case s.listed:
		listPlain(s, &table.coeffs)
	default:
		tilesPlain(s, &table.coeffs)
	}
}
