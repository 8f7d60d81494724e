// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Copies among the rows that an accumulator has dropped.

package ridge

import (
	"cmp"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/copied"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

// mostTargets is the largest number of different targets at a point that are counted apart. Such a point has no copies anyway,
// unless nearly all points have some.
const mostTargets = 16

// A census counts the rows at the points with the least keys, as many as rows are kept: where those are a sample of rows,
// it is a sample of points, each with all rows there. A key is a checksum of the point, so that what is counted depends on
// the rows alone, not on their order. It ends with copied.Most rows.
type census struct {
	most   int    // points
	below  uint64 // all keys are less
	rows   int    // of all points
	points map[uint64]*pointCount

	candidates []candidateRow // of the batch that is being added
	y          []float64
}

// A pointCount is the rows at a point, for each target in the order of its key; nil if these are more than mostTargets.
type pointCount struct {
	rows   int
	weight float64
	with   []targetCount
}

// A targetCount is the rows at a point with one target.
type targetCount struct {
	target   uint64
	rows     int
	weight   float64 // of all
	heaviest float64
}

// newCensus returns a census without rows; one of 0 points counts none.
func newCensus(most int) census {
	c := census{most: most}
	if most > 0 {
		c.below, c.points = noKey, make(map[uint64]*pointCount)
	}
	return c
}

// keyOf returns a key for a checksum.
func keyOf(sum uint64) uint64 { return splitmix.Output(sum, 1) >> 11 }

// offer makes row i a candidate, one of the rows [lo, hi) that are read together.
func (c *census) offer(x *rows.Reader, i, lo, hi int) {
	if c.rows+len(c.candidates) > copied.Most || c.below == 0 {
		return
	}
	if key := keyOf(x.ChecksumOf(i, lo, hi)); key < c.below {
		c.candidates = append(c.candidates, candidateRow{i, key})
	}
}

// commit counts the candidates, which are of a batch of a number of rows.
func (c *census) commit(b *addition, batch int) {
	if c.rows += batch; c.rows > copied.Most {
		c.end()
	}
	_, targets := b.y.Dims()
	for _, r := range c.candidates {
		if r.key >= c.below {
			continue
		}
		c.y = c.y[:0]
		for t := range targets {
			c.y = append(c.y, b.y.At(r.row, t))
		}
		w := b.weight(r.row)
		c.count(r.key, &pointCount{1, w, []targetCount{{keyOf(copied.Checksum(c.y)), 1, w, w}}})
	}
	c.candidates = c.candidates[:0]
}

// end ends the counting.
func (c *census) end() { c.below, c.points, c.candidates = 0, nil, nil }

// count adds rows at a point.
func (c *census) count(key uint64, r *pointCount) {
	p := c.points[key]
	if p == nil {
		p = new(pointCount)
		c.points[key] = p
	}
	p.add(r)
	if len(c.points) >= 2*c.most { // more seldom than with each row
		c.cut()
	}
}

// add adds the rows of r.
func (p *pointCount) add(r *pointCount) {
	many := r.with == nil || p.rows > 0 && p.with == nil
	p.rows, p.weight = p.rows+r.rows, p.weight+r.weight
	if many {
		p.with = nil
		return
	}
	for _, r := range r.with {
		at, found := slices.BinarySearchFunc(p.with, r.target, func(r targetCount, target uint64) int { return cmp.Compare(r.target, target) })
		switch {
		case found:
			to := &p.with[at]
			to.rows, to.weight, to.heaviest = to.rows+r.rows, to.weight+r.weight, max(to.heaviest, r.heaviest)
		case len(p.with) == mostTargets:
			p.with = nil
			return
		default:
			p.with = slices.Insert(p.with, at, r)
		}
	}
}

// cut drops the points with the largest keys until there are no more than most.
func (c *census) cut() {
	if len(c.points) <= c.most {
		return
	}
	keys := slices.Sorted(maps.Keys(c.points))
	c.below = keys[c.most]
	c.bound()
}

// bound drops the points whose keys are not below below.
func (c *census) bound() {
	maps.DeleteFunc(c.points, func(key uint64, _ *pointCount) bool { return key >= c.below })
}

// merge adds the counts of other rows.
func (c *census) merge(b *census) {
	if c.rows += b.rows; c.rows > copied.Most || b.below == 0 {
		c.end()
	}
	if c.below == 0 {
		return
	}
	c.below = min(c.below, b.below)
	c.bound()
	for _, key := range slices.Sorted(maps.Keys(b.points)) {
		if key < c.below {
			c.count(key, b.points[key])
		}
	}
}

// inOrder returns the keys of the points that count, in ascending order, and the bound of the keys.
func (c *census) inOrder() (keys []uint64, below uint64) {
	if keys = slices.Sorted(maps.Keys(c.points)); len(keys) > c.most {
		return keys[:c.most], keys[c.most]
	}
	return keys, c.below
}

// withCopies returns rows that leave with their copies among a number of all rows: those kept, or if there are many copies those whose
// copies were counted. all reads the rows that are kept.
func (k *keptRows) withCopies(all *memoryRows, number int, labels bool) *memoryRows {
	if k.all.below == 0 || len(k.rows) == number {
		return all
	}
	var few copied.Few
	few.Note(all.reader)
	sums := make([]uint64, all.size())
	for i := range sums {
		sums[i] = all.reader.Checksum(i)
	}
	g, known := k.all.copies(k.inOrder(), sums, &few, labels)
	switch {
	case g == nil:
		all.found = &copyFinder{known: true}
		return all
	case len(known) < keptLeast: // then all rows are as those that were counted in the mean
		all.found = &copyFinder{known: true, groups: g.inTheMean(all.weights, all.size())}
		return all
	}
	y := mat.NewDense(len(known), all.targets(0).Cols, nil)
	some := newMemoryRows(all.reader.Gather(known), y, nil)
	for i, row := range known {
		for t := range y.RawRowView(i) {
			y.Set(i, t, all.y.At(row, t))
		}
		if all.weights != nil {
			some.weights = append(some.weights, all.weights[row])
		}
	}
	some.found = &copyFinder{known: true, groups: g}
	return some
}

// inTheMean returns groups of single rows, of a number with given weights, each with the mean number of copies.
func (c *groupsOfCopies) inTheMean(weights []float64, rows int) *groupsOfCopies {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, rows)
	}
	return &groupsOfCopies{weights: weights, times: slices.Repeat([]float64{c.each}, rows), heaviest: indices(rows), each: c.each, dropped: true}
}

