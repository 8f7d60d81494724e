// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/blocking"
)

// maxCallCoords keeps a call of a kernel below about 100 µs, because the scheduler cannot interrupt
// assembly.
const maxCallCoords = 1 << 14

// buffer is the memory that a goroutine needs.
type buffer struct {
	sums [maxRows * maxWidth]float64     // partial sums of a tile
	tile [2 * maxRows * maxWidth]float64 // a tile with its sines
}

// block transforms the rows of x into rows of dst by the panels [lo, hi): by blocks of panels, then
// by strips of rows.
func (p *Projection) block(dst, x blas64.General, lo, hi int, buf *buffer) {
	p.blockFrom(0, dst, x, lo, hi, buf, nil)
}

// blockThen is block that also calls done, if it is not nil, when the forms [first, last) of the rows [row, end)
// are done and still in the cache.
func (p *Projection) blockThen(dst, x blas64.General, lo, hi int, buf *buffer, done func(row, end, first, last int)) {
	p.blockFrom(0, dst, x, lo, hi, buf, done)
}

// blockFrom is blockThen for a dst whose first column is form number first.
func (p *Projection) blockFrom(first int, dst, x blas64.General, lo, hi int, buf *buffer, done func(row, end, first, last int)) {
	blocking.Panels(lo, hi, p.shape.width, p.shape.blockWeights, p.in, p.coordsTogether(), func(lo, hi, from, to int) {
		c := pass{p, dst, x, lo, hi, from, to, 0, first, buf}
		c.strips(done)
	})
}

// resume continues the chains of all panels, none of which may be padded. The coordinates before from are done: the
// partial sums are in dst. It adds the coordinates [from, to), which are the columns of x.
func (p *Projection) resume(dst, x blas64.General, from, to int, buf *buffer) {
	blocking.Panels(0, p.panels(), p.shape.width, p.shape.blockWeights, to-from, to-from, func(lo, hi, _, _ int) {
		c := pass{p, dst, x, lo, hi, from, to, from, 0, buf}
		c.strips(nil)
	})
}

// coordsTogether returns the number of coordinates that rows go through at a time. Partial sums wait in the
// destination, which is not possible with Multiply.
func (p *Projection) coordsTogether() int {
	if p.epilogue == Multiply {
		return p.in
	}
	return blocking.Coords(p.in, p.passCoords)
}

// pass is the work for rows, by the panels [lo, hi), on the coordinates [from, to).
type pass struct {
	p        *Projection
	dst, x   blas64.General
	lo, hi   int
	from, to int
	at       int // the coordinate in the first column of x
	first    int // the form in the first column of dst
	buf      *buffer
}

// strips processes the rows strip by strip. See blockThen for done.
func (c *pass) strips(done func(row, end, first, last int)) {
	p := c.p
	width := p.shape.width
	whole := p.forms / width // panels without padding
	last := c.to == p.in
	blocking.Strips(c.x.Rows, p.shape.rows, func(i, rows int) {
		s := strip{
			epilogue:  p.epilogue,
			rows:      rows,
			narrow:    p.shape.narrow,
			k:         p.in,
			wStride:   p.panelSize(),
			x:         c.x.Data[i*c.x.Stride:],
			xStride:   c.x.Stride,
			dst:       c.dst.Data[i*c.dst.Stride:],
			dstStride: c.dst.Stride,
			sin:       p.sin,
			first:     c.first,
		}
		if last && c.hi > whole {
			p.lastPanel(s, c.buf)
		}
		s.dst = s.dst[c.lo*width-c.first:]
		if c.from == 0 && last {
			p.run(s, c.lo, min(c.hi, whole), c.buf)
		} else {
			c.part(s, min(c.hi, whole))
		}
		if last && done != nil {
			done(i, i+rows, c.lo*width, min(c.hi*width, p.forms))
		}
	})
}

// part computes a strip by the whole panels up to hi, on the coordinates of the pass.
func (c *pass) part(s strip, hi int) {
	p := c.p
	width := p.shape.width
	if c.to < p.in {
		s.epilogue = Store
	}
	s.panels, s.k = 1, c.to-c.from
	s.x = s.x[c.from-c.at:]
	for i := c.lo; i < hi; i++ {
		panel := p.packed[i*p.panelSize():]
		s.w = panel[(1+c.from)*width:]
		if c.from == 0 {
			s.start, s.startRow = panel, 0
		} else {
			s.start, s.startRow = s.dst, s.dstStride
		}
		p.chains(s, c.buf)
		if i+1 < hi {
			s.dst = s.dst[width:]
		}
	}
}

// run computes a strip by the whole panels [lo, hi).
func (p *Projection) run(s strip, lo, hi int, buf *buffer) {
	s.panels = hi - lo
	if s.k > p.callCoords {
		s.panels = 1
	}
	to := s.dst
	for i := lo; i < hi; i += s.panels {
		s.start = p.packed[i*p.panelSize():]
		s.w = s.start[p.shape.width:]
		s.dst = to[(i-lo)*p.shape.width:]
		p.chains(s, buf)
	}
}

// chains computes a strip, a part of the coordinates at a time if it must: storing partial sums
// loses nothing.
func (p *Projection) chains(s strip, buf *buffer) {
	width := p.shape.width
	for s.k > p.callCoords {
		part := s
		part.k = p.callCoords
		part.epilogue, part.dst, part.dstStride = Store, buf.sums[:], width
		part.compute(p.tier, &p.table)
		s.k -= part.k
		if s.listed {
			s.entries = s.entries[part.k:]
		} else {
			s.w, s.x = s.w[part.k*width:], s.x[part.k:]
		}
		s.start, s.startRow = buf.sums[:], width
	}
	s.compute(p.tier, &p.table)
}

// lastPanel computes a strip by the last panel, which is only partly filled. It uses a tile of its
// own, so that nothing is written beyond the panel's forms.
func (p *Projection) lastPanel(s strip, buf *buffer) {
	last := p.panels() - 1
	p.run(p.onTile(s, buf), last, last+1, buf)
	p.fromTile(s, buf)
}

// onTile returns s with the tile as its destination.
func (p *Projection) onTile(s strip, buf *buffer) strip {
	width := p.shape.width
	s.dst, s.dstStride, s.sin = buf.tile[:], 2*width, width
	if s.epilogue == Multiply {
		s.epilogue = Store
	}
	return s
}

// fromTile copies the outputs of the last panel from the tile to the destination of s.
func (p *Projection) fromTile(s strip, buf *buffer) {
	width := p.shape.width
	last := p.panels() - 1
	n := p.forms - last*width
	for r := range s.rows {
		from, to := buf.tile[r*2*width:], s.dst[r*s.dstStride+last*width-s.first:]
		switch s.epilogue {
		case Multiply:
			for l, v := range from[:n] {
				to[l] *= v
			}
			continue
		case CosSin:
			copy(to[s.sin:s.sin+n], from[width:])
		}
		copy(to[:n], from)
	}
}
