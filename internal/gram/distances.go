// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

const (
	// nearFraction is the part of ‖x‖² + ‖y‖² below which a squared distance is computed from differences.
	nearFraction = 1.0 / 8

	// tinySquares are squared norms that may have lost digits to underflow.
	tinySquares = 0x1p-960

	// notYet marks a squared distance that must still be computed from differences.
	notYet = -1
)

// distances turns inner products with a point x into squared distances, given the squared norms of x and of the other
// points. Those below least must be computed from differences: they become notYet. It tells whether there are any.
func distances(t tier.Tier, inner, norms []float64, x, least float64) (near bool) {
	done := 0
	if t != tier.Plain {
		done, near = distancesAssembly(t, inner, norms, x, least)
	}
	return distancesPlain(inner[done:], norms[done:], x, least) || near
}

// distancesPlain is the specification of distances. NaN and norms that overflow count as near.
func distancesPlain(inner, norms []float64, x, least float64) (near bool) {
	for j, y := range norms {
		s := x + y
		v := math.FMA(-2, inner[j], s)
		if !(v > math.FMA(nearFraction, s, least)) {
			v, near = notYet, true
		}
		inner[j] = v
	}
	return near
}

// near computes from differences each squared distance that is notYet, of row i of b and the points from lo on.
func (p *Points) near(dst []float64, b *Batch, i, lo int) {
	if p.scattered != nil && b.entries != nil {
		for j, v := range dst {
			if v == notYet {
				dst[j] = p.listsDirect(b.entries[i], p.Self.entries[lo+j])
			}
		}
		return
	}
	x := b.given(i)
	for j, v := range dst {
		if v == notYet {
			y := p.Self.given(lo + j)
			if p.circles == nil {
				dst[j] = p.scaledDirect(x, y)
			} else {
				dst[j] = p.sinesDirect(x, y, b.moderate[i] && p.Self.moderate[lo+j])
			}
		}
	}
}

// scaledDirect returns Σδₖ², as eight chains of the coordinates k, k+8, k+16, …, added up in a fixed order.
func (p *Points) scaledDirect(x, y []float64) float64 {
	var s [8]float64
	done := 0
	if p.tier != tier.Plain {
		done = squaresAssembly(p.tier, &s, x, y, p.factors)
	}
	squaresPlain(&s, x, y, p.factors, done)
	return sumOf(&s)
}

// sumOf returns the sum of eight chains.
func sumOf(s *[8]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// squaresPlain adds to the chains the coordinates from k on.
func squaresPlain(s *[8]float64, x, y, factors []float64, k int) {
	for ; k < len(x); k++ {
		t := (x[k] - y[k]) * factors[k]
		s[k%8] = math.FMA(t, t, s[k%8])
	}
}

// direct returns ‖x − y‖².
func (p *Points) direct(x, y []float64) float64 { return p.scaledDirect(x, y) }

// notYetChord, with the sign of the inner product, marks a chord that must still be computed from differences or sums.
const notYetChord = 8

// chords turns inner products of row i of b and the points from lo on into chords. Where two points have nearly the
// same direction it computes them from differences, and where directions are nearly opposite from sums.
func (p *Points) chords(dst []float64, b *Batch, i, lo int) {
	if !chordsOf(p.tier, dst, p.Self.norms[lo:lo+len(dst)], b.norms[i]) {
		return
	}
	x := b.prepared(i)
	for j, c := range dst {
		switch y := row(p.Self.rows, lo+j); c {
		case notYetChord:
			dst[j] = p.direct(x, y)
		case -notYetChord:
			dst[j] = -squaredSum(x, y)
		}
	}
}

// chordsOf turns inner products into chords, as distances does for squared distances.
func chordsOf(t tier.Tier, inner, norms []float64, x float64) (near bool) {
	done := 0
	if t != tier.Plain {
		done, near = chordsAssembly(t, inner, norms, x, tinySquares)
	}
	return chordsPlain(inner[done:], norms[done:], x) || near
}

// chordsPlain is the specification of chordsOf. NaN is near.
func chordsPlain(inner, norms []float64, x float64) (near bool) {
	for j, y := range norms {
		s := x + y
		v := math.FMA(-2, math.Abs(inner[j]), s)
		if !(v > math.FMA(nearFraction, s, tinySquares)) {
			v, near = notYetChord, true
		}
		if inner[j] < 0 {
			v = -v
		}
		inner[j] = v
	}
	return near
}

// squaredSum returns ‖x + y‖².
func squaredSum(x, y []float64) float64 {
	var sum float64
	for k, v := range x {
		t := v + y[k]
		sum = math.FMA(t, t, sum)
	}
	return sum
}
