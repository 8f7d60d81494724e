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

// A Solution is the fit for one λ. It refers to the factor, which may be overwritten, but not to the equations.
type Solution struct {
	Lambda   float64
	Factor   *tiled.Factor // of A, in memory of the equations
	Noise    []float64     // σ² of each target
	Evidence []float64     // the log evidence for each target: −Inf if λ = 0, or if the target is constant
	Misfit   []float64     // the likeliest variance of each target over the known noise; nil if it is not known

	norm float64 // ‖A‖₁
}

// solution returns the solution for λ with its factor.
func (e *Equations) solution(lambda float64, f *tiled.Factor) *Solution {
	left := make([]float64, e.b.Rows) // yᵀy − bᵀA⁻¹b
	f.SquaredNorms(left, e.b)
	for t, explained := range left {
		left[t] = max(e.squares[t]-explained, e.rounding()*e.squares[t])
	}
	var logDet float64
	if lambda > 0 {
		for i := range e.Features {
			logDet += 2 * detmath.Log(f.At(i, i))
		}
		logDet -= float64(float64(e.Features) * detmath.Log(lambda))
	}
	s := e.Facts.Solution(lambda, left, logDet, e.noise)
	s.Factor = f
	s.norm = e.norm + lambda // ΦᵀΦ has no negative element on its diagonal
	return s
}

// Solution returns the solution for λ, without a factor. left is the minimum of ‖y − Φw‖² + λ‖w‖² for each target, and
// logDet is log|A| − D·log λ. The noise is n, if it is not nil; otherwise it and the logarithm of the evidence follow
// from the formulas of the package comment. A constant target has no noise, and an unbounded density whatever λ and the
// features are, so it says nothing.
func (f *Facts) Solution(lambda float64, left []float64, logDet float64, n *Noise) *Solution {
	s := &Solution{Lambda: lambda, Noise: make([]float64, len(left)), Evidence: make([]float64, len(left))}
	rest := logDet
	if lambda > 0 && f.Mean != nil {
		rest += detmath.Log(f.Weight)
	}
	freedom := f.Freedom()
	for t, left := range left {
		s.Noise[t] = left / freedom
		if n != nil {
			likeliest := s.Noise[t]
			if s.Noise[t] = max(likeliest, n.Variance); lambda > n.Least {
				s.Noise[t] = n.Variance
			}
			s.Misfit = append(s.Misfit, n.Misfit(likeliest, f.Variances[t], lambda))
		}
		v := s.Noise[t]
		if s.Evidence[t] = math.Inf(-1); v > 0 && lambda > 0 {
			s.Evidence[t] = -0.5 * (float64(freedom*(1+detmath.Log(2*math.Pi*v))) + rest)
			if n != nil {
				s.Evidence[t] = -0.5 * (left/v + float64(freedom*detmath.Log(2*math.Pi*v)) + n.Logs + rest)
			}
		}
	}
	return s
}

// LogEvidence returns the sum of the log evidence over some targets, or over all if targets is nil. It omits constant
// targets, and is −Inf if all are constant.
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

// Weights returns the weights of a solution whose factor is valid, one row a target, and the intercepts ȳ − ⟨φ̄, w⟩, or
// zeros without intercepts.
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

// Residuals returns for each target the norm of the residuals, minus their mean if there is an intercept, for a
// solution and its weights. It is the root of yᵀy − bᵀw − λ‖w‖², with an absolute error of some roundings of yᵀy.
func (e *Equations) Residuals(s *Solution, w blas64.General) []float64 {
	norms := make([]float64, w.Rows)
	for t := range norms {
		weights := w.Data[t*w.Stride:][:w.Cols]
		norms[t] = math.Sqrt(max(math.FMA(-s.Lambda, tiled.Dot(weights, weights), float64(e.Freedom()*s.Noise[t])), 0))
	}
	return norms
}

// WithFactor returns s with its own factor, which no other solution overwrites.
func (s *Solution) WithFactor() *Solution {
	own := *s
	own.Factor = s.Factor.Clone()
	return &own
}

// LargestCondition returns an upper bound of the condition number of A in the 2-norm: ‖A‖₁/λ, since no eigenvalue is below λ.
func (s *Solution) LargestCondition() float64 { return s.norm / s.Lambda }

// Condition returns an estimate of the condition number of A in the 1-norm. It is a lower bound, most often within a
// factor of 3, and +Inf if the inverse overflows. It takes about ten times D² multiply-adds. The factor must be valid.
func (s *Solution) Condition() float64 {
	if c := s.norm * s.Factor.InverseNorm1(); !math.IsNaN(c) {
		return c
	}
	return math.Inf(1)
}
