// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package expr

import (
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// A DifferenceFunction returns the value of a stationary kernel at a difference x − y. The difference lists all
// coordinates, or those that may not be 0.
type DifferenceFunction func(delta rows.List) float64

// AtDifferences returns the DifferenceFunction of a stationary kernel on R^in. Given a list, it evaluates sums,
// products, series and warps part by part, so that kernels of the library take time proportional to the number of
// entries. A caller's kernel gets all coordinates.
func AtDifferences(k Kernel, in int) DifferenceFunction {
	zero := make([]float64, in)
	some := atLists(k, in, zero)
	return func(delta rows.List) float64 {
		if delta.Columns == nil {
			return k.Eval(delta.Values, zero)
		}
		return some(delta)
	}
}

// atLists returns the function of AtDifferences for lists; zero is the origin.
func atLists(k Kernel, in int, zero []float64) DifferenceFunction {
	switch k := k.(type) {
	case Sum:
		return together(k, in, 0, func(sum, v float64) float64 { return sum + v })
	case Product:
		return together(k, in, 1, func(product, v float64) float64 { return product * v })
	case *Scale:
		part := AtDifferences(k.K, in)
		return func(delta rows.List) float64 { return k.C * part(delta) }
	case *Compose:
		part := AtDifferences(k.K, in)
		return func(delta rows.List) float64 { return k.F.Eval(part(delta)) }
	case *Behind:
		part, w := AtDifferences(k.K, k.Warp.Dim(in)), sample.NewListWarp(k.Warp)
		return func(delta rows.List) float64 { return part(w.Image(delta)) }
	case Constant:
		return func(rows.List) float64 { return k.Value }
	case Gaussian:
		return func(delta rows.List) float64 { return k.Eval(delta.Values, zero[:len(delta.Values)]) }
	case *Leaf:
		switch {
		case k.AtList != nil:
			return k.AtList
		case k.Alike: // those where x and y are equal may be left out
			return func(delta rows.List) float64 { return k.Eval(delta.Values, zero[:len(delta.Values)]) }
		}
	}
	return func(delta rows.List) float64 { return k.Eval(sample.Full(make([]float64, in), delta), zero) }
}

// together returns the DifferenceFunction of several kernels: it starts with first, and combines it with one value
// after the other by add.
func together(kernels []Kernel, in int, first float64, add func(sum, v float64) float64) DifferenceFunction {
	parts := make([]DifferenceFunction, len(kernels))
	for i, k := range kernels {
		parts[i] = AtDifferences(k, in)
	}
	return func(delta rows.List) float64 {
		v := first
		for _, part := range parts {
			v = add(v, part(delta))
		}
		return v
	}
}
