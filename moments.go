// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map. With q draws
// (half as many as drawn columns with Complex), t = ⟨x, y⟩, P = t², N = ‖x‖²‖y‖² and
// S = Σxᵢ²yᵢ², it is
//
//	(1/q)·[Σ aₙ²μₙ/qₙ − f(t)²],
//
// over the degrees n that are drawn, f being their part of the series and
//
//	μₙ = (N + 2(P − S))ⁿ             for RademacherSketch and TensorSRHT,
//	     (N + 2P)ⁿ                   for GaussianSketch,
//	     ½[(N + P − S)ⁿ + (2P − S)ⁿ]  for these two with Complex,
//	     ½[(N + P)ⁿ + (2P)ⁿ]          for GaussianSketch with Complex,
//
// and for TensorSRHT, with Bₙ the mean number of ordered pairs of draws of degree n that
// share a block, there is added
//
//	(1/q²)·Σ Bₙ(aₙ/qₙ)²·[(P − (N + P − 2S)/(p − 1))ⁿ − Pⁿ],
//
// or with Complex ½[(P − (N − S)/(p − 1))ⁿ + (P − (P − S)/(p − 1))ⁿ] − Pⁿ in the bracket
// (Wacker, Kanagawa and Filippone 2022; Wacker, Ohana and Filippone 2022). It is exact.
//
// It is +Inf where the sum diverges: for GeometricLaw where p·M is beyond the square of
// the radius of convergence, M = μ₁. Where the terms cancel, the absolute error is some
// 1e-16 of the first sum.
func (m *Maclaurin) Variance(x, y []float64) float64 {
	s := m.statistics(x, y)
	square := m.sum(func(n int, a, q float64) float64 { return a / q * (a * m.moment(s, n)) })
	part := m.drawnPart(s.t)
	v := square - part*part
	if m.opts.Sketch == TensorSRHT && m.dim() > 1 {
		v += m.sum(func(n int, a, q float64) float64 {
			return m.blockPairs(n, q) / float64(m.draws()) * (a / q) * (a / q) * m.covariance(s, n)
		})
	}
	if math.IsNaN(v) {
		return math.Inf(1) // a part beyond the radius of convergence
	}
	return max(v, 0) / float64(m.draws())
}

// Bias returns the mean of ⟨φ(x), φ(y)⟩ − k(x, y) over the draw of the map: minus the terms
// aₙtⁿ of the degrees to which the law gives no probability, and 0 if there are none.
func (m *Maclaurin) Bias(x, y []float64) float64 {
	s := m.statistics(x, y)
	if m.complete() {
		return 0
	}
	part := m.drawnPart(s.t)
	if m.opts.ExactLow {
		part += m.low(s.t)
	}
	return part - m.series.Eval(s.t)
}

// statistics are what the moments of a sketch depend on, for points as the random vectors
// see them.
type statistics struct{ t, p, n, s float64 }

func (m *Maclaurin) statistics(x, y []float64) statistics {
	if len(x) != m.in || len(y) != m.in {
		panic(mat.ErrShape)
	}
	if m.warp != nil {
		ax, ay := make([]float64, m.warp.p), make([]float64, m.warp.p)
		m.warp.apply(ax, x)
		m.warp.apply(ay, y)
		x, y = ax, ay
	}
	var s statistics
	for i, u := range x {
		s.s += u * u * y[i] * y[i]
	}
	s.t = inner(x, y)
	s.p = s.t * s.t
	s.n = inner(x, x) * inner(y, y)
	return s
}

// moment returns μₙ, the mean square of a product of n factors at x times that at y.
func (m *Maclaurin) moment(s statistics, n int) float64 {
	gaussian := m.opts.Sketch == GaussianSketch
	switch {
	case m.opts.Complex && gaussian:
		return (math.Pow(s.n+s.p, float64(n)) + math.Pow(2*s.p, float64(n))) / 2
	case m.opts.Complex:
		return (math.Pow(s.n+s.p-s.s, float64(n)) + math.Pow(2*s.p-s.s, float64(n))) / 2
	case gaussian:
		return math.Pow(s.n+2*s.p, float64(n))
	}
	return math.Pow(s.n+2*(s.p-s.s), float64(n))
}

// covariance returns that of two different products of one block of TensorSRHT.
func (m *Maclaurin) covariance(s statistics, n int) float64 {
	rest := float64(paddedDim(m.dim()) - 1)
	same := math.Pow(s.p, float64(n))
	if m.opts.Complex {
		return (math.Pow(s.p-(s.n-s.s)/rest, float64(n))+math.Pow(s.p-(s.p-s.s)/rest, float64(n)))/2 - same
	}
	return math.Pow(s.p-(s.n+s.p-2*s.s)/rest, float64(n)) - same
}

// complete tells whether every degree is drawn or exact.
func (m *Maclaurin) complete() bool {
	switch m.opts.Law.(type) {
	case GeometricLaw, OptimalLaw:
		return true
	}
	return false
}

// drawnPart returns the part of the series at t whose degrees are drawn.
func (m *Maclaurin) drawnPart(t float64) float64 {
	if !m.complete() {
		return m.sum(func(n int, a, _ float64) float64 { return a * math.Pow(t, float64(n)) })
	}
	part := m.series.Eval(t)
	if m.opts.ExactLow {
		part -= m.low(t)
	}
	return part
}

// low returns the terms of degrees 0 and 1.
func (m *Maclaurin) low(t float64) float64 { return m.series.Coeff(0) + m.series.Coeff(1)*t }

// sum returns the sum over the degrees n that are drawn of a function of n, aₙ and qₙ, or
// +Inf if it does not converge within many terms.
func (m *Maclaurin) sum(term func(n int, a, q float64) float64) float64 {
	const (
		block = 64
		most  = 1 << 16
	)
	var sum float64
	for first := m.law.from; first < most; first += block {
		var size float64 // of this block's terms
		for n := first; n < first+block; n++ {
			a, q := m.series.Coeff(n), m.law.prob(n)
			if !(a > 0 && q > 0) {
				continue
			}
			v := term(n, a, q)
			sum += v
			size += math.Abs(v)
		}
		if math.IsInf(sum, 1) || math.IsNaN(sum) {
			return math.Inf(1)
		}
		if first+block > lastDegree(m.series) && first > m.law.from && size <= 1e-18*math.Abs(sum) {
			return sum
		}
	}
	return math.Inf(1)
}

// blockPairs returns the mean number of ordered pairs of draws of degree n, which has
// probability q, that share a block of p: the number of draws of degree n has the
// binomial distribution.
func (m *Maclaurin) blockPairs(n int, q float64) float64 {
	draws, p := m.draws(), paddedDim(m.dim())
	if draws <= p {
		return float64(draws) * float64(draws-1) * q * q // all in one block
	}
	var mean float64
	lgN, _ := math.Lgamma(float64(draws + 1))
	logQ, logRest := math.Log(q), math.Log1p(-q)
	for k := 2; k <= draws; k++ {
		lgK, _ := math.Lgamma(float64(k + 1))
		lgRest, _ := math.Lgamma(float64(draws - k + 1))
		failures := 0.0
		if k < draws {
			failures = float64(draws-k) * logRest
		}
		mean += math.Exp(lgN-lgK-lgRest+float64(k)*logQ+failures) * blockPairs(k, p)
	}
	return mean
}
