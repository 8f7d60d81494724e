// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/learn"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const (
	first  = 6 // random points
	every  = 5 // evaluations from one kernel to the next
	starts = 5 // of climbs, the best of random points
)

// A surface is a function on the unit cube with its gradient.
type surface struct {
	value    func(x []float64) float64
	gradient func(dst, x []float64)
}

// A method says of which surface the largest value is taken.
type method struct {
	name     string
	residual int // random features beside the landmarks
	choose   func(m *ridge.Model, s *featuremap.Sampler) surface
}

// methods are all methods; random points have no surface. The variance of a model has what landmarks leave, and a function that is
// drawn needs features for it.
var methods = []method{
	{"upper bound", 0, upperBound},
	{"Thompson", 300, thompson},
	{"random", 0, nil},
}

// upperBound returns the mean plus two standard deviations.
func upperBound(m *ridge.Model, _ *featuremap.Sampler) surface {
	deviation := func(x []float64) float64 { return math.Sqrt(m.VarianceVec(nil, x)[0]) }
	return surface{
		func(x []float64) float64 { return m.PredictVec(nil, x)[0] + 2*deviation(x) },
		func(dst, x []float64) {
			m.GradientVec(dst, x, 0)
			floats.AddScaled(dst, 1/deviation(x), m.VarianceGradientVec(nil, x, 0))
		},
	}
}

// thompson returns a function drawn from the posterior (Thompson 1933, "On the likelihood that one unknown probability exceeds
// another").
func thompson(m *ridge.Model, s *featuremap.Sampler) surface { return mean(m.Sample(s), s) }

// mean returns the predictions of a model.
func mean(m *ridge.Model, _ *featuremap.Sampler) surface {
	return surface{
		func(x []float64) float64 { return m.PredictVec(nil, x)[0] },
		func(dst, x []float64) { m.GradientVec(dst, x, 0) },
	}
}

// search evaluates f, a function on the unit cube of d dimensions, so many times, and returns its values. Every second point is where
// the mean is largest, to refine the best peak so far. As long as all values are the same, which says nothing of where to look, points are
// random.
func search(f func(x []float64) float64, d, evaluations int, seed uint64, by method) ([]float64, error) {
	s := featuremap.NewSampler(seed)
	var points, values []float64
	var k featuremap.Kernel
	for n := range evaluations {
		next := random(d, s)
		if n >= first && by.choose != nil && slices.Max(values) > slices.Min(values) {
			x, y := mat.NewDense(n, d, points), mat.NewDense(n, 1, values)
			var err error
			if k == nil || (n-first)%every == 0 {
				if k, err = learnKernel(x, y, s); err != nil {
					return nil, err
				}
			}
			m, err := fit(k, x, y, by.residual, s)
			if err != nil {
				return nil, err
			}
			choose := by.choose
			if n%2 == 1 {
				choose = mean
			}
			next = choose(m, s).maximise(x, s)
		}
		points = append(points, next...)
		values = append(values, f(next))
	}
	return values, nil
}

// random returns a random point of the unit cube.
func random(d int, s *featuremap.Sampler) []float64 {
	x := make([]float64, d)
	for j := range x {
		x[j] = s.Float64()
	}
	return x
}

// learnKernel learns a length scale for each column.
func learnKernel(x, y *mat.Dense, s *featuremap.Sampler) (featuremap.Kernel, error) {
	learned, err := learn.Kernel(featuremap.Gaussian{LengthScale: 0.5}, x, y, s, &learn.KernelOptions{Scales: learn.PerColumn, Features: 128})
	if err != nil {
		return nil, err
	}
	return learned.Kernel, nil
}

// fit returns the Gaussian process with a kernel. All points are landmarks, so that it is the exact one there.
func fit(k featuremap.Kernel, x, y *mat.Dense, residual int, s *featuremap.Sampler) (*ridge.Model, error) {
	n, _ := x.Dims()
	phi, err := featuremap.NewLandmarks(k, x, n+residual, s, &featuremap.LandmarksOptions{Residual: residual})
	if err != nil {
		return nil, err
	}
	return ridge.Fit(phi, x, y, &ridge.Options{NoiseVariance: []float64{0}})
}

// A place is a point, with the value of a surface there.
type place struct {
	x     []float64
	value float64
}

// maximise returns the point where a surface is largest, as far as climbs from the best of random points find it, some of
// which are near the points so far.
func (f surface) maximise(x *mat.Dense, s *featuremap.Sampler) []float64 {
	n, d := x.Dims()
	var places []place
	for i := range 500 + n {
		p := random(d, s)
		if i >= 500 {
			for j, v := range x.RawRowView(i - 500) {
				p[j] = min(max(v+0.02*s.Normal(), 0), 1)
			}
		}
		places = append(places, place{p, f.value(p)})
	}
	higher := func(a, b place) int { return cmp.Compare(b.value, a.value) }
	slices.SortFunc(places, higher)
	for i := range starts {
		f.climb(&places[i])
	}
	return slices.MinFunc(places[:starts], higher).x
}

// climb moves a place uphill, to a peak within the unit cube: by steps along the gradient, which are halved until they gain.
func (f surface) climb(p *place) {
	gradient, next := make([]float64, len(p.x)), make([]float64, len(p.x))
	for step := 0.1; step > 1e-4; {
		f.gradient(gradient, p.x)
		for j, v := range gradient {
			if p.x[j] == 0 && v < 0 || p.x[j] == 1 && v > 0 { // outwards
				gradient[j] = 0
			}
		}
		norm := floats.Norm(gradient, 2)
		if !(norm > 0) {
			return // flat
		}
		for gained := false; !gained && step > 1e-4; {
			for j, v := range gradient {
				next[j] = min(max(p.x[j]+step*v/norm, 0), 1)
			}
			value := f.value(next)
			if gained = value > p.value; gained {
				copy(p.x, next)
				p.value = value
				step *= 1.5
			} else {
				step /= 2
			}
		}
	}
}
