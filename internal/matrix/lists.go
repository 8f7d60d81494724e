// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package matrix

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Rows of kernel matrices that are given as lists of non-zeros.

// allRows returns all coordinates of all rows: views, or copies. It reads lists of non-zeros directly, not by At. As At
// does, it ignores entries outside the matrix, and adds up entries of one coordinate.
func allRows(r *rows.Reader) blas64.General {
	if r.Lists == nil {
		return r.Block(0, r.N)
	}
	x := blas64.General{Rows: r.N, Cols: r.Cols, Stride: max(r.Cols, 1), Data: make([]float64, r.N*r.Cols)}
	for i := range x.Rows {
		row := Row(x, i)
		for _, e := range r.Entries(i) {
			if uint(e.Column) < uint(r.Cols) {
				row[e.Column] += e.Value
			}
		}
	}
	return x
}

// Sparse tells whether points with so many entries stay lists. Others are packed, which is faster.
func Sparse(entries, elements int) bool {
	const times = 8
	return times*entries <= elements
}

// sparse returns copies of the points of a reader of lists, or nil if they are not sparse, or if an entry is outside the
// matrix or another one of the same coordinate.
func sparse(r *rows.Reader) []rows.List {
	lists, all := make([]rows.List, r.N), 0
	for i := range lists {
		entries, last := r.Entries(i), -1
		if all += len(entries); !Sparse(all, r.N*r.Cols) {
			return nil
		}
		l := rows.List{Values: make([]float64, len(entries)), Columns: make([]int, len(entries))}
		for k, e := range entries {
			if uint(e.Column) >= uint(r.Cols) || e.Column == last {
				return nil
			}
			last = e.Column
			l.Values[k], l.Columns[k] = e.Value, e.Column
		}
		lists[i] = l
	}
	return lists
}

// takesSparse tells whether points that are lists can stay lists, if they are sparse.
func (p *Program) takesSparse(in int) bool {
	if p.Evaluated > 0 || len(p.weights) > 0 {
		return false
	}
	for _, i := range p.images {
		if len(i.Warps) > 0 || i.through != nil || i.logs != nil {
			return false
		}
	}
	for _, s := range p.statistics {
		if !s.measure.ListsAsPoints(in) {
			return false
		}
	}
	return true
}

// setLists prepares points that are lists.
func (m *Matrix) setLists(lists []rows.List) {
	m.centers = make([][]float64, len(m.program.images))
	m.self = &pointSet{lists: lists, in: m.in}
	for _, s := range m.program.statistics {
		points := gram.NewOfLists(s.measure, lists, m.in, s.factors)
		m.points = append(m.points, points)
		m.self.batches = append(m.self.batches, points.Self)
	}
	m.lists = m.takesLists()
}

// takesLists tells whether rows that are lists can stay lists. They can if the program only has statistics of the
// points themselves, all of which take lists.
func (m *Matrix) takesLists() bool {
	p := m.program
	if p.Evaluated > 0 || len(p.weights) > 0 {
		return false
	}
	for _, i := range p.images {
		if len(i.Warps) > 0 || i.through != nil || !slices.Equal(i.logs, p.images[0].logs) {
			return false
		}
	}
	for _, points := range m.points {
		if !points.TakesLists() {
			return false
		}
	}
	return true
}

// listBatch is memory for rows that are lists.
type listBatch struct {
	rows    []rows.List
	values  []float64
	columns []int
	ends    []int // the ends of the rows in values and columns
	dense   []float64
}

// read returns the rows [lo, hi) of a reader of lists. It panics with mat.ErrColAccess or ErrDuplicate: see FeatureMap
// of the root package.
func (l *listBatch) read(r *rows.Reader, lo, hi int) []rows.List {
	l.rows, l.values, l.columns, l.ends = l.rows[:0], l.values[:0], l.columns[:0], l.ends[:0]
	for i := lo; i < hi; i++ {
		last := -1
		for _, e := range r.Entries(i) {
			if uint(e.Column) >= uint(r.Cols) {
				panic(mat.ErrColAccess)
			}
			if e.Column == last {
				panic(projection.ErrDuplicate)
			}
			last = e.Column
			l.values, l.columns = append(l.values, e.Value), append(l.columns, e.Column)
		}
		l.ends = append(l.ends, len(l.values))
	}
	start := 0
	for _, end := range l.ends {
		l.rows = append(l.rows, rows.List{Values: l.values[start:end], Columns: l.columns[start:end]})
		start = end
	}
	return l.rows
}

// scatter returns all coordinates of rows that are lists.
func (l *listBatch) scatter(lists []rows.List, in int) blas64.General {
	n := len(lists) * in
	l.dense = slices.Grow(l.dense[:0], n)[:n]
	clear(l.dense)
	x := blas64.General{Rows: len(lists), Cols: in, Stride: max(in, 1), Data: l.dense}
	for i, list := range lists {
		list.To(Row(x, i))
	}
	return x
}

// batch prepares the rows [lo, hi) of the reader.
func (c *matrixCall) batch(lo, hi int) {
	m, p := c.m, &c.points
	if c.reader.Lists == nil {
		m.batch(p, c.reader.Block(lo, hi))
		return
	}
	lists := c.lists.read(&c.reader, lo, hi)
	if !m.lists {
		m.batch(p, c.lists.scatter(lists, m.in))
		return
	}
	if len(m.program.images) > 0 && m.program.images[0].logs != nil {
		for k, column := range c.lists.columns {
			c.lists.values[k] = rows.Logarithm(c.lists.values[k], m.program.images[0].logs[column])
		}
	}
	p.images, p.weights, p.lists, p.in = p.images[:0], p.weights[:0], lists, m.in
	for i, points := range m.points {
		points.PrepareLists(p.batch(i), lists)
	}
}

// row returns an image of point i: a view, or a copy of a list.
func (p *pointSet) row(image, i int) []float64 {
	if p.lists == nil {
		return Row(p.images[image], i)
	}
	x := make([]float64, p.in)
	p.lists[i].To(x)
	return x
}
