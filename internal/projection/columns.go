// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// PanelForms is a multiple of the number of forms in a panel of every tier.
const PanelForms = 24

// buffers are those of Columns.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// Columns sets dst to the forms [lo, hi) of the rows of x, in the calling goroutine, for a projection with the epilogue
// Store. lo is a multiple of PanelForms; hi is one, too, or the number of forms.
func (p *Projection) Columns(dst, x blas64.General, lo, hi int) {
	buf := buffers.Get().(*buffer)
	width := p.shape.width
	p.blockFrom(lo, dst, x, lo/width, (hi-1)/width+1, buf, nil)
	buffers.Put(buf)
}

// SinTurns returns sin(2πt) for |t| ≤ ¼, as epilogues compute it.
func SinTurns(t float64) float64 { return unitSinTurns.at(t) }

// A ListRow is a row as a list of what is not 0 in it, which Columns gives the same bits as a dense one.
type ListRow struct{ entries []nonZero }

// List returns a row as a list, or nil where it is so full that as a dense one, together with others, it takes less, or where
// its bits might be others (see asDense).
func (p *Projection) List(x []float64) *ListRow {
	const most, fewest = 5000, 64
	full := min(p.fullRow, most)
	if len(x) < fewest || p.leastWeight() == noLists {
		return nil
	}
	n := 0
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	if n > full {
		return nil
	}
	z := nonZeros{entries: make([]nonZero, 0, n), ends: []int{n}, least: []int{leastOfNone}, weights: p.leastWeight()}
	for k, v := range x {
		if v != 0 {
			z.entries = append(z.entries, nonZero{k, v})
			z.least[0] = min(z.least[0], leastExponent(v))
		}
	}
	if p.asDense(&z, 0) {
		return nil
	}
	return &ListRow{z.entries}
}

// leastWeight returns the least of least, which is computed once: all forms must be set.
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
