// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

// What tests in package featuremap_test see of the unexported.

var (
	ValidateSeries     = validateSeries
	SeriesCoefficients = coefficients
)

func BinomialSeries(degree int, scale, offset float64) Series {
	return binomial{degree, scale, offset}
}

func ScaledSeries(c float64, f Series) Series { return scaledSeries{c, f} }
func SumSeries(f, g Series) Series            { return sumSeries{f, g} }
func ProductSeries(f, g Series) Series        { return productSeries{f, g} }

// NewDegreeDrawer returns a function that draws degrees as a unit does.
func NewDegreeDrawer(f Series, c float64) (func(s *Sampler) int, error) {
	d, err := newDegreeDrawer(f, c)
	if err != nil {
		return nil, err
	}
	return d.draw, nil
}

const ReLUTable = 2*reluTable + 2

var ReLUTail = reluTail

// BaseBound returns sup|ψ| over the root of the mass for a base kernel of n columns.
func BaseBound(k Kernel, n int) float64 {
	s, err := schemeOf(k)
	if err != nil {
		panic(err)
	}
	return s.bound(n)
}
