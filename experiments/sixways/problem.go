// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// A problem is points of two classes to learn from with a kernel.
type problem struct {
	name               string
	train, test        *mat.Dense
	labels, testLabels []float64 // −1 or 1
	rate               float64   // α, the step size of SGD

	kernel  featuremap.Kernel
	with    string                // the kernel as a formula
	exact   featuremap.FeatureMap // a map whose inner products are the kernel; nil if no such map has finite dimension
	random  func(columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error)
	columns int // of the random map
}

// order returns the training points for a number of steps, sampled at random: the same for every
// way.
func (p *problem) order(steps int) []int {
	n, _ := p.train.Dims()
	s := featuremap.NewSampler(orderSeed)
	order := make([]int, steps)
	for t := range order {
		order[t] = s.IntN(n)
	}
	return order
}

// fit takes the steps of SGD in this order.
func (p *problem) fit(l *learner, order []int) {
	for _, i := range order {
		l.step(i, p.labels[i], p.rate)
	}
}

// gaussian gives the problem the kernel exp(−γ‖x − y‖²), and random features as in the lecture, √(2/D)·cos(ω·x + b).
func (p *problem) gaussian(gamma float64) {
	p.kernel, p.exact, p.with = featuremap.RBF(gamma), nil, fmt.Sprintf("exp(−%v‖x − y‖²)", gamma)
	p.random = func(columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		_, d := p.train.Dims()
		return featuremap.NewFourier(p.kernel, d, columns, s, &featuremap.FourierOptions{RandomPhase: true})
	}
}

// polynomial gives the problem the kernel ((1 + ⟨x, y⟩/d)/2)^degree, which is about 1 for a standardized point and
// itself. Its exact map has all monomials; the random one has the monomials of degree 0 and 1, and random Maclaurin
// features.
func (p *problem) polynomial(degree int) error {
	_, d := p.train.Dims()
	p.kernel = featuremap.Polynomial{Degree: degree, Gamma: .5 / float64(d), Offset: .5}
	p.with = fmt.Sprintf("((1 + ⟨x, y⟩/%d)/2)^%d", d, degree)
	p.random = func(columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		return featuremap.NewMaclaurin(p.kernel, d, columns, s, &featuremap.MaclaurinOptions{ExactDegree: 1})
	}
	var err error
	p.exact, err = featuremap.New(p.kernel, p.train, monomials(d, degree), featuremap.NewSampler(mapSeed))
	return err
}

// monomials returns C(d + degree, degree), the number of monomials of d coordinates up to this degree.
func monomials(d, degree int) int {
	n := 1
	for i := range degree {
		n = n * (d + i + 1) / (i + 1)
	}
	return n
}

// face returns the lecture's demonstration: γ = 100 and α = 0.1, and as many test points as training points.
func face(n int) *problem {
	s := featuremap.NewSampler(dataSeed)
	p := &problem{name: "The face", rate: 0.1, columns: 1024}
	p.train, p.labels = facePoints(n, s)
	p.test, p.testLabels = facePoints(n, s)
	p.gaussian(100)
	return p
}

// facePoints returns n points uniform on the unit square with their labels.
func facePoints(n int, s *featuremap.Sampler) (*mat.Dense, []float64) {
	x, labels := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range labels {
		x.SetRow(i, []float64{s.Float64(), s.Float64()})
		labels[i] = faceLabel(x.RawRowView(i))
	}
	return x, labels
}

// faceLabel returns the label of a point of the unit square: −1 in the eyes and the mouth of a face, 1 elsewhere. The
// eyes are as in the lecture's gen_y. Its mouth is printed as the points with x₂ < 0.4 whose distance to (0.5, 0.6)
// is below 0.5 and whose distance to (0.5, 0.55) is below 0.1. No points satisfy this, because the last disc lies
// above x₂ = 0.45. Here the last distance is above 0.4, which makes the mouth a crescent.
func faceLabel(x []float64) float64 {
	from := func(x1, x2 float64) float64 { return math.Hypot(x[0]-x1, x[1]-x2) }
	switch {
	case from(.25, .75) < .15, from(.75, .75) < .15, x[1] < .4 && from(.5, .6) < .5 && from(.5, .55) > .4:
		return -1
	}
	return 1
}

// pendigits returns digits of a pen's path, even against odd ones: n training points, sampled at random from those of
// the authors, and the authors' test points. Coordinates are standardized.
func pendigits(n int) (*problem, error) {
	set, err := sets.Pendigits()
	if err != nil {
		return nil, err
	}
	train, test := set.Own()
	if n > train.Len() {
		return nil, fmt.Errorf("-n %d: pendigits has %d points to train on", n, train.Len())
	}
	train, _ = train.Split(n, featuremap.NewSampler(dataSeed))
	sets.Standardize(train.X, test.X)
	return &problem{name: "Pendigits", train: train.X, labels: parity(train.Class), test: test.X, testLabels: parity(test.Class), rate: 1, columns: 1024}, nil
}

// parity returns 1 for even classes and −1 for odd ones.
func parity(class []int) []float64 {
	labels := make([]float64, len(class))
	for i, c := range class {
		labels[i] = float64(1 - 2*(c%2))
	}
	return labels
}

// scattered returns n normal points of d coordinates with a norm of about √d, only for times: labels are all 1.
func scattered(n, d int) *problem {
	p := &problem{train: mat.NewDense(n, d, nil), labels: make([]float64, n), rate: 1}
	featuremap.NewSampler(dataSeed).FillNormal(p.train.RawMatrix().Data)
	for i := range p.labels {
		p.labels[i] = 1
	}
	return p
}
