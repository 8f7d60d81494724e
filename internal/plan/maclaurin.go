// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"math"
	"math/bits"

	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/maclaurin"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// maclaurinCandidate is the Maclaurin maps of a dot product kernel f(⟨x, y⟩): with real or complex features,
// independent signs or maclaurin.TensorSRHT, some of the lowest degrees exact, and the other degrees sampled from a law
// by the data (see power.DataLaw).
type maclaurinCandidate struct {
	*plannedTerm
	side   form.Side
	series series.Series
	s      float64      // √M₀: see OptimalLaw
	beyond float64      // laws consider points with this many times the norms of the sample
	finite [2]bool      // whether the variances of real and of complex features are finite over all pairs
	table  *momentTable // nil if there can be no law by the data
	short  bool         // whether the table has only low degrees, for maps that omit the others
	pad    int          // the padded dimension of maclaurin.TensorSRHT
	laws   map[lawKey]*plannedLaw
	counts []int     // counts[n] is the number of exact columns if the degrees below n are exact
	other  candidate // the fallback if there are no laws by the data; made when needed
}

// plannedLaw is a law with the mean variances of one feature: over the pairs of the sample, over the far pairs that
// laws consider, and over the pairs at which errors at far points are compared.
type plannedLaw struct {
	power.DataLaw
	squaredError, farError float64
	comparedError          float64
	bias, comparedBias     float64 // mean squares, over the pairs of the sample and over the far pairs for comparison
	mean                   float64 // the mean degree
	cancels                bool    // whether cancellation destroyed a mean variance in the sums of moments: see pairwise
}

// lawKey is realDraws or complexDraws, the random degrees, and the number of a weight for far points.
type lawKey struct {
	parts     int
	band      degreeBand
	farWeight int
}

// maclaurinCandidates returns Maclaurin maps of a dot product kernel, for an exponential also with centered points, or
// of the other side of a Gaussian kernel.
func (t *plannedTerm) maclaurinCandidates() (reference, others []candidate) {
	if _, ok := t.Base.(form.Dot); !ok {
		var center []float64
		if _, ok := t.Base.(form.Stationary); ok {
			center = t.center
		}
		if side, ok := t.AsDot(center); ok && t.around {
			others = append(others, t.maclaurin(side))
		}
		return nil, others
	}
	self := form.Side{Term: t.Term}
	others = append(others, t.maclaurin(self))
	if c, ok := t.sums(self); ok {
		others = append(others, c)
	}
	if side, ok := t.AsCentered(t.center); ok && t.around {
		others = append(others, t.maclaurin(side))
	}
	return nil, others
}

// maclaurin returns the candidate of Maclaurin maps of a side of the term.
func (t *plannedTerm) maclaurin(side form.Side) candidate {
	c := &maclaurinCandidate{plannedTerm: t, side: side, laws: make(map[lawKey]*plannedLaw)}
	c.series = form.ScaleSeries(side.Scale, side.Base.(form.Dot).F)
	d := side.Warp.Dim(t.in)
	c.pad = design.PaddedDim(d)
	c.counts = exactCounts(c.series, d)
	norm := 1.0
	if t.sample.Center != nil {
		norm = t.sample.FarView(side.Warp, sample.FarFactor).Norm
	}
	c.s, c.beyond, c.finite = math.Sqrt2*norm*norm, sample.FarFactor, [2]bool{true, true}
	if r := c.series.Radius(); !math.IsInf(r, 1) {
		c.within(r)
	}
	if c.s > 0 && c.s <= math.MaxFloat64 {
		c.fill()
	}
	return c
}

// within sets s and finite for a series with a finite radius of convergence. Let b² be the largest number whose n-th
// powers are in μₙ. A variance is finite if b is below the radius, and s is below the radius and above b²/radius. s is
// √(b·radius), with the smaller b of real and complex features.
func (c *maclaurinCandidate) within(radius float64) {
	var largest [2]float64
	for _, p := range c.sample.View(c.side.Warp, c.pairs).Pairs {
		t, n := p.T*p.T, p.A.Square*p.B.Square
		largest[realDraws] = max(largest[realDraws], n+2*(t-p.S))
		largest[complexDraws] = max(largest[complexDraws], n+t-p.S, math.Abs(2*t-p.S))
	}
	c.beyond = 1
	b := math.Sqrt(min(largest[realDraws], largest[complexDraws]))
	c.s = math.Sqrt(b * radius)
	for parts, base := range largest {
		c.finite[parts] = b < 0.999*radius && base/c.s <= 1.001*math.Sqrt(c.s*radius)
	}
	c.s = min(c.s, 0.999*radius)
}

