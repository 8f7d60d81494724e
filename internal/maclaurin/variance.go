// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package maclaurin

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// Statistics are q times the variance of independent features and, with TensorSRHT, for each degree of the law's
// table its addend of the sum over blocks in docs/theory/variance.md, without the factor Bₙ/q².
func (r *Recipe) Statistics() int { return 1 + len(r.pairs()) }

// recipeKey identifies the statistics of Maclaurin maps of one series.
type recipeKey struct {
	law            string // "" with SumOfProducts, where degrees are not random
	sketch         Sketch
	complex, isSum bool
	exact          int // the number of exact degrees
}

func (r *Recipe) Key() any {
	k := recipeKey{sketch: r.opts.Sketch, complex: r.opts.Complex, isSum: r.terms != nil, exact: len(r.low.A)}
	if !k.isSum {
		k.law = gosyntax.Of(r.law.Given())
	}
	return k
}

func (r *Recipe) Add(sums []float64, p *sample.Pair, part float64) {
	if r.terms != nil {
		sums[0] += part * r.sumVariance(p)
		return
	}
	v := -arith.Square(r.drawnPart(p.T))
	bases := r.bases(p)
	for _, base := range bases {
		v += r.second(base) / float64(len(bases))
	}
	sums[0] += part * v
	if r.pairs() == nil {
		return
	}
	shared := sums[1:]
	r.addShared(shared, p.T*p.T, -part)
	bases = r.covariances(p)
	for _, base := range bases {
		r.addShared(shared, base, part/float64(len(bases)))
	}
}

func (r *Recipe) Variance(sums []float64) float64 {
	draws, v := float64(r.Number()), sums[0]
	for i, n := range r.pairs() {
		if n > 0 {
			v += n * sums[1+i] / draws
		}
	}
	if math.IsNaN(v) {
		v = math.Inf(1) // one of the sums is beyond its radius of convergence
	}
	return max(v, 0) / draws
}

func (r *Recipe) Bias(p *sample.Pair) float64 {
	if r.complete() {
		return 0
	}
	return r.drawnPart(p.T) + r.low.Sum(p.T) - r.series.Eval(p.T)
}

// bases returns the numbers whose n-th powers have the mean μₙ: see Variance.
func (r *Recipe) bases(xy *sample.Pair) []float64 {
	p, n, s := xy.T*xy.T, xy.A.Square*xy.B.Square, xy.S
	if r.opts.Sketch == GaussianSketch {
		s = 0
	}
	if r.opts.Complex {
		return []float64{n + p - s, 2*p - s}
	}
	return []float64{n + 2*(p-s)}
}

// covariances returns the same numbers for two different features in a block of TensorSRHT. Their n-th powers have as
// mean the mean product of the two estimates of tⁿ; the covariance of the estimates is this minus t²ⁿ.
func (r *Recipe) covariances(xy *sample.Pair) []float64 {
	p, n, s := xy.T*xy.T, xy.A.Square*xy.B.Square, xy.S
	rest := float64(design.PaddedDim(r.Dim()) - 1)
	if r.opts.Complex {
		return []float64{p - (n-s)/rest, p - (p-s)/rest}
	}
	return []float64{p - (n+p-2*s)/rest}
}

// complete tells whether every degree is sampled or exact.
func (r *Recipe) complete() bool {
	switch r.law.(type) {
	case power.GeometricLaw, power.OptimalLaw, power.DataLaw:
		return true
	}
	return false // a TruncatedLaw, or a caller's law
}

// DrawnLoss returns what an untruncated map usually loses: the degrees for which less than one feature is
// expected.
func (r *Recipe) DrawnLoss() recipe.Confined {
	return seriesLoss{r.series, r.keptTerms(1 / float64(r.Number())), r.Warp}
}

// keptTerms returns the coefficients of the degrees that are exact or have at least some probability, 0 for other
// degrees.
func (r *Recipe) keptTerms(least float64) []float64 {
	kept := slices.Clone(r.low.A)
	for i, w := range r.degrees.Weights {
		n := r.degrees.From + i
		kept = append(kept, make([]float64, max(n+1-len(kept), 0))...)
		if w > 0 && w >= least*r.degrees.Total {
			kept[n] = r.series.Coeff(n)
		}
	}
	return kept
}

// drawnPart returns the sum at t of the terms of the series whose degrees are random.
func (r *Recipe) drawnPart(t float64) float64 {
	if r.complete() {
		return r.tail().At(t)
	}
	var part float64
	for i, w := range r.degrees.Weights {
		if n := r.degrees.From + i; w > 0 {
			part += r.degrees.Coefficients[n] * math.Pow(t, float64(n))
		}
	}
	return part
}

