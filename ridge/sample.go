// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Sample returns a function drawn from the posterior, as a model: its predictions at any points are jointly normal, with
// the mean and the covariance of the posterior, and its variance is 0. (Targets are drawn independently.) For
// target t, with A = UᵀU and standard normal z and z₀,
//
//	w + σ·U⁻¹z, and ȳ + σ/√n·z₀ in place of ȳ if there is an intercept.
//
// It draws from a Split of s, for one target after another the D numbers z and then z₀, if any. Of a constant target the function is that constant. It takes T·D²/2
// multiply-adds. After FitIterative it draws S numbers z for each target in place of D, and Σzⱼδⱼ/√S, of the samples δ, is U⁻¹z. If m is a function that Sample drew, it returns an equal one, and leaves s as it is.
//
// It panics if the model is MeanOnly, of FitIterative without Samples, or the zero value, and if s is nil or the zero value, which constructors refuse.
func (m *Model) Sample(s *featuremap.Sampler) *Model {
	if _, err := s.MarshalBinary(); err != nil { // s is nil or the zero value: there is no other error
		panic("ridge: Sample: " + err.Error())
	}
	if m.phi == nil {
		panic("ridge: Sample of the zero value of a Model")
	}
	if m.sampled {
		return newModel(m.phi, m.numbers)
	}
	if !m.posterior(m.out) {
		panic("ridge: Sample of a MeanOnly model, which has no posterior")
	}
	n := m.withoutFactor()
	n.weights, n.intercept = m.draw(s.Split())
	n.sampled, n.leftOut, n.stray = true, nil, stray{}
	return newModel(m.phi, n)
}

// draw returns weights and intercepts of a function drawn from the posterior.
func (m *Model) draw(s *featuremap.Sampler) (weights, intercept []float64) {
	weights, intercept = slices.Clone(m.weights), slices.Clone(m.intercept)
	z := make([]float64, m.out)
	for t, v := range m.noise {
		sigma := math.Sqrt(v)
		m.deviation(z, t, s)
		for i, v := range z {
			weights[t*m.out+i] = math.FMA(sigma, v, weights[t*m.out+i])
		}
		if m.mean != nil {
			level := s.Normal() / math.Sqrt(m.totalWeight())
			intercept[t] = math.FMA(sigma, level-tiled.Dot(m.mean, z), intercept[t])
		}
	}
	return weights, intercept
}

// deviation sets z to a draw from N(0, A⁻¹) for a target, or to a combination of samples of it.
func (m *Model) deviation(z []float64, target int, s *featuremap.Sampler) {
	if factor := m.factor(target); factor != nil {
		s.FillNormal(z)
		factor.SolveVec(z)
		return
	}
	n := m.iterative.samples(m.out)
	clear(z)
	for j := range n {
		axpy(z, s.Normal()/math.Sqrt(float64(n)), m.iterative.deltas[j*m.out:][:m.out])
	}
}
