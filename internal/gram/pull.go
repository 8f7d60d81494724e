// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Gradients of statistics with respect to the first point. For inner products and squared distances they are products
// of matrices:
//
//	Σⱼ aⱼ·∂⟨x, yⱼ⟩/∂x = Σⱼ aⱼ·yⱼ,    Σⱼ aⱼ·∂‖x − yⱼ‖²/∂x = 2·((x − c)·Σⱼ aⱼ − Σⱼ aⱼ·(yⱼ − c)),
//
// with a center c, so that points far from the origin lose no digits. Gradients of other statistics are sums over all
// differences. At δ = 0, where |δ| has no derivative, it is taken to be 0.

// Pull turns gradients with respect to statistics into gradients with respect to points. It is safe for
// concurrent use.
type Pull struct {
	p      *Points
	center []float64
	turned []float64 // the points minus the center, or their directions, one row a coordinate
	stride int
}

// NewPull returns the pull of p. It packs the points once more.
func NewPull(p *Points) *Pull {
	l := &Pull{p: p, stride: tiled.Stride(p.N)}
	from := p.Self.given
	switch p.measure.Of {
	case Inner:
	case Squares:
		if l.center = p.center; l.center == nil {
			l.center = Center(p.Self.raw)
		}
	case Chords:
		from = p.Self.prepared
	default:
		return l
	}
	l.turned = make([]float64, p.D*l.stride)
	for j := range p.N {
		for k, v := range from(j) {
			if l.center != nil {
				v -= l.center[k]
			}
			l.turned[k*l.stride+j] = v
		}
	}
	return l
}

// To adds to row i of dst the gradient Σⱼ aᵢⱼ·∂s(xᵢ, yⱼ)/∂xᵢ, where s(xᵢ, yⱼ) is the statistic of row i of b and point
// j. It uses up to GOMAXPROCS goroutines.
func (l *Pull) To(dst blas64.General, b *Batch, a blas64.General) {
	p := l.p
	var sums blas64.General
	if l.turned != nil {
		sums = blas64.General{Rows: dst.Rows, Cols: p.D, Stride: p.D, Data: make([]float64, dst.Rows*p.D)}
		tiled.Products(sums, a, l.turned, l.stride)
	}
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, x, weights := row(dst, i), row(b.raw, i), a.Data[i*a.Stride:][:p.N]
			switch p.measure.Of {
			case Inner:
				for k, v := range row(sums, i) {
					to[k] += v
				}
			case Squares:
				l.squares(to, x, weights, row(sums, i))
			case Chords:
				l.chords(to, x, row(b.rows, i), row(sums, i))
			default:
				l.differences(to, x, weights)
			}
		}
	}), dst.Rows, grain(p.N*p.D))
}

// squares adds the gradient of squared distances, given Σⱼ aⱼ·(yⱼ − c).
func (l *Pull) squares(dst, x, a, sums []float64) {
	var total float64
	for _, v := range a {
		total += v
	}
	for k, v := range sums {
		f := l.p.factors[k]
		dst[k] += 2 * (f * (f * math.FMA(x[k]-l.center[k], total, -v)))
	}
}

// chords adds the gradient of chords, ±2 − 2·⟨u, ŷ⟩ of the direction u of x: −2·(s − ⟨s, u⟩u)/‖x‖, given s = Σⱼ aⱼ·ŷⱼ. It is 0 for
// x = 0.
func (l *Pull) chords(dst, x, u, sums []float64) {
	norm := Norm(x)
	if norm == 0 {
		return
	}
	along := chain(sums, u)
	for k, v := range sums {
		dst[k] -= 2 * (math.FMA(-along, u[k], v) / norm)
	}
}

// differences adds the gradient of other statistics of differences.
func (l *Pull) differences(dst, x, a []float64) {
	p := l.p
	for j, v := range a {
		if v == 0 {
			continue
		}
		y := row(p.Self.raw, j)
		if p.measure.Of == Ratios {
			v *= p.pair(x, y)
		}
		for k := range dst {
			d := (x[k] - y[k]) * p.factors[k]
			dst[k] = math.FMA(v, p.factors[k]*p.slope(d), dst[k])
		}
	}
}

// slope returns the derivative of one coordinate's share of a statistic with respect to the difference d. For Ratios it
// is the derivative of the logarithm.
func (p *Points) slope(d float64) float64 {
	switch m := p.measure; {
	case m.Of == Sines: // of sin²(πδ/p)
		t := p.sine.remainder(d) / m.Period
		if a := math.Abs(t); a > 0.25 {
			t = math.Copysign(max(0.5-a, 0), t)
		}
		return math.Pi / m.Period * projection.SinTurns(t)
	case m.Of == Ratios:
		return 2 * d / math.FMA(d, d, 1)
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}

// PullDiagonal adds to row i of dst the gradient of aᵢ·s(xᵢ, xᵢ) with respect to xᵢ, as both
// points.
func (p *Points) PullDiagonal(dst blas64.General, b *Batch, a []float64) {
	if p.measure.Of != Inner {
		return // the statistic of equal points is the same everywhere
	}
	for i, v := range a {
		x, to := row(b.raw, i), row(dst, i)
		for k := range to {
			to[k] = math.FMA(2*v, x[k], to[k])
		}
	}
}
