// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"math/bits"
)

// A maclaurinCandidate is the Maclaurin maps of a dot product kernel f(⟨x, y⟩): real or complex draws, of
// independent signs or TensorSRHT, with any number of exact degrees, and degrees by the data.
type maclaurinCandidate struct {
	*plannedTerm
	side   otherSide
	series Series
	s      float64      // √M₀: see OptimalLaw
	beyond float64      // how far out a law is to hold, in norms of the points
	finite [2]bool      // whether the variances of real and complex draws are finite over all pairs
	table  *momentTable // nil if degrees by the data are out of the question
	pad    int          // the padded dimension of TensorSRHT
	laws   map[lawKey]*plannedLaw
	counts [maxExact + 1]int // of exact columns, by the lowest degree drawn
	other  candidate         // if there are no such laws; made when it is asked for
}

// A plannedLaw is a law, and its mean variances for one draw.
type plannedLaw struct {
	dataLaw
	near, reach float64
	limit       float64 // where errors far out are compared
	mean        float64 // the mean degree
}

type lawKey struct {
	parts, from, far int
}

// maxExact is the largest number of low degrees that are exact.
const maxExact = 6

// maclaurin returns the candidate of Maclaurin maps of a side of the term.
func (t *plannedTerm) maclaurin(side otherSide) candidate {
	c := &maclaurinCandidate{plannedTerm: t, side: side, laws: make(map[lawKey]*plannedLaw)}
	c.series = scaleSeries(side.scale, side.base.(dot).f)
	d := side.warp.dim(t.in)
	c.pad = paddedDim(d)
	low, err := newExactDegrees(c.series, d, maxExact)
	for from := 1; from <= maxExact; from++ {
		if c.counts[from] = math.MaxInt32; err == nil {
			c.counts[from] = int(min(float64(c.counts[from-1])+low.counts[from-1], math.MaxInt32))
		}
	}
	norm := 1.0
	if t.sample.centre != nil {
		norm = t.sample.reach(side.warp, reachFactor).norm
	}
	c.s, c.beyond, c.finite = math.Sqrt2*norm*norm, reachFactor, [2]bool{true, true}
	if r := c.series.Radius(); !math.IsInf(r, 1) {
		c.within(r)
	}
	if c.s > 0 && c.s <= math.MaxFloat64 {
		c.fill()
	}
	return c
}

// within sets s for a series with a radius of convergence. The variance is finite for points where the powers
// of b² in μₙ have b below the radius, if s is below it and above b²/radius: s is between b and the radius.
func (c *maclaurinCandidate) within(radius float64) {
	var largest [2]float64
	for _, p := range c.sample.view(c.side.warp, c.pairs).pairs {
		t, n := p.t*p.t, p.a.square*p.b.square
		largest[realDraws] = max(largest[realDraws], n+2*(t-p.s))
		largest[complexDraws] = max(largest[complexDraws], n+t-p.s, math.Abs(2*t-p.s))
	}
	c.beyond = 1
	b := math.Sqrt(min(largest[realDraws], largest[complexDraws]))
	c.s = math.Sqrt(b * radius)
	for parts, base := range largest {
		c.finite[parts] = b < 0.999*radius && base/c.s <= 1.001*math.Sqrt(c.s*radius)
	}
	c.s = min(c.s, 0.999*radius)
}

// fill sums the moments over pairs.
func (c *maclaurinCandidate) fill() {
	table, ok := newMomentTable(c.series, c.s, math.Sqrt(1.5), maxExact)
	if !ok {
		return
	}
	for _, of := range []struct {
		m *sketchMoments
		weightedPairs
	}{
		{&table.near, c.sample.near(c.side.term, c.side.warp, c.pairs)},
		{&table.reach, c.sample.out(c.side, c.side.warp, c.beyond)},
		{&table.limit, c.sample.out(c.side, c.side.warp, c.factor())},
	} {
		for k := range of.pairs {
			of.m.add(table.terms, c.s, &of.pairs[k], c.pad, of.squares[k]/float64(len(of.pairs)))
		}
	}
	c.table = table
}

