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
// It is +Inf where the sum diverges, for GeometricLaw where p·M is beyond the square of the
// radius of convergence, M = μ₁, or does not converge within 2¹⁴ terms. Where the terms cancel,
// the absolute error is some 1e-16 of the first sum.
func (m *Maclaurin) Variance(x, y []float64) float64 {
	s := m.statistics(x, y)
	draws := float64(m.draws())
	// Σ aₙ²μₙ/qₙ, of which μₙ is the mean of the powers of one or two numbers.
	var v float64
	bases := m.moments(s)
	for _, base := range bases {
		v += m.sum(base, func(int) float64 { return 1 }) / float64(len(bases))
	}
	part := m.drawnPart(s.t)
	v -= part * part
	if m.pairs != nil {
		// Bₙ/(q·qₙ), which is nothing where qₙ is below 2⁻⁶⁰.
		shared := func(n int) float64 {
			if i := n - m.law.from; i < len(m.pairs) && m.pairs[i] > 0 {
				return m.pairs[i] / (draws * m.law.prob(n))
			}
			return 0
		}
		bases := m.covariances(s)
		for _, base := range bases {
			v += m.sum(base, shared) / float64(len(bases))
		}
		v -= m.sum(s.p, shared)
	}
	if math.IsNaN(v) {
		return math.Inf(1) // a part beyond the radius of convergence
	}
	return max(v, 0) / draws
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

// moments returns the numbers whose n-th powers have the mean μₙ, the mean square of a product
// of n factors at x times that at y.
func (m *Maclaurin) moments(s statistics) []float64 {
	gaussian := m.opts.Sketch == GaussianSketch
	switch {
	case m.opts.Complex && gaussian:
		return []float64{s.n + s.p, 2 * s.p}
	case m.opts.Complex:
		return []float64{s.n + s.p - s.s, 2*s.p - s.s}
	case gaussian:
		return []float64{s.n + 2*s.p}
	}
	return []float64{s.n + 2*(s.p-s.s)}
}

// covariances are as moments, for two different products of one block of TensorSRHT.
func (m *Maclaurin) covariances(s statistics) []float64 {
	rest := float64(paddedDim(m.dim()) - 1)
	if m.opts.Complex {
		return []float64{s.p - (s.n-s.s)/rest, s.p - (s.p-s.s)/rest}
	}
	return []float64{s.p - (s.n+s.p-2*s.s)/rest}
}

// complete tells whether every degree is drawn or exact.
func (m *Maclaurin) complete() bool {
	switch m.opts.Law.(type) {
	case GeometricLaw, OptimalLaw:
		return true
	}
	return false // a TruncatedLaw, or a caller's
}

// drawnPart returns the part of the series at t whose degrees are drawn.
func (m *Maclaurin) drawnPart(t float64) float64 {
	if !m.complete() {
		var part float64
		for i, w := range m.law.w {
			if n := m.law.from + i; w > 0 {
				part += m.series.Coeff(n) * math.Pow(t, float64(n))
			}
		}
		return part
	}
	part := m.series.Eval(t)
	if m.opts.ExactLow {
		part -= m.low(t)
	}
	return part
}

// low returns the terms of degrees 0 and 1.
func (m *Maclaurin) low(t float64) float64 { return m.series.Coeff(0) + m.series.Coeff(1)*t }

// sum returns Σ (aₙ²·baseⁿ/qₙ)·factor(n) over the degrees n that are drawn, or +Inf if it does
// not converge within many terms.
func (m *Maclaurin) sum(base float64, factor func(n int) float64) float64 {
	const (
		block = 64
		most  = 1 << 14
	)
	squares := squaresOf(m.opts.Law, m.series, math.Abs(base))
	var sum float64
	for first := 0; first < max(most, len(m.law.w)); first += block {
		var size float64 // of this block's terms
		for n := m.law.from + first; n < m.law.from+first+block; n++ {
			v := squares(n)
			if v == 0 {
				continue
			}
			v *= factor(n) * m.law.total
			size += v
			if base < 0 && n%2 == 1 {
				v = -v
			}
			sum += v
		}
		if math.IsInf(size, 1) || math.IsNaN(sum) {
			return math.Inf(1)
		}
		if first+block >= len(m.law.w) && size <= 1e-17*math.Abs(sum) {
			return sum
		}
	}
	return math.Inf(1)
}

// squaresOf returns a function for aₙ²·baseⁿ over the weight of degree n in the law, 0 where
// either is 0: for the laws of the package without the quotient of numbers that may both
// be beyond a float64.
func squaresOf(l DegreeLaw, f Series, base float64) func(n int) float64 {
	switch l := l.(type) {
	case GeometricLaw:
		table := growing{f: dilate(f, math.Sqrt(base*l.p()))}
		return func(n int) float64 { return table.coeff(n) * table.coeff(n) }
	case OptimalLaw:
		table := growing{f: dilate(f, base/l.root())}
		return table.coeff
	case TruncatedLaw:
		of, has := squaresOf(l.law(), f, base), l.set(f)
		return func(n int) float64 {
			if !has(n) {
				return 0
			}
			return of(n)
		}
	}
	weights, table := weightsOf(l, f), growing{f: dilate(f, math.Sqrt(base))}
	return func(n int) float64 {
		w := weights(n)
		if w == 0 {
			return 0
		}
		return table.coeff(n) * table.coeff(n) / w
	}
}

// blockPairs returns, for each degree of the law's table, the mean number Bₙ of ordered pairs
// of draws that share a block of p: the number of draws of a degree has the binomial
// distribution.
func (m *Maclaurin) blockPairs() []float64 {
	draws, p := m.draws(), paddedDim(m.dim())
	means := make([]float64, len(m.law.w))
	for i := range means {
		q := m.law.prob(m.law.from + i)
		if draws <= p {
			means[i] = float64(draws) * float64(draws-1) * q * q // all in one block
			continue
		}
		// What is beyond 12 standard deviations and some more has no weight in a float64.
		center, reach := float64(draws)*q, 12*math.Sqrt(float64(draws)*q)+50
		for k := max(2, int(center-reach)); k <= min(draws, int(center+reach)); k++ {
			means[i] += binomialProb(draws, k, q) * blockPairs(k, p)
		}
	}
	return means
}

// binomialProb returns the probability of k of n for 0 ≤ q ≤ 1.
func binomialProb(n, k int, q float64) float64 {
	switch {
	case q == 0 && k == 0, q == 1 && k == n:
		return 1
	case q == 0, q == 1:
		return 0
	}
	lgN, _ := math.Lgamma(float64(n + 1))
	lgK, _ := math.Lgamma(float64(k + 1))
	lgRest, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(lgN - lgK - lgRest + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q))
}
