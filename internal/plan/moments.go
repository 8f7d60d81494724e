// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/maclaurin"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// momentTable holds the mean moments of Maclaurin features over pairs, divided by s²ⁿ for degree n. With it,
// trying a law, a sketch and a number of columns costs nothing.
type momentTable struct {
	terms []float64 // aₙsⁿ

	// The means over the pairs of the sample, over the far pairs that laws consider, and over the far pairs at which
	// errors are compared.
	sample, far, compared sketchMoments

	own sketchMoments // for each point of the sample and itself: only rests

	// The contribution of the pairs of the farthest points to the means over all pairs, because the sample has few or
	// no such pairs: only rests.
	outermost sketchMoments
}

// sketchMoments are means over pairs, by degree. second is the mean of μₙ for realDraws and complexDraws, and shared of
// the covariance of two features in a block of TensorSRHT (both as in docs/theory/variance.md). rest is the mean of the
// square of Σ aₙtⁿ over all degrees from one on, and cut[from] the same over the degrees from one to each of the next
// ones (see degreeBand).
type sketchMoments struct {
	second, shared [2][]float64
	rest           []float64
	cut            [mostBandStart + 1][bandLengths]float64
}

// degreeBand is the degrees that a Maclaurin map samples: from one to another, or without an end if to is noEnd. Lower
// degrees are exact, and higher ones are omitted.
type degreeBand struct{ from, to int }

// Bands with an end are tried if they begin at mostBandStart at most, and have at most bandLengths degrees.
const (
	noEnd         = -1
	mostBandStart = 6
	bandLengths   = 4
)

// last returns the last degree of a band for which a table has a term.
func (t *momentTable) last(b degreeBand) int {
	if b.to == noEnd {
		return len(t.terms) - 1
	}
	return min(b.to, len(t.terms)-1)
}

// drawn returns the mean square of the sum of the terms of a band.
func (m *sketchMoments) drawn(b degreeBand) float64 {
	if b.to == noEnd {
		return m.rest[b.from]
	}
	return m.cut[b.from][b.to-b.from]
}

// left returns the mean square of the sum of the terms beyond a band, which is the mean square of
// the bias.
func (m *sketchMoments) left(b degreeBand) float64 {
	if b.to == noEnd {
		return 0
	}
	return m.rest[b.to+1]
}

const (
	realDraws = iota
	complexDraws
)

// newMomentTable returns a table for the degrees up to one beyond which the terms aₙsⁿ of the series are negligible,
// even if s is larger by the factor margin, as far as the radius of convergence allows. (The terms are the
// probabilities of OptimalLaw, except for a factor.) The table has rests for the degrees up to mostRest.
//
// ok is false if there are too many degrees, or if the terms are not finite or sum to more than mostRange times the
// first. exp(t/ℓ²) does so for points about seven length scales from their mean, where no law is good.
func newMomentTable(f series.Series, s, margin float64, mostRest int) (t *momentTable, ok bool) {
	const negligible, mostRange = 0x1p-44, 1e60
	most := min(1200, power.HighestDegree(f)-1)
	terms, ahead := power.Table{F: power.Dilate(f, s)}, power.Table{F: power.Dilate(f, min(s*margin, math.Sqrt(s*f.Radius())))}
	degree, polynomial := power.DegreeOf(f)
	t = &momentTable{}
	var first, sum, tail float64
	for n := 0; ; n++ {
		v, w := terms.Coeff(n), ahead.Coeff(n)
		if n > most || !(w <= math.MaxFloat64) {
			return nil, false
		}
		t.terms = append(t.terms, v)
		if first == 0 {
			first = w
		}
		if sum += w; !polynomial && sum > mostRange*first {
			return nil, false
		}
		if tail = max(tail*0.5, w); n >= power.ProfileOf(f).Gaps && n >= mostRest && (polynomial && n >= degree || sum > 0 && tail < negligible*sum) {
			break
		}
	}
	t.clear(mostRest)
	return t, true
}

// clear makes room for the moments of the table's degrees, and for rests of the degrees up to mostRest.
func (t *momentTable) clear(mostRest int) {
	for _, m := range []*sketchMoments{&t.sample, &t.far, &t.compared, &t.own, &t.outermost} {
		for c := range m.second {
			m.second[c], m.shared[c] = make([]float64, len(t.terms)), make([]float64, len(t.terms))
		}
		m.rest = make([]float64, mostRest+1)
	}
}

// add adds part times the moments of a pair of points to the means; pad is their padded dimension, and terms are aₙsⁿ.
func (m *sketchMoments) add(terms []float64, s float64, xy *sample.Pair, pad int, part float64) {
	m.addMoments(s, xy, pad, part)
	m.addSums(terms, xy.T/s, part)
}

// addMoments adds part times the moments second and shared of a pair to the means.
func (m *sketchMoments) addMoments(s float64, xy *sample.Pair, pad int, part float64) {
	scale := 1 / s / s
	p, n, q := xy.T*xy.T*scale, xy.A.Square*xy.B.Square*scale, xy.S*scale
	second, shared := &m.second, &m.shared
	addPowers(second[realDraws], [3]float64{part}, [3]float64{n + 2*(p-q)})
	addPowers(second[complexDraws], [3]float64{part / 2, part / 2}, [3]float64{n + p - q, 2*p - q})
	if pad > 1 {
		rest := float64(pad - 1)
		addPowers(shared[realDraws], [3]float64{part, -part}, [3]float64{p - (n+p-2*q)/rest, p})
		addPowers(shared[complexDraws], [3]float64{part / 2, part / 2, -part}, [3]float64{p - (n-q)/rest, p - (p-q)/rest, p})
	}
}

