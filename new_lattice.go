// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// A latticeCandidate is the Fourier maps with frequencies on a lattice, for products of Gaussian and Periodic kernels: see
// latticeRecipe. Their features fade beyond the box of all points along the axes, from some length scales on.
type latticeCandidate struct {
	*plannedTerm
	side           form.Side
	warped         spectrum.Warped
	axes           []latticeAxis
	boxes          [][2]float64 // the least and the largest value of all points on each Gaussian axis, without the warp's centre
	all, far       latticePairs
	few, fewFar    latticePairs // some of these, by which the steps are chosen
	value          float64      // the mean square of the kernel over few
	farValue       float64      // and over far
	size           int          // the largest number of columns of the tables
	tables, forAll [len(latticeGaps)]*latticeTable
	found          map[latticeMap]*latticeRecipe // nil for those that have too many frequencies of nearly the same weight
}

// A latticeMap is the number of one of latticeGaps, and a number of columns.
type latticeMap struct{ gap, columns int }

// latticePairs are pairs with the differences of their points along each axis and the values of the kernel. Far ones have the components of
// both points too.
type latticePairs struct {
	differences     [][]float64
	squares, values []float64
	ends            [][2][]float64
}

// A latticeTable is the maps with the same steps in any number of columns up to some: the frequencies of fewer columns are the
// first ones of those of more.
type latticeTable struct {
	recipe          *latticeRecipe
	columns         []int     // by the number of groups, from 1
	sample, far, at []float64 // the mean squared errors over pairs, over far ones, and that at a point and itself
	beyond          []float64 // the part of the mean that points beyond the box would have
}

// latticeCandidates returns the maps of a stationary term with frequencies on a lattice.
func (t *plannedTerm) latticeCandidates() (reference, others []candidate) {
	s, ok := t.Base.(form.Stationary)
	if !ok || !t.biased {
		return nil, nil
	}
	warped := spectrum.Warped{Spectrum: s.Spectrum.Scaled(t.Scale), Warp: t.Warp}
	axes, ok := latticeAxes(warped.Kernel, warped.Warp.Dim(t.in))
	if !ok || len(axes) == 0 {
		return nil, nil
	}
	return nil, []candidate{&latticeCandidate{plannedTerm: t, side: form.Side{Term: t.Term}, warped: warped, axes: axes, found: make(map[latticeMap]*latticeRecipe)}}
}

// latticeGaps are by how many length scales the distance after which the series repeats exceeds the box of the points, along each axis.
// Features fade in the middle of the gap: there a point is as far from the points at the near end of the box as from those at the
// other end, which the series takes for near ones.
var latticeGaps = [...]float64{3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.75, 8.5, 10, 12}

const (
	// latticeFade is the length scales in which features fade. In fewer predictions beyond the box are no better, in 2 they need a gap that is
	// a quarter of a length scale wider.
	latticeFade = 1

	// wideGap is the gap from which on what a series has beyond the box needs no regard: predictions there differ from the exact process's by
	// .006 of the prior's deviation where λ is 1e-4 of the prior's variance, and by .05 where it is 1e-8.
	wideGap = 7.75
)

// look finds the pairs and the boxes.
func (c *latticeCandidate) look() {
	for _, a := range c.axes {
		if !a.periodic {
			row := make([]float64, c.in)
			c.Warp.Pull(row, a.row)
			lo, hi := c.sample.Span(row)
			c.boxes = append(c.boxes, [2]float64{lo, hi})
		}
	}
	some := max(600/c.shared, 100)
	c.all = c.latticePairs(weightedView(c.sample, c.Term, c.Warp, c.pairs))
	far := weightedFarView(c.sample, c.side, c.Warp.Centred(c.plannedTerm.centre), sample.FarFactor)
	c.far = c.latticePairs(far)
	centred, x := c.Warp.Centred(c.plannedTerm.centre), make([]float64, c.Warp.Dim(c.in))
	for _, p := range far.pairs {
		c.far.ends = append(c.far.ends, [2][]float64{ends(c.axes, p.A.CoordinatesIn(x), centred), ends(c.axes, p.B.CoordinatesIn(x), centred)})
	}
	c.few, c.fewFar = c.all.atMost(some), c.far.atMost(some)
	c.value, c.farValue = c.few.meanSquare(), c.far.meanSquare()
}

