// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"math/bits"
)

// Counts are float64, which are exact up to 2⁵³, because an int has 32 bits on some machines. Large counts come from
// the order statistics of uniform variates (Ahrens and Dieter 1974, "Computer methods for sampling from gamma, beta,
// Poisson and binomial distributions"). A count takes about two Gamma variates for each halving of its mean, however
// large, and no logarithm of a factorial.

// skellam returns the difference of two independent Poisson variates of mean λ/2 each (Skellam 1946): the sum of a
// Poisson number of random signs, with P(j) = e^{−λ}·I_j(λ). It is NaN unless λ is from 0 to 2⁵⁰.
func (s *Sampler) skellam(lambda float64) float64 {
	if !(lambda >= 0 && lambda <= 1<<50) {
		return math.NaN()
	}
	n := s.poisson(lambda)
	return 2*s.heads(n) - n
}

// poisson returns a Poisson variate of mean μ ≥ 0: the number of events up to time μ if the times between events are
// exponential of mean 1.
func (s *Sampler) poisson(mu float64) float64 {
	var n float64
	for mu > fewCounts {
		m := math.Floor(0.875 * mu)
		t := s.Gamma(m) // the time of event m
		if t > mu {
			// The m − 1 events before it are uniform on (0, t).
			return n + s.binomial(m-1, mu/t)
		}
		n += m
		mu -= t
	}
	for t := s.exponential(); t <= mu; t += s.exponential() {
		n++
	}
	return n
}

// heads returns the number of heads in n tosses of a coin.
func (s *Sampler) heads(n float64) float64 {
	switch {
	case n == 0:
		return 0
	case n <= 64:
		return float64(bits.OnesCount64(s.Uint64() >> (64 - uint(n))))
	}
	return s.binomial(n, 0.5)
}

// binomial returns how many of n uniform variates are less than p. It draws their median v. If v ≤ p, the variates up
// to v count, and the others are uniform on (v, 1). Otherwise the variates from v on do not count, and the others are
// uniform on (0, v).
func (s *Sampler) binomial(n, p float64) float64 {
	var count float64
	for n > fewCounts {
		i := math.Floor(n/2) + 1
		a := s.Gamma(i)
		v := a / (a + s.Gamma(n+1-i)) // the i-th smallest
		if v <= p {
			count += i
			n -= i
			p = (p - v) / (1 - v)
		} else {
			n = i - 1
			p /= v
		}
	}
	for range int(n) {
		if s.Float64() < p {
			count++
		}
	}
	return count
}

// fewCounts is about the largest number of events that are counted one by one.
const fewCounts = 16
