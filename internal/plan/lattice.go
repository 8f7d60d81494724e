// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// latticeCandidate is the Fourier maps with frequencies on a lattice, for products of Gaussian and Periodic kernels:
// see fourier.Lattice. Their features fade outside the box of all points, at some length scales from it along the axes.
type latticeCandidate struct {
	*plannedTerm
	side           form.Side
	warped         spectrum.Warped
	axes           []fourier.Axis
	boxes          [][2]float64 // the smallest and the largest value of all points on each Gaussian axis, without the warp's center
	all, far       fourier.LatticePairs
	few, fewFar    fourier.LatticePairs // a few of these, by which the steps are chosen
	value          float64              // the mean square of the kernel over few
	farValue       float64              // the same over far
	size           int                  // the largest number of columns of the tables
	tables, forAll [len(latticeGaps)]*latticeTable
	found          map[latticeMap]*fourier.Lattice // nil where too many frequencies have nearly the same weight
}

// latticeMap is the number of one of latticeGaps, and a number of columns.
type latticeMap struct{ gap, columns int }

// latticeTable is the maps with the same steps, for all numbers of columns up to some. A map with fewer columns has the
// first frequencies of a map with more.
type latticeTable struct {
	recipe          *fourier.Lattice
	columns         []int     // by the number of groups, from 1
	sample, far, at []float64 // the mean squared errors over pairs, over far pairs, and at a point and itself
	beyond          []float64 // the part of the mean that points outside the box would contribute
}

// latticeCandidates returns the maps of a stationary term with frequencies on a lattice.
func (t *plannedTerm) latticeCandidates() (reference, others []candidate) {
	s, ok := t.Base.(form.Stationary)
	if !ok || !t.biased {
		return nil, nil
	}
	warped := spectrum.Warped{Spectrum: s.Spectrum.Scaled(t.Scale), Warp: t.Warp}
	axes, ok := fourier.Axes(warped.Kernel, warped.Warp.Dim(t.in))
	if !ok || len(axes) == 0 {
		return nil, nil
	}
	return nil, []candidate{&latticeCandidate{plannedTerm: t, side: form.Side{Term: t.Term}, warped: warped, axes: axes, found: make(map[latticeMap]*fourier.Lattice)}}
}

// latticeGaps are gaps along each axis, in length scales: the distance after which the series repeats, minus the size
// of the box of the points. Features fade in the middle of the gap. A point there is as far from the points at the near
// end of the box as from those at the other end, which seem near in the series.
var latticeGaps = [...]float64{3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.75, 8.5, 10, 12}

const (
	// latticeFade is the distance, in length scales, over which features fade. A shorter one makes predictions outside
	// the box no better. A distance of 2 needs a gap that is a quarter of a length scale wider.
	latticeFade = 1

	// wideGap is the gap from which on errors outside the box can be ignored. Predictions there differ from the exact
	// process by 0.006 of the prior's standard deviation if λ is 1e-4 of the prior's variance, and by 0.05 if it is
	// 1e-8.
	wideGap = 7.75
)

// look finds the pairs and the boxes.
func (c *latticeCandidate) look() {
	for _, a := range c.axes {
		if !a.Periodic {
			row := make([]float64, c.in)
			c.Warp.Pull(row, a.Row)
			lo, hi := c.sample.Span(row)
			c.boxes = append(c.boxes, [2]float64{lo, hi})
		}
	}
	some := max(600/c.shared, 100)
	c.all = c.latticePairs(weightedView(c.sample, c.Term, c.Warp, c.pairs))
	far := weightedFarView(c.sample, c.side, c.Warp.Centered(c.plannedTerm.center), sample.FarFactor)
	c.far = c.latticePairs(far)
	centered, x := c.Warp.Centered(c.plannedTerm.center), make([]float64, c.Warp.Dim(c.in))
	for _, p := range far.pairs {
		c.far.Ends = append(c.far.Ends, [2][]float64{fourier.Ends(c.axes, p.A.CoordinatesIn(x), centered), fourier.Ends(c.axes, p.B.CoordinatesIn(x), centered)})
	}
	c.few, c.fewFar = c.all.AtMost(some), c.far.AtMost(some)
	c.value, c.farValue = c.few.MeanSquare(), c.far.MeanSquare()
}

// latticePairs returns pairs with their differences and values.
func (c *latticeCandidate) latticePairs(w weightedPairs) fourier.LatticePairs {
	d := c.Warp.Dim(c.in)
	zero, row, differences := make([]float64, d), make([]float64, d), make([]float64, len(c.axes)*len(w.pairs))
	p := fourier.LatticePairs{Squares: w.squares, Values: make([]float64, len(w.pairs))}
	for k := range w.pairs {
		delta := sample.Full(row, w.pairs[k].Difference())
		p.Differences = append(p.Differences, fourier.Along(c.axes, delta, differences[k*len(c.axes):][:len(c.axes):len(c.axes)]))
		p.Values[k] = c.warped.Eval(delta, zero)
	}
	return p
}

