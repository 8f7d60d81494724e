// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// PanelForms is a multiple of the number of forms in a panel of every tier.
const PanelForms = 24

// buffers are the buffers of Columns.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// Columns sets dst to the forms [lo, hi) of the rows of x, in the calling goroutine, for a projection with the epilogue
// Store. lo is a multiple of PanelForms; hi is a multiple too, or the number of forms.
func (p *Projection) Columns(dst, x blas64.General, lo, hi int) {
	buf := buffers.Get().(*buffer)
	width := p.shape.width
	p.blockFrom(lo, dst, x, lo/width, (hi-1)/width+1, buf, nil)
	buffers.Put(buf)
}

// SinTurns returns sin(2πt) for |t| ≤ ¼, as epilogues compute it.
func SinTurns(t float64) float64 { return unitSinTurns.at(t) }

// CosSinTurns returns cos(2πt) and sin(2πt).
func CosSinTurns(t float64) (cos, sin float64) { return unitSinTurns.cosSin(t) }

// ListRow is a row as a list of its non-zeros. Columns gives it the same bits as a dense row.
type ListRow struct{ entries []nonZero }

// List returns a row as a list. It returns nil if the row is so full that it is faster as a dense row, together with
// others, or if its bits might differ (see asDense).
func (p *Projection) List(x []float64) *ListRow {
	n := 0
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	if !p.worthList(n) {
		return nil
	}
	entries := make([]nonZero, 0, n)
	for k, v := range x {
		if v != 0 {
			entries = append(entries, nonZero{k, v})
		}
	}
	return p.listRow(entries)
}

// ListOf is List for a row that has these values in these columns, in ascending order, and is 0 elsewhere. It may take
// the memory of another row, which is not valid afterwards; nil: none.
func (p *Projection) ListOf(other *ListRow, columns []int, values []float64) *ListRow {
	if !p.worthList(len(values)) {
		return nil
	}
	return p.listRow(other.entriesOf(columns, values))
}

// entriesOf returns the non-zeros of a row that has these values in these columns, in the memory of l, which may be nil.
func (l *ListRow) entriesOf(columns []int, values []float64) (entries []nonZero) {
	if l != nil {
		entries = l.entries[:0]
	}
	entries = slices.Grow(entries, len(values))
	for e, v := range values {
		if v != 0 {
			entries = append(entries, nonZero{columns[e], v})
		}
	}
	return entries
}

// worthList tells whether a row with n non-zeros may be a list.
func (p *Projection) worthList(n int) bool {
	const most, fewest = 5000, 64
	return p.in >= fewest && p.leastWeight() != noLists && n <= min(p.fullRow, most)
}

// listRow returns the row with these entries, or nil if its bits might differ.
func (p *Projection) listRow(entries []nonZero) *ListRow {
	z := nonZeros{entries: entries, ends: []int{len(entries)}, least: []int{leastOfNone}, weights: p.leastWeight()}
	for _, e := range entries {
		z.least[0] = min(z.least[0], leastExponent(e.v))
	}
	if p.asDense(&z, 0) {
		return nil
	}
	return &ListRow{z.entries}
}

// leastWeight returns the minimum of least, which is computed once. All forms must be set before.
func (p *Projection) leastWeight() int { return p.leastOfAll() }

// ListColumns is Columns for one row that is a list.
func (p *Projection) ListColumns(dst []float64, l *ListRow, lo, hi int) {
	buf := buffers.Get().(*buffer)
	width := p.shape.width
	from, to, whole := lo/width, (hi-1)/width+1, p.forms/width
	s := p.listStrip(blas64.General{Stride: len(dst)})
	s.entries, s.k, s.dst, s.first = l.entries, len(l.entries), dst, lo
	if to > whole {
		p.lastPanel(s, buf)
	}
	p.run(s, from, min(to, whole), buf)
	buffers.Put(buf)
}
