// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import "gonum.org/v1/gonum/blas/blas64"

// maxCallCoords keeps a call of a kernel under some 100 µs: the scheduler cannot
// interrupt assembly.
const maxCallCoords = 1 << 14

// A buffer is what a goroutine needs of memory.
type buffer struct {
	sums [maxRows * maxWidth]float64     // partial sums of a tile
	tile [2 * maxRows * maxWidth]float64 // a tile with its sines
}

// block transforms the rows of x into those of dst by the panels [lo, hi): by blocks of
// panels, then by strips of rows.
func (p *Projection) block(dst, x blas64.General, lo, hi int, buf *buffer) {
	p.blockThen(dst, x, lo, hi, buf, nil)
}

// blockThen does so, and calls done, if it is not nil, when the forms [first, last) of the rows [row, end) are done
// and still in the cache.
func (p *Projection) blockThen(dst, x blas64.General, lo, hi int, buf *buffer, done func(row, end, first, last int)) {
	size := p.panelSize()
	group := max(1, p.shape.blockWeights/size)
	whole := p.forms / p.shape.width // panels without padding
	for ; lo < hi; lo += group {
		end := min(lo+group, hi)
		rows := p.shape.rows
		for i := 0; i < x.Rows; i += rows {
			for i+rows > x.Rows {
				rows /= 2
			}
			s := strip{
				epilogue:  p.epilogue,
				rows:      rows,
				k:         p.in,
				wStride:   size,
				x:         x.Data[i*x.Stride:],
				xStride:   x.Stride,
				dst:       dst.Data[i*dst.Stride:],
				dstStride: dst.Stride,
				sin:       p.forms,
			}
			if end > whole {
				p.lastPanel(s, buf)
			}
			s.dst = s.dst[lo*p.shape.width:]
			p.run(s, lo, min(end, whole), buf)
			if done != nil {
				done(i, i+rows, lo*p.shape.width, min(end*p.shape.width, p.forms))
			}
		}
	}
}

// run computes a strip by the whole panels [lo, hi).
func (p *Projection) run(s strip, lo, hi int, buf *buffer) {
	s.panels = hi - lo
	if p.in > p.callCoords {
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

// chains computes a strip, some coordinates at a time if it must: partial sums lose
// nothing by being stored.
func (p *Projection) chains(s strip, buf *buffer) {
	width := p.shape.width
	for s.k > p.callCoords {
		part := s
		part.k = p.callCoords
		part.epilogue, part.dst, part.dstStride = Store, buf.sums[:], width
		part.compute(p.tier, &p.table)
		s.k -= part.k
		s.w, s.x = s.w[part.k*width:], s.x[part.k:]
		s.start, s.startRow = buf.sums[:], width
	}
	s.compute(p.tier, &p.table)
}

// lastPanel computes a strip by the last panel, of which only some forms are there: on
// a tile of its own, so that nothing is written beyond them.
func (p *Projection) lastPanel(s strip, buf *buffer) {
	width := p.shape.width
	last := p.panels() - 1
	n := p.forms - last*width
	tile := s
	tile.dst, tile.dstStride, tile.sin = buf.tile[:], 2*width, width
	if s.epilogue == Multiply {
		tile.epilogue = Store
	}
	p.run(tile, last, last+1, buf)
	for r := range s.rows {
		from, to := buf.tile[r*2*width:], s.dst[r*s.dstStride+last*width:]
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