// fill makes the table of moments, if possible, and sums the moments over pairs.
func (c *maclaurinCandidate) fill() {
	table, ok := newMomentTable(c.series, c.s, math.Sqrt(1.5), max(len(c.counts)-1, mostBandStart+bandLengths))
	if !ok {
		c.fillShort()
		return
	}
	c.table = table
	for _, m := range []*sketchMoments{&table.sample, &table.far, &table.compared} {
		weighted := c.pairsOf(m)
		for k := range weighted.pairs {
			m.add(table.terms, c.s, &weighted.pairs[k], c.pad, weighted.squares[k]/float64(len(weighted.pairs)))
		}
	}
	if c.biased {
		own := ownPairs(c.sample, c.side.Term, c.side.Warp)
		for k, p := range own.pairs {
			table.own.addSums(table.terms, p.T/c.s, own.squares[k]/float64(len(own.pairs)))
		}
		far, share := c.farthestPairs()
		for k, p := range far.pairs {
			table.outermost.addSums(table.terms, p.T/c.s, far.squares[k]*share)
		}
	}
}

func (c *maclaurinCandidate) choices(out int, l *limit) (all []choice, err error) {
	if !c.short {
		for _, from := range c.starts(out) {
			if c.biased && c.side.Name == form.SideDot && from > 0 && c.exactFrom(from) {
				continue // the polynomial that is not random is as good, and has a domain
			}
			all = append(all, c.drawn(out, degreeBand{from, noEnd}, l)...)
		}
	}
	all = append(all, c.truncated(out, l)...)
	if len(all) > 0 || c.side.Added.Weighter != nil {
		return all, nil
	}
	if c.other == nil {
		c.other = c.fallback()
	}
	return c.other.choices(out, l)
}

// drawn returns the maps that sample the degrees of a band, in at most out columns.
func (c *maclaurinCandidate) drawn(out int, b degreeBand, l *limit) (all []choice) {
	exact := c.counts[b.from]
	for parts := realDraws; parts <= complexDraws; parts++ {
		columns, draws := out, out-exact
		if parts == complexDraws {
			draws /= 2
			columns = exact + 2*draws
		}
		if draws <= 0 {
			continue
		}
		law := c.law(parts, b, draws, l)
		if law == nil {
			continue
		}
		for _, sketch := range []maclaurin.Sketch{maclaurin.RademacherSketch, maclaurin.TensorSRHT} {
			all = append(all, c.choice(columns, b, draws, parts, law, c.options(law, b, parts, sketch)))
		}
	}
	return all
}

// law returns the first law that the limit admits, of a sequence of laws that give far points more and more weight,
// or the last one if it admits none. If the error of no map is bounded, it returns the first law whose mean squared
// error at far points is at most lost times the error of the last law. It returns nil if there is no law.
func (c *maclaurinCandidate) law(parts int, b degreeBand, draws int, l *limit) (law *plannedLaw) {
	switch {
	case c.table == nil || !c.finite[parts]:
		return nil
	case c.sample.Center == nil:
		return c.planned(lawKey{parts, b, optimal})
	}
	if !math.IsInf(c.series.Radius(), 1) { // the variance at far points may be infinite
		return c.planned(lawKey{parts, b, noFarWeight})
	}
	last := c.planned(lawKey{parts, b, mostFarLaws})
	for weight := 0; weight <= mostFarLaws && last != nil; weight++ {
		law = c.planned(lawKey{parts, b, weight})
		if l.unbounded || math.IsInf(l.farError, 1) {
			if law.farError <= lost*last.farError {
				return law
			}
			continue
		}
		q := float64(draws)
		tried := choice{squaredError: law.squaredError/q + law.bias, farError: law.farError/q + law.comparedBias, farValue: c.farValue(b)}
		if tried.admitted(l) {
			return law
		}
	}
	return last
}

// The weights that laws give to far points, in a lawKey. 0 to mostFarLaws stand for 10^(farWeight − 6), in units of the
// weight of the sample, and noFarWeight for no weight. optimal stands for OptimalLaw, which does not depend on points.
const (
	mostFarLaws = 8
	noFarWeight = -1
	optimal     = -2
)

