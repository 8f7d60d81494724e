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

	// Lost returns the terms of which something is left, as kernels of the points of Base, and the root of the part of each that is.
	Lost() (terms []featuremap.Kernel, roots []featuremap.WeightGradienter)

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
	case *featuremap.Nystrom, *featuremap.DataDependent:
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

func (l logarithms) Lost() (terms []featuremap.Kernel, roots []featuremap.WeightGradienter) {
	return l.of.Lost()
}

// LostGradientVec multiplies the gradient at s(x) by s′(xⱼ) = 1/(1 + |xⱼ|/cⱼ).
func (l logarithms) LostGradientVec(dst, x []float64) error {
	err := l.of.LostGradientVec(dst, l.at(mat.NewDense(1, len(x), x)).RawRowView(0))
	chain(dst, x, l.scales)
	return err
}

// chain multiplies a gradient at s(x) by the derivatives of s at x.
func chain(gradient, x, scales []float64) {
	for j, c := range scales {
		if c != 0 {
			gradient[j] /= 1 + math.Abs(x[j])/c
		}
	}
}

// A Base is the map behind maps of logarithms, and the scales of these, the outermost first.
type Base struct {
	featuremap.FeatureMap
	scales [][]float64
}

// BaseOf returns the base of a map, which is itself if it takes no logarithms.
func BaseOf(phi featuremap.FeatureMap) Base {
	b := Base{FeatureMap: phi}
	for {
		l, ok := b.FeatureMap.(*featuremap.Logarithms)
		if !ok {
			return b
		}
		b.FeatureMap, b.scales = l.Base(), append(b.scales, l.Scales())
	}
}

// Points returns the points of the base for rows of x.
func (b Base) Points(x mat.Matrix) mat.Matrix {
	for _, s := range b.scales {
		var images mat.Dense
		featuremap.LogarithmsTo(&images, x, s)
		x = &images
	}
	return x
}

// Chain makes a gradient at the base's point for x that at x.
func (b Base) Chain(gradient, x []float64) {
	at := []mat.Matrix{mat.NewDense(1, len(x), x)}
	for i := range b.scales {
		at = append(at, Base{scales: b.scales[i:][:1]}.Points(at[i]))
	}
	for i := len(b.scales) - 1; i >= 0; i-- {
		chain(gradient, mat.Row(nil, 0, at[i]), b.scales[i])
	}
}
