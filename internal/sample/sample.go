// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package sample has the points that a plan is made for, their images behind warps, and their pairs.
//
// Begin with sample.go. points.go has points and pairs, and judges.go the rows that judge maps chosen by other rows.
package sample

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

const (
	// MostRows is the largest number of rows of a sample. MinPairs is the least number of pairs over which errors
	// are averaged, if there are as many; it is enough for Compositional maps, whose moments are slower to
	// compute.
	MostRows = 300
	MinPairs = 2000

	// ManyPairs is the number of pairs that the terms of a kernel share, beyond MinPairs for each: all pairs of
	// MostRows rows for each of eight terms.
	ManyPairs = 8 * MostRows * (MostRows - 1) / 2

	// SphereRows is the number of rows of a sample of the unit sphere, for plans without given points.
	SphereRows = 32
)

// Sample is the points that a plan is made for, with their pairs.
type Sample struct {
	In   int
	Rows []rows.List // the rows that are compared in pairs

	// For given points: their mean, the rows at the largest distances from it, and the rows with the
	// largest norms. For the unit sphere they are empty, and Center is nil.
	Center        []float64
	Distant, Long []rows.List

	// If Wide, rows are lists; otherwise they have all their coordinates. All lists have entries in the common columns,
	// even if these are 0. Lists from which a center was subtracted are short all the same: see center.
	Wide   bool
	Common []int

	views, farViews []*view // made so far

	// While a plan is made: all given points, the farthest of them that were found so far, their numbers in descending
	// order of norms and of distances from the mean, and the judges.
	All     *rows.Reader
	norms   []Outer
	orders  [2][]int
	judging []judging

	Shares []float64 // of the rows in means; nil if all are equal
}

// Full returns all coordinates of a row. It uses dst if the row is a list.
func Full(dst []float64, row rows.List) []float64 {
	if row.Columns == nil {
		return row.Values
	}
	clear(dst)
	row.To(dst)
	return dst
}

// Behind returns the images of rows under a warp. Lists stay lists if this pays.
func (p *Sample) Behind(w warp.Warp, set []rows.List) []Point {
	points := make([]Point, len(set))
	if !p.Wide {
		for i, l := range set {
			points[i] = newDense(w.Image(l.Values))
		}
		return points
	}
	lists, images, entries := NewListWarp(w), make([]rows.List, len(set)), 0
	for i, l := range set {
		images[i] = lists.Image(l)
		entries += len(images[i].Values)
	}
	short := worthLists(len(set), w.Dim(p.In), entries)
	var c *center
	if w.Center != nil && w.Dense == nil {
		c = newCenter(w.Center, lists.Image(rows.List{Values: make([]float64, len(p.Common)), Columns: p.Common}).Columns)
	}
	for i, l := range images {
		if w.Center != nil {
			for e := range l.Values {
				l.Values[e] -= w.Center[l.Column(e)]
			}
		}
		if points[i] = NewPoint(l, c); !short {
			points[i] = newDense(points[i].Coordinates(w.Dim(p.In)))
		}
	}
	return points
}

