// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"
	"sync/atomic"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// Table is a tabulated function f(t) of t ≥ 0 that is slow to compute, times e^{√(Scale·t)}. Each octave of t is cut
// into pieces. The first number that falls into a piece creates its polynomial of degree 9, through ten values. Values
// do not depend on what else was computed. The function must fall no faster than e^{−√(Scale·t)}, except for powers of
// t.
type Table struct {
	scale   float64
	of      func(t float64) float64
	bits    int                               // of the number of pieces
	octaves [1 << 11]atomic.Pointer[tableRow] // by the exponent of t
}

// A tableRow holds the polynomials of an octave's pieces.
type tableRow [maxPieces]atomic.Pointer[[tableTerms]float64]

const (
	tableTerms   = 10
	fewPieceBits = 4 // up to fewPower, and
	fewPower     = 5
	maxPieceBits = 6 // up to maxPower
	maxPower     = 30
	maxPieces    = 1 << maxPieceBits

	// maxTabled is a √(Scale·t) up to which values are not so small that they lose digits, and maxTable one whose value is 0.
	maxTabled = 600
	maxTable  = 1200
)

// NewTable returns the table of a function. Its product with e^{√(Scale·t)} may grow by at most a power of t, times a
// function that varies as slowly. It returns nil for a power above 30, which would need too many pieces.
func NewTable(of func(t float64) float64, scale, power float64) *Table {
	switch {
	case power <= fewPower:
		return &Table{scale: scale, of: of, bits: fewPieceBits}
	case power <= maxPower:
		return &Table{scale: scale, of: of, bits: maxPieceBits}
	}
	return nil
}

// To sets dst to the function of each of the elements of src, which must not be dst.
func (f *Table) To(dst, src []float64) { f.in(tier.Best(), dst, src) }

func (f *Table) in(in tier.Tier, dst, src []float64) {
	Decay{Scale: f.scale, Coefficients: []float64{1}}.in(in, dst, src)
	for i, t := range src {
		switch z := float64(f.scale * t); {
		case z <= maxTabled*maxTabled && t >= 0x1p-1000:
			dst[i] *= f.at(t)
		case z > maxTable*maxTable:
			dst[i] = 0
		default: // NaN, too
			dst[i] = f.of(t)
		}
	}
}

// at returns the polynomial of t's piece at t.
func (f *Table) at(t float64) float64 {
	bits := math.Float64bits(t)
	place := &f.octaves[bits>>52]
	row := place.Load()
	if row == nil {
		row = new(tableRow)
		if !place.CompareAndSwap(nil, row) {
			row = place.Load()
		}
	}
	shift := 52 - f.bits
	piece := &row[bits>>shift&(1<<f.bits-1)]
	// The piece is from start to start + width, and u from −1 to 1 on it: all exactly.
	start := math.Float64frombits(bits >> shift << shift)
	width := math.Float64frombits(bits >> 52 << 52) // times the number of pieces
	u := (t-start)/width*float64(int(2)<<f.bits) - 1
	p := piece.Load()
	if p == nil {
		p = f.polynomial(start, width/float64(int(1)<<f.bits))
		piece.Store(p) // others may have stored the same
	}
	v := p[tableTerms-1]
	for k := tableTerms - 2; k >= 0; k-- {
		v = math.FMA(v, u, p[k])
	}
	return v
}

// polynomial returns the coefficients of the powers of u of the polynomial through the values at the zeros of the next
// Chebyshev polynomial.
func (f *Table) polynomial(start, width float64) *[tableTerms]float64 {
	var c [tableTerms]float64 // of Chebyshev polynomials
	for i := range tableTerms {
		u := projection.SinTurns(0.25 - float64(2*i+1)/(4*tableTerms)) // cos((2i + 1)π/2n)
		t := start + float64(0.5*float64(width*(1+u)))
		v := f.of(t) * exp(math.Sqrt(f.scale*t)) / (tableTerms / 2)
		before, at := u, 1.0 // T₋₁ = T₁, T₀
		for k := range c {
			c[k] = math.FMA(v, at, c[k])
			before, at = at, math.FMA(2*u, at, -before)
		}
	}
	c[0] /= 2
	p := new([tableTerms]float64)
	var before, at [tableTerms]float64 // the coefficients of Chebyshev polynomials, whole numbers
	at[0], before[1] = 1, 1
	for k := range c {
		var next [tableTerms]float64
		for i, v := range at {
			p[i] = math.FMA(c[k], v, p[i])
			next[i] -= before[i]
			if i+1 < tableTerms {
				next[i+1] += 2 * v
			}
		}
		before, at = at, next
	}
	return p
}
