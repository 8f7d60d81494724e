// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A latticeCandidate is the Fourier maps with frequencies on a lattice, for products of Gaussian and Periodic kernels: see
// latticeRecipe. They have a bias, which grows where points are farther from each other than those of the sample.
type latticeCandidate struct {
	*plannedTerm
	side           otherSide
	warped         warpedSpectrum
	axes           []latticeAxis
	all, far       latticePairs
	few, fewFar    latticePairs // some of these, by which the steps are chosen
	value          float64      // the mean square of the kernel over few
	farValue       float64      // and over far
	size           int          // the largest number of columns of the tables
	tables, forAll map[latticeKey]*latticeTable
	found          map[latticeMap]*latticeRecipe // nil for those that have too many frequencies of nearly the same weight
}

// A latticeKey says which steps a map has: those for the largest distances of some pairs, 0, or of far ones, 1, and a number of
// latticeMargins. A latticeMap has a number of columns too.
type latticeKey struct{ span, margin int }

type latticeMap struct {
	latticeKey
	columns int
}

// latticePairs are pairs with the differences of their points along each axis and the values of the kernel.
type latticePairs struct {
	differences     [][]float64
	squares, values []float64
}

// A latticeTable is the maps with the same steps in any number of columns up to some: the frequencies of fewer columns are the
// first ones of those of more.
type latticeTable struct {
	recipe          *latticeRecipe
	columns         []int     // by the number of groups, from 1
	sample, far, at []float64 // the mean squared errors over pairs, over far ones, and that at a point and itself
}

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
	return nil, []candidate{&latticeCandidate{plannedTerm: t, side: otherSide{term: t.term}, warped: warped, axes: axes, found: make(map[latticeMap]*latticeRecipe)}}
}

// latticeMargins are by how many length scales the distance after which a series repeats may exceed the largest distance.
var latticeMargins = []float64{1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8.5}

// look finds the pairs.
func (c *latticeCandidate) look() {
	some := max(600/c.shared, 100)
	c.all = c.latticePairs(c.sample.weighted(c.term, c.warp, c.pairs))
	c.far = c.latticePairs(c.sample.weightedFar(c.side, c.warp.centred(c.plannedTerm.centre), farFactor))
	c.few, c.fewFar = c.all.atMost(some), c.far.atMost(some)
	c.value, c.farValue = c.few.meanSquare(), c.far.meanSquare()
}

// latticePairs returns pairs with their differences and values.
func (c *latticeCandidate) latticePairs(w weightedPairs) latticePairs {
	d := c.warp.dim(c.in)
	zero, row, differences := make([]float64, d), make([]float64, d), make([]float64, len(c.axes)*len(w.pairs))
	p := latticePairs{squares: w.squares, values: make([]float64, len(w.pairs))}
	for k := range w.pairs {
		delta := full(row, w.pairs[k].difference())
		p.differences = append(p.differences, along(c.axes, delta, differences[k*len(c.axes):][:len(c.axes):len(c.axes)]))
		p.values[k] = c.warped.Eval(delta, zero)
	}
	return p
}

// atMost returns every so many of the pairs, at most a number.
func (p latticePairs) atMost(most int) (some latticePairs) {
	if len(p.values) <= most {
		return p
	}
	step := (len(p.values)-1)/most + 1
	for k := 0; k < len(p.values); k += step {
		some.differences = append(some.differences, p.differences[k])
		some.squares, some.values = append(some.squares, p.squares[k]), append(some.values, p.values[k])
	}
	return some
}

// meanSquare returns the mean square of the kernel, times the squared weights.
func (p latticePairs) meanSquare() (mean float64) {
	for k, v := range p.values {
		mean += p.squares[k] * square(v) / float64(len(p.values))
	}
	return mean
}

// steps returns the steps of the Gaussian axes, for series that repeat after the largest distance on the axis of some pairs
// and a number of length scales.
func (c *latticeCandidate) steps(pairs latticePairs, margin float64) (steps []float64) {
	spans := make([]float64, len(c.axes))
	for _, delta := range pairs.differences {
		for a, v := range delta {
			spans[a] = max(spans[a], math.Abs(v))
		}
	}
	for a, axis := range c.axes {
		if !axis.periodic {
			steps = append(steps, coarse(2*math.Pi/(spans[a]+margin*axis.length)))
		}
	}
	return steps
}

// prepare makes the tables for numbers of columns up to out, and up to others that are likely to be asked for.
func (c *latticeCandidate) prepare(out int) error {
	if c.all.values == nil {
		c.look()
	}
	if out = min(out, mostSeries); out <= c.size {
		return nil
	}
	c.size = min(max(c.most, 1<<bits.Len(uint(out-1))), mostSeries)
	c.tables, c.forAll = make(map[latticeKey]*latticeTable), make(map[latticeKey]*latticeTable)
	for span, pairs := range []latticePairs{c.few, c.far} {
		for margin, v := range latticeMargins {
			r, err := newLatticeRecipe(c.warped, c.in, c.size, c.steps(pairs, v))
			if err != nil {
				return err
			}
			if r == nil || margin > 0 && len(r.steps()) == 0 {
				continue
			}
			c.tables[latticeKey{span, margin}] = r.table(c.few, c.fewFar)
		}
	}
	return nil
}

