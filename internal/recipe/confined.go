// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package recipe

// A Confined recipe belongs to a map that loses a part of k(x, x) away from some points.
type Confined interface {
	// Lost returns the part that is lost at x, a point in front of the warp, from 0 to 1. LostGradient sets dst to its
	// gradient.
	Lost(x []float64) float64
	LostGradient(dst, x []float64)

	// Inside tells whether x is in the domain.
	Inside(x []float64) bool

	// Confined tells whether a part is lost somewhere.
	Confined() bool
}

// MostLost is the largest part of k(x, x) of a bounded kernel that a map loses inside its domain. There are exceptions:
// a lattice with a window may lose more, the same at all points, and a truncated series may at points of large norm.
// These points count as inside.
const MostLost = 0.05
