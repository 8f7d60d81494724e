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

// measurement is what was measured of one map.
type measurement struct {
	columns int

	// Over all pairs of points of a batch, of the estimates of the kernel and its values.
	meanAbs, rms, max, correlation float64
}

// row is the result of a method with maps of one size.
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

// rms returns the root of the mean square error, over the maps too, because the variance predicts
// this. The mean of the roots is smaller.
func (r *row) rms() float64 {
	return math.Sqrt(r.mean(func(m measurement) float64 { return m.rms * m.rms }))
}

// predicted returns the RMS error that the variance predicts.
func (r *row) predicted() float64 { return math.Sqrt(stat.Mean(r.squares, nil)) }

// wins counts, for each measure, the maps that estimate better than the maps of another row, at the
// same points.
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

// measure compares the inner products of a map's features of x with the kernel.
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

// variance makes a map's variance look like a kernel, so that Gram evaluates it in parallel.
type variance struct{ featuremap.Variancer }

func (v variance) Eval(x, y []float64) float64 { return v.Variance(x, y) }
