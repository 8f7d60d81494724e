// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A measurement is of one map.
type measurement struct {
	columns int

	// Of the estimates of the kernel and its values, over all pairs of points of a batch.
	meanAbs, rms, max, correlation float64
}

// A row is what came of a method with maps of one size.
type row struct {
	method  string
	size    int // columns asked for
	draws   int // of each map
	maps    []measurement
	squares []float64 // the mean square error of each map that its variance predicts
}

// mean returns the mean over the maps of one of their measures.
func (r *row) mean(measure func(m measurement) float64) (mean float64) {
	for _, m := range r.maps {
		mean += measure(m) / float64(len(r.maps))
	}
	return mean
}

func (r *row) columns() float64 {
	return r.mean(func(m measurement) float64 { return float64(m.columns) })
}
func (r *row) meanAbs() float64 { return r.mean(func(m measurement) float64 { return m.meanAbs }) }
func (r *row) max() float64     { return r.mean(func(m measurement) float64 { return m.max }) }
func (r *row) correlation() float64 {
	return r.mean(func(m measurement) float64 { return m.correlation })
}

// rms returns the root of the mean square error over the maps too, for that is what the
// variance predicts: the mean of the roots is less.
func (r *row) rms() float64 {
	return math.Sqrt(r.mean(func(m measurement) float64 { return m.rms * m.rms }))
}

// predicted returns the RMS error that the variance predicts.
func (r *row) predicted() float64 { return math.Sqrt(stat.Mean(r.squares, nil)) }

// wins counts the maps that estimate better than those of another row, of the same points, by
// each measure.
func (r *row) wins(other *row) (meanAbs, rms, max, correlation int) {
	count := func(n *int, better bool) {
		if better {
			*n++
		}
	}
	for i, m := range r.maps {
		o := other.maps[i]
		count(&meanAbs, m.meanAbs < o.meanAbs)
		count(&rms, m.rms < o.rms)
		count(&max, m.max < o.max)
		count(&correlation, m.correlation > o.correlation)
	}
	return meanAbs, rms, max, correlation
}

// measure sets the inner products of a map's features of x against the kernel.
func measure(phi featuremap.FeatureMap, x *mat.Dense, kernel *mat.SymDense) measurement {
	var z, product mat.Dense
	phi.TransformTo(&z, x)
	product.Mul(&z, z.T())
	n, columns := z.Dims()
	m := measurement{columns: columns}
	estimates, values := make([]float64, 0, n*n), make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			estimates, values = append(estimates, product.At(i, j)), append(values, kernel.At(i, j))
		}
	}
	m.correlation = stat.Correlation(estimates, values, nil)
	errors := estimates
	floats.Sub(errors, values)
	m.meanAbs = floats.Norm(errors, 1) / float64(n*n)
	m.rms = floats.Norm(errors, 2) / float64(n)
	m.max = floats.Norm(errors, math.Inf(1))
	return m
}

// meanVariance returns the mean of a map's variance over the pairs of rows of x.
func meanVariance(phi featuremap.Variancer, x *mat.Dense) float64 {
	var v mat.SymDense
	featuremap.Gram(&v, variance{phi}, x)
	n := v.SymmetricDim()
	return mat.Sum(&v) / float64(n*n)
}

// A variance is a function of two points like a kernel, so that Gram evaluates it in parallel.
type variance struct{ featuremap.Variancer }

func (v variance) Eval(x, y []float64) float64 { return v.Variance(x, y) }
