// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
)

// A latticeCandidate is the Fourier maps with frequencies on a lattice, for products of Gaussian and Periodic kernels: see
// latticeRecipe. They have a bias, which grows where points are farther from each other than those of the sample.
type latticeCandidate struct {
	*plannedTerm
	side     otherSide
	warped   warpedSpectrum
	axes     []latticeAxis
	few      weightedPairs // some pairs, by which the steps are chosen,
	fewFar   weightedPairs // and some of the far ones
	all, far weightedPairs
	farValue float64 // the mean square of the kernel over far
	value    float64 // and over few
	found    map[latticeKey]choice
	taken    map[int]latticeKey // which steps were taken, by the largest number of columns
}

// A latticeKey says which steps a map has, and how many columns.
type latticeKey struct{ span, margin, columns int }

// latticeCandidates returns the maps of a stationary term with frequencies on a lattice.
func (t *plannedTerm) latticeCandidates() (reference, others []candidate) {
	s, ok := t.base.(stationary)
	if !ok || !t.biased {
		return nil, nil
	}
	warped := warpedSpectrum{s.spectrum.scaled(t.scale), t.warp}
	axes, ok := latticeAxes(warped.Kernel, warped.warp.dim(t.in))
	if !ok || len(axes) == 0 {
		return nil, nil
	}
	return nil, []candidate{&latticeCandidate{plannedTerm: t, side: otherSide{term: t.term}, warped: warped, axes: axes, found: make(map[latticeKey]choice), taken: make(map[int]latticeKey)}}
}

// latticeMargins are by how many length scales the distance after which a series repeats may exceed the largest distance.
var latticeMargins = []float64{1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8.5}

// look finds the pairs.
func (c *latticeCandidate) look() {
	some := max(600/c.shared, 100)
	c.all = c.sample.weighted(c.term, c.warp, c.pairs)
	c.far = c.sample.weightedFar(c.side, c.warp.centred(c.plannedTerm.centre), farFactor)
	c.fewFar = c.far.atMost(some)
	step := max(len(c.all.pairs)/some, 1)
	for k := 0; k < len(c.all.pairs); k += step {
		c.few.pairs, c.few.squares = append(c.few.pairs, c.all.pairs[k]), append(c.few.squares, c.all.squares[k])
	}
	kernel := func(delta []float64) float64 { return c.warped.Eval(delta, make([]float64, len(delta))) }
	c.value, c.farValue = c.few.meanSquare(c.differences(), kernel), c.far.meanSquare(c.differences(), kernel)
}

// differences returns a function that returns the difference of the points of a pair, in a slice valid until the next call.
func (c *latticeCandidate) differences() func(p *pair) []float64 {
	delta := make([]float64, c.warp.dim(c.in))
	return func(p *pair) []float64 {
		x, y := p.dense()
		for i := range delta {
			delta[i] = x[i] - y[i]
		}
		return delta
	}
}

// meanSquare returns the mean over pairs of the squares of a function of their differences, times the squared weights.
func (w weightedPairs) meanSquare(difference func(p *pair) []float64, at func(delta []float64) float64) (mean float64) {
	for k := range w.pairs {
		mean += w.squares[k] * square(at(difference(&w.pairs[k]))) / float64(len(w.pairs))
	}
	return mean
}

// steps returns the steps of the Gaussian axes, for series that repeat after the largest distance on the axis of some pairs
// and a number of length scales.
func (c *latticeCandidate) steps(pairs weightedPairs, margin float64) (steps []float64) {
	difference := c.differences()
	spans := make([]float64, len(c.axes))
	for k := range pairs.pairs {
		delta := difference(&pairs.pairs[k])
		for a, axis := range c.axes {
			spans[a] = max(spans[a], math.Abs(inner(axis.row, delta)))
		}
	}
	for a, axis := range c.axes {
		if !axis.periodic {
			steps = append(steps, coarse(2*math.Pi/(spans[a]+margin*axis.length)))
		}
	}
	return steps
}

