// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import "github.com/seed-0f95ebc1/featuremap/internal/tier"

// shape is the shape of the tiles that a tier's kernels compute in registers.
type shape struct {
	width int // forms in a panel
	rows  int // rows in a strip, a power of two; there are kernels for the smaller ones

	// blockWeights is the number of weights, of whole panels, that rows pass over while they stay in the second-level
	// cache: 256 KB, or with AVX-512, whose CPUs have larger caches, 1 MB.
	blockWeights int

	// passCoords is about the number of coordinates at a time, for rows with many more coordinates.
	passCoords int

	// serialWork is the number of multiply-adds, tens of microseconds of work, below which a second goroutine does not
	// pay.
	serialWork float64
}

// The accumulators of a tile fill 24 of 32 registers with 16 lanes, and 12 of 16 with 8.
var shapes = [...]shape{
	tier.Plain:  {width: plainWidth, rows: 8, blockWeights: 1 << 16, passCoords: maxCallCoords, serialWork: 1 << 15},
	tier.AVX2:   {width: 24, rows: 4, blockWeights: 1 << 16, passCoords: maxCallCoords, serialWork: 1 << 21},
	tier.AVX512: {width: 48, rows: 8, blockWeights: 1 << 18, passCoords: 1 << 11, serialWork: 1 << 22},
}

const (
	maxWidth = 48
	maxRows  = 8
)

// strip is a few rows and some panels, the work of one call of a kernel. Strides are in elements.
type strip struct {
	epilogue Epilogue
	rows     int
	panels   int
	k        int // coordinates

	// The weights of the first panel, from the first of the k coordinates on.
	w       []float32
	wStride int // from panel to panel

	// The starting values of the chains of the first panel: its biases, the same for every row (startRow is 0), or
	// partial sums. From panel to panel it advances like w.
	start    []float32
	startRow int

	x       []float32
	xStride int

	dst       []float32
	dstStride int
	sin       int // from a cosine to its sine
}

// compute runs the kernel of a tier on a strip.
func (s *strip) compute(t tier.Tier, table *phaseTable) {
	if t == tier.Plain {
		tilesPlain(s, &table.coeffs)
	} else {
		tilesAssembly(t, s, table)
	}
}