func (c *maclaurinCandidate) choices(out int, l *limit) (all []choice, err error) {
	for from := range c.counts {
		exact := c.counts[from]
		if exact >= out || from > 0 && exact == c.counts[from-1] {
			continue
		}
		for parts := realDraws; parts <= complexDraws; parts++ {
			columns := out
			draws := out - exact
			if parts == complexDraws {
				draws /= 2
				columns = exact + 2*draws
			}
			if draws == 0 {
				continue
			}
			law := c.law(parts, from, draws, l)
			if law == nil {
				continue
			}
			o := MaclaurinOptions{Law: law.dataLaw, Complex: parts == complexDraws}
			for _, o.Sketch = range []Sketch{RademacherSketch, TensorSRHT} {
				all = append(all, c.choice(columns, from, draws, parts, law, o))
			}
		}
	}
	if len(all) > 0 || c.side.added.of != nil {
		return all, nil
	}
	if c.other == nil {
		c.other = c.fallback()
	}
	return c.other.choices(out, l)
}

// law returns the first law that the limit admits, of those that give points far out more and more weight, or the
// last one if it admits none. If the error of no map is bounded, that of a law may be four times the least
// possible far out.
func (c *maclaurinCandidate) law(parts, from, draws int, l *limit) (law *plannedLaw) {
	switch {
	case c.table == nil || !c.finite[parts]:
		return nil
	case c.sample.centre == nil:
		return c.planned(lawKey{parts, from, optimal})
	}
	if !math.IsInf(c.series.Radius(), 1) { // far out the variance may be infinite
		return c.planned(lawKey{parts, from, near})
	}
	last := c.planned(lawKey{parts, from, mostFarLaws})
	for far := 0; far <= mostFarLaws && last != nil; far++ {
		law = c.planned(lawKey{parts, from, far})
		if l.unbounded || math.IsInf(l.reach, 1) {
			if law.reach <= lost*last.reach {
				return law
			}
		} else if q := float64(draws); l.admits(law.near/q, law.reach/q) {
			return law
		}
	}
	return last
}

// Laws give points far out the weight 10^(far − 6), with the scale of near ones. near gives them none, and
// optimal is OptimalLaw.
const (
	mostFarLaws = 8
	near        = -1
	optimal     = -2
)

// lost is how much larger than the least possible a mean squared error far out may be.
const lost = 16

func (c *maclaurinCandidate) planned(key lawKey) *plannedLaw {
	if l, ok := c.laws[key]; ok {
		return l
	}
	c.laws[key] = nil
	t, p, from := c.table, key.parts, key.from
	if from >= len(t.terms) {
		return nil
	}
	l := &plannedLaw{dataLaw: dataLaw{s: c.s, h: []float64{1}}}
	if key.far != optimal {
		var far float64
		if at, out := t.least(&t.near, p, from), t.least(&t.reach, p, from); out > 0 && key.far != near {
			far = math.Pow(10, float64(key.far-6)) * at / out
		}
		law, ok := t.law(c.s, p, from, far)
		if !ok {
			return nil
		}
		l.dataLaw = law
	}
	var sum, mean float64
	for n := from; n < len(t.terms); n++ {
		w := t.terms[n] * l.factor(n)
		sum += w
		mean += float64(n) * w
	}
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return nil
	}
	l.mean = mean / sum
	l.near, l.reach = t.single(&t.near, l.dataLaw, p, from), t.single(&t.reach, l.dataLaw, p, from)
	l.limit = t.single(&t.limit, l.dataLaw, p, from)
	c.laws[key] = l
	return l
}

// least returns (Σ aₙ√μₙ)², the second moment of one draw of the best law for some pairs alone.
func (t *momentTable) least(m *sketchMoments, parts, from int) float64 {
	var sum float64
	for n := from; n < len(t.terms); n++ {
		sum += t.terms[n] * math.Sqrt(max(m.second[parts][n], 0))
	}
	return sum * sum
}