// An expanded is the rows with a target at a point, in a list of rows.
type expanded struct {
	*targetCount
	first int
}

// copies returns the groups of those kept rows whose points were counted, and the numbers of these rows; nil if copies are few, or are
// no copies. sums are checksums of the kept rows, and few some points of all rows.
func (c *census) copies(kept []keptRow, sums []uint64, few *copied.Few, labels bool) (g *groupsOfCopies, known []int) {
	var points, targets []uint64
	var all []expanded
	at := make(map[[2]uint64]int) // in all
	keys, below := c.inOrder()
	for _, key := range keys {
		p := c.points[key]
		for i, r := range p.with {
			at[[2]uint64{key, r.target}] = len(all)
			all = append(all, expanded{&p.with[i], len(points)})
			points, targets = append(points, slices.Repeat([]uint64{key}, r.rows)...), append(targets, slices.Repeat([]uint64{r.target}, r.rows)...)
		}
		for i := 0; p.with == nil && i < p.rows; i++ {
			points, targets = append(points, key), append(targets, noKey+uint64(i))
		}
	}
	first := copied.Groups(points, targets, few, labels, false)
	if first == nil {
		return nil, nil
	}
	together := func(r expanded) bool { return r.rows > 1 && first[r.first+1] == first[r.first] }
	g = &groupsOfCopies{dropped: true}
	var weight, one float64
	for _, r := range all {
		if weight += r.weight; together(r) {
			one += r.heaviest
		} else {
			one += r.weight
		}
	}
	g.each = weight / one
	group := make([]int, 0, len(kept))
	heaviest := make(map[int]int) // of the rows of a group that are kept
	for i, r := range kept {
		key := keyOf(sums[i])
		if key >= below {
			continue
		}
		k, times := len(known), 1.0
		e, found := at[[2]uint64{key, keyOf(copied.Checksum(r.y))}]
		if found = found && together(all[e]); found {
			times = all[e].weight / r.weight
		} else {
			e = -1 - k
		}
		if h, seen := heaviest[e]; !seen || r.weight > g.weights[h] {
			heaviest[e] = k
		}
		group, known = append(group, e), append(known, i)
		g.weights, g.times = append(g.weights, r.weight), append(g.times, times)
	}
	for _, e := range group {
		g.heaviest = append(g.heaviest, heaviest[e])
	}
	return g, known
}
