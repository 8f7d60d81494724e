// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sample

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Points of plans, and their pairs. If most coordinates are 0, points are lists of the others.

// Point is a point behind a warp, with its norm and squared norm. The columns of a list are in ascending order.
type Point struct {
	rows.List
	center       *center // for a list: see center; nil: 0
	Norm, Square float64
}

// NewPoint returns the point x, from which a center was subtracted; a nil center stands for 0.
func NewPoint(x rows.List, c *center) Point {
	squares, _ := c.beyond(x.Columns)
	return Point{x, c, math.Hypot(floats.Norm(x.Values, 2), math.Sqrt(squares)), arith.Inner(x.Values, x.Values) + squares}
}

// newDense returns the point with all coordinates x.
func newDense(x []float64) Point { return NewPoint(rows.List{Values: x}, nil) }

// center is a point that was subtracted from lists. A coordinate without an entry was originally 0, and is now minus
// the center's.
//
// All lists have entries in the common columns of the sample, which the sums below exclude. A list subtracts the
// addends of its other columns from these sums. Most of a sum is left, because columns that are not common have few
// entries.
type center struct {
	at              []float64
	squares         []float64 // cᵢ², 0 in common columns
	square, fourths float64   // Σcᵢ² and Σcᵢ⁴ over columns that are not common
}

func newCenter(at []float64, common []int) *center {
	c := &center{at: at, squares: make([]float64, len(at))}
	floats.MulTo(c.squares, at, at)
	for _, j := range common {
		c.squares[j] = 0
	}
	for _, v := range c.squares {
		c.square += v
		c.fourths += float64(v * v)
	}
	return c
}

// scaled returns the center multiplied by a factor.
func (c *center) scaled(factor float64) *center {
	if c == nil {
		return nil
	}
	s := &center{slices.Clone(c.at), slices.Clone(c.squares), c.square * arith.Square(factor), c.fourths * arith.Square(arith.Square(factor))}
	floats.Scale(factor, s.at)
	for j, v := range c.squares {
		if v != 0 {
			s.squares[j] = arith.Square(s.at[j])
		}
	}
	return s
}

// beyond returns the sums of squares and of fourth powers of the coordinates in all columns except those given, which
// are in ascending order. It returns 0 where rounding has left less.
func (c *center) beyond(columns []int) (squares, fourths float64) {
	if c == nil {
		return 0, 0
	}
	squares, fourths = c.square, c.fourths
	for _, j := range columns {
		v := c.squares[j]
		squares -= v
		fourths -= float64(v * v)
	}
	return max(squares, 0), max(fourths, 0)
}

// other returns the coordinate in a column without an entry.
func (c *center) other(column int) float64 {
	if c == nil {
		return 0
	}
	return -c.at[column]
}

// Coordinates returns all coordinates of a point of R^in.
func (p Point) Coordinates(in int) []float64 {
	if p.Columns == nil {
		return p.Values
	}
	return p.CoordinatesIn(make([]float64, in))
}

// CoordinatesIn returns all coordinates of a point, in dst if it is a list.
func (p Point) CoordinatesIn(dst []float64) []float64 {
	if p.Columns == nil {
		return p.Values
	}
	clear(dst)
	if p.center != nil {
		floats.SubTo(dst, dst, p.center.at)
	}
	p.To(dst)
	return dst
}

// equal tells whether two points have the same coordinates.
func (p Point) equal(q Point) bool {
	return slices.Equal(p.Values, q.Values) && slices.Equal(p.Columns, q.Columns)
}

// Pair is two points, with the quantities on which moments depend.
type Pair struct {
	A, B     Point
	T        float64 // ⟨x, y⟩
	S        float64 // Σxᵢ²yᵢ²
	Distance float64
	delta    []float64 // x − y, if this has more digits than the difference of x and y; otherwise nil

	Memory *Memory
}

// Memory is memory for the coordinates of one pair after another.
type Memory struct {
	x, y, delta []float64
	columns     []int
}

// NewPair returns the pair of two points. Its memory is shared with other pairs.
func NewPair(a, b Point, memory *Memory) Pair {
	p := Pair{A: a, B: b, Memory: memory}
	left, right, columns := p.Coordinates()
	right = right[:len(left)]
	var inner, squares, sum float64
	for i, x := range left {
		y := right[i]
		product, difference := x*y, x-y
		inner += product
		squares += product * product
		sum += difference * difference
	}
	others, fourths := a.center.beyond(columns)
	p.T, p.S, p.Distance = inner+others, squares+fourths, math.Sqrt(sum)
	if !(sum > arith.TinyDistance && sum <= math.MaxFloat64) {
		p.Distance = floats.Distance(left, right, 2)
	}
	return p
}

