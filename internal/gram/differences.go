// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// shape is the shape of a tile of differences: a number of rows, and the number of points of a
// panel.
type shape struct{ rows, width int }

// The accumulators of a tile fill 24 of 32 registers with 8 lanes, and 8 of 16 with 4.
var shapes = [...]shape{
	tier.Plain:  {rows: 1, width: plainWidth},
	tier.AVX2:   {rows: 4, width: 8},
	tier.AVX512: {rows: 8, width: 24},
}

const (
	plainWidth = 8
	maxWidth   = 24
)

// pack lays the points out in panels: coordinate 0 of as many points as the panel is wide, coordinate 1, … The last one
// is padded with zeros.
func (p *Points) pack() {
	width := p.shape.width
	p.panels = aligned((p.N + width - 1) / width * width * p.D)
	for i := range p.N {
		panel := p.panels[i/width*width*p.D:]
		for k, v := range row(p.Self.raw, i) {
			panel[k*width+i%width] = v
		}
	}
}

// differences is Fill for statistics of differences.
func (p *Points) differences(dst []float64, stride int, b *Batch, from, rows, lo, hi int) {
	width := p.shape.width
	whole := hi / width // panels without padding
	for i := 0; i < rows; {
		n := 1
		if rows-i >= p.shape.rows {
			n = p.shape.rows
		}
		x := b.raw
		x.Rows, x.Data = n, b.raw.Data[(from+i)*b.raw.Stride:]
		to := dst[i*stride:]
		for at := lo / width; at < whole; at++ {
			p.tile(to[at*width-lo:], stride, x, at)
		}
		if whole*width < hi {
			var last [MaxRows * maxWidth]float64
			p.tile(last[:], width, x, whole)
			for r := range n {
				copy(to[r*stride+whole*width-lo:][:hi-whole*width], last[r*width:])
			}
		}
		i += n
	}
	if p.measure.Of == Sines {
		for i := range rows {
			p.sinesOfFar(dst[i*stride:][:hi-lo], b, from+i, lo)
		}
	}
}

// tile computes the statistics of the rows of x and the points of a panel.
func (p *Points) tile(dst []float64, stride int, x blas64.General, panel int) {
	y := p.panels[panel*p.shape.width*p.D:]
	if p.tier == tier.Plain {
		p.tilePlain(dst, stride, x, y)
		return
	}
	var constants *float64
	if p.measure.Of == Sines {
		constants = &p.sine.wide[0]
	}
	tileAssembly(p.tier, p.measure.Of, dst, stride, x, y, p.factors, constants)
}

// tilePlain is the specification of the tiles: each element is one chain in the order of the coordinates. It begins
// with start and continues with step.
func (p *Points) tilePlain(dst []float64, stride int, x blas64.General, y []float64) {
	for i := range x.Rows {
		to := (*[plainWidth]float64)(dst[i*stride:])
		for l := range to {
			to[l] = p.measure.Of.start()
		}
		for k, v := range row(x, i) {
			of := (*[plainWidth]float64)(y[k*plainWidth:])
			for l, w := range of {
				to[l] = p.step(to[l], (v-w)*p.factors[k])
			}
		}
	}
}

// start returns the statistic of no coordinates.
func (s Statistic) start() float64 {
	if s == Ratios {
		return 1
	}
	return 0
}

// step returns the statistic with one more coordinate, of the difference d.
func (p *Points) step(sum, d float64) float64 {
	switch p.measure.Of {
	case Sines:
		return p.sine.step(sum, d)
	case Squares:
		return math.FMA(d, d, sum)
	case Absolutes:
		return sum + math.Abs(d)
	default:
		return sum * math.FMA(d, d, 1)
	}
}

// pair returns a statistic of differences of two points.
func (p *Points) pair(x, y []float64) float64 {
	switch {
	case p.circles != nil:
		return p.sinesDirect(x, y, false)
	case p.measure.Of == Sines:
		return p.sines(x, y)
	case p.center != nil:
		return p.scaledDirect(x, y)
	}
	sum := p.measure.Of.start()
	for k, v := range x {
		sum = p.step(sum, (v-y[k])*p.factors[k])
	}
	return sum
}