// latticePairs returns pairs with their differences and values.
func (c *latticeCandidate) latticePairs(w weightedPairs) latticePairs {
	d := c.Warp.Dim(c.in)
	zero, row, differences := make([]float64, d), make([]float64, d), make([]float64, len(c.axes)*len(w.pairs))
	p := latticePairs{squares: w.squares, values: make([]float64, len(w.pairs))}
	for k := range w.pairs {
		delta := sample.Full(row, w.pairs[k].Difference())
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
		if p.ends != nil {
			some.ends = append(some.ends, p.ends[k])
		}
		some.differences = append(some.differences, p.differences[k])
		some.squares, some.values = append(some.squares, p.squares[k]), append(some.values, p.values[k])
	}
	return some
}

// meanSquare returns the mean square of the kernel, times the squared weights.
func (p latticePairs) meanSquare() (mean float64) {
	for k, v := range p.values {
		mean += p.squares[k] * arith.Square(v) / float64(len(p.values))
	}
	return mean
}

// sides returns the sides of the Gaussian axes for a gap.
func (c *latticeCandidate) sides(gap float64) (sides []latticeSide) {
	for _, a := range c.axes {
		if a.periodic {
			continue
		}
		box := c.boxes[len(sides)]
		half := box[1]/2 - box[0]/2
		sides = append(sides, latticeSide{
			step: arith.Coarse(2 * math.Pi / (2*half + float64(gap*a.length))),
			fade: fade{middle: box[0] + half, flat: half + float64((gap-latticeFade)/2*a.length), width: latticeFade * a.length},
		})
	}
	return sides
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
	clear(c.tables[:])
	clear(c.forAll[:])
	for at, gap := range latticeGaps {
		if at > 0 && len(c.boxes) == 0 {
			break // all axes are periodic
		}
		r, err := newLatticeRecipe(c.warped, c.in, c.size, c.sides(gap))
		if err != nil {
			return err
		}
		if r != nil {
			c.tables[at] = c.table(r, gap, c.few, c.fewFar)
		}
	}
	return nil
}

func (c *latticeCandidate) choices(out int, l *limit) (all []choice, err error) {
	if c.exact != nil && c.exact.Columns <= out {
		return nil, nil
	}
	if err := c.prepare(out); err != nil {
		return nil, err
	}
	taken, at := c.best(out, l)
	for taken.columns > 0 && c.forAll[at] == nil {
		c.forAll[at] = c.overAll(c.tables[at].recipe, latticeGaps[at])
		taken, at = c.best(out, l)
	}
	if taken.columns == 0 || !c.serves(taken) {
		return nil, nil
	}
	r, known := c.found[latticeMap{at, taken.columns}]
	if !known {
		if r, err = newLatticeRecipe(c.warped, c.in, taken.columns, c.tables[at].recipe.sides()); err != nil {
			return nil, err
		}
		if r != nil && r.Columns != taken.columns {
			r = nil
		}
		c.found[latticeMap{at, taken.columns}] = r
	}
	if r == nil {
		return nil, nil
	}
	taken.make = func() (recipe.Recipe, error) { return r, nil }
	return []choice{taken}, nil
}

// best returns the map with the least error, and the number of its gap: by all pairs where they were looked at, by a few else. These mostly miss
// the rare pairs after which a series repeats, so that the least error by a few pairs may not be the least by all. What points beyond the
// box would have counts, but an error below the reference's comes first.
func (c *latticeCandidate) best(out int, l *limit) (taken choice, at int) {
	rank := func(o choice) int {
		switch {
		case !o.admitted(l):
			return 0
		case compareErrors(o.squaredError, l.squaredError) >= 0:
			return 1
		}
		return 2
	}
	var least float64
	for gap := range latticeGaps {
		t := cmp.Or(c.forAll[gap], c.tables[gap])
		if t == nil || t.groups(out) == 0 {
			continue
		}
		tried := c.choice(t, out)
		whole := tried.squaredError + t.beyond[t.groups(out)-1]
		if taken.columns == 0 || rank(tried) > rank(taken) || rank(tried) == rank(taken) && compareErrors(whole, least) < 0 {
			taken, at, least = tried, gap, whole
		}
	}
	return taken, at
}

