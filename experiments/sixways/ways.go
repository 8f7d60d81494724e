// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap"
)

// way is one of the lecture's six. The sizes in its costs are n training points of d coordinates, D features and T
// steps. The last two have the costs of the first two, with random features instead of exact ones.
type way struct {
	number       int
	name         string
	time, memory string // in the lecture
	build        func(p *problem) (*learner, error)
}

var ways = []way{
	{1, "features on the fly, SGD on w", "O(dDT)", "O(D)",
		func(p *problem) (*learner, error) { return inFeatures(p.train, p.exact, false), nil }},
	{2, "features cached, SGD on w", "O(ndD + DT)", "O(nD)",
		func(p *problem) (*learner, error) { return inFeatures(p.train, p.exact, true), nil }},
	{3, "kernel on the fly, SGD on u", "O(ndT)", "O(n)",
		func(p *problem) (*learner, error) { return inKernel(p.train, p.kernel, false), nil }},
	{4, "Gram matrix, SGD on u", "O(n²d + nT)", "O(n²)",
		func(p *problem) (*learner, error) { return inKernel(p.train, p.kernel, true), nil }},
	{5, "random features on the fly, SGD on w", "O(dDT)", "O(D)",
		func(p *problem) (*learner, error) { return p.randomly(false) }},
	{6, "random features cached, SGD on w", "O(ndD + DT)", "O(nD)",
		func(p *problem) (*learner, error) { return p.randomly(true) }},
}

// gram is the way with which the others are compared.
const gram = 4

// randomly returns a learner with random features.
func (p *problem) randomly(cached bool) (*learner, error) {
	m, err := p.random(p.columns, featuremap.NewSampler(mapSeed))
	if err != nil {
		return nil, err
	}
	l := inFeatures(p.train, m, cached)
	l.drawn = drawnNumbers(m)
	return l, nil
}

// drawnNumbers returns how many random numbers a map has: Ω and b, or the factors of Maclaurin features.
func drawnNumbers(m featuremap.FeatureMap) int {
	d, columns := m.Dims()
	maclaurin, ok := m.(*featuremap.Maclaurin)
	if !ok {
		return (d + 1) * columns
	}
	n := 0
	for _, degree := range maclaurin.Degrees() {
		n += degree * d
	}
	return n
}

// ofExact tells whether a way takes the exact features of a kernel, which not every kernel has.
func (w way) ofExact() bool { return w.number <= 2 }

// agreement returns the share of places where a and b have the same sign. For decision values and labels it is
// the accuracy.
func agreement(a, b []float64) float64 {
	same := 0
	for i := range a {
		if (a[i] < 0) == (b[i] < 0) {
			same++
		}
	}
	return float64(same) / float64(len(a))
}

// farthest returns the largest difference of a and b, relative to the largest magnitude of b.
func farthest(a, b []float64) float64 {
	difference, size := 0.0, 0.0
	for i := range a {
		difference, size = max(difference, math.Abs(a[i]-b[i])), max(size, math.Abs(b[i]))
	}
	return difference / size
}
