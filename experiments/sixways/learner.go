// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// slope returns the derivative with respect to z of the logistic loss log(1 + exp(−yz)) for a decision value z and
// the label y, −1 or 1.
func slope(z, y float64) float64 { return -y / (1 + math.Exp(z*y)) }

// learner is a classifier during SGD. Its decision value for a point is the inner product of its weights with a row
// of numbers: in w-space the features of the point, in u-space its kernel values with the training points.
type learner struct {
	weights []float64                            // w, one for each feature, or u, one for each training point
	inU     bool                                 // whether they are u
	rowOf   func(dst, point []float64) []float64 // computes the row of a point
	points  *mat.Dense                           // the training points
	cache   *mat.Dense                           // the rows of all training points; nil if they are computed on the fly
	buffer  []float64                            // for a row on the fly
	drawn   int                                  // how many random numbers its map has
}

// inFeatures returns a learner in w-space with the features of m. If they are to be cached, all of them are computed
// now.
func inFeatures(points *mat.Dense, m featuremap.FeatureMap, cached bool) *learner {
	_, columns := m.Dims()
	l := &learner{weights: make([]float64, columns), rowOf: m.TransformVec, points: points, buffer: make([]float64, columns)}
	if cached {
		l.cache = new(mat.Dense)
		m.TransformTo(l.cache, points)
	}
	return l
}

// inKernel returns a learner in u-space, with the Gram matrix if the kernel values are to be cached.
func inKernel(points *mat.Dense, k featuremap.Kernel, cached bool) *learner {
	n, _ := points.Dims()
	l := &learner{weights: make([]float64, n), inU: true, points: points, buffer: make([]float64, n)}
	l.rowOf = func(dst, point []float64) []float64 {
		for j := range dst {
			dst[j] = k.Eval(point, points.RawRowView(j))
		}
		return dst
	}
	if cached {
		l.cache = new(mat.Dense)
		featuremap.CrossGram(l.cache, k, points, points) // all n² values, as in the lecture, although half would be enough
	}
	return l
}

// step is one step of SGD, with training point i and its label y.
func (l *learner) step(i int, y, rate float64) {
	row := l.row(i)
	change := -rate * slope(floats.Dot(l.weights, row), y)
	if l.inU {
		l.weights[i] += change
	} else {
		floats.AddScaled(l.weights, change, row)
	}
}

// row returns the row of training point i, valid until the next call.
func (l *learner) row(i int) []float64 {
	if l.cache != nil {
		return l.cache.RawRowView(i)
	}
	return l.rowOf(l.buffer, l.points.RawRowView(i))
}

// decide returns the decision values for points; their signs are the classes.
func (l *learner) decide(points *mat.Dense) []float64 {
	n, _ := points.Dims()
	values := make([]float64, n)
	for i := range values {
		values[i] = floats.Dot(l.weights, l.rowOf(l.buffer, points.RawRowView(i)))
	}
	return values
}

// bytes counts the bytes of the numbers that the learner keeps in addition to the training points: its weights, a
// row, the cache, and the random numbers of a map.
func (l *learner) bytes() int {
	n := len(l.weights) + len(l.buffer) + l.drawn
	if l.cache != nil {
		rows, columns := l.cache.Dims()
		n += rows * columns
	}
	return 8 * n
}
