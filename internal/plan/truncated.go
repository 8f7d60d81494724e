// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/maclaurin"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Maclaurin maps with many exact degrees, and maps that omit the highest degrees.

// mostDegree is the largest number of the lowest degrees that are tried as exact.
const mostDegree = 128

// exactCounts returns for n = 0, 1, … the number of exact columns if the degrees of a series below n are exact, for
// points of R^d. It ends before the first degree with more than recipe.MaxExactColumns monomials, before a degree
// beyond a polynomial's, and at a coefficient that is refused.
func exactCounts(f series.Series, d int) (counts []int) {
	end := min(mostDegree, power.HighestDegree(f))
	if degree, polynomial := power.DegreeOf(f); polynomial {
		end = min(end, degree+1)
	}
	monomials := 1.0
	for n := 1; n < end; n++ {
		if monomials *= float64(d+n-1) / float64(n); monomials > recipe.MaxExactColumns {
			end = n
		}
	}
	low, _ := recipe.NewMonomials(f, d, end) // an error ends the degrees
	counts = []int{0}
	for n, count := range low.Counts {
		counts = append(counts, int(min(float64(counts[n])+count, math.MaxInt32)))
	}
	return counts
}

// starts returns the lowest degrees from which on degrees are sampled, in at most out columns. It returns all small
// ones, some of the others, the largest that leaves half of the columns, and the largest that leaves any.
func (c *maclaurinCandidate) starts(out int) (all []int) {
	last := 0
	for from, exact := range c.counts {
		if exact < out {
			last = from
		}
	}
	half := 0
	for from, exact := range c.counts {
		if exact <= out/2 {
			half = from
		}
	}
	next := 0
	for from, exact := range c.counts[:last+1] {
		if from > 0 && exact == c.counts[from-1] {
			continue
		}
		if from >= next || from == half || from == last {
			all = append(all, from)
			next = from + 1 + from/8
		}
		if c.exactFrom(from) {
			break
		}
	}
	return all
}

// exactFrom tells whether the degrees from n on add no more to values than rounding does, at far points too.
func (c *maclaurinCandidate) exactFrom(n int) bool {
	if c.table == nil || n >= len(c.table.sample.rest) {
		return n > mostBandStart
	}
	negligible := func(m *sketchMoments) bool { return m.rest[n] <= roundingSquare*m.rest[0] }
	return n > 0 && negligible(&c.table.sample) && negligible(&c.table.compared)
}

// roundingSquare is the square of the relative error of a rounded number.
const roundingSquare = 0x1p-106

// truncated returns the maps that omit degrees: maps of exact columns only, and maps that sample a few degrees. They
// have a bias. Those of a Gaussian kernel are bounded, like all features that are a polynomial times a bell curve, and
// go to 0 far out.
func (c *maclaurinCandidate) truncated(out int, l *limit) (all []choice) {
	if !c.biased || c.table == nil {
		return nil
	}
	for end := 1; end < min(len(c.counts), len(c.table.sample.rest)) && c.counts[end] <= out; end++ {
		if c.counts[end] > c.counts[end-1] && c.serves(end, c.table.sample.rest[end]) {
			all = append(all, c.polynomial(end))
		}
		if c.exactFrom(end) {
			break
		}
	}
	if c.side.Warp.Dim(c.in) <= fewDimensions {
		return all
	}
	for from := 0; from < min(len(c.counts), mostBandStart+1) && c.counts[from] < out; from++ {
		for k := range bandLengths {
			b := degreeBand{from, from + k}
			if b.to < len(c.table.terms) && c.table.terms[b.to] > 0 && c.table.sample.left(b) > 0 {
				for _, o := range c.drawn(out, b, l) {
					if c.serves(b.to+1, o.squaredError) {
						all = append(all, o)
					}
				}
			}
		}
	}
	return all
}

// serves tells whether a map without the degrees from end on, with this mean squared error over the sample,
// approximates its kernel. The error must be at most half of the kernel's own root mean square over pairs, and so must
// what it loses of k(x, x) over the points.
//
// Features that are nearly 0 may have a smaller error over pairs than random ones if nearly all values are tiny. What a
// point far out loses does not count against a map, because models learn of it and add it to the variance (see Domain).
func (c *maclaurinCandidate) serves(end int, squaredError float64) bool {
	t := c.table
	return arith.Coarse(squaredError) <= arith.Coarse(t.sample.rest[0]/4) && (c.side.Name != form.SideDot || arith.Coarse(t.own.rest[end]) <= arith.Coarse(t.own.rest[0]/4))
}

// fewDimensions is the largest number of coordinates for which monomials of so many degrees fit that no degree need be
// sampled, and for which frequencies on a lattice are tried.
const fewDimensions = 3

