// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// The statistic Sines is Σsin²(πδₖ/p). With few coordinates it is computed from differences, in tiles. With more it is
// the squared distance of points on circles,
//
//	Σsin²(πδₖ/p) = ‖e(x) − e(y)‖²,    e(x) = ½[cos(2πx₁/p), …, sin(2πx₁/p), …],
//
// from inner products. Points that are near, or very far from 0, are computed from differences.
//
// A difference is reduced to a period without rounding. So values near multiples of the period have all their digits,
// however large the multiples are.

// nearSines is the mean of sin² below which points count as near. e(x) has errors of about 4e-16, which is 3e-15 of
// this distance.
const nearSines = 1.0 / 64

const (
	mostPeriods = 1 << 26 // of a difference, up to which the quotient gives their number to one half
	farPeriods  = 1 << 24 // of a coordinate: differences of two are below mostPeriods
)

// sineSeries holds the coefficients of sin²(πu)/u² in powers of u² − ⅛, the highest first. It interpolates at
// Chebyshev's nodes on |u| ≤ ½, with a relative error of 3e-19 (computed with 60 digits, by mpmath).
var sineSeries = [...]float64{
	0x1.32e88ef8ed768p-13, -0x1.bd27a98edd493p-10, 0x1.09039b22bc1ecp-6, -0x1.fb3d3d0033ec4p-4,
	0x1.7ba28d396315ap-1, -0x1.ad35d67f98fbdp+1, 0x1.5dea3c8486b2ap+3, -0x1.819d5444ae65bp+4,
	0x1.04c6efaf566d0p+5, -0x1.719dc8fc32bf2p+4, 0x1.9b0f25804b887p+2,
}

// A sine is the function sin²(πδ/p).
type sine struct {
	period, inverse float64
	wide            []float64 // the constants of assembly
}

func newSine(period float64) *sine {
	s := &sine{period: period, inverse: 1 / period}
	s.wide = wide(append([]float64{period, s.inverse, rounding, 1.0 / 8}, sineSeries[:]...))
	return s
}

// step returns sum + sin²(πd/p). It is meant for lanes, where d is at most a moderate number of
// periods.
func (s *sine) step(sum, d float64) float64 {
	u := float64(s.remainder(d) * s.inverse)
	v := float64(u * u)
	w := v - 1.0/8
	p := sineSeries[0]
	for _, c := range sineSeries[1:] {
		p = math.FMA(p, w, c)
	}
	return math.FMA(p, v, sum)
}

// remainder returns d minus the nearest multiple of the period, or minus one next to it, without
// rounding.
func (s *sine) remainder(d float64) float64 {
	if q := float64(d * s.inverse); math.Abs(q) < mostPeriods {
		n := (q + rounding) - rounding
		return math.FMA(-n, s.period, d)
	}
	return math.Remainder(d, s.period)
}

// difference returns (x − y)·f, or a number that differs from it by whole periods.
func (s *sine) difference(x, y, f float64) float64 {
	d := float64((x - y) * f)
	if math.IsInf(d, 0) { // for finite coordinates the exact result may be finite
		d = s.remainder(float64(x*f)) - s.remainder(float64(y*f))
	}
	return d
}

// moderate tells whether the coordinates of a row are so few periods from 0 that lanes can compute their
// differences.
func (p *Points) moderate(x []float64) bool {
	most := farPeriods * p.measure.Period
	for k, v := range x {
		if !(math.Abs(v*p.factors[k]) <= most) {
			return false
		}
	}
	return true
}

// sines returns Σsin²(πδₖ/p) as one chain, the specification of tiles.
func (p *Points) sines(x, y []float64) (sum float64) {
	for k, v := range x {
		sum = p.sine.step(sum, p.sine.difference(v, y[k], p.factors[k]))
	}
	return sum
}

// sinesDirect returns Σsin²(πδₖ/p) as eight chains: see scaledDirect.
func (p *Points) sinesDirect(x, y []float64, moderate bool) float64 {
	var s [8]float64
	done := 0
	if moderate && p.tier != tier.Plain {
		done = sinesAssembly(p.tier, &s, x, y, p.factors, p.sine.wide)
	}
	for k := done; k < len(x); k++ {
		s[k%8] = p.sine.step(s[k%8], p.sine.difference(x[k], y[k], p.factors[k]))
	}
	return sumOf(&s)
}

// sinesOfFar computes the statistics of row i of b and the points from lo on that lanes cannot compute. It uses
// differences.
func (p *Points) sinesOfFar(dst []float64, b *Batch, i, lo int) {
	if b.moderate[i] && !p.far {
		return
	}
	x := row(b.raw, i)
	for j := range dst {
		if !b.moderate[i] || !p.Self.moderate[lo+j] {
			dst[j] = p.pair(x, row(p.Self.raw, lo+j))
		}
	}
}

// circles makes points on circles, e(x), minus a center. Coordinates with a factor are converted to angles minus an
// origin, so that the rounding of the product does not depend on where the points are.
type circles struct{ origin, center []float64 }

// onCircles computes statistics of Sines from points on circles.
func (p *Points) onCircles(x blas64.General) {
	c := &circles{origin: Center(x), center: make([]float64, 2*p.D)}
	for k, f := range p.factors {
		if f == 1 {
			c.origin[k] = 0
		}
	}
	p.circles = c
	some := blas64.General{Rows: (x.Rows + centerStep(x.Rows) - 1) / centerStep(x.Rows), Cols: 2 * p.D, Stride: 2 * p.D}
	some.Data = make([]float64, some.Rows*some.Cols)
	for i := range some.Rows {
		p.circle(row(some, i), row(x, i*centerStep(x.Rows)))
	}
	c.center = Center(some)
}

// circle sets to to e(x) minus the center.
func (p *Points) circle(to, x []float64) {
	c := p.circles
	for k, v := range x {
		t := float64(p.sine.remainder(float64((v-c.origin[k])*p.factors[k])) * p.sine.inverse)
		cos, sin := projection.CosSinTurns(t)
		to[k] = float64(0.5*cos) - c.center[k]
		to[p.D+k] = float64(0.5*sin) - c.center[p.D+k]
	}
}