// sides returns the sides of the Gaussian axes for a gap.
func (c *latticeCandidate) sides(gap float64) (sides []fourier.LatticeSide) {
	for _, a := range c.axes {
		if a.Periodic {
			continue
		}
		box := c.boxes[len(sides)]
		half := box[1]/2 - box[0]/2
		sides = append(sides, fourier.LatticeSide{
			Step: arith.Coarse(2 * math.Pi / (2*half + float64(gap*a.Length))),
			Fade: fourier.Fade{Middle: box[0] + half, Flat: half + float64((gap-latticeFade)/2*a.Length), Width: latticeFade * a.Length},
		})
	}
	return sides
}

// prepare makes the tables for numbers of columns up to out, and up to other numbers that are likely to be
// needed.
func (c *latticeCandidate) prepare(out int) error {
	if c.all.Values == nil {
		c.look()
	}
	if out = min(out, fourier.MostSeries); out <= c.size {
		return nil
	}
	c.size = min(max(c.most, 1<<bits.Len(uint(out-1))), fourier.MostSeries)
	clear(c.tables[:])
	clear(c.forAll[:])
	for at, gap := range latticeGaps {
		if at > 0 && len(c.boxes) == 0 {
			break // all axes are periodic
		}
		r, err := fourier.NewLattice(c.warped, c.in, c.size, c.sides(gap))
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
		if r, err = fourier.NewLattice(c.warped, c.in, taken.columns, c.tables[at].recipe.Sides()); err != nil {
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

// best returns the map with the least error, and the number of its gap. Errors are over all pairs if these were
// computed, otherwise over a few. A few pairs usually miss the rare pairs after which a series repeats, so the map with
// the least error over a few may not have the least over all. The error that points outside the box would have counts,
// but an error below the reference's comes first.
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

// overAll returns the table of the maps with the steps of a recipe, with errors over all pairs, or over many if there
// are several terms. The number of pairs does not depend on the number of columns, so errors for any numbers can be
// compared.
func (c *latticeCandidate) overAll(r *fourier.Lattice, gap float64) *latticeTable {
	return c.table(r, gap, c.all.AtMost(max(len(c.all.Values)/c.shared, sample.MinPairs)), c.far)
}

// serves tells whether a map approximates its kernel: see maclaurinCandidate.serves. If all axes are periodic, models
// are not told what is lost, and it may be at most recipe.MostLost.
func (c *latticeCandidate) serves(o choice) bool {
	most := 0.5
	if len(c.boxes) == 0 {
		most = recipe.MostLost
	}
	return arith.Coarse(o.squaredError) <= arith.Coarse(c.value/4) && arith.Coarse(o.ownError) <= arith.Coarse(arith.Square(most*c.warped.Mass))
}

// table returns the maps of the first groups of a recipe, with their errors over pairs.
func (c *latticeCandidate) table(r *fourier.Lattice, gap float64, pairs, far fourier.LatticePairs) *latticeTable {
	t := &latticeTable{recipe: r}
	columns := 0
	for _, g := range r.Groups {
		columns += g.Columns
		t.columns = append(t.columns, columns)
	}
	zero := make([]float64, r.Dim())
	at := fourier.LatticePairs{Differences: [][]float64{make([]float64, len(r.Axes))}, Squares: []float64{1}, Values: []float64{r.Eval(zero, zero)}}
	t.sample, t.far, t.at = r.SquaredErrors(pairs), r.SquaredErrors(far), r.SquaredErrors(at)
	c.addAcross(t, gap)
	return t
}

// addAcross adds the squared errors at points on opposite sides of the box to the means over pairs. The sample seldom
// has such pairs, which are the nearest to where the series repeats. Each side has the share of one point.
//
// If the gap is not wide, it sets beyond to the error between a point on one side and a point outside the other, where
// features have faded by half: predictions there would use the rows of the wrong side.
func (c *latticeCandidate) addAcross(t *latticeTable, gap float64) {
	r := t.recipe
	t.beyond = make([]float64, len(t.sample))
	table, share, side := fourier.NewCosineTable(r), 1/float64(c.sample.All.N), 0
	for a, axis := range r.Axes {
		if axis.Periodic {
			continue
		}
		width := c.boxes[side][1] - c.boxes[side][0]
		side++
		for b := range r.Axes {
			fourier.FillCosines(table.Cosines[b], 0)
		}
		errors := func(distance, weight float64, to []float64) {
			fourier.FillCosines(table.Cosines[a], axis.Step*distance)
			value := r.Mass * math.Exp(-0.5*arith.Square(distance/axis.Length))
			for n, sum := range r.SumsOf(table) {
				to[n] += share * arith.Square(weight*r.Mass*sum-value)
			}
		}
		errors(width, 1, t.sample)
		if gap < wideGap {
			errors(width/2+axis.Fade.Flat+axis.Fade.Width/2, 0.5, t.beyond)
		}
	}
}

// groups returns the number of groups in at most out columns.
func (t *latticeTable) groups(out int) int {
	n, _ := slices.BinarySearch(t.columns, out+1)
	return n
}

// choice returns the map of a table in at most out columns.
func (c *latticeCandidate) choice(t *latticeTable, out int) choice {
	n := t.groups(out) - 1
	r := &fourier.Lattice{Frame: recipe.Frame{In: c.in, Columns: t.columns[n]}}
	return choice{
		side: c.side, columns: r.Columns, work: r.Work(), farValue: c.farValue,
		ownError: t.at[n], squaredError: t.sample[n], squaredBias: t.sample[n], farError: t.far[n],
	}
}