// fillShort makes a table of low degrees only, for a Gaussian kernel on points so far from their mean that no law for
// all degrees is possible, and sums its moments. The rests are what these degrees leave of the kernel's values;
// products of weights and powers would not be finite for points far out.
func (c *maclaurinCandidate) fillShort() {
	s, ok := c.Base.(form.Stationary)
	if !ok || !c.biased || c.side.Name != form.SideDot || c.Weights != nil {
		return
	}
	t := &momentTable{}
	terms := power.Table{F: power.Dilate(c.series, c.s)}
	const most = mostBandStart + bandLengths
	for n := range most + 1 {
		t.terms = append(t.terms, terms.Coeff(n))
	}
	if !(slices.Max(t.terms) <= math.MaxFloat64) {
		return
	}
	t.clear(most)
	c.table, c.short = t, true
	for _, m := range []*sketchMoments{&t.sample, &t.far, &t.compared} {
		weighted := c.pairsOf(m)
		part := 1 / float64(len(weighted.pairs))
		for k := range weighted.pairs {
			p := &weighted.pairs[k]
			m.addMoments(c.s, p, c.pad, weighted.squares[k]*part)
			weight := math.Exp(-(p.A.Square + p.B.Square) / (2 * s.Length * s.Length))
			m.addShort(t.terms, p.T/c.s, part, weight, c.Scale*s.Mass*math.Exp(-0.5*arith.Square(p.Distance/s.Length)))
		}
	}
	far, share := c.farthestPairs()
	for _, p := range far.pairs {
		weight := math.Exp(-(p.A.Square + p.B.Square) / (2 * s.Length * s.Length))
		t.outermost.addShort(t.terms, p.T/c.s, share, weight, c.Scale*s.Mass*math.Exp(-0.5*arith.Square(p.Distance/s.Length)))
	}
	own := ownPairs(c.sample, c.side.Term, c.side.Warp)
	for _, p := range own.pairs {
		t.own.addShort(t.terms, p.T/c.s, 1/float64(len(own.pairs)), math.Exp(-p.A.Square/(s.Length*s.Length)), c.Scale*s.Mass)
	}
}

// addShort adds to the means part times the squares of sums of weighted terms at x, and of what these leave of a value.
func (m *sketchMoments) addShort(terms []float64, x, part, weight, value float64) {
	values, power := make([]float64, len(terms)), weight
	for n, v := range terms {
		m.rest[n] += part * arith.Square(value)
		values[n] = v * power
		value -= values[n]
		power *= x
	}
	for from := range m.cut {
		sum := 0.0
		for k := range m.cut[from] {
			sum += values[from+k]
			m.cut[from][k] += part * arith.Square(sum)
		}
	}
}

// polynomial returns the map of all monomials of the degrees below end.
func (c *maclaurinCandidate) polynomial(end int) choice {
	columns, t := c.counts[end], c.table
	bias := t.sample.withRounding(max(t.sample.rest[end], t.outermost.rest[end]))
	return choice{
		side: c.side, columns: columns, work: 2 * float64(columns),
		squaredError: bias,
		farError:     t.compared.withRounding(t.compared.rest[end]),
		farValue:     c.farValue(degreeBand{0, end - 1}),
		ownError:     c.ownError(t.own.rest[end]),
		squaredBias:  bias,
		make:         func() (recipe.Recipe, error) { return maclaurin.NewTaylor(c.series, c.side.Warp, c.in, end-1) },
	}
}

// farValue returns the mean square of the kernel over pairs of far points if the error of maps of a band is bounded,
// else 0.
func (c *maclaurinCandidate) farValue(b degreeBand) float64 {
	if b.to == noEnd || c.side.Name != form.SideDot {
		return 0
	}
	return c.table.compared.rest[0]
}

// ownError returns the mean square of the bias at the points themselves for a bounded kernel. For other kernels a few
// points of large norm would determine it, and there maps without bias have errors too.
func (c *maclaurinCandidate) ownError(squaredBias float64) float64 {
	if c.side.Name != form.SideDot {
		return 0
	}
	return squaredBias
}

// withRounding returns a mean squared error, or the squared error of rounding the values of the series if
// this is larger.
func (m *sketchMoments) withRounding(squaredError float64) float64 {
	return max(squaredError, roundingSquare*m.rest[0])
}

// fallback returns the candidate of maps by OptimalLaw, for where there are no laws by the data. It tries points of
// some norms up to the largest of the sample, of norm 1 without given points, and of smaller norms if the radius of
// convergence is small.
func (c *maclaurinCandidate) fallback() candidate {
	var norms []float64
	if c.sample.Center != nil {
		for v := c.sample.FarView(c.side.Warp, sample.FarFactor).Norm; len(norms) < 6 && v > 0; v /= 1.25 {
			norms = append(norms, arith.Coarse(v))
		}
	}
	norms = append(norms, 1)                       // in case the weights of all others overflow, or all points are 0
	if r := c.series.Radius(); !math.IsInf(r, 1) { // √2·Norm² must be at most half of the radius
		for i, v := range norms {
			norms[i] = min(v, math.Sqrt(r/2/math.Sqrt2))
		}
	}
	sketch := maclaurin.RademacherSketch
	if c.in >= 64 {
		sketch = maclaurin.TensorSRHT
	}
	return c.candidate(c.side, func(out int) (all []recipe.Recipe, err error) {
		for i, norm := range norms {
			for _, from := range []int{0, 2} {
				o := maclaurin.Options{Law: series.OptimalLaw{Norm: norm}, Sketch: sketch}
				r, refused := maclaurin.New(c.series, c.side.Warp, c.in, out, from, power.MaxDegree, o)
				if refused == nil && (i < len(norms)-1 || len(all) < 2) {
					all = append(all, r)
				} else if from == 0 && err == nil {
					err = refused
				}
			}
		}
		if len(all) > 0 {
			err = nil
		}
		return all, err
	})
}
