// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "slices"

// A listFunction returns the value of a stationary kernel at a difference x − y, given by its entries: its other
// coordinates are 0.
type listFunction func(delta []entry) float64

// atLists returns the listFunction of a stationary kernel on R^in. It takes sums, products, series and warps apart. Kernels
// of this package are then evaluated in a time proportional to the number of entries; a caller's gets all coordinates.
func atLists(k Kernel, in int) listFunction {
	switch k := k.(type) {
	case *sumKernel:
		return overLists(k.Terms, in, 0, func(sum, v float64) float64 { return sum + v })
	case *productKernel:
		return overLists(k.Factors, in, 1, func(product, v float64) float64 { return product * v })
	case *scaleKernel:
		part := atLists(k.K, in)
		return func(delta []entry) float64 { return k.C * part(delta) }
	case *composeKernel:
		part := atLists(k.K, in)
		return func(delta []entry) float64 { return k.F.Eval(part(delta)) }
	case *behind:
		part, w := atLists(k.k, k.warp.dim(in)), newListWarp(k.warp, in)
		return func(delta []entry) float64 { return part(w.entries(delta)) }
	case interface {
		atSome(columns []int, delta []float64) float64
	}:
		return func(delta []entry) float64 {
			columns := make([]int, len(delta))
			for i, e := range delta {
				columns[i] = e.Column
			}
			return k.atSome(columns, values(delta))
		}
	}
	if isOwn(k) { // such a kernel treats all coordinates alike, so that those where x and y are equal may be left out
		return func(delta []entry) float64 { return k.Eval(values(delta), make([]float64, len(delta))) }
	}
	zero := make([]float64, in)
	return func(delta []entry) float64 {
		all := make([]float64, in)
		for _, e := range delta {
			all[e.Column] = e.Value
		}
		return k.Eval(all, zero)
	}
}

// overLists returns the listFunction that combines the values of kernels by add, one after another, starting from first.
func overLists(kernels []Kernel, in int, first float64, add func(sum, v float64) float64) listFunction {
	parts := make([]listFunction, len(kernels))
	for i, k := range kernels {
		parts[i] = atLists(k, in)
	}
	return func(delta []entry) float64 {
		v := first
		for _, part := range parts {
			v = add(v, part(delta))
		}
		return v
	}
}

// values returns the values of entries.
func values(entries []entry) []float64 {
	v := make([]float64, len(entries))
	for i, e := range entries {
		v[i] = e.Value
	}
	return v
}

// entries returns the image under the warp as entries, which are all coordinates if the warp has a dense matrix.
func (l listWarp) entries(given []entry) []entry {
	image, dense := l.apply(given)
	if dense == nil {
		return image
	}
	image = slices.Grow(image[:0], len(dense))
	for i, v := range dense {
		image = append(image, entry{Column: i, Value: v})
	}
	return image
}

// pair returns the images of a pair of lists, without the warp's centre.
func (l listWarp) pair(xy *pair) pair {
	dim := &lists{dim: l.dim(l.in)}
	return newPair(newListPoint(l.entries(xy.a.list.entries), dim), newListPoint(l.entries(xy.b.list.entries), dim))
}

// listDifference returns the entries of factor·(x − y) for a pair of lists.
func (p *pair) listDifference(factor float64) (delta []entry) {
	either(p.a.list, p.b.list, func(at int, x, y float64) { delta = append(delta, entry{Column: at, Value: factor * (x - y)}) })
	return delta
}
