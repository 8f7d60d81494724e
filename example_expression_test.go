// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"

	"github.com/seed-0f95ebc1/featuremap"
)

// A program can walk an expression and rebuild it: here with a Matern kernel instead of each Gaussian.
func ExampleExpression() {
	var rougher func(k featuremap.Kernel) featuremap.Kernel
	rougher = func(k featuremap.Kernel) featuremap.Kernel {
		switch k := k.(type) {
		case featuremap.Gaussian:
			return featuremap.Matern{Nu: 1.5, LengthScale: k.LengthScale}
		case featuremap.Expression:
			parts := k.Parts()
			for i, part := range parts {
				parts[i] = rougher(part)
			}
			return k.With(parts...)
		}
		return k
	}
	k := featuremap.Sum(featuremap.ARD([]float64{1, 5}, featuremap.Gaussian{LengthScale: 2}), featuremap.Linear{})
	fmt.Println(rougher(k))
	// Output:
	// Sum(ARD([]float64{1, 5}, Matern{Nu: 1.5, LengthScale: 2}), Linear{})
}

// Length scales and scales can be listed and replaced, for example in a search.
func ExampleWithParameters() {
	k := featuremap.Sum(featuremap.Scale(0.5, featuremap.ARD([]float64{1, 5}, featuremap.Gaussian{LengthScale: 1})), featuremap.Linear{})
	p := featuremap.Parameters(k)
	fmt.Println(p)
	p[2] = 7
	learned, err := featuremap.WithParameters(k, p)
	if err != nil {
		panic(err)
	}
	fmt.Println(learned)
	// Output:
	// [0.5 1 5 1]
	// Sum(Scale(0.5, ARD([]float64{1, 7}, Gaussian{LengthScale: 1})), Linear{})
}

// The spectral measure of a sum is a mixture of the measures of its terms.
func ExampleStationaryOf() {
	k := featuremap.Sum(featuremap.Gaussian{LengthScale: 1}, featuremap.Scale(3, featuremap.Matern{Nu: 1.5, LengthScale: 1}))
	s, ok := featuremap.StationaryOf(k)
	_, radial := s.(featuremap.Radial)
	fmt.Println(ok, s.Mass(), radial)
	_, ok = featuremap.StationaryOf(featuremap.Linear{})
	fmt.Println(ok)
	// Output:
	// true 4 true
	// false
}
