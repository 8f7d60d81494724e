// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// The equations of a fit, of features and targets less their means if there is an intercept.
type equations struct {
	sums      *tiled.Matrix // of the accumulator
	rows, out int
	freedom   float64 // rows, with an intercept one less

	mean, total []float64      // φ̄ and Φᵀ1; nil without an intercept
	b           blas64.General // ΦᵀY, a row a target
	squares     []float64      // yᵀy of each target
	level       []float64      // ȳ; 0 without an intercept
	scale       float64        // tr(ΦᵀΦ)/D, or 1
	norm        float64        // ‖ΦᵀΦ‖₁

	work  *tiled.Matrix // ΦᵀΦ, or a factor of ΦᵀΦ + λI
	fresh bool          // the former
}

// newEquations returns the equations of an accumulator without pending rows.
func newEquations(a *Accumulator, intercept bool) *equations {
	e := &equations{
		sums:    a.sums,
		rows:    a.rows,
		out:     a.out,
		freedom: float64(a.rows),
		b:       blas64.General{Rows: a.targets, Cols: a.out, Stride: a.out, Data: make([]float64, a.targets*a.out)},
		squares: make([]float64, a.targets),
		level:   make([]float64, a.targets),
		work:    tiled.New(a.out),
	}
	n := float64(a.rows)
	total := make([]float64, a.sums.Dim())
	a.sums.Column(total, a.sums.Dim()-1)
	if intercept {
		e.freedom--
		e.total = total[:a.out]
		e.mean = make([]float64, a.out)
		for i, v := range e.total {
			e.mean[i] = v / n
		}
	}
	column := make([]float64, a.sums.Dim())
	for t, shift := range a.shift {
		a.sums.Column(column, a.out+t)
		sum, square := total[a.out+t], column[a.out+t] // of the targets less the shift
		row := e.b.Data[t*a.out:][:a.out]
		if intercept {
			e.level[t] = shift + sum/n
			e.squares[t] = math.FMA(-sum/n, sum, square)
			for i := range row {
				row[i] = math.FMA(-e.mean[i], sum, column[i])
			}
			continue
		}
		// Σ(y + s)² = Σy² + s·(2Σy + s·n).
		e.squares[t] = math.FMA(shift, math.FMA(shift, n, 2*sum), square)
		for i := range row {
			row[i] = math.FMA(shift, total[i], column[i])
		}
	}
	e.measure()
	return e
}

// measure sets the scale and the norm of ΦᵀΦ.
func (e *equations) measure() {
	e.renew()
	diagonal := make([]float64, e.out)
	e.work.Diagonal(diagonal)
	var trace float64
	for _, v := range diagonal {
		trace += v
	}
	e.scale = 1
	if trace > 0 {
		e.scale = trace / float64(e.out)
	}
	e.norm = e.work.Norm1()
}

// renew makes work ΦᵀΦ.
func (e *equations) renew() {
	if !e.fresh {
		e.work.CopyLeading(e.sums, e.mean, e.total)
		e.fresh = true
	}
}

// A solution has what belongs to one λ.
type solution struct {
	lambda   float64
	factor   *tiled.Factor // of A, in the work matrix of the equations
	noise    []float64     // σ² of each target
	evidence float64       // its logarithm
}

// at returns the solution for λ, or nil and the feature at which the factorisation fails.
func (e *equations) at(lambda float64) (s *solution, bad int) {
	e.renew()
	if lambda == 0 {
		if i := e.constant(); i >= 0 {
			return nil, i
		}
	}
	e.fresh = false
	e.work.AddDiagonal(lambda)
	f, bad := e.work.Factorize(float64(e.out) * 0x1p-52)
	if bad >= 0 {
		return nil, bad
	}
	s = &solution{lambda: lambda, factor: f, noise: make([]float64, e.b.Rows)}
	f.SquaredNorms(s.noise, e.b)
	for t, explained := range s.noise {
		s.noise[t] = max(e.squares[t]-explained, 0x1p-52*e.squares[t]) / e.freedom
	}
	s.evidence = e.evidence(s)
	return s, -1
}

