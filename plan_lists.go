// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Points of plans as lists of non-zeros. internal/rows reads them, internal/projection transforms them.

// An entry is a coordinate of a point, and its value.
type entry = rows.Entry

// A list is a point as a list of entries, in ascending order of coordinates. Its other coordinates are in shared.
type list struct {
	entries []entry
	shared  *lists
}

// lists is what the lists of some points have in common: the centre that was subtracted from the points. Coordinates
// without an entry were 0 before that, so they are those of −centre.
type lists struct {
	dim    int
	centre []float64 // nil: 0
	common []bool    // the coordinates for which all lists have an entry; nil: none

	// Σcᵢ² and Σcᵢ⁴ over the coordinates of the centre c that are not common. A point subtracts the addends of the
	// coordinates for which it has entries (see remainder). That leaves most of the sum: these coordinates have few entries.
	squares, fourths float64
}

// newLists returns the lists of points of R^dim, given the centre and the coordinates for which all of them have an entry.
func newLists(dim int, centre []float64, common []entry) *lists {
	l := &lists{dim: dim, centre: centre}
	if centre == nil {
		return l
	}
	l.common = make([]bool, dim)
	for _, e := range common {
		l.common[e.Column] = true
	}
	for i, c := range centre {
		if !l.common[i] {
			l.squares += float64(c * c)
			l.fourths += float64(c * c * c * c)
		}
	}
	return l
}

// scaled returns the lists of the same points multiplied by a factor.
func (l *lists) scaled(factor float64) *lists {
	s := *l
	if l.centre != nil {
		s.centre = slices.Clone(l.centre)
		floats.Scale(factor, s.centre)
		s.squares *= square(factor)
		s.fourths *= square(square(factor))
	}
	return &s
}

// other returns the value of a coordinate without an entry.
func (l *lists) other(at int) float64 {
	if l.centre == nil {
		return 0
	}
	return -l.centre[at]
}

// A remainder is the sums of squares and of fourth powers of the coordinates for which a point, or both points of a pair,
// have no entry. It begins with all coordinates that are not common; without takes those that have an entry away.
type remainder struct {
	shared          *lists
	squares, fourth float64
}

func (l *lists) remainder() remainder { return remainder{l, l.squares, l.fourths} }

// without takes one coordinate away. Common ones were never part of the sums.
func (r *remainder) without(at int) {
	if c := r.shared.centre; c != nil && !r.shared.common[at] {
		v := float64(c[at] * c[at])
		r.squares -= v
		r.fourth -= float64(v * v)
	}
}

// left returns the sums, or 0 where rounding has left less.
func (r *remainder) left() (squares, fourths float64) { return max(r.squares, 0), max(r.fourth, 0) }

// squaredNorms returns the squared norm of a point, given by entries as it was before the centre was subtracted, and its
// squared distance from the centre.
func (l *lists) squaredNorms(entries []entry) (norm, distance float64) {
	rest := l.remainder()
	for _, e := range entries {
		norm += float64(e.Value * e.Value)
		v := e.Value - l.centre[e.Column]
		distance += float64(v * v)
		rest.without(e.Column)
	}
	squares, _ := rest.left()
	return norm, distance + squares
}

// newListPoint returns the point with the given entries, from whose values the centre has been subtracted.
func newListPoint(entries []entry, shared *lists) point {
	p := point{list: &list{entries, shared}}
	rest := shared.remainder()
	for _, e := range entries {
		rest.without(e.Column)
	}
	squares, _ := rest.left()
	v := values(entries)
	p.norm = math.Hypot(floats.Norm(v, 2), math.Sqrt(squares))
	p.square = inner(v, v) + squares
	return p
}

// either calls each, in ascending order, with the coordinates for which one of two lists has an entry, and both values.
func either(a, b *list, each func(at int, x, y float64)) {
	x, y := a.entries, b.entries
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].Column < y[0].Column:
			each(x[0].Column, x[0].Value, b.shared.other(x[0].Column))
			x = x[1:]
		case len(x) == 0 || y[0].Column < x[0].Column:
			each(y[0].Column, a.shared.other(y[0].Column), y[0].Value)
			y = y[1:]
		default:
			each(x[0].Column, x[0].Value, y[0].Value)
			x, y = x[1:], y[1:]
		}
	}
}

// setLists sets t, s and the distance of a pair of lists.
func (p *pair) setLists() {
	rest := p.a.list.shared.remainder()
	var sum float64
	either(p.a.list, p.b.list, func(at int, x, y float64) {
		product, difference := x*y, x-y
		p.t += product
		p.s += product * product
		sum += difference * difference
		rest.without(at)
	})
	squares, fourths := rest.left()
	p.t += squares
	p.s += fourths
	if p.distance = math.Sqrt(sum); !(sum > tinyDistance && sum <= math.MaxFloat64) {
		x, y := p.unequal()
		p.distance = floats.Distance(x, y, 2)
	}
}