func (c *maclaurinCandidate) choice(columns, from, draws, parts int, l *plannedLaw, o MaclaurinOptions) choice {
	near, reach := l.near/float64(draws), l.limit/float64(draws)
	if o.Sketch == TensorSRHT {
		near = plusShared(near, c.table.sharedPart(&c.table.near, l.dataLaw, parts, from, draws, c.pad))
		reach = plusShared(reach, c.table.sharedPart(&c.table.limit, l.dataLaw, parts, from, draws, c.pad))
	}
	exact := c.counts[from]
	if c.sample.centre == nil {
		o.Law = OptimalLaw{Norm: math.Sqrt(c.s / math.Sqrt2)}
	}
	of := choice{
		side: c.side, columns: columns, exact: exact, near: max(near, 0), reach: max(reach, 0),
		make: func() (recipe, error) {
			return newMaclaurinFrom(c.series, c.side.warp, c.in, columns, from, o)
		},
	}
	of.kind = fmt.Sprintf("Maclaurin, %v, Complex %v, %d exact", o.Sketch, o.Complex, from)
	factors := float64(draws) * l.mean * float64(1+parts)
	if o.Sketch == RademacherSketch {
		of.work = factors * float64(c.in)
	} else {
		blocks := float64(draws)*l.mean/float64(c.pad) + l.mean
		of.work = blocks*float64(1+parts)*float64(c.pad*bits.Len(uint(c.pad-1))) + factors
	}
	of.work += float64(2 * exact)
	return of
}

// plusShared returns a variance of independent draws plus what blocks add to it, which may be all of it with the
// other sign; or +Inf if the sum is less than 0 by more than rounding, since it has overflowed on the way.
func plusShared(variance, shared float64) float64 {
	const rounding = 1e-9
	if sum := variance + shared; sum >= -rounding*variance && sum <= math.MaxFloat64 {
		return max(sum, 0)
	}
	return math.Inf(1)
}

// fallback returns the candidate of maps for points of norm 1, or of a norm by the radius of convergence.
func (c *maclaurinCandidate) fallback() candidate {
	o := MaclaurinOptions{Law: OptimalLaw{}}
	if r := c.series.Radius(); r < 2*math.Sqrt2 { // √2·Norm² is half of it
		o.Law = OptimalLaw{Norm: math.Sqrt(r / 2 / math.Sqrt2)}
	}
	if c.in >= 64 {
		o.Sketch = TensorSRHT
	}
	return c.candidate(c.side, func(out int) (all []recipe, err error) {
		for _, from := range []int{0, 2} {
			r, refused := newMaclaurinFrom(c.series, c.side.warp, c.in, out, from, o)
			if refused == nil {
				all = append(all, r)
			} else if from == 0 {
				err = refused
			}
		}
		return all, err
	})
}

// sums returns the candidate of Maclaurin maps whose features are sums of products of all degrees of a
// polynomial, and whether there is one.
func (t *plannedTerm) sums(side otherSide) (c candidate, ok bool) {
	f := scaleSeries(side.scale, side.base.(dot).f)
	if n, polynomial := degreeOf(f); !polynomial || n > mostSummed {
		return nil, false
	}
	low, err := newExactDegrees(f, side.warp.dim(t.in), maxExact)
	return t.candidate(side, func(out int) (all []recipe, _ error) {
		exact := 0.0
		for from := 0; from <= maxExact && exact < float64(out); from++ {
			if r, err := newMaclaurinFrom(f, side.warp, t.in, out, from, MaclaurinOptions{SumOfProducts: true}); err == nil {
				all = append(all, r)
			}
			if from < len(low.counts) {
				exact += low.counts[from]
			}
		}
		return all, nil
	}), err == nil
}

// mostSummed is the largest degree of a polynomial for which sums of products are tried: they take n(n + 1)/2
// factors.
const mostSummed = 16
