// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Rows as lists of their entries. Prepared lists contain what is not 0 in the prepared row: the row's own entries, and
// the columns in which the center is not 0. They take time proportional to these entries, except where points are near,
// and have the same bits as dense rows.

// ListsAsPoints tells whether NewOfLists takes points of d coordinates.
func (m Measure) ListsAsPoints(d int) bool {
	return m.Of == Inner || m.Of == Squares && d > nearCoords
}

// NewOfLists is New for points that are lists with columns in ascending order, each at most once, which it keeps. Where
// most coordinates are 0, points take memory in proportion to the others.
func NewOfLists(m Measure, x []rows.List, d int, factors []float64) *Points {
	return newOfLists(tier.Best(), m, x, d, factors)
}

func newOfLists(t tier.Tier, m Measure, x []rows.List, d int, factors []float64) *Points {
	p := newPoints(t, m, len(x), d, factors)
	if m.Of == Squares {
		p.center = centerOfLists(x, d)
		p.centered = nonZeroColumns(p.center)
	}
	var union listUnion
	p.scattered = projection.NewScattered(p.N, d, func(i int) ([]int, []float64) {
		l := x[i]
		if p.center != nil {
			l = union.less(l, p)
		}
		return l.Columns, l.Values
	})
	p.forms, p.Self = p.scattered, new(Batch)
	p.PrepareLists(p.Self, x)
	return p
}

// centerOfLists is Center of lists of d coordinates, without their zeros.
func centerOfLists(x []rows.List, d int) []float64 {
	columns, n := make([][]float64, d), 0
	for i, step := 0, centerStep(len(x)); i < len(x); i += step {
		if !finite(x[i].Values) {
			continue
		}
		n++
		for e, k := range x[i].Columns {
			columns[k] = append(columns[k], x[i].Values[e])
		}
	}
	c := make([]float64, d)
	for k, column := range columns {
		slices.Sort(column)
		below, _ := slices.BinarySearch(column, 0)
		switch zeros := n - len(column); {
		case n/2 < below:
			c[k] = column[n/2]
		case n/2 >= below+zeros && n > 0:
			c[k] = column[n/2-zeros]
		}
	}
	return c
}

// Weights returns about the number of coordinates of a point that an inner product passes over.
func (p *Points) Weights() int {
	if p.scattered != nil {
		return p.scattered.Weights()
	}
	return p.D
}

// TakesLists tells whether PrepareLists can be called: for inner products, directions, and squared distances of points
// with more than a few coordinates.
func (p *Points) TakesLists() bool { return p.forms != nil && p.circles == nil && finite(p.factors) }

// PrepareLists is Prepare for rows that are lists with columns in ascending order, each at most once. It keeps x.
func (p *Points) PrepareLists(b *Batch, x []rows.List) {
	b.points, b.entries, b.norms = p, x, b.norms[:0]
	if more := len(x) - len(b.lists); more > 0 {
		b.lists = append(b.lists, make([]*projection.ListRow, more)...)
	}
	b.lists = b.lists[:len(x)]
	var union listUnion
	for i, l := range x {
		prepared := l
		if p.measure.Of == Chords {
			prepared = unitList(l)
		} else if p.center != nil {
			prepared = union.less(l, p)
		}
		var norm float64
		for _, v := range prepared.Values {
			norm = math.FMA(v, v, norm)
		}
		b.norms = append(b.norms, norm)
		b.lists[i] = p.forms.ListOf(b.lists[i], prepared.Columns, prepared.Values) // in the memory of the row before
	}
}

// unitList returns x/‖x‖ of a list.
func unitList(l rows.List) rows.List {
	u := rows.List{Values: make([]float64, len(l.Values)), Columns: l.Columns}
	unit(u.Values, l.Values)
	return u
}

// A listUnion is memory for a list and the columns in which a center is not 0.
type listUnion struct{ rows.List }

// less returns a list minus the center of p, times its factors.
func (u *listUnion) less(l rows.List, p *Points) rows.List {
	u.Columns, u.Values = u.Columns[:0], u.Values[:0]
	add := func(k int, v float64) {
		u.Columns, u.Values = append(u.Columns, k), append(u.Values, (v-p.center[k])*p.factors[k])
	}
	e := 0
	for _, k := range p.centered {
		for ; e < len(l.Columns) && l.Columns[e] < k; e++ {
			add(l.Columns[e], l.Values[e])
		}
		if e < len(l.Columns) && l.Columns[e] == k {
			add(k, l.Values[e])
			e++
		} else {
			add(k, 0)
		}
	}
	for ; e < len(l.Columns); e++ {
		add(l.Columns[e], l.Values[e])
	}
	return u.List
}

// nonZeroColumns returns the columns in which x is not 0.
func nonZeroColumns(x []float64) []int { return rows.NewList(x).Columns }

// listsDirect is scaledDirect of two lists: differences of 0 leave the chains as they are.
func (p *Points) listsDirect(x, y rows.List) float64 {
	var s [8]float64
	for i, j := 0, 0; i < len(x.Columns) || j < len(y.Columns); {
		k, t := p.D, 0.0
		if i < len(x.Columns) {
			k = x.Columns[i]
		}
		if j < len(y.Columns) {
			k = min(k, y.Columns[j])
		}
		if i < len(x.Columns) && x.Columns[i] == k {
			t = x.Values[i]
			i++
		}
		if j < len(y.Columns) && y.Columns[j] == k {
			t -= y.Values[j]
			j++
		}
		t *= p.factors[k]
		s[k%8] = math.FMA(t, t, s[k%8])
	}
	return sumOf(&s)
}

// values returns the original numbers of row i; for a list, its entries.
func (b *Batch) values(i int) []float64 {
	if b.entries == nil {
		return row(b.raw, i)
	}
	return b.entries[i].Values
}

// given returns all original coordinates of row i: a view, or a copy of a list.
func (b *Batch) given(i int) []float64 {
	if b.entries == nil {
		return row(b.raw, i)
	}
	x := make([]float64, b.points.D)
	b.entries[i].To(x)
	return x
}

// prepared returns all prepared coordinates of row i: a view, or a copy of a list.
func (b *Batch) prepared(i int) []float64 {
	if b.entries == nil {
		return row(b.rows, i)
	}
	x := b.given(i)
	b.points.prepareRow(x, x)
	return x
}