func (c *latticeCandidate) choices(out int, l *limit) (all []choice, err error) {
	if c.exact != nil && c.exact.columns <= out {
		return nil, nil
	}
	if c.all.pairs == nil {
		c.look()
	}
	var taken choice
	var best *latticeRecipe
	var at latticeKey
	tries := c.tries(out)
	for span, pairs := range []weightedPairs{c.few, c.far} {
		for margin, v := range latticeMargins {
			if !tries(span, margin) {
				continue
			}
			r, err := newLatticeRecipe(c.warped, c.in, min(out, mostSeries), c.steps(pairs, v))
			if err != nil {
				return nil, err
			}
			if r == nil || margin > 0 && len(r.steps()) == 0 {
				continue
			}
			key := latticeKey{span, margin, r.columns}
			tried := c.choice(r, c.few, c.fewFar)
			if known, ok := c.found[key]; ok {
				tried = known
			}
			admitted, before := tried.admitted(l), best != nil && taken.admitted(l)
			if best == nil || admitted && !before || admitted == before && compareErrors(tried.squaredError, taken.squaredError) < 0 {
				taken, best, at = tried, r, key
			}
		}
	}
	c.taken[out] = at
	if best == nil || !c.serves(best, taken) {
		return nil, nil
	}
	if _, ok := c.found[at]; !ok {
		most := 2e7 // multiply-adds for the mean over pairs: fewer where many numbers of columns are tried
		if !c.alone {
			most = 4e6 / float64(c.shared)
		}
		taken = c.choice(best, c.all.atMost(max(int(most/float64(len(best.groups))), samplePairs)), c.far)
		c.found[at] = taken
	}
	return []choice{taken}, nil
}

// tries tells which steps are tried: all, or the neighbours of those that were taken for nearly as many columns.
func (c *latticeCandidate) tries(out int) func(span, margin int) bool {
	const most = 1.25
	best, least := latticeKey{}, most
	for columns, at := range c.taken {
		ratio := max(float64(columns), float64(out)) / min(float64(columns), float64(out))
		if ratio < least || ratio == least && columns < out {
			best, least = at, ratio
		}
	}
	return func(span, margin int) bool {
		return least == most || margin == best.margin || span == best.span && (margin == best.margin-1 || margin == best.margin+1)
	}
}

// serves tells whether a map is one of the kernel: see maclaurinCandidate.serves.
func (c *latticeCandidate) serves(r *latticeRecipe, o choice) bool {
	at := r.series(make([]float64, c.warp.dim(c.in)), newCosineTable(r))
	return coarse(o.squaredError) <= coarse(c.value/4) && coarse(math.Abs(at-r.mass)) <= coarse(r.mass/2)
}

// atMost returns every so many of the pairs, at most a number.
func (w weightedPairs) atMost(most int) (some weightedPairs) {
	if len(w.pairs) <= most {
		return w
	}
	step := (len(w.pairs)-1)/most + 1
	for k := 0; k < len(w.pairs); k += step {
		some.pairs, some.squares = append(some.pairs, w.pairs[k]), append(some.squares, w.squares[k])
	}
	return some
}

// choice returns the choice of a recipe, by its errors over pairs.
func (c *latticeCandidate) choice(r *latticeRecipe, pairs, far weightedPairs) choice {
	table, difference := newCosineTable(r), c.differences()
	zero := make([]float64, c.warp.dim(c.in))
	bias := func(delta []float64) float64 { return r.series(delta, table) - r.Eval(delta, zero) }
	made := choice{
		side: c.side, columns: r.columns, work: r.work(), farValue: c.farValue, ownError: square(bias(zero)),
		squaredError: pairs.meanSquare(difference, bias), farError: far.meanSquare(difference, bias),
		make: func() (recipe, error) { return r, nil },
	}
	made.squaredBias = made.squaredError
	return made
}
