// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package matrix

import "github.com/seed-0f95ebc1/featuremap/internal/gram"

// A Function is a function of one number of two points, which kernel matrices compute by tiles, times a weight of
// both points.
type Function struct {
	Measure  gram.Measure
	Function gram.Function
	Weight   func(x []float64) float64 // nil: 1
	Power    int                       // of the product of the weights of both points
	Gradient func(dst, x []float64)    // of weight

	// extreme returns the value at points whose number is infinite, or so small that it may have lost digits; nil where the
	// function does.
	Extreme func(x, y []float64) float64
}

// isExtreme tells whether a sum of squares, in units of lengthUnit, is so large or small that in units of the kernel's length
// scale it may overflow, or have lost digits to underflow.
func isExtreme(t float64) bool { return t > 1e200 || t < 1e-220 }