// addSums adds part times the squares of sums of terms at x to the means.
func (m *sketchMoments) addSums(terms []float64, x, part float64) {
	power, tail := make([]float64, len(m.rest)), 0.0
	for i, p := 0, 1.0; i < len(power) && p != 0; i++ {
		power[i] = p
		p *= x
	}
	for i := len(terms) - 1; i >= 0; i-- {
		if tail = tail*x + terms[i]; i < len(m.rest) {
			m.rest[i] += part * arith.Square(tail*power[i])
		}
	}
	for from := range m.cut {
		sum := 0.0
		for k := range m.cut[from] {
			if n := from + k; n < min(len(terms), len(power)) {
				sum += terms[n] * power[n]
			}
			m.cut[from][k] += part * arith.Square(sum)
		}
	}
}

// Moments of a pair that are smaller than underflow are not summed.
const underflow = 1e-280

// addPowers adds partₖ·uₖⁿ to sums[n] for all n, each k while that is not below underflow. The powers of three u, of which no one waits for
// another, take as long as those of one.
func addPowers(sums []float64, part, u [3]float64) {
	a, b, c := part[0], part[1], part[2]
	u0, u1, u2 := u[0], u[1], u[2]
	i := 0
	for ; i < len(sums) && math.Abs(a) >= underflow && math.Abs(b) >= underflow && math.Abs(c) >= underflow; i++ {
		sums[i] = sums[i] + a + b + c
		a, b, c = a*u0, b*u1, c*u2
	}
	addPower(sums[i:], a, u0)
	addPower(sums[i:], b, u1)
	addPower(sums[i:], c, u2)
}

// addPower is addPowers for one u.
func addPower(sums []float64, v, u float64) {
	for i := range sums {
		if math.Abs(v) < underflow {
			return
		}
		sums[i] += v
		v *= u
	}
}

// law returns the law of the degrees of a band that is best for the moments of the sample plus share times the
// moments of far points. ok is false if there is no degree to sample.
func (t *momentTable) law(s float64, parts int, b degreeBand, share float64) (l power.DataLaw, ok bool) {
	l = power.DataLaw{Root: s, Factors: make([]float64, len(t.terms)+1)}
	var total, terms float64
	for n, w := range t.terms {
		square := max(t.sample.second[parts][n], 0)
		if share > 0 {
			square += share * max(t.far.second[parts][n], 0)
		}
		if l.Factors[n] = math.Sqrt(square); square < underflow && n > 1 && l.Factors[n-2] > 0 { // continue to decrease at the last rate
			l.Factors[n] = l.Factors[n-1] * min(l.Factors[n-1]/l.Factors[n-2], 1)
		}
		if n >= b.from && n <= t.last(b) {
			terms += w
			total += w * l.Factors[n]
		}
	}
	if !(total > 0 && total <= math.MaxFloat64) {
		return l, false
	}
	// A small part of the law is OptimalLaw, so that every degree can be sampled. The scale is such that
	// neither the largest factor nor this part has squares beyond a float64.
	mean := total / terms
	scale := 1 / math.Sqrt(max(slices.Max(l.Factors)/mean, 1))
	for n, h := range l.Factors {
		l.Factors[n] = arith.Coarse(h/mean*scale + leastShareOfOptimal*scale)
	}
	return l, true
}

const leastShareOfOptimal = 0x1p-20

// single returns the mean variance of one feature by a law of the degrees of a band. sure tells whether it
// exceeds possible errors from rounding and from moments that were too small to be summed.
func (t *momentTable) single(m *sketchMoments, l power.DataLaw, parts int, b degreeBand) (v float64, sure bool) {
	const rounding = 0x1p-40
	var total, sum, lost float64
	for n := b.from; n <= t.last(b); n++ {
		if w := t.terms[n]; w > 0 {
			h := l.Factor(n)
			total += w * h
			sum += w * m.second[parts][n] / h
			lost += w * underflow / h
		}
	}
	v = total*sum - m.drawn(b)
	return v, sum == 0 && m.drawn(b) == 0 || v > rounding*total*sum && lost <= rounding*sum
}

// sharedParts returns what the blocks of TensorSRHT add to the mean variances of a number of features: over the pairs
// of the sample, and over the far pairs at which errors are compared.
func (t *momentTable) sharedParts(l power.DataLaw, parts int, b degreeBand, draws, pad int) (sample, compared float64) {
	var total float64
	for n := b.from; n <= t.last(b); n++ {
		total += t.terms[n] * l.Factor(n)
	}
	add := func(sum *float64, shared, pairs, h float64) {
		if shared != 0 {
			*sum += pairs * (total / h) * shared * (total / h)
		}
	}
	for n := max(b.from, 1); n <= t.last(b); n++ {
		h := l.Factor(n)
		atSample, atFar := t.sample.shared[parts][n], t.compared.shared[parts][n]
		if q := t.terms[n] * h / total; q > 0 && (atSample != 0 || atFar != 0) {
			pairs := maclaurin.MeanBlockPairs(draws, q, pad)
			add(&sample, atSample, pairs, h)
			add(&compared, atFar, pairs, h)
		}
	}
	return sample / arith.Square(float64(draws)), compared / arith.Square(float64(draws))
}
