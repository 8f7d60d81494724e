// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// A differenceFunction returns the value of a stationary kernel at a difference x − y, given by all coordinates, or by a list of
// those that may not be 0.
type differenceFunction func(delta rows.List) float64

// atDifferences returns the differenceFunction of a stationary kernel on R^in. For a list it takes sums, products, series and
// warps apart, so that kernels of this package are evaluated in a time proportional to the number of entries; a caller's gets
// all coordinates.
func atDifferences(k Kernel, in int) differenceFunction {
	zero := make([]float64, in)
	var some differenceFunction
	switch k := k.(type) {
	case *sumKernel:
		some = together(k.Terms, in, 0, func(sum, v float64) float64 { return sum + v })
	case *productKernel:
		some = together(k.Factors, in, 1, func(product, v float64) float64 { return product * v })
	case *scaleKernel:
		part := atDifferences(k.K, in)
		some = func(delta rows.List) float64 { return k.C * part(delta) }
	case *composeKernel:
		part := atDifferences(k.K, in)
		some = func(delta rows.List) float64 { return k.F.Eval(part(delta)) }
	case *behind:
		part, w := atDifferences(k.k, k.warp.Dim(in)), sample.NewListWarp(k.warp)
		some = func(delta rows.List) float64 { return part(w.Image(delta)) }
	case interface {
		atSome(delta rows.List) float64
	}:
		some = k.atSome
	default:
		some = func(delta rows.List) float64 {
			if check.Own(k) { // such a kernel treats all coordinates alike, so that those where x and y are equal may be left out
				return k.Eval(delta.Values, zero[:len(delta.Values)])
			}
			return k.Eval(sample.Full(make([]float64, in), delta), zero)
		}
	}
	return func(delta rows.List) float64 {
		if delta.Columns == nil {
			return k.Eval(delta.Values, zero)
		}
		return some(delta)
	}
}

// together returns the differenceFunction that combines the values of kernels by add, one after another, starting from first.
func together(kernels []Kernel, in int, first float64, add func(sum, v float64) float64) differenceFunction {
	parts := make([]differenceFunction, len(kernels))
	for i, k := range kernels {
		parts[i] = atDifferences(k, in)
	}
	return func(delta rows.List) float64 {
		v := first
		for _, part := range parts {
			v = add(v, part(delta))
		}
		return v
	}
}
