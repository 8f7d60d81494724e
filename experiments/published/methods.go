// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A method is a kind of maps of this library, or a rule for kernel matrices that it does not have.
type method struct {
	draw   func(*featuremap.Sampler) (featuremap.FeatureMap, error)
	weight featuremap.Weighter // of features, if it is not nil
	rule   func(*featuremap.Sampler) *mat.Dense
	plan   *featuremap.Plan // the plan, if the map is a plan's
}

// A bell is the weight exp(−‖x‖²/2ℓ²).
type bell struct {
	LengthScale float64
}

func (b bell) Weight(x []float64) float64 {
	r := floats.Norm(x, 2) / b.LengthScale
	return math.Exp(-r * r / 2)
}

// factor returns the factor of the features of x.
func (m method) factor(x []float64) float64 {
	if m.weight == nil {
		return 1
	}
	return m.weight.Weight(x)
}

// features returns the features of the rows of x.
func (m method) features(phi featuremap.FeatureMap, x *mat.Dense) *mat.Dense {
	var z mat.Dense
	phi.TransformTo(&z, x)
	if n, _ := x.Dims(); m.weight != nil {
		for i := range n {
			floats.Scale(m.factor(x.RawRowView(i)), z.RawRowView(i))
		}
	}
	return &z
}

func (p *protocol) fourier(columns int, design featuremap.Design) method {
	return method{draw: func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		return featuremap.NewFourier(p.kernel, p.dim(), columns, s, &featuremap.FourierOptions{Design: design})
	}}
}

func (p *protocol) neurons(columns int, design featuremap.Design) method {
	return method{draw: func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		return featuremap.NewNeurons(p.kernel, p.dim(), columns, s, &featuremap.NeuronsOptions{Orthogonal: design == featuremap.Orthogonal})
	}}
}

// maclaurin is the map of the exponential of ⟨x, y⟩/ℓ² whose features, times exp(−‖x‖²/2ℓ²), are
// features of the Gaussian kernel. Degrees 0 and 1 are exact, and terms beyond the degree are omitted.
func (p *protocol) maclaurin(columns, degree int, complex bool) method {
	n, _ := p.points.Dims()
	norm := mat.Norm(p.points, 2) / math.Sqrt(float64(n))
	if complex {
		columns -= (columns - 1 - p.dim()) % 2
	}
	k := featuremap.ExpDot{LengthScale: p.length()}
	o := featuremap.MaclaurinOptions{
		Law:     series.TruncatedLaw{Law: series.OptimalLaw{Norm: norm}, Degree: degree},
		Sketch:  featuremap.TensorSRHT,
		Complex: complex, ExactDegree: 1,
	}
	return method{weight: bell{p.length()}, draw: func(s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		return featuremap.NewMaclaurin(k, p.dim(), columns, s, &o)
	}}
}

// plan is NewPlan's choice for a kernel, made for other rows than those on which it is measured.
func (p *protocol) plan(k featuremap.Kernel, columns int) (method, error) {
	plan, err := featuremap.NewPlan(k, p.points, columns, nil)
	if err != nil {
		return method{}, err
	}
	return method{draw: plan.Draw, plan: plan}, nil
}

// weighted is the Gaussian kernel as an exponential of inner products, times the weight of each point. For
// planning it is an unbounded kernel, without Fourier maps.
func (p *protocol) weighted() featuremap.Kernel {
	return featuremap.Weight(bell{p.length()}, featuremap.ExpDot{LengthScale: p.length()})
}

// taylor is the same with a Taylor polynomial instead of the exponential: almost the Gaussian kernel
// where inner products are small.
func (p *protocol) taylor(degree int) featuremap.Kernel {
	a := make(series.Coefficients, degree+1)
	a[0] = 1
	for n := 1; n <= degree; n++ {
		a[n] = a[n-1] / (float64(n) * p.length() * p.length())
	}
	return featuremap.Weight(bell{p.length()}, featuremap.Dot(a))
}

// length returns the length scale of a Gaussian kernel.
func (p *protocol) length() float64 {
	return p.kernel.(featuremap.Gaussian).LengthScale
}
