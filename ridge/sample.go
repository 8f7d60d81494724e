// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A Function is a sample from a Posterior: see Posterior.Sample. It is safe for concurrent use. Rows one by one and in
// batches have the same bits if their features do. The zero value panics with mat.ErrShape.
type Function struct {
	m    *Model // the part in the map, without a posterior
	rest *rest  // the part that the map misses; nil if that is 0
}

// Sample returns a random function from the posterior. Its values have the mean and the covariance of Joint, and
// targets are independent. For each target, with A = UᵀU and standard normal z and z₀, its weights and intercept are
//
//	w + σ·U⁻¹z, and ȳ + σ/√n·z₀ instead of ȳ if there is an intercept.
//
// It adds s(x)·⟨ψ(x) − Ψᵀk(S, S)⁻¹k(S, x), ζ⟩ for what landmarks S miss of the kernel, or a like term for a map planned
// for points, away from these: ψ are up to 1,024 features of k, or as many as landmarks, planned in the first call, ζ
// is normal, and s gives the variance of VarianceTo (docs/theory/lambda.md). A value costs the features of both maps.
//
// It uses a Split of s: for each target D numbers z and then z₀, if any; then ψ and ζ. It takes T·D²/2 multiply-adds.
// On the rows' side σ·(ζ₀ − ZᵀM⁻¹(Zζ₀ + ε)) replaces σ·U⁻¹z, with D numbers ζ₀ of variance 1/λ, then n of ε. After
// FitIterative, S numbers z and Σzⱼδⱼ/√S for its samples δ replace U⁻¹z.
//
// A nil s is NewSampler(0): two samples with nil are equal. It returns an error, and leaves s as it was, if s is the
// zero value, or if New has no map of what is missing, as for a kernel with only Eval (featuremap.ErrNoMap).
func (p *Posterior) Sample(s *featuremap.Sampler) (*Function, error) {
	m := p.model()
	if s == nil {
		s = featuremap.NewSampler(0)
	}
	if _, err := s.MarshalBinary(); err != nil { // s is the zero value: there is no other error
		return nil, fmt.Errorf("ridge: Sample: %w", err)
	}
	if m.phi == nil {
		return nil, errors.New("ridge: Sample of the zero value of a Posterior")
	}
	var terms []restTerm
	drawsRest := slices.ContainsFunc(indices(m.targets()), m.leaves)
	if drawsRest {
		var err error
		if terms, err = m.restTerms(); err != nil {
			return nil, err
		}
	}
	before := *s
	split := s.Split()
	n := m.numbers
	n.weights, n.intercept = m.draw(split)
	n.mean, n.iterative, n.ridges = nil, nil, slices.Clone(m.ridges)
	for k := range n.ridges {
		n.ridges[k].inverse, n.ridges[k].condition = nil, nil
	}
	f := new(Function)
	if drawsRest {
		var err error
		if f.rest, err = m.drawRest(split, terms, n.weights); err != nil {
			*s = before
			return nil, err
		}
	}
	f.m = newModel(m.phi, n)
	return f, nil
}

// indices returns the numbers from 0 to n − 1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// draw returns weights and intercepts of a sample of the posterior of the part in the map.
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
	if inverse := m.inverse(target); inverse != nil {
		inverse.draw(z, s)
		return
	}
	n, deltas := m.samples(m.out), m.deltas(m.of[target])
	clear(z)
	for j := range n {
		axpy(z, s.Normal()/math.Sqrt(float64(n)), deltas[j*m.out:][:m.out])
	}
}

// model returns what lives in the map, of the zero value that of a model.
func (f *Function) model() *Model {
	if f.m == nil {
		return new(Model)
	}
	return f.m
}

// EvalTo sets row i of dst, n×T, to the values for row i of x, n×in. Shapes and panics are as in Model.PredictTo.
func (f *Function) EvalTo(dst *mat.Dense, x mat.Matrix) {
	f.model().PredictTo(dst, x)
	if f.rest == nil {
		return
	}
	var reader rows.Reader
	reader.Reset(x)
	to := dst.RawMatrix()
	step := min(linear.BlockRows(f.m.out), reader.Step())
	for lo := 0; lo < to.Rows; lo += step {
		hi := min(lo+step, to.Rows)
		block := to
		block.Rows, block.Data = hi-lo, to.Data[lo*to.Stride:]
		f.addRest(block, reader.Matrix(lo, hi))
	}
}

// EvalVec sets dst to the values at x, one for each target, and returns it. A nil dst is allocated. It panics as
// Model.PredictVec does.
func (f *Function) EvalVec(dst, x []float64) []float64 {
	dst = f.model().PredictVec(dst, x)
	if f.rest != nil {
		f.addRest(blas64.General{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst}, mat.NewDense(1, len(x), x))
	}
	return dst
}

// addRest adds what the map leaves to values at rows of x.
func (f *Function) addRest(dst blas64.General, x mat.Matrix) {
	var left []float64
	if f.rest.varies {
		var features mat.Dense
		f.m.phi.TransformTo(&features, x)
		left = make([]float64, dst.Rows)
		f.m.remainders(left, x, features.RawMatrix())
	}
	f.rest.addTo(dst, x, &f.m.numbers, left)
}

// GradientVec sets dst to the gradient at x of the value of a target, and returns it. A nil dst is allocated. At the
// edge of the domain of a map that was planned for points, the gradient jumps. It panics as Model.GradientVec does, and,
// with landmarks, where the features ψ have no derivative, as for many products of kernels, whose map is Compositional.
func (f *Function) GradientVec(dst, x []float64, target int) []float64 {
	dst = f.model().GradientVec(dst, x, target)
	if f.rest == nil {
		return dst
	}
	value, gradient := f.rest.at(x, target)
	if f.rest.varies {
		features := f.m.phi.TransformVec(nil, x)
		deviation, slope := f.m.leftDeviation(target, f.m.remainder(x, features))
		for j := range gradient {
			gradient[j] *= deviation
		}
		if slope != 0 {
			axpy(gradient, slope*value, f.m.leftGradient(x, features, target))
		}
	}
	for j, v := range gradient {
		dst[j] += v
	}
	return dst
}
