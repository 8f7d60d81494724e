// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package linear

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A Domain is where a map that was planned for points is one of its kernel, and what it leaves of the kernel elsewhere. Maps of plans have
// these methods, and the last tells whether the domain is less than all points.
type Domain interface {
	// Inside tells whether x is in the domain.
	Inside(x []float64) bool

	// LostTo sets dst to what is left of k(x, x) for the rows of x, and LostGradientVec to its gradient at x.
	LostTo(dst []float64, x mat.Matrix)
	LostGradientVec(dst, x []float64) error

	// Lost returns the terms of which something is left, as kernels, and the root of the part of each that is.
	Lost() (terms []featuremap.Kernel, roots []featuremap.WeightGradienter)

	Bounded() bool
}

// DomainOf returns the domain of a map, or nil if that is all points.
func DomainOf(phi featuremap.FeatureMap) Domain {
	if phi, ok := phi.(interface{ Domain() any }); ok {
		if d, ok := phi.Domain().(Domain); ok && d.Bounded() {
			return d
		}
	}
	return nil
}

// FromData tells whether a map is made from data, far from which its features may be 0 or constant.
func FromData(phi featuremap.FeatureMap) bool {
	switch phi.(type) {
	case *featuremap.Nystrom, *featuremap.DataDependent:
		return true
	}
	return DomainOf(phi) != nil
}