// validateLists refuses lists with elements that are not finite, outside the matrix, or given twice.
func validateLists(points *rows.Reader) error {
	for i := range points.N {
		entries := points.Entries(i)
		for k, e := range entries {
			if e.Column < 0 || e.Column >= points.Cols {
				return fmt.Errorf("featuremap: x: row %d has an entry in column %d, of %d columns", i, e.Column, points.Cols)
			}
			if k > 0 && e.Column == entries[k-1].Column {
				return fmt.Errorf("%w: x: row %d, column %d", projection.ErrDuplicate, i, e.Column)
			}
			if err := check.Element("x", i, e.Column, e.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// A view is some pairs of rows behind a warp, with their row numbers.
type view struct {
	warp    warp.Warp
	most    int // see Numbers
	Numbers [][2]int
	Pairs   []Pair

	// For a view of far points: the factor by which rows were moved outward, their largest norm, and the points.
	factor, Norm float64
	Points       []Point
}

// Weights returns a weight at each row: nil stands for 1.
func (p *Sample) Weights(weight func(x []float64) float64, set []rows.List) []float64 {
	at, row := make([]float64, len(set)), make([]float64, p.In)
	for i := range at {
		if at[i] = 1; weight != nil {
			at[i] = weight(Full(row, set[i]))
		}
	}
	return at
}

// Sphere returns a sample of the unit sphere of R^in. fillNormal fills a row with standard normal numbers.
func Sphere(in int, fillNormal func(row []float64)) *Sample {
	p := &Sample{In: in}
	for range SphereRows {
		row := make([]float64, in)
		fillNormal(row)
		var sum float64
		for _, v := range row {
			sum += float64(v * v)
		}
		arith.Divide(row, math.Sqrt(sum))
		p.Rows = append(p.Rows, rows.List{Values: row})
	}
	return p
}

// New returns a sample of up to MostRows rows of points.
func New(points mat.Matrix) (*Sample, error) {
	n, in := points.Dims()
	if n < 2 {
		return nil, fmt.Errorf("featuremap: x has %d rows: must have at least 2", n)
	}
	r := new(rows.Reader)
	r.Reset(points)
	if r.Lists != nil {
		if err := validateLists(r); err != nil {
			return nil, err
		}
	} else if err := check.Finite("x", points, 0); err != nil {
		return nil, err
	}
	p := &Sample{In: in, All: r}
	p.read(r)
	p.look(r)
	return p, nil
}

const (
	// Points are lists if they have at least leastWide coordinates, and at least listShare times as many coordinates as
	// entries on average.
	leastWide = 256
	listShare = 8
)

// worthLists tells whether a number of points with dim coordinates each, and with entries non-zeros in all, are to be
// lists. It does not depend on how their matrix stores them, so predicted errors have the same bits.
func worthLists(points, dim, entries int) bool {
	return dim >= leastWide && float64(entries)*listShare <= float64(points)*float64(dim)
}

// read reads the rows that are compared in pairs, as lists if most of their elements are 0.
func (p *Sample) read(r *rows.Reader) {
	some := subset.Rows(r.N, MostRows)
	entries, counts := 0, make([]int, r.Cols)
	for _, i := range some {
		for _, e := range r.NonZeros(i) {
			counts[e.Column]++
			entries++
		}
	}
	if p.Wide = worthLists(len(some), r.Cols, entries); p.Wide {
		for j, n := range counts {
			if n > len(some)/4 {
				p.Common = append(p.Common, j)
			}
		}
	}
	p.Rows = p.Copies(r, some)
}

// row returns row i: a list with entries in all common columns, or all coordinates. It is valid until the next call
// with the same memory.
func (p *Sample) row(r *rows.Reader, i int, memory *Memory) rows.List {
	if !p.Wide {
		return rows.List{Values: r.Row(i)}
	}
	row := rows.List{Values: memory.x[:0], Columns: slices.Grow(memory.columns[:0], 1)} // not nil
	add := func(column int, v float64) {
		row.Columns, row.Values = append(row.Columns, column), append(row.Values, v)
	}
	common := p.Common
	for _, e := range r.NonZeros(i) {
		for ; len(common) > 0 && common[0] <= e.Column; common = common[1:] {
			if common[0] < e.Column {
				add(common[0], 0)
			}
		}
		add(e.Column, e.Value)
	}
	for _, j := range common {
		add(j, 0)
	}
	memory.x, memory.columns = row.Values, row.Columns
	return row
}

// Copies returns copies of rows, given by their numbers.
func (p *Sample) Copies(r *rows.Reader, numbers []int) (some []rows.List) {
	memory := new(Memory)
	for _, i := range numbers {
		row := p.row(r, i, memory)
		some = append(some, rows.List{Values: slices.Clone(row.Values), Columns: slices.Clone(row.Columns)})
	}
	return some
}

// look computes the mean of all rows, and finds the rows with the largest distances from it and with the
// largest norms.
func (p *Sample) look(r *rows.Reader) {
	memory := new(Memory)
	p.Center = make([]float64, r.Cols)
	for i := range r.N {
		row := p.row(r, i, memory)
		for e, v := range row.Values {
			p.Center[row.Column(e)] += v / float64(r.N)
		}
	}
	var c *center
	if p.Wide {
		c = newCenter(p.Center, p.Common)
	}
	zero, at, norms, distances := make([]float64, r.Cols), p.Center, make([]float64, r.N), make([]float64, r.N)
	for i := range r.N {
		row := p.row(r, i, memory)
		if p.Wide {
			at = memory.y[:0]
			for _, j := range row.Columns {
				at = append(at, p.Center[j])
			}
			memory.y = at
		}
		squares, _ := c.beyond(row.Columns)
		norms[i], distances[i] = arith.SquaredDistance(row.Values, zero[:len(row.Values)], 1), arith.SquaredDistance(row.Values, at, 1)+squares
	}
	p.orders = [2][]int{descending(norms), descending(distances)}
	most := min(32, r.N)
	p.Long, p.Distant = p.Copies(r, p.orders[0][:most]), p.Copies(r, p.orders[1][:most])
}

// Span returns the least and the largest of row·x over all points x.
func (p *Sample) Span(row []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	memory := new(Memory)
	for i := range p.All.N {
		var u float64
		x := p.row(p.All, i, memory)
		for e, v := range x.Values {
			u = math.FMA(row[x.Column(e)], v, u)
		}
		lo, hi = min(lo, u), max(hi, u)
	}
	return lo, hi
}

// Outermost returns the numbers of the points that are farthest from 0 behind a warp, mostOutermost of them or all, and
// the largest norm. It keeps the result.
func (p *Sample) Outermost(w warp.Warp) Outer {
	for _, o := range p.norms {
		if o.warp.Equal(w) {
			return o
		}
	}
	norms := make([]float64, 0, p.All.N)
	const together = 256 // rows
	for lo := 0; lo < p.All.N; lo += together {
		var numbers []int
		for i := lo; i < min(lo+together, p.All.N); i++ {
			numbers = append(numbers, i)
		}
		for _, x := range p.Behind(w, p.Copies(p.All, numbers)) {
			norms = append(norms, x.Norm)
		}
	}
	o := Outer{w, slices.Max(norms), descending(norms)[:min(mostOutermost, len(norms))]}
	p.norms = append(p.norms, o)
	return o
}

// mostOutermost is the largest number of points that count as the farthest.
const mostOutermost = 32

// Outer is the points farthest from 0 behind a warp.
type Outer struct {
	warp    warp.Warp
	Norm    float64 // the largest
	Numbers []int   // of the points, by descending norm
}

// descending returns indices in descending order of values, rounded.
func descending(by []float64) []int {
	order := make([]int, len(by))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(arith.Coarse(by[j]), arith.Coarse(by[i])) })
	return order
}

// Numbers returns the row numbers of pairs, always the same: of all pairs, or of at least most of them. The pairs are
// (i, i + step) for steps spread over 1 … n − 1. Unless it returns all, rows of given points are numbered in a fixed
// random order. Otherwise, if points of two groups alternate, an even step would only compare points of one group.
func (p *Sample) Numbers(most int) (all [][2]int) {
	n := len(p.Rows)
	stride := int(0.618 * float64(n-1))
	for ; stride > 1 && Gcd(stride, n-1) > 1; stride-- {
	}
	for k := 0; k < n-1 && len(all) < most; k++ {
		step := 1 + k*max(stride, 1)%(n-1)
		for i := 0; i+step < n; i++ {
			all = append(all, [2]int{i, i + step})
		}
	}
	if p.Center != nil && len(all) < n*(n-1)/2 {
		order := subset.Shuffled(n)
		for k, ij := range all {
			all[k] = [2]int{order[ij[0]], order[ij[1]]}
		}
	}
	return all
}

func Gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// View returns the pairs of rows behind a warp that Numbers(most) selects. It keeps the result.
func (p *Sample) View(w warp.Warp, most int) *view {
	for _, v := range p.views {
		if v.most == most && v.warp.Equal(w) {
			return v
		}
	}
	points := p.Behind(w, p.Rows)
	v := &view{warp: w, most: most, Numbers: p.Numbers(most)}
	v.Pairs = make([]Pair, len(v.Numbers))
	memory := new(Memory)
	for k, ij := range v.Numbers {
		v.Pairs[k] = NewPair(points[ij[0]], points[ij[1]], memory)
	}
	p.views = append(p.views, v)
	return v
}

// A plan for given points is made for FarFactor times their largest norm. Its error at such far points is predicted over
// the pairs of mostFar rows of largest norm and mostSpread others, with their coordinates multiplied by FarFactor.
const (
	FarFactor  = 1.5
	mostFar    = 8
	mostSpread = 24
)

// FarView returns the pairs of far points: the rows of largest norm behind a warp, and some others, all moved
// outward by a factor. Without given points there are no pairs. It keeps the result.
func (p *Sample) FarView(w warp.Warp, factor float64) *view {
	for _, v := range p.farViews {
		if v.factor == factor && v.warp.Equal(w) {
			return v
		}
	}
	v := &view{warp: w, factor: factor}
	p.farViews = append(p.farViews, v)
	if p.Center == nil {
		return v
	}
	outer := p.Long
	if w.Center != nil {
		outer = p.Distant
	}
	all := p.Behind(w, slices.Concat(outer, p.Rows))
	// The points are sorted by norm, so that the order of rows does not matter, and equal points are used
	// once.
	slices.SortStableFunc(all, func(a, b Point) int { return cmp.Compare(arith.Coarse(b.Norm), arith.Coarse(a.Norm)) })
	for i := 0; i < len(all); i++ {
		rest := slices.DeleteFunc(all[i+1:], all[i].equal)
		all = all[:i+1+len(rest)]
	}
	v.Norm = arith.Coarse(factor * all[0].Norm)
	v.Points = slices.Clone(all[:min(mostFar, len(all))])
	others := all[len(v.Points):]
	for i := range min(mostSpread, len(others)) {
		v.Points = append(v.Points, others[i*len(others)/min(mostSpread, len(others))])
	}
	outward(v.Points, factor)
	memory := new(Memory)
	for i, a := range v.Points {
		for j, b := range v.Points[:i] {
			v.Numbers = append(v.Numbers, [2]int{i, j})
			v.Pairs = append(v.Pairs, NewPair(a, b, memory))
		}
	}
	return v
}

// outward replaces points by their multiples by a factor.
func outward(points []Point, factor float64) {
	moved := points[0].center.scaled(factor)
	for i, p := range points {
		x := slices.Clone(p.Values)
		for j := range x {
			x[j] *= factor
		}
		points[i] = NewPoint(rows.List{Values: x, Columns: p.Columns}, moved)
	}
}

// Nearest returns pairs of row numbers: each row of the sample, and the row nearest to it.
func (p *Sample) Nearest() (pairs [][2]int) {
	points := p.Behind(warp.Warp{}, p.Rows)
	n, memory := len(points), new(Memory)
	at, least := make([]int, n), slices.Repeat([]float64{math.Inf(1)}, n)
	for i, x := range points {
		for j, y := range points[:i] {
			d := NewPair(x, y, memory).Distance
			if d < least[j] {
				at[j], least[j] = i, d
			}
			if d < least[i] {
				at[i], least[i] = j, d
			}
		}
	}
	for i, j := range at {
		if !math.IsInf(least[i], 1) {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}