// lost is the ratio of mean squared errors at far points in law: an error may be four times the error of the last
// law.
const lost = 16

// planned returns the law for a key, or nil if there is no law.
func (c *maclaurinCandidate) planned(key lawKey) *plannedLaw {
	if l, ok := c.laws[key]; ok {
		return l
	}
	c.laws[key] = nil
	t, p, b := c.table, key.parts, key.band
	if b.from >= len(t.terms) {
		return nil
	}
	l := &plannedLaw{DataLaw: power.DataLaw{Root: c.s, Factors: []float64{1}}}
	if key.farWeight != optimal {
		var share float64
		if at, out := t.least(&t.sample, p, b), t.least(&t.far, p, b); out > 0 && key.farWeight != noFarWeight {
			share = math.Pow(10, float64(key.farWeight-6)) * at / out
		}
		law, ok := t.law(c.s, p, b, share)
		if !ok {
			return nil
		}
		l.DataLaw = law
	}
	var sum, mean float64
	for n := b.from; n <= t.last(b); n++ {
		w := t.terms[n] * l.Factor(n)
		sum += w
		mean += float64(n) * w
	}
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return nil
	}
	l.mean = mean / sum
	independent := func() (*maclaurin.Recipe, error) {
		return maclaurin.New(c.series, c.side.Warp, c.in, c.counts[b.from]+1+p, b.from, power.MaxDegree, c.options(l, b, p, maclaurin.RademacherSketch))
	}
	over := func(m *sketchMoments) float64 {
		v, sure := t.single(m, l.DataLaw, p, b)
		if sure {
			return v
		}
		l.cancels = true
		if b.to != noEnd {
			return math.Inf(1)
		}
		return c.pairwise(m, independent)
	}
	l.squaredError, l.farError, l.comparedError = over(&t.sample), over(&t.far), over(&t.compared)
	l.bias, l.comparedBias = max(t.sample.left(b), t.outermost.left(b)), t.compared.left(b)
	if b.to != noEnd && l.cancels {
		return nil
	}
	c.laws[key] = l
	return l
}

// least returns (Σ aₙ√μₙ)², the second moment of one feature by the law of a band that is best for the pairs of m
// only.
func (t *momentTable) least(m *sketchMoments, parts int, b degreeBand) float64 {
	var sum float64
	for n := b.from; n <= t.last(b); n++ {
		sum += t.terms[n] * math.Sqrt(max(m.second[parts][n], 0))
	}
	return sum * sum
}

// options returns the options of maps that sample degrees from a law. Without points the law is an
// OptimalLaw.
func (c *maclaurinCandidate) options(l *plannedLaw, b degreeBand, parts int, sketch maclaurin.Sketch) maclaurin.Options {
	o := maclaurin.Options{Law: l.DataLaw, Complex: parts == complexDraws, Sketch: sketch}
	switch {
	case c.sample.Center == nil:
		o.Law = series.OptimalLaw{Norm: math.Sqrt(c.s / math.Sqrt2)}
	case b.to != noEnd:
		o.Law = series.TruncatedLaw{Law: l.DataLaw, Degree: b.to}
	}
	return o
}

// pairsOf returns the pairs over which m, one of the table's moments, is averaged.
func (c *maclaurinCandidate) pairsOf(m *sketchMoments) weightedPairs {
	switch m {
	case &c.table.sample:
		return weightedView(c.sample, c.side.Term, c.side.Warp, c.pairs)
	case &c.table.far:
		return weightedFarView(c.sample, c.side, c.side.Warp, c.beyond)
	}
	return weightedFarView(c.sample, c.side, c.side.Warp, c.factor())
}

// farthestPairs returns the pairs of the farthest points, and the share of each in a mean over the pairs of all points.
// It returns no pairs for a kernel that is not bounded, without points, or if all these points are in the sample.
func (c *maclaurinCandidate) farthestPairs() (w weightedPairs, share float64) {
	p := c.sample
	if c.side.Name != form.SideDot || p.All == nil || p.All.N <= len(p.Rows) {
		return w, 0
	}
	far := &sample.Sample{In: p.In, Wide: p.Wide, Common: p.Common, Rows: p.Copies(p.All, p.Outermost(c.side.Warp).Numbers)}
	n := float64(p.All.N)
	return weightedView(far, c.side.Term, c.side.Warp, math.MaxInt), 2 / (n * (n - 1))
}