func (c *latticeCandidate) choices(out int, l *limit) (all []choice, err error) {
	if c.exact != nil && c.exact.columns <= out {
		return nil, nil
	}
	if err := c.prepare(out); err != nil {
		return nil, err
	}
	taken, at := c.best(out, l)
	for taken.columns > 0 && c.forAll[at] == nil {
		c.forAll[at] = c.overAll(c.tables[at].recipe)
		taken, at = c.best(out, l)
	}
	if taken.columns == 0 || !c.serves(taken) {
		return nil, nil
	}
	r, known := c.found[latticeMap{at, taken.columns}]
	if !known {
		if r, err = newLatticeRecipe(c.warped, c.in, taken.columns, c.tables[at].recipe.steps()); err != nil {
			return nil, err
		}
		if r != nil && r.columns != taken.columns {
			r = nil
		}
		c.found[latticeMap{at, taken.columns}] = r
	}
	if r == nil {
		return nil, nil
	}
	taken.make = func() (recipe, error) { return r, nil }
	return []choice{taken}, nil
}

// best returns the map with the least error, and its steps: by all pairs where they were looked at, by a few else. These mostly miss
// the rare pairs after which a series repeats, so that the least error by a few pairs may not be the least by all.
func (c *latticeCandidate) best(out int, l *limit) (taken choice, at latticeKey) {
	for span := range 2 {
		for margin := range latticeMargins {
			key := latticeKey{span, margin}
			t := cmp.Or(c.forAll[key], c.tables[key])
			if t == nil || t.groups(out) == 0 {
				continue
			}
			tried := c.choice(t, out)
			admitted, before := tried.admitted(l), taken.admitted(l)
			if taken.columns == 0 || admitted && !before || admitted == before && compareErrors(tried.squaredError, taken.squaredError) < 0 {
				taken, at = tried, key
			}
		}
	}
	return taken, at
}

// overAll returns the table of the maps with the steps of a recipe by their errors over all pairs, or many in a sum. Their number does not depend on that of
// columns, so that errors of any numbers of these can be compared.
func (c *latticeCandidate) overAll(r *latticeRecipe) *latticeTable {
	return r.table(c.all.atMost(max(len(c.all.values)/c.shared, samplePairs)), c.far)
}

// serves tells whether a map is one of the kernel: see maclaurinCandidate.serves.
func (c *latticeCandidate) serves(o choice) bool {
	return coarse(o.squaredError) <= coarse(c.value/4) && coarse(o.ownError) <= coarse(square(c.warped.mass/2))
}

// table returns the maps of the first groups of a recipe, with their errors over pairs.
func (r *latticeRecipe) table(pairs, far latticePairs) *latticeTable {
	t := &latticeTable{recipe: r}
	columns := 0
	for _, g := range r.groups {
		columns += g.columns
		t.columns = append(t.columns, columns)
	}
	zero := make([]float64, r.dim())
	at := latticePairs{differences: [][]float64{make([]float64, len(r.axes))}, squares: []float64{1}, values: []float64{r.Eval(zero, zero)}}
	t.sample, t.far, t.at = r.squaredErrors(pairs), r.squaredErrors(far), r.squaredErrors(at)
	return t
}

// squaredErrors returns the mean squared errors of the first groups of a recipe, by their number, from 1.
func (r *latticeRecipe) squaredErrors(pairs latticePairs) []float64 {
	table := newCosineTable(r)
	errors := make([]float64, len(r.groups))
	for k, delta := range pairs.differences {
		weight, value := pairs.squares[k]/float64(len(pairs.values)), pairs.values[k]
		for n, sum := range r.sums(delta, table) {
			errors[n] += weight * square(r.mass*sum-value)
		}
	}
	return errors
}

// groups returns the number of groups in at most out columns.
func (t *latticeTable) groups(out int) int {
	n, _ := slices.BinarySearch(t.columns, out+1)
	return n
}

// choice returns the map of a table in at most out columns.
func (c *latticeCandidate) choice(t *latticeTable, out int) choice {
	n := t.groups(out) - 1
	r := &latticeRecipe{frame: frame{in: c.in, columns: t.columns[n]}}
	return choice{
		side: c.side, columns: r.columns, work: r.work(), farValue: c.farValue,
		ownError: t.at[n], squaredError: t.sample[n], squaredBias: t.sample[n], farError: t.far[n],
	}
}
