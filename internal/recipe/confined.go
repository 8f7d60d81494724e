// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package recipe

// A Confined recipe is that of a map that loses a part of k(x, x) away from some points.
type Confined interface {
	// Lost returns the part that is lost at x, a point in front of the warp, from 0 to 1. LostGradient sets dst to its gradient.
	Lost(x []float64) float64
	LostGradient(dst, x []float64)

	// Inside tells whether x is in the domain.
	Inside(x []float64) bool

	// Confined tells whether there is a part that is lost somewhere.
	Confined() bool
}

// MostLost is the largest part of k(x, x) of a bounded kernel that a map loses inside of its domain. A lattice with a window may lose
// more, the same at all points, and a cut series at those of large norm: these are inside all the same.
const MostLost = 0.05
