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

// A method is a kind of maps of this library, or a rule for kernel matrices that it does not have.
type method struct {
	draw   func(*featuremap.Sampler) (featuremap.FeatureMap, error)
	length float64 // if positive, features of x are times exp(−‖x‖²/2length²)
	rule   func(*featuremap.Sampler) *mat.Dense
	plan   *featuremap.Plan // if it is a plan's
}

// weight returns what the features of x are multiplied by.
func (m method) weight(x []float64) float64 {
	if m.length == 0 {
		return 1
	}
	r := floats.Norm(x, 2) / m.length
	return math.Exp(-r * r / 2)
}

// weigh multiplies the features z of the rows of x by their weights.
func (m method) weigh(z, x *mat.Dense) {
	if m.length == 0 {
		return
	}
	n, _ := x.Dims()
	for i := range n {
		floats.Scale(m.weight(x.RawRowView(i)), z.RawRowView(i))
	}
}

func (p *protocol) fourier(columns int, design featuremap.Design) method {
	return method{draw: func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		return featuremap.NewFourier(p.kernel, p.dim(), columns, s, &featuremap.FourierOptions{Design: design})
	}}
}

func (p *protocol) neurons(columns int, design featuremap.Design) method {
	return method{draw: func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		return featuremap.NewNeurons(p.kernel, p.dim(), columns, s, &featuremap.NeuronsOptions{Design: design})
	}}
}

// maclaurin is the map of the exponential of ⟨x, y⟩/ℓ² whose features, times exp(−‖x‖²/2ℓ²), are those
// of the Gaussian kernel. Degrees 0 and 1 are exact. If degree is positive, it is the largest that is
// drawn, and the terms beyond are left out.
func (p *protocol) maclaurin(columns, degree int, complex bool) method {
	length := p.kernel.(featuremap.Gaussian).LengthScale
	n, _ := p.points.Dims()
	var law featuremap.DegreeLaw = featuremap.OptimalLaw{Norm: mat.Norm(p.points, 2) / math.Sqrt(float64(n))}
	if degree > 0 {
		law = featuremap.TruncatedLaw{Law: law, Degree: degree}
	}
	if complex {
		columns -= (columns - 1 - p.dim()) % 2
	}
	k := featuremap.ExpDot{LengthScale: length}
	o := featuremap.MaclaurinOptions{Law: law, Sketch: featuremap.TensorSRHT, Complex: complex, ExactLow: true}
	return method{length: length, draw: func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		return featuremap.NewMaclaurin(k, p.dim(), columns, s, &o)
	}}
}

// taylor is the Taylor polynomial of that exponential up to degree 2, in monomials: nothing is random.
func (p *protocol) taylor() method {
	length := p.kernel.(featuremap.Gaussian).LengthScale
	a := 1 / (length * length)
	return method{length: length, draw: func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		d := p.dim()
		return featuremap.New(featuremap.Dot(featuremap.Coefficients{1, a, a * a / 2}), d, (d+1)*(d+2)/2, s)
	}}
}

// planned is what NewPlan chooses for other rows than those that it is measured on.
func (p *protocol) planned(columns int) (method, error) {
	plan, err := featuremap.NewPlan(p.kernel, p.dim(), columns, &featuremap.PlanOptions{Points: p.points})
	if err != nil {
		return method{}, err
	}
	return method{draw: plan.Draw, plan: plan}, nil
}