// constant returns the index of a feature of which taking off the mean leaves nothing but what rounding may, or −1.
func (e *equations) constant() int {
	if e.mean == nil {
		return -1
	}
	for i := range e.out {
		if rounding := float64(e.rows) * 0x1p-52 * e.sums.At(i, i); !(e.work.At(i, i) > rounding) {
			return i
		}
	}
	return -1
}

// evidence returns the logarithm of the evidence: see Accumulator.Fit.
func (e *equations) evidence(s *solution) float64 {
	if s.lambda == 0 {
		return math.Inf(-1)
	}
	var rest float64 // log|A| − D·log λ + log n
	for i := range e.out {
		rest += 2 * detmath.Log(s.factor.At(i, i))
	}
	rest -= float64(float64(e.out) * detmath.Log(s.lambda))
	if e.mean != nil {
		rest += detmath.Log(float64(e.rows))
	}
	var sum float64
	infinite := true
	for _, v := range s.noise {
		if v == 0 {
			continue
		}
		infinite = false
		sum -= 0.5 * (float64(e.freedom*(1+detmath.Log(2*math.Pi*v))) + rest)
	}
	if infinite {
		return math.Inf(1)
	}
	return sum
}

// best returns the solution of largest evidence.
func (e *equations) best(path []float64) (*solution, error) {
	var best, last *solution
	var failed error
	worst := math.Inf(-1) // the largest λ that failed
	for _, lambda := range path {
		s, bad := e.at(lambda)
		last = s
		if s == nil {
			if lambda > worst {
				worst, failed = lambda, e.failure(lambda, bad)
			}
			continue
		}
		if best == nil || s.evidence > best.evidence || s.evidence == best.evidence && lambda > best.lambda {
			best = s
		}
	}
	if best == nil {
		return nil, failed
	}
	if best != last { // another λ has overwritten its factor
		best, _ = e.at(best.lambda)
	}
	return best, nil
}

// failure returns the error for a λ with which feature i has no pivot.
func (e *equations) failure(lambda float64, i int) error {
	beside := ""
	if e.mean != nil {
		beside = " and the intercept"
	}
	switch {
	case lambda > 0:
		return fmt.Errorf("ridge: λ = %v is too small for float64 beside the squares of feature %d, whose sum is %v: "+
			"must be larger", lambda, i, e.sums.At(i, i))
	case e.freedom < float64(e.out):
		return fmt.Errorf("ridge: λ = 0: %d rows do not determine the weights of %d features%s: λ must be positive", e.rows, e.out, beside)
	}
	return fmt.Errorf("ridge: λ = 0: feature %d depends linearly on those before it%s, to the precision of float64: "+
		"λ must be positive", i, beside)
}

// model returns the model of a solution.
func (e *equations) model(s *solution) numbers {
	targets := e.b.Rows
	norm, factor := e.norm+s.lambda, s.factor // ‖A‖₁, since ΦᵀΦ has no negative element on its diagonal
	m := numbers{
		rows:      e.rows,
		lambda:    s.lambda,
		evidence:  s.evidence,
		condition: sync.OnceValue(func() float64 { return norm * factor.InverseNorm1() }),
		noise:     s.noise,
		mean:      e.mean,
		factor:    s.factor,
		weights:   e.b.Data,
		intercept: e.level,
	}
	parallel.Run(parallel.Func(func(lo, hi int) {
		for t := lo; t < hi; t++ {
			w := m.weight(t, e.out)
			s.factor.SolveTransVec(w)
			s.factor.SolveVec(w)
			if e.mean != nil {
				m.intercept[t] -= dot(e.mean, w)
			}
		}
	}), targets, 1)
	return m
}
