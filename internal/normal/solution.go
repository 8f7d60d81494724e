// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A Solution has what belongs to one λ. It holds on to the factor, which may be overwritten, and not to the equations.
type Solution struct {
	Lambda   float64
	Factor   *tiled.Factor // of A, in memory of the equations
	Noise    []float64     // σ² of each target
	Evidence []float64     // its logarithm for each target: −Inf if λ = 0, or if the target is constant

	norm float64 // ‖A‖₁
}

// solution returns the solution for λ with its factor.
func (e *Equations) solution(lambda float64, f *tiled.Factor) *Solution {
	s := &Solution{
		Lambda: lambda,
		Factor: f,
		Noise:  make([]float64, e.b.Rows),
		norm:   e.norm + lambda, // ΦᵀΦ has no negative element on its diagonal
	}
	squares := make([]float64, e.b.Rows) // yᵀy − bᵀA⁻¹b
	f.SquaredNorms(s.Noise, e.b)
	for t, explained := range s.Noise {
		left := max(e.squares[t]-explained, e.rounding()*e.squares[t])
		s.Noise[t] = left / e.freedom
		if n := e.noise; n != nil {
			if s.Noise[t] = max(s.Noise[t], n.Variance); lambda > n.Least {
				s.Noise[t] = n.Variance
			}
		}
		squares[t] = left
	}
	s.Evidence = e.evidence(s, squares)
	return s
}

// evidence returns the logarithm of the evidence for each target, by the formula of the package comment. A constant target has no noise,
// and a density without bound whatever λ and the features are: it tells nothing.
func (e *Equations) evidence(s *Solution, squares []float64) []float64 {
	each := make([]float64, len(s.Noise))
	var rest float64 // log|A| − D·log λ + log n
	if s.Lambda > 0 {
		for i := range e.Features {
			rest += 2 * detmath.Log(s.Factor.At(i, i))
		}
		rest -= float64(float64(e.Features) * detmath.Log(s.Lambda))
		if e.Mean != nil {
			rest += detmath.Log(e.Weight)
		}
	}
	for t, v := range s.Noise {
		if each[t] = math.Inf(-1); v > 0 && s.Lambda > 0 {
			each[t] = -0.5 * (float64(e.freedom*(1+detmath.Log(2*math.Pi*v))) + rest)
			if n := e.noise; n != nil {
				each[t] = -0.5 * (squares[t]/v + float64(e.freedom*detmath.Log(2*math.Pi*v)) + n.Logs + rest)
			}
		}
	}
	return each
}

// LogEvidence returns the sum of the logarithms of the evidence over some targets, all if they are nil, but those that are constant: −Inf if
// all are.
func (s *Solution) LogEvidence(targets []int) float64 {
	var sum float64
	none := true
	add := func(t int) {
		if s.Noise[t] > 0 {
			sum += s.Evidence[t]
			none = false
		}
	}
	for _, t := range targets {
		add(t)
	}
	for t := range s.Noise {
		if targets == nil {
			add(t)
		}
	}
	if none {
		return math.Inf(-1)
	}
	return sum
}

// Weights returns the weights of a solution whose factor is valid, a row a target, and the intercepts ȳ − ⟨φ̄, w⟩, zeros if
// there are none.
func (e *Equations) Weights(s *Solution) (w blas64.General, intercept []float64) {
	w = e.b
	w.Data = slices.Clone(e.b.Data)
	parallel.Run(parallel.Func(func(lo, hi int) {
		for t := lo; t < hi; t++ {
			s.Factor.SolveTransVec(w.Data[t*w.Stride:][:w.Cols])
		}
	}), w.Rows, 1)
	s.Factor.SolveVecs(w)
	intercept = slices.Clone(e.Level)
	if e.Mean != nil {
		for t := range intercept {
			intercept[t] -= tiled.Dot(e.Mean, w.Data[t*w.Stride:][:w.Cols])
		}
	}
	return w, intercept
}

// Residuals returns for each target the norm of the residuals, less their mean if there is an intercept, for a solution and its
// weights: the root of yᵀy − bᵀw − λ‖w‖², to an absolute error of some roundings of yᵀy.
func (e *Equations) Residuals(s *Solution, w blas64.General) []float64 {
	norms := make([]float64, w.Rows)
	for t := range norms {
		weights := w.Data[t*w.Stride:][:w.Cols]
		norms[t] = math.Sqrt(max(math.FMA(-s.Lambda, tiled.Dot(weights, weights), float64(e.freedom*s.Noise[t])), 0))
	}
	return norms
}

// WithFactor returns s with a factor of its own, which no other solution overwrites.
func (s *Solution) WithFactor() *Solution {
	own := *s
	own.Factor = s.Factor.Clone()
	return &own
}

// LargestCondition returns an upper bound of the condition number of A in the 2-norm: ‖A‖₁/λ, since no eigenvalue is below λ.
func (s *Solution) LargestCondition() float64 { return s.norm / s.Lambda }

// Condition returns an estimate from below, most often within a factor of 3, of the condition number of A in the 1-norm: +Inf
// if the inverse overflows. It takes some ten times D² multiply-adds. The factor must be valid.
func (s *Solution) Condition() float64 {
	if c := s.norm * s.Factor.InverseNorm1(); !math.IsNaN(c) {
		return c
	}
	return math.Inf(1)
}