// overAll returns the table of the maps with the steps of a recipe by their errors over all pairs, or many in a sum. Their number does not depend on that of
// columns, so that errors of any numbers of these can be compared.
func (c *latticeCandidate) overAll(r *latticeRecipe, gap float64) *latticeTable {
	return c.table(r, gap, c.all.atMost(max(len(c.all.values)/c.shared, sample.MinPairs)), c.far)
}

// serves tells whether a map is one of the kernel: see maclaurinCandidate.serves. Where all axes are periodic nothing tells what is lost, and
// no more than mostLost may be.
func (c *latticeCandidate) serves(o choice) bool {
	most := 0.5
	if len(c.boxes) == 0 {
		most = mostLost
	}
	return arith.Coarse(o.squaredError) <= arith.Coarse(c.value/4) && arith.Coarse(o.ownError) <= arith.Coarse(arith.Square(most*c.warped.Mass))
}

// table returns the maps of the first groups of a recipe, with their errors over pairs.
func (c *latticeCandidate) table(r *latticeRecipe, gap float64, pairs, far latticePairs) *latticeTable {
	t := &latticeTable{recipe: r}
	columns := 0
	for _, g := range r.groups {
		columns += g.columns
		t.columns = append(t.columns, columns)
	}
	zero := make([]float64, r.Dim())
	at := latticePairs{differences: [][]float64{make([]float64, len(r.axes))}, squares: []float64{1}, values: []float64{r.Eval(zero, zero)}}
	t.sample, t.far, t.at = r.squaredErrors(pairs), r.squaredErrors(far), r.squaredErrors(at)
	c.addAcross(t, gap)
	return t
}

// addAcross adds the squared errors of points at opposite sides of the box to the means over pairs of the sample, which seldom has such
// pairs: those nearest to where the series repeats. Each side has the share of one point. It sets beyond to those of a point on one side and
// another beyond the other, where features have faded by half, if the gap is not wide: there predictions would see the rows of the wrong side.
func (c *latticeCandidate) addAcross(t *latticeTable, gap float64) {
	r := t.recipe
	t.beyond = make([]float64, len(t.sample))
	table, share, side := newCosineTable(r), 1/float64(c.sample.All.N), 0
	for a, axis := range r.axes {
		if axis.periodic {
			continue
		}
		width := c.boxes[side][1] - c.boxes[side][0]
		side++
		for b := range r.axes {
			fillCosines(table.cosines[b], 0)
		}
		errors := func(distance, weight float64, to []float64) {
			fillCosines(table.cosines[a], axis.step*distance)
			value := r.Mass * math.Exp(-0.5*arith.Square(distance/axis.length))
			for n, sum := range r.sumsOf(table) {
				to[n] += share * arith.Square(weight*r.Mass*sum-value)
			}
		}
		errors(width, 1, t.sample)
		if gap < wideGap {
			errors(width/2+axis.fade.flat+axis.fade.width/2, 0.5, t.beyond)
		}
	}
}

// squaredErrors returns the mean squared errors of the first groups of a recipe, by their number, from 1.
func (r *latticeRecipe) squaredErrors(pairs latticePairs) []float64 {
	table := newCosineTable(r)
	errors := make([]float64, len(r.groups))
	for k, delta := range pairs.differences {
		weight, value, mass := pairs.squares[k]/float64(len(pairs.values)), pairs.values[k], r.Mass
		if pairs.ends != nil {
			mass *= r.fade(pairs.ends[k][0]) * r.fade(pairs.ends[k][1])
		}
		for n, sum := range r.sums(delta, table) {
			errors[n] += weight * arith.Square(mass*sum-value)
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
	r := &latticeRecipe{Frame: recipe.Frame{In: c.in, Columns: t.columns[n]}}
	return choice{
		side: c.side, columns: r.Columns, work: r.Work(), farValue: c.farValue,
		ownError: t.at[n], squaredError: t.sample[n], squaredBias: t.sample[n], farError: t.far[n],
	}
}
