// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// times returns a·b with 0·∞ = 0. The product is rounded by itself, and never fused with a sum.
func times(a, b float64) float64 {
	p := float64(a * b)
	if math.IsNaN(p) && !math.IsNaN(a) && !math.IsNaN(b) {
		return 0
	}
	return p
}

func square(v float64) float64 { return v * v }

// finite tells whether v is neither infinite nor NaN.
func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// powInt returns xⁿ for n ≥ 0 by squaring, with the same bits on every machine.
func powInt(x float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p = float64(p * x)
		}
		x = float64(x * x)
	}
	return p
}

// coarse rounds the significand of v to 16 bits after the point: variances have no promise of bits, and the choices that
// follow from them must not depend on their last bits.
func coarse(v float64) float64 {
	const lost = 52 - 16
	return math.Float64frombits((math.Float64bits(v) + 1<<(lost-1)) &^ (1<<lost - 1))
}

// inner returns ⟨x, y⟩.
func inner(x, y []float64) float64 {
	sameLength(x, y)
	var sum float64
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// squares returns Σ xᵢ²yᵢ².
func squares(x, y []float64) float64 {
	var s float64
	for i, v := range x {
		s += v * v * y[i] * y[i]
	}
	return s
}

// chain returns Σ wᵢxᵢ by a chain of fused multiply-adds, the order in which features are computed, and so with their bits.
func chain(w, x []float64) float64 {
	var sum float64
	for i, v := range w {
		sum = math.FMA(v, x[i], sum)
	}
	return sum
}

// squaredDistance returns ‖x − y‖²/ℓ².
func squaredDistance(x, y []float64, l float64) float64 {
	sameLength(x, y)
	scale := 1 / l
	var sum float64
	for i, v := range x {
		u := (v - y[i]) * scale
		sum += float64(u * u) // not fused: MedianLengthScale promises its bits
	}
	return sum
}

// tinyDistance is the limit below which a squared distance, or half of one, may have lost digits to underflow.
const tinyDistance = 1e-290

// divide divides each element of dst by l.
func divide(dst []float64, l float64) {
	for i := range dst {
		dst[i] /= l
	}
}

// sameLength panics with mat.ErrShape unless x and y have the same length.
func sameLength(x, y []float64) {
	if len(x) != len(y) {
		panic(mat.ErrShape)
	}
}
