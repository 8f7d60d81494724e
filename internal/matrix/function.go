// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package matrix

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/gram"
)

// Function is a function of one statistic of two points, times a weight of both points. Kernel matrices compute
// it by tiles.
type Function struct {
	Measure  gram.Measure
	Function gram.Function
	Weight   func(x []float64) float64 // nil: 1
	Power    int                       // the power to which the product of both points' weights is raised
	Gradient func(dst, x []float64)    // of Weight

	// Extreme returns the value at points whose statistic is infinite, or so small that it may have lost digits; nil:
	// use Function.
	Extreme func(x, y []float64) float64
}

// isExtreme tells whether a sum of squares, in units of LengthUnit, is so large or small that, in units of the kernel's
// length scale, it may overflow, or have lost digits to underflow.
func isExtreme(t float64) bool { return t > 1e200 || t < 1e-220 }

// OfDistance returns a function of ‖x − y‖²/ℓ². Distances are measured in units of a power of two. For all moderate ℓ
// this is 1, so that kernels with different ℓ share them. For other ℓ it is near ℓ, so that squares do not overflow.
func OfDistance(l float64, function func(rate float64) gram.Function) Function {
	unit := LengthUnit(l)
	l *= unit
	return Function{Measure: gram.Measure{Of: gram.Squares, Scale: unit}, Function: function(1 / float64(l*l))}
}

// LengthUnit returns a power of two whose product with a length has moderate size.
func LengthUnit(l float64) float64 {
	const moderate = 100
	_, e := math.Frexp(l)
	if !(math.Abs(l) <= math.MaxFloat64) || l == 0 || -moderate <= e && e <= moderate {
		return 1
	}
	return math.Ldexp(1, -e)
}