// unequal returns the coordinates of both points; if they are lists, only those for which at least one has an entry. In all
// others the points are equal, and 0 if there is no centre. The slices are valid until the next call.
func (p *pair) unequal() (x, y []float64) {
	if p.a.list == nil {
		return p.a.x, p.b.x
	}
	p.x, p.y = p.x[:0], p.y[:0]
	either(p.a.list, p.b.list, func(_ int, x, y float64) { p.x, p.y = append(p.x, x), append(p.y, y) })
	return p.x, p.y
}

// dense returns all coordinates of both points, in slices that are valid until the next call.
func (p *pair) dense() (x, y []float64) {
	if p.a.list == nil {
		return p.a.x, p.b.x
	}
	p.x, p.y = p.a.list.fill(p.x), p.b.list.fill(p.y)
	return p.x, p.y
}

// fill returns all coordinates of a list, in dst if that has room for them.
func (l *list) fill(dst []float64) []float64 {
	dst = slices.Grow(dst[:0], l.shared.dim)[:l.shared.dim]
	clear(dst)
	if l.shared.centre != nil {
		floats.SubTo(dst, dst, l.shared.centre)
	}
	for _, e := range l.entries {
		dst[e.Column] = e.Value
	}
	return dst
}

// coordinates returns all coordinates of a point.
func (p point) coordinates() []float64 {
	if p.list == nil {
		return p.x
	}
	return p.list.fill(nil)
}

// equal tells whether two points have the same coordinates.
func (p point) equal(q point) bool {
	if p.list != nil {
		return slices.Equal(p.list.entries, q.list.entries)
	}
	return slices.Equal(p.x, q.x)
}

// A listWarp applies the linear map of a warp, without subtracting its centre, to points of R^in that are lists.
type listWarp struct {
	warp
	in    int
	order []int // indices of cols, in ascending order of the coordinates that they select
}

func newListWarp(w warp, in int) listWarp {
	l := listWarp{warp: w, in: in}
	for i := range w.cols {
		l.order = append(l.order, i)
	}
	slices.SortStableFunc(l.order, func(i, j int) int { return cmp.Compare(w.cols[i], w.cols[j]) })
	return l
}

// apply returns the image of a point: its entries, or in dense all its coordinates if the warp has a dense matrix.
func (l listWarp) apply(entries []entry) (image []entry, dense []float64) {
	image = slices.Clone(entries)
	if l.cols != nil {
		image = image[:0]
		for _, e := range entries {
			first, _ := slices.BinarySearchFunc(l.order, e.Column, func(i, at int) int { return cmp.Compare(l.cols[i], at) })
			for _, i := range l.order[first:] {
				if l.cols[i] != e.Column {
					break
				}
				image = append(image, entry{Column: i, Value: e.Value})
			}
		}
		slices.SortFunc(image, func(a, b entry) int { return cmp.Compare(a.Column, b.Column) })
	}
	switch {
	case l.diag != nil:
		for i := range image {
			image[i].Value *= l.diag[image[i].Column]
		}
	case l.warp.dense != nil:
		n := len(l.warp.dense) / l.p
		dense = make([]float64, l.p)
		for i := range dense {
			row := l.warp.dense[i*n : (i+1)*n]
			for _, e := range image {
				dense[i] += float64(row[e.Column] * e.Value)
			}
		}
	}
	return image, dense
}

const (
	// Points are made lists if they have at least leastWide coordinates, and at least listShare times as many coordinates
	// as entries on average.
	leastWide = 256
	listShare = 8
)

// worthLists tells whether a number of points of dim coordinates each, with a number of entries in all, are to be lists. How
// the matrix of the points stores them makes no difference, so that predicted errors have the same bits.
func worthLists(points, dim, entries int) bool {
	return dim >= leastWide && float64(entries)*listShare <= float64(points)*float64(dim)
}

// listsBehind returns the images of rows under a warp, as lists if that is worth it. All rows have entries for the
// common coordinates.
func listsBehind(w warp, in int, rows [][]entry, common []entry) []point {
	l := newListWarp(w, in)
	images, count := make([][]entry, len(rows)), 0
	points := make([]point, len(rows))
	for i, row := range rows {
		var dense []float64
		images[i], dense = l.apply(row)
		count += len(images[i])
		if dense != nil {
			for j, c := range w.centre {
				dense[j] -= c
			}
			points[i] = newPoint(dense)
		}
	}
	if w.dense != nil {
		return points
	}
	dim := w.dim(in)
	wide := worthLists(len(rows), dim, count)
	all, _ := l.apply(common)
	shared := newLists(dim, w.centre, all)
	for i, image := range images {
		if w.centre != nil {
			for k := range image {
				image[k].Value -= w.centre[image[k].Column]
			}
		}
		if wide {
			points[i] = newListPoint(image, shared)
		} else {
			points[i] = newPoint((&list{image, shared}).fill(nil))
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
				return fmt.Errorf("featuremap: Points: row %d has an entry in column %d, of %d columns", i, e.Column, points.Cols)
			}
			if k > 0 && e.Column == entries[k-1].Column {
				return fmt.Errorf("%w: Points: row %d, column %d", ErrDuplicate, i, e.Column)
			}
			if err := validateElement("Points", i, e.Column, e.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