// second returns Σ aₙ²·baseⁿ/qₙ over the random degrees, or +Inf or NaN if it does not converge. For
// OptimalLaw, qₙ = aₙsⁿ/f(s), it is f(s)·f(base/s), where f is the random part of the series. Up to base =
// s² it is summed by the law's table.
func (r *Recipe) second(base float64) float64 {
	if l, ok := r.law.(power.DataLaw); ok {
		return l.Second(r.series, r.degrees, base)
	}
	l, ok := r.law.(power.OptimalLaw)
	switch s := l.Root(); {
	case !ok:
		return r.sum(base)
	case math.Abs(base) <= s*s:
		return r.degrees.Total * r.degrees.At(base/s/s)
	default:
		return r.degrees.Total * r.drawnPart(base/s)
	}
}

// addShared adds c·aₙ²·baseⁿ/qₙ² to sums for each degree of the law's table.
func (r *Recipe) addShared(sums []float64, base, c float64) {
	if l, ok := r.law.(power.OptimalLaw); ok {
		u := base / l.Root() / l.Root()
		c *= arith.Square(r.degrees.Total) * math.Pow(u, float64(r.degrees.From))
		for i := range sums {
			sums[i] += c
			c *= u
		}
		return
	}
	if l, ok := r.law.(power.DataLaw); ok {
		l.AddShared(sums, r.degrees, base, c)
		return
	}
	squares := r.law.Squares(r.series, math.Abs(base))
	for i, w := range r.degrees.Weights {
		n := r.degrees.From + i
		v := squares(n)
		if w == 0 || v == 0 {
			continue
		}
		if base < 0 && n%2 == 1 {
			v = -v
		}
		sums[i] += c * v * arith.Square(r.degrees.Total) / w
	}
}

// sum returns Σ aₙ²·baseⁿ/qₙ over the random degrees, or +Inf if it does not converge within most
// terms.
func (r *Recipe) sum(base float64) float64 {
	const (
		batch = 64
		most  = 1 << 14
	)
	squares := r.law.Squares(r.series, math.Abs(base))
	last := max(min(most, power.HighestDegree(r.series)), len(r.degrees.Weights))
	var sum float64
	for first := 0; first < last; first += batch {
		var size float64 // the sum of the absolute values of this batch's terms
		for n := r.degrees.From + first; n < r.degrees.From+first+batch; n++ {
			v := squares(n)
			if v == 0 {
				continue
			}
			v *= r.degrees.Total
			size += v
			if base < 0 && n%2 == 1 {
				v = -v
			}
			sum += v
		}
		if math.IsInf(size, 1) || math.IsNaN(sum) {
			return math.Inf(1)
		}
		if first+batch >= len(r.degrees.Weights) && size <= 1e-17*math.Abs(sum) {
			return sum
		}
	}
	return math.Inf(1)
}

// blockPairs returns, for each degree n of the law's table, Bₙ: the mean number of ordered pairs of features of
// degree n in the same block of p.
func (r *Recipe) blockPairs() []float64 {
	means := make([]float64, len(r.degrees.Weights))
	for i := range means {
		means[i] = MeanBlockPairs(r.Number(), r.degrees.Prob(r.degrees.From+i), design.PaddedDim(r.Dim()))
	}
	return means
}

// MeanBlockPairs returns the mean number of ordered pairs in the same block of p. Of a number of features, each has the
// degree in question with probability q, and only those count.
func MeanBlockPairs(draws int, q float64, p int) (mean float64) {
	n := float64(draws)
	if draws <= p {
		return n * (n - 1) * q * q // all in one block
	}
	// If the standard deviation is more than two blocks, the number of features modulo p is uniform, to
	// e^{−8π²}.
	deviation := math.Sqrt(n * q * (1 - q))
	if deviation > 2*float64(p) {
		return n*q*float64(p-1) - (arith.Square(float64(p))-1)/6
	}
	// Numbers of features beyond 12 standard deviations and 50 more are too improbable for a
	// float64.
	width := 12*deviation + 50
	low, high := max(2, int(n*q-width)), min(draws, int(n*q+width))
	middle := min(max(int(n*q), low), high)
	if q >= 1 {
		return design.BlockPairs(draws, p)
	}
	odds := q / (1 - q)
	at := binomialProb(draws, middle, q)
	// Away from the middle the addends decrease: after one that adds nothing, the others add
	// nothing either.
	adds := func(k int, prob float64) bool {
		before := mean
		mean += prob * design.BlockPairs(k, p)
		return mean != before || mean == 0
	}
	prob := at
	for k := middle; k <= high && adds(k, prob); k++ {
		prob *= odds * float64(draws-k) / float64(k+1)
	}
	prob = at
	for k := middle; k > low; {
		prob *= float64(k) / float64(draws-k+1) / odds
		if k--; !adds(k, prob) {
			break
		}
	}
	return mean
}

// binomialProb returns the probability of k successes in n trials, each of probability q, 0 ≤ q ≤ 1.
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