// PairBehind returns the pair of the images of two points, with the image of their difference.
func PairBehind(w warp.Warp, x, y []float64) Pair {
	p := NewPair(newDense(w.Image(x)), newDense(w.Image(y)), new(Memory))
	if w.Factorless() {
		return p
	}
	delta := w.Linear().Image(floats.SubTo(make([]float64, len(x)), x, y))
	if distance := floats.Norm(delta, 2); arith.Finite(distance) {
		p.delta, p.Distance = delta, distance
	}
	return p
}

// Coordinates returns the coordinates of both points: all, or those in columns for which at least one has an entry. In
// other columns the points are equal, and 0 if there is no center. The slices are valid until the next call for a pair
// with the same memory.
func (p *Pair) Coordinates() (x, y []float64, columns []int) {
	if p.A.Columns == nil {
		return p.A.Values, p.B.Values, nil
	}
	p.Memory.merge(p.A, p.B)
	return p.Memory.x, p.Memory.y, p.Memory.columns
}

// merge sets x, y and columns for two lists.
func (m *Memory) merge(a, b Point) {
	n := len(a.Values) + len(b.Values) + 1 // not 0, so that columns are not nil
	x, y, columns := slices.Grow(m.x[:0], n)[:n], slices.Grow(m.y[:0], n)[:n], slices.Grow(m.columns[:0], n)[:n]
	center, left, right := a.center, a.Columns, b.Columns
	u, v := a.Values[:len(left)], b.Values[:len(right)]
	i, j, end := 0, 0, 0
	for ; i < len(left) && j < len(right); end++ {
		switch l, r := left[i], right[j]; {
		case l < r:
			x[end], y[end], columns[end] = u[i], center.other(l), l
			i++
		case r < l:
			x[end], y[end], columns[end] = center.other(r), v[j], r
			j++
		default:
			x[end], y[end], columns[end] = u[i], v[j], l
			i, j = i+1, j+1
		}
	}
	for ; i < len(left); i, end = i+1, end+1 {
		x[end], y[end], columns[end] = u[i], center.other(left[i]), left[i]
	}
	for ; j < len(right); j, end = j+1, end+1 {
		x[end], y[end], columns[end] = center.other(right[j]), v[j], right[j]
	}
	m.x, m.y, m.columns = x[:end], y[:end], columns[:end]
}

// Difference returns x − y for the coordinates that the method Coordinates returns. It is valid as long as
// these are.
func (p *Pair) Difference() rows.List {
	m := p.Memory
	if p.delta != nil {
		m.delta = append(m.delta[:0], p.delta...)
		return rows.List{Values: m.delta}
	}
	x, y, columns := p.Coordinates()
	m.delta = slices.Grow(m.delta[:0], len(x))[:len(x)]
	return rows.List{Values: floats.SubTo(m.delta, x, y), Columns: columns}
}

// A listWarp applies the linear map of a warp, without subtracting its center, to lists of points of R^in.
type listWarp struct {
	warp.Warp
	order []int // indices of cols, in ascending order of the columns that they select
}

func NewListWarp(w warp.Warp) listWarp {
	l := listWarp{Warp: w}
	for i := range w.Cols {
		l.order = append(l.order, i)
	}
	slices.SortStableFunc(l.order, func(i, j int) int { return cmp.Compare(w.Cols[i], w.Cols[j]) })
	return l
}

// Image returns the image of a point: a list, or all coordinates if the warp has a dense matrix.
func (l listWarp) Image(x rows.List) rows.List {
	image := rows.List{Values: slices.Clone(x.Values), Columns: x.Columns}
	if l.Cols != nil {
		image = rows.List{Values: image.Values[:0], Columns: make([]int, 0, len(x.Columns))}
		for e, column := range x.Columns {
			first, _ := slices.BinarySearchFunc(l.order, column, func(i, at int) int { return cmp.Compare(l.Cols[i], at) })
			for _, i := range l.order[first:] {
				if l.Cols[i] != column {
					break
				}
				image.Values, image.Columns = append(image.Values, x.Values[e]), append(image.Columns, i)
			}
		}
		sort.Sort(byColumn(image))
	}
	switch {
	case l.Diag != nil:
		for e, column := range image.Columns {
			image.Values[e] *= l.Diag[column]
		}
	case l.Dense != nil:
		n := len(l.Dense) / l.P
		all := make([]float64, l.P)
		for i := range all {
			row := l.Dense[i*n : (i+1)*n]
			for e, column := range image.Columns {
				all[i] += float64(row[column] * image.Values[e])
			}
		}
		return rows.List{Values: all}
	}
	return image
}

// byColumn sorts a list by its columns.
type byColumn rows.List

func (l byColumn) Len() int           { return len(l.Columns) }
func (l byColumn) Less(i, j int) bool { return l.Columns[i] < l.Columns[j] }
func (l byColumn) Swap(i, j int) {
	l.Columns[i], l.Columns[j] = l.Columns[j], l.Columns[i]
	l.Values[i], l.Values[j] = l.Values[j], l.Values[i]
}
