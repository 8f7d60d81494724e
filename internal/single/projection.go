// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package single

import (
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap/internal/blocking"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Epilogue is what is done with t = Ωx + b, form by form.
type Epilogue int

// The assembly relies on these values, which are the same in package projection.
const (
	Store  Epilogue = iota // t
	Cos                    // scale·cos(2πt), one column a form
	CosSin                 // the cosines of all forms, then the sines of all forms
)

// Projection is a matrix of linear forms Ω and a bias b, with an epilogue. The zero value is useless; call New, and Set
// for each form. It is safe for concurrent use once all forms are set.
type Projection struct {
	forms, in int
	epilogue  Epilogue
	tier      tier.Tier
	shape     shape
	table     phaseTable

	// packed holds the forms by panels of shape.width forms. Each panel is stored as the biases, then the weights of
	// coordinate 0, of coordinate 1, …. The last panel is padded with zeros.
	packed []float32

	passCoords int // see shape
}

// maxCallCoords keeps a call of a kernel below about 100 µs, because the scheduler cannot interrupt
// assembly.
const maxCallCoords = 1 << 14

// New returns a projection of R^in by the given number of forms, all zero, in the best available tier. Cosines and
// sines are multiplied by scale ≥ 0; Store ignores it.
func New(forms, in int, e Epilogue, scale float64) *Projection {
	return newIn(tier.Best(), forms, in, e, scale)
}

func newIn(t tier.Tier, forms, in int, e Epilogue, scale float64) *Projection {
	p := &Projection{
		forms: forms, in: in, epilogue: e, tier: t, shape: shapes[t], table: newPhaseTable(scale), passCoords: shapes[t].passCoords,
	}
	p.packed = aligned(p.panels() * p.panelSize())
	return p
}

// Set makes form i x ↦ w·x + b, in turns, rounded to float32.
func (p *Projection) Set(i int, w []float64, b float64) {
	width := p.shape.width
	panel := p.packed[i/width*p.panelSize():]
	lane := i % width
	panel[lane] = float32(b)
	for k, v := range w[:p.in] {
		panel[(k+1)*width+lane] = float32(v)
	}
}

// panels returns the number of panels, including the padded one.
func (p *Projection) panels() int { return (p.forms-1)/p.shape.width + 1 }

// panelSize returns the number of elements in a panel.
func (p *Projection) panelSize() int { return (p.in + 1) * p.shape.width }

// tile is memory for the last panel, which is only partly filled: with its sines, or with partial sums.
type tile [2 * maxRows * maxWidth]float32

// block transforms the rows of x into rows of dst by the panels [lo, hi): by blocks of panels, which stay in the cache,
// then by coordinates, then by strips of rows. If there are many coordinates it takes a part at a time, and partial
// sums wait in the destination.
func (p *Projection) block(dst, x blas32.General, lo, hi int, buf *[2]tile) {
	blocking.Panels(lo, hi, p.shape.width, p.shape.blockWeights, p.in, p.coordsTogether(), func(lo, hi, from, to int) {
		pass{p, lo, hi, from, to}.strips(dst, x, buf)
	})
}

// coordsTogether returns the number of coordinates that rows go through at a time.
func (p *Projection) coordsTogether() int { return blocking.Coords(p.in, p.passCoords) }

// pass is the work by the panels [lo, hi), on the coordinates [from, to).
type pass struct {
	p        *Projection
	lo, hi   int
	from, to int
}

// strips processes the rows strip by strip. The last panel, if it is padded, waits for the last pass, and then takes
// all coordinates.
func (c pass) strips(dst, x blas32.General, buf *[2]tile) {
	p := c.p
	whole := p.forms / p.shape.width // panels without padding
	blocking.Strips(x.Rows, p.shape.rows, func(i, rows int) {
		s := strip{
			rows:      rows,
			wStride:   p.panelSize(),
			x:         x.Data[i*x.Stride:],
			xStride:   x.Stride,
			dst:       dst.Data[i*dst.Stride:],
			dstStride: dst.Stride,
			sin:       p.forms,
		}
		if hi := min(c.hi, whole); c.lo < hi {
			c.whole(s, hi)
		}
		if c.to == p.in && c.hi > whole {
			p.last(s, buf)
		}
	})
}

// whole computes a strip by the whole panels [lo, hi) of the pass: in one call from biases to outputs if it has all
// coordinates, otherwise panel by panel.
func (c pass) whole(s strip, hi int) {
	p := c.p
	width := p.shape.width
	panel, to := p.packed[c.lo*p.panelSize():], s.dst[c.lo*width:]
	if c.from == 0 && c.to == p.in {
		s.epilogue, s.panels, s.k = p.epilogue, hi-c.lo, p.in
		s.start, s.w, s.dst = panel, panel[width:], to
		s.compute(p.tier, &p.table)
		return
	}
	s.panels = 1
	for i := c.lo; i < hi; i++ {
		s.dst = to[(i-c.lo)*width:]
		c.chains(s, p.packed[i*p.panelSize():], s.dst, s.dstStride)
	}
}

// chains computes a strip by one panel on the coordinates of the pass. It reads partial sums from sums, in rows a
// stride apart, and writes them there unless they are complete. Storing them loses nothing.
func (c pass) chains(s strip, panel, sums []float32, stride int) {
	p := c.p
	s.epilogue, s.panels, s.k = p.epilogue, 1, c.to-c.from
	if c.to < p.in {
		s.epilogue, s.dst, s.dstStride = Store, sums, stride
	}
	s.start, s.startRow = panel, 0
	if c.from > 0 {
		s.start, s.startRow = sums, stride
	}
	s.w, s.x = panel[(1+c.from)*p.shape.width:], s.x[c.from:]
	s.compute(p.tier, &p.table)
}

// last computes a strip by the last panel, which is only partly filled. It uses a tile of its own, so that nothing is
// written beyond the panel's forms.
func (p *Projection) last(s strip, buf *[2]tile) {
	width, last := p.shape.width, p.panels()-1
	sums, outputs := buf[0][:], buf[1][:]
	to, sin := s, s.sin
	s.dst, s.dstStride, s.sin = outputs, 2*width, width
	coords := p.coordsTogether()
	for k := 0; k < p.in; k += coords {
		pass{p: p, from: k, to: min(k+coords, p.in)}.chains(s, p.packed[last*p.panelSize():], sums, width)
	}
	n := p.forms - last*width
	for r := range s.rows {
		row, from := to.dst[r*to.dstStride+last*width:], outputs[r*2*width:]
		copy(row[:n], from)
		if p.epilogue == CosSin {
			copy(row[sin:sin+n], from[width:])
		}
	}
}
