// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package projection

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// blockNonZeros is block for rows that are lists: by blocks of panels, or by parts of single panels,
// whose weights stay in the cache while rows pass over them. Parts only pay if the rows use most
// weights.
//
// Chains of lists skip the zeros, which would add w·0 = ±0. This changes no sum except −0, to +0: see
// asDense.
func (p *Projection) blockNonZeros(dst blas64.General, z *nonZeros, lo, hi int, b *stackBuffer) {
	z.weights = slices.Min(p.least)
	p.denseRows(dst, z, lo, hi, b)
	if passes := (p.panelSize()-1)/p.listWeights + 1; passes > 1 && len(z.entries) > p.in {
		c := listPasses{Projection: p, dst: dst, z: z, b: b, coords: (p.in-1)/passes + 1}
		c.split()
		for ; lo < hi; lo++ {
			c.panel(lo)
		}
		return
	}
	width := p.shape.width
	group := max(1, p.listWeights/p.panelSize())
	whole := p.forms / width // panels without padding
	for ; lo < hi; lo += group {
		end := min(lo+group, hi)
		for i := range z.len() {
			if p.asDense(z, i) {
				continue
			}
			s := p.listStrip(dst)
			s.entries, s.dst = z.row(i), dst.Data[i*dst.Stride:]
			s.k = len(s.entries)
			if end > whole {
				p.lastPanel(s, b.buf)
			}
			s.dst = s.dst[lo*width:]
			p.run(s, lo, min(end, whole), b.buf)
		}
	}
}

// listStrip returns the strip of a row that is a list, without its entries and its place.
func (p *Projection) listStrip(dst blas64.General) strip {
	return strip{
		epilogue:  p.epilogue,
		rows:      1,
		listed:    true,
		wStride:   p.panelSize(),
		dstStride: dst.Stride,
		sin:       p.forms,
	}
}

// listPasses is the work for rows that are lists, on panels that are too large for the cache: a
// part of the coordinates at a time, while the sums of all rows wait.
type listPasses struct {
	*Projection
	dst    blas64.General
	z      *nonZeros
	b      *stackBuffer
	coords int // the number of coordinates of a pass
}

// split sets b.splits to the places, in each row, where the entries of each pass begin and those of the
// last one end.
func (c *listPasses) split() {
	c.b.splits = c.b.splits[:0]
	at := 0
	for _, end := range c.z.ends {
		for from := 0; from < c.in; from += c.coords {
			for at < end && c.z.entries[at].col < from {
				at++
			}
			c.b.splits = append(c.b.splits, at)
		}
		at = end
		c.b.splits = append(c.b.splits, at)
	}
}

// panel processes a panel.
func (c *listPasses) panel(panel int) {
	width := c.shape.width
	c.b.sums = grown(c.b.sums, c.z.len()*width)
	weights := c.packed[panel*c.panelSize():][:c.panelSize()]
	passes := (c.in-1)/c.coords + 1
	for k := range passes {
		c.b.touched += touch(weights[(1+k*c.coords)*width : (1+min((k+1)*c.coords, c.in))*width])
		s := c.listStrip(c.dst)
		s.panels, s.start, s.w = 1, weights, weights[width:]
		if k+1 < passes {
			s.epilogue = Store
		}
		for i := range c.z.len() {
			if c.asDense(c.z, i) {
				continue
			}
			at := c.b.splits[i*(passes+1)+k:]
			s.entries, s.k = c.z.entries[at[0]:at[1]], at[1]-at[0]
			sums := c.b.sums[i*width:]
			if k > 0 {
				s.start = sums
			}
			switch {
			case k+1 < passes:
				s.dst = sums
				c.list(&s)
			case (panel+1)*width > c.forms:
				s.dst = c.dst.Data[i*c.dst.Stride:]
				c.chains(c.onTile(s, c.b.buf), c.b.buf)
				c.fromTile(s, c.b.buf)
			default:
				s.dst = c.dst.Data[i*c.dst.Stride+panel*width:]
				c.list(&s)
			}
		}
	}
}

// list processes a strip, like chains but without copies of it, because strips are many and short.
func (c *listPasses) list(s *strip) {
	if s.k > c.callCoords {
		c.chains(*s, c.b.buf)
		return
	}
	s.compute(c.tier, &c.table)
}

// touch fetches weights into the cache faster than lists reach them: in their order, in four streams, because
// prefetching stops at the end of a page. It omits the last few weights.
func touch(w []float64) (sum float64) {
	const line, streams = 8, 4
	n := len(w) / streams
	w0, w1, w2, w3 := w[:n], w[n:][:n], w[2*n:][:n], w[3*n:][:n]
	for i := 0; i < n; i += line {
		sum += w0[i] + w1[i] + w2[i] + w3[i]
	}
	return sum
}

// denseRows transforms the rows of z that are to be taken as dense rows, many at a time.
func (p *Projection) denseRows(dst blas64.General, z *nonZeros, lo, hi int, b *stackBuffer) {
	for i := 0; i < z.len(); i++ {
		end := i
		for end < min(i+stackRows, z.len()) && p.asDense(z, end) {
			end++
		}
		if end == i {
			continue
		}
		x := b.scatter(z, i, end)
		p.block(rowRange(dst, i, end), x, lo, hi, b.buf)
		b.gather(x, z, i)
		i = end - 1
	}
}

// asDense tells whether row i of z is to be taken as a dense row: if it is fuller, or if its bits as a
// list might differ.
//
// The bits are the same if all weights are finite and no sum becomes −0. They are also the same if the
// epilogue ignores the sign of a zero, as the cosine and the sine of phases ±0 do. A sum that does not
// start at −0 becomes −0 only if a number other than 0 is rounded to it. If the products of weights and
// values are multiples of 2^-1074, so are all sums, and this cannot happen.
func (p *Projection) asDense(z *nonZeros, i int) bool {
	const multiples = 2*1075 - 1074
	least := 0
	if p.signed() {
		least = multiples
	}
	return z.weights+z.least[i] < least || len(z.row(i)) > p.fullRow
}

// signed tells whether the sign of a sum that is 0 affects the outputs.
func (p *Projection) signed() bool { return p.epilogue == Store || p.epilogue == Multiply }
