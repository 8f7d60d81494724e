// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
)

const (
	// mostRows is the maximum number of rows of a sample. samplePairs is the least number of pairs over which
	// errors are averaged, if there are as many; for Compositional maps, whose moments take longer, it is enough.
	mostRows    = 300
	samplePairs = 2000

	// manyPairs is the number of pairs that the terms of a kernel share, beyond samplePairs for each: all pairs of
	// mostRows rows for each of eight terms.
	manyPairs = 8 * mostRows * (mostRows - 1) / 2

	// sphereRows is the number of rows of a sample of the unit sphere, for plans without given points.
	sphereRows = 32
)

// A sample is the points that a plan is made for, and their pairs.
type sample struct {
	in   int
	rows rowSet // those that are compared in pairs

	// For given points the mean of them all, the rows at the largest distances from it, and the rows of the
	// largest norms. For the unit sphere they are empty, and centre is nil.
	centre        []float64
	distant, long rowSet

	common []entry // the coordinates for which all lists have an entry, even if it is 0

	views, farViews []*view // made so far
}

// A rowSet is some points as they were given: all with all their coordinates, or all as lists.
type rowSet struct {
	dense [][]float64
	lists [][]entry
}

func (r rowSet) len() int { return max(len(r.dense), len(r.lists)) }

// plus returns the rows of r and those of s.
func (r rowSet) plus(s rowSet) rowSet {
	return rowSet{slices.Concat(r.dense, s.dense), slices.Concat(r.lists, s.lists)}
}

// row returns all coordinates of row i, in dst if it is a list.
func (r rowSet) row(dst []float64, i int) []float64 {
	if r.lists == nil {
		return r.dense[i]
	}
	clear(dst)
	for _, e := range r.lists[i] {
		dst[e.Column] = e.Value
	}
	return dst
}

// behind returns the images of rows under a warp.
func (p *sample) behind(w warp, set rowSet) []point {
	if set.lists != nil {
		return listsBehind(w, p.in, set.lists, p.common)
	}
	points := make([]point, len(set.dense))
	for i, row := range set.dense {
		points[i] = newPoint(w.image(row))
	}
	return points
}

// A view is some pairs of rows behind a warp, with their row numbers.
type view struct {
	warp    warp
	most    int // see numbers
	numbers [][2]int
	pairs   []pair

	// For a view of far points: the factor by which rows were moved outward, their largest norm, and the points.
	factor, norm float64
	points       []point
}

// weights returns the product of the weights of a term at each row.
func (p *sample) weights(t term, set rowSet) []float64 {
	at := make([]float64, set.len())
	row, weight := make([]float64, p.in), t.weigher(p.in)
	for i := range at {
		if at[i] = 1; t.weights != nil {
			at[i] = weight(set.row(row, i))
		}
	}
	return at
}

// newSample returns a sample of up to mostRows rows of points, or of the unit sphere of R^in if points is nil.
func newSample(points mat.Matrix, in int) (*sample, error) {
	if isNil(points) {
		b := builder{in: in, out: 1}
		if err := b.reserve(8 * sphereRows * float64(in)); err != nil {
			return nil, err
		}
		p := &sample{in: in}
		s := NewSampler(1)
		for range sphereRows {
			row := make([]float64, in)
			onSphereFill(row, s)
			p.rows.dense = append(p.rows.dense, row)
		}
		return p, nil
	}
	n, d := points.Dims()
	switch {
	case d != in:
		return nil, fmt.Errorf("featuremap: Points has %d columns: must have in = %d", d, in)
	case n < 2:
		return nil, fmt.Errorf("featuremap: Points has %d rows: must have at least 2", n)
	}
	r := new(rows.Reader)
	r.Reset(points)
	if r.Lists != nil {
		if err := validateLists(r); err != nil {
			return nil, err
		}
	} else if err := validateFinite("Points", points, 0); err != nil {
		return nil, err
	}
	p := &sample{in: in}
	p.read(r)
	p.look(r)
	return p, nil
}

// read takes the rows that are compared in pairs: as lists if most of their elements are 0 (see worthLists).
func (p *sample) read(r *rows.Reader) {
	var lists [][]entry
	entries, counts := 0, make([]int, r.Cols)
	for _, i := range subset.Rows(r.N, mostRows) {
		row := slices.Clone(r.NonZeros(i))
		lists = append(lists, row)
		entries += len(row)
		for _, e := range row {
			counts[e.Column]++
		}
	}
	if worthLists(len(lists), r.Cols, entries) {
		for j, n := range counts {
			if n > len(lists)/4 {
				p.common = append(p.common, entry{Column: j})
			}
		}
		for _, row := range lists {
			p.rows.lists = append(p.rows.lists, p.withCommon(row))
		}
		return
	}
	for _, i := range subset.Rows(r.N, mostRows) {
		p.rows.dense = append(p.rows.dense, slices.Clone(r.Row(i)))
	}
}

// withCommon returns a copy of a list that has entries for all common coordinates too.
func (p *sample) withCommon(row []entry) []entry {
	all := make([]entry, 0, len(row)+len(p.common))
	either(&list{row, &lists{}}, &list{p.common, &lists{}}, func(at int, v, _ float64) { all = append(all, entry{Column: at, Value: v}) })
	return all
}

