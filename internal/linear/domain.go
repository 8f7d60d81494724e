// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package linear

import (
	"math"

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

	Bounded() bool
}

// DomainOf returns the domain of a map, or nil if that is all points.
func DomainOf(phi featuremap.FeatureMap) Domain {
	switch phi := phi.(type) {
	case *featuremap.Logarithms:
		if d := DomainOf(phi.Base()); d != nil {
			return logarithms{d, phi.Scales()}
		}
	case interface{ Domain() any }:
		if d, ok := phi.Domain().(Domain); ok && d.Bounded() {
			return d
		}
	}
	return nil
}

// FromData tells whether a map is made from data, far from which its features may be 0 or constant.
func FromData(phi featuremap.FeatureMap) bool {
	switch phi := phi.(type) {
	case *featuremap.Landmarks, *featuremap.DataDependent:
		return true
	case *featuremap.Logarithms:
		return FromData(phi.Base())
	}
	return DomainOf(phi) != nil
}

// logarithms is the domain of a map of logarithms s(x).
type logarithms struct {
	of     Domain
	scales []float64
}

func (l logarithms) Bounded() bool { return true }

func (l logarithms) at(x mat.Matrix) *mat.Dense {
	var s mat.Dense
	featuremap.LogarithmsTo(&s, x, l.scales)
	return &s
}

func (l logarithms) Inside(x []float64) bool {
	return l.of.Inside(l.at(mat.NewDense(1, len(x), x)).RawRowView(0))
}

func (l logarithms) LostTo(dst []float64, x mat.Matrix) { l.of.LostTo(dst, l.at(x)) }

// LostGradientVec multiplies the gradient at s(x) by s′(xⱼ) = 1/(1 + |xⱼ|/cⱼ).
func (l logarithms) LostGradientVec(dst, x []float64) error {
	err := l.of.LostGradientVec(dst, l.at(mat.NewDense(1, len(x), x)).RawRowView(0))
	for j, c := range l.scales {
		if c != 0 {
			dst[j] /= 1 + math.Abs(x[j])/c
		}
	}
	return err
}
