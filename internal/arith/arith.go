// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package arith provides small arithmetic helpers for numbers and vectors. Where a comment says so, they have the same
// bits on every machine.
package arith

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Times returns a·b with 0·∞ = 0. The product is rounded by itself, and never fused with a sum.
func Times(a, b float64) float64 {
	p := float64(a * b)
	if math.IsNaN(p) && !math.IsNaN(a) && !math.IsNaN(b) {
		return 0
	}
	return p
}

func Square(v float64) float64 { return v * v }

// Finite tells whether v is neither infinite nor NaN.
func Finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// IsIndex tells whether v is one of 0, 1, …, n − 1.
func IsIndex(v float64, n int) bool { return v >= 0 && v < float64(n) && v == math.Trunc(v) }

// PowInt returns xⁿ for n ≥ 0 by squaring, with the same bits on every machine.
func PowInt(x float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p = float64(p * x)
		}
		x = float64(x * x)
	}
	return p
}

// Coarse rounds the significand of v to 16 bits after the point. Variances may differ in their last bits from machine
// to machine, and choices made from them must not.
func Coarse(v float64) float64 {
	const lost = 52 - 16
	return math.Float64frombits((math.Float64bits(v) + 1<<(lost-1)) &^ (1<<lost - 1))
}

// Inner returns ⟨x, y⟩.
func Inner(x, y []float64) float64 {
	SameLength(x, y)
	var sum float64
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// Squares returns Σ xᵢ²yᵢ².
func Squares(x, y []float64) float64 {
	var s float64
	for i, v := range x {
		s += v * v * y[i] * y[i]
	}
	return s
}

// Chain returns Σ wᵢxᵢ as a chain of fused multiply-adds. Features are computed in this order, so it has their bits.
func Chain(w, x []float64) float64 {
	var sum float64
	for i, v := range w {
		sum = math.FMA(v, x[i], sum)
	}
	return sum
}

// SquaredDistance returns ‖x − y‖²/ℓ².
func SquaredDistance(x, y []float64, l float64) float64 {
	SameLength(x, y)
	scale := 1 / l
	var sum float64
	for i, v := range x {
		u := (v - y[i]) * scale
		sum += float64(u * u) // not fused: MedianLengthScale promises its bits
	}
	return sum
}

// TinyDistance is the limit below which a squared distance, or half of it, may have lost digits to underflow.
const TinyDistance = 1e-290

// Divide divides each element of dst by l.
func Divide(dst []float64, l float64) {
	for i := range dst {
		dst[i] /= l
	}
}

// SameLength panics with mat.ErrShape unless x and y have the same length.
func SameLength(x, y []float64) {
	if len(x) != len(y) {
		panic(mat.ErrShape)
	}
}

// OpenUnit returns a number in (0, 1) made from the 52 high bits of u.
func OpenUnit(u uint64) float64 { return (float64(u>>12) + 0.5) * 0x1p-52 }

// FiniteAll tells whether all elements are finite.
func FiniteAll(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !Finite(v) })
}