// look sets the mean of all rows, and finds those of the largest distances from it and of the largest norms.
func (p *sample) look(r *rows.Reader) {
	p.centre = make([]float64, r.Cols)
	norms, distances := make([]float64, r.N), make([]float64, r.N)
	if p.rows.lists == nil {
		for i := range r.N {
			for j, v := range r.Row(i) {
				p.centre[j] += v / float64(r.N)
			}
		}
		zero := make([]float64, r.Cols)
		for i := range r.N {
			row := r.Row(i)
			norms[i], distances[i] = squaredDistance(row, zero, 1), squaredDistance(row, p.centre, 1)
		}
	} else {
		for i := range r.N {
			for _, e := range r.NonZeros(i) {
				p.centre[e.Column] += e.Value / float64(r.N)
			}
		}
		shared := newLists(r.Cols, p.centre, p.common)
		for i := range r.N {
			norms[i], distances[i] = shared.squaredNorms(p.withCommon(r.NonZeros(i)))
		}
	}
	p.distant, p.long = p.largest(r, distances), p.largest(r, norms)
}

// largest returns up to 32 rows: those for which by, which has a number for each row, is largest.
func (p *sample) largest(r *rows.Reader, by []float64) (found rowSet) {
	const most = 32
	order := make([]int, r.N)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(coarse(by[j]), coarse(by[i])) })
	for _, i := range order[:min(most, r.N)] {
		if p.rows.lists == nil {
			found.dense = append(found.dense, slices.Clone(r.Row(i)))
		} else {
			found.lists = append(found.lists, p.withCommon(r.NonZeros(i)))
		}
	}
	return found
}

// numbers returns the row numbers of some pairs, always the same: of all, or of at least a number of them, most.
// The pairs are (i, i + step) for steps spread over 1 … n − 1. Unless they are all, rows of given points are counted in
// a fixed random order: else, of points of two groups in turns, an even step would compare points of one group only.
func (p *sample) numbers(most int) (all [][2]int) {
	n := p.rows.len()
	stride := int(0.618 * float64(n-1))
	for ; stride > 1 && gcd(stride, n-1) > 1; stride-- {
	}
	for k := 0; k < n-1 && len(all) < most; k++ {
		step := 1 + k*max(stride, 1)%(n-1)
		for i := 0; i+step < n; i++ {
			all = append(all, [2]int{i, i + step})
		}
	}
	if p.centre != nil && len(all) < n*(n-1)/2 {
		order := subset.Shuffled(n)
		for k, ij := range all {
			all[k] = [2]int{order[ij[0]], order[ij[1]]}
		}
	}
	return all
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// onSphereFill sets x to a uniform point of the unit sphere.
func onSphereFill(x []float64, s *Sampler) {
	s.FillNormal(x)
	var sum float64
	for _, v := range x {
		sum += float64(v * v)
	}
	divide(x, math.Sqrt(sum))
}

// view returns the pairs of rows behind a warp that numbers(most) selects. It keeps what it returns.
func (p *sample) view(w warp, most int) *view {
	for _, v := range p.views {
		if v.most == most && v.warp.equal(w) {
			return v
		}
	}
	points := p.behind(w, p.rows)
	v := &view{warp: w, most: most, numbers: p.numbers(most)}
	v.pairs = make([]pair, len(v.numbers))
	for k, ij := range v.numbers {
		v.pairs[k] = newPair(points[ij[0]], points[ij[1]])
	}
	p.views = append(p.views, v)
	return v
}

// A plan for given points is made for farFactor times their largest norm. Its error at such far points is predicted over
// the pairs of mostFar rows of largest norm and mostSpread others, with their coordinates multiplied by farFactor.
const (
	farFactor  = 1.5
	mostFar    = 8
	mostSpread = 24
)

// farView returns the pairs of far points: the rows of largest norm behind a warp, and some others, all moved
// outward by a factor. Without given points there are none. It keeps what it returns.
func (p *sample) farView(w warp, factor float64) *view {
	for _, v := range p.farViews {
		if v.factor == factor && v.warp.equal(w) {
			return v
		}
	}
	v := &view{warp: w, factor: factor}
	p.farViews = append(p.farViews, v)
	if p.centre == nil {
		return v
	}
	outer := p.long
	if w.centre != nil {
		outer = p.distant
	}
	all := p.behind(w, outer.plus(p.rows))
	// The points are sorted by norm, so that the order of rows does not matter, and equal ones are taken once.
	slices.SortStableFunc(all, func(a, b point) int { return cmp.Compare(coarse(b.norm), coarse(a.norm)) })
	for i := 0; i < len(all); i++ {
		rest := slices.DeleteFunc(all[i+1:], all[i].equal)
		all = all[:i+1+len(rest)]
	}
	v.norm = coarse(factor * all[0].norm)
	v.points = slices.Clone(all[:min(mostFar, len(all))])
	others := all[len(v.points):]
	for i := range min(mostSpread, len(others)) {
		v.points = append(v.points, others[i*len(others)/min(mostSpread, len(others))])
	}
	outward(v.points, factor)
	for i, a := range v.points {
		for j, b := range v.points[:i] {
			v.numbers = append(v.numbers, [2]int{i, j})
			v.pairs = append(v.pairs, newPair(a, b))
		}
	}
	return v
}

// outward replaces points by their multiples by a factor.
func outward(points []point, factor float64) {
	var shared *lists
	for i, p := range points {
		if p.list == nil {
			x := slices.Clone(p.x)
			for j := range x {
				x[j] *= factor
			}
			points[i] = newPoint(x)
			continue
		}
		if shared == nil {
			shared = p.list.shared.scaled(factor)
		}
		entries := slices.Clone(p.list.entries)
		for j := range entries {
			entries[j].Value *= factor
		}
		points[i] = newListPoint(entries, shared)
	}
}
