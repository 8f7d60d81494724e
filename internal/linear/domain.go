// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package linear

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// Domain is implemented by maps of plans that approximate their kernel only near the points they were planned for. It
// says where that is, and what part of the kernel is lost elsewhere. The last method tells whether there are points
// outside.
type Domain interface {
	// Inside tells whether x is in the domain.
	Inside(x []float64) bool

	// LostTo sets dst to the lost part of k(x, x) for the rows of x, and LostGradientVec to its gradient at
	// x.
	LostTo(dst []float64, x mat.Matrix)
	LostGradientVec(dst, x []float64) error

	// Lost returns the terms that lose something, as kernels, and the square root of the lost part of each.
	Lost() (terms []featuremap.Kernel, roots []featuremap.WeightGradienter)

	Bounded() bool
}

// DomainOf returns the domain of a map, or nil if it is all points.
func DomainOf(phi featuremap.FeatureMap) Domain {
	if phi, ok := phi.(interface{ Domain() any }); ok {
		if d, ok := phi.Domain().(Domain); ok && d.Bounded() {
			return d
		}
	}
	return nil
}

// FromData tells whether a map is made from data. Far from the data its features may be 0 or
// constant.
func FromData(phi featuremap.FeatureMap) bool {
	switch phi.(type) {
	case *featuremap.Nystrom, *featuremap.DataDependent:
		return true
	}
	return DomainOf(phi) != nil
}
