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