// pairwise returns the mean variance of a map, times its number of random features, as the mean of the variances of all
// pairs. Means of moments lose it where the largest of these cancel, or where they underflow. Variances do not cancel.
func (c *maclaurinCandidate) pairwise(m *sketchMoments, build func() (*maclaurin.Recipe, error)) (mean float64) {
	r, err := build()
	if err != nil {
		return math.Inf(1)
	}
	w := c.pairsOf(m)
	sums, draws := make([]float64, r.Statistics()), float64(r.Number())
	for k := range w.pairs {
		clear(sums)
		r.Add(sums, &w.pairs[k], 1)
		mean += draws * r.Variance(sums) * (w.squares[k] / float64(len(w.pairs)))
	}
	return mean
}

func (c *maclaurinCandidate) choice(columns int, b degreeBand, draws, parts int, l *plannedLaw, o maclaurin.Options) choice {
	squaredError, farError := l.squaredError/float64(draws), l.comparedError/float64(draws)
	if o.Sketch == maclaurin.TensorSRHT {
		more, farMore := c.table.sharedParts(l.DataLaw, parts, b, draws, c.pad)
		squaredError, farError = plusShared(squaredError, more), plusShared(farError, farMore)
	}
	exact := c.counts[b.from]
	build := func() (*maclaurin.Recipe, error) {
		return maclaurin.New(c.series, c.side.Warp, c.in, columns, b.from, power.MaxDegree, o)
	}
	if o.Sketch == maclaurin.TensorSRHT && l.cancels {
		squaredError = c.pairwise(&c.table.sample, build) / float64(draws)
		farError = c.pairwise(&c.table.compared, build) / float64(draws)
	}
	made := choice{
		side: c.side, columns: columns, exact: exact, squaredError: max(squaredError, 0) + l.bias, farError: max(farError, 0) + l.comparedBias, farValue: c.farValue(b),
		ownError: c.ownError(c.table.own.left(b)), squaredBias: l.bias,
		make: func() (recipe.Recipe, error) { return build() },
	}
	factors := float64(draws) * l.mean * float64(1+parts)
	if o.Sketch == maclaurin.RademacherSketch {
		made.work = factors * float64(c.in)
	} else {
		blocks := float64(draws)*l.mean/float64(c.pad) + l.mean
		made.work = blocks*float64(1+parts)*float64(c.pad*bits.Len(uint(c.pad-1))) + factors
	}
	made.work += float64(2 * exact)
	if b.from > mostBandStart {
		made.squaredError = c.table.sample.withRounding(made.squaredError)
	}
	return made
}

// plusShared returns a variance of independent features plus the contribution of blocks, which may be negative and as
// large. It returns +Inf if the sum is negative by more than rounding, or not finite because it overflowed on the way.
func plusShared(variance, shared float64) float64 {
	const rounding = 1e-9
	if sum := variance + shared; sum >= -rounding*variance && sum <= math.MaxFloat64 {
		return max(sum, 0)
	}
	return math.Inf(1)
}

// maxExact is the largest number of the lowest degrees that are tried as exact together with sums of
// products.
const maxExact = 6

// sums returns the candidate of Maclaurin maps whose features are sums of products of all degrees of a
// polynomial (see maclaurin.Options.SumOfProducts), and whether there is one.
func (t *plannedTerm) sums(side form.Side) (c candidate, ok bool) {
	f := form.ScaleSeries(side.Scale, side.Base.(form.Dot).F)
	if n, polynomial := power.DegreeOf(f); !polynomial || n > mostSummed {
		return nil, false
	}
	low, err := recipe.NewMonomials(f, side.Warp.Dim(t.in), maxExact)
	return t.candidate(side, func(out int) (all []recipe.Recipe, _ error) {
		exact := 0.0
		for from := 0; from <= maxExact && exact < float64(out); from++ {
			if r, err := maclaurin.New(f, side.Warp, t.in, out, from, power.MaxDegree, maclaurin.Options{SumOfProducts: true}); err == nil {
				all = append(all, r)
			}
			if from < len(low.Counts) {
				exact += low.Counts[from]
			}
		}
		return all, nil
	}), err == nil
}

// mostSummed is the largest degree of a polynomial for which sums of products are tried: they need n(n + 1)/2
// factors.
const mostSummed = 16
