// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package detmath

import "math"

// arctangents lists values c with arctan c in two parts. Near c the arctangent is
//
//	arctan x = arctan c + arctan t,  t = (x − c)/(1 + c·x),
//
// with |t| ≤ 7/16 up to the limit (the intervals of Sun's fdlibm).
var arctangents = [...]struct{ limit, c, hi, lo float64 }{
	{7.0 / 16, 0, 0, 0},
	{11.0 / 16, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{19.0 / 16, 1, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
	{39.0 / 16, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56},
}

// π/2 and π in two parts.
const (
	halfPi   = 0x1.921fb54442d18p+0
	halfPiLo = 0x1.1a62633145c07p-54
)

// atanTerms is the number of terms of the arctangent's Taylor series. With t ≤ 7/16 the next term
// is below 4e-18 of t.
const atanTerms = 22

// Atan2 returns the angle of the point (x, y), between 0 and π, for y ≥ 0: the arccosine of x
// where x² + y² = 1. It is NaN if one of them is NaN or y is negative, and at (0, 0).
func Atan2(y, x float64) float64 {
	if !(y >= 0) || math.IsNaN(x) || x == 0 && y == 0 {
		return math.NaN()
	}
	hi, lo := atan(y / math.Abs(x))
	if x < 0 {
		// π − angle; lo includes the rounding error of the difference.
		d := 2*halfPi - hi
		return d + (((2*halfPi - d) - hi) + (2*halfPiLo - lo))
	}
	return hi + lo
}

// atan returns the arctangent of x ≥ 0, which may be +Inf, in two parts.
func atan(x float64) (hi, lo float64) {
	for _, a := range arctangents {
		if x < a.limit {
			t := (x - a.c) / (1 + float64(a.c*x))
			return twoSum(a.hi, t, a.lo-atanRest(t))
		}
	}
	t := 1 / x
	return twoSum(halfPi, -t, halfPiLo+atanRest(t))
}

// atanRest returns t − arctan t for |t| ≤ 7/16.
func atanRest(t float64) float64 {
	u := float64(t * t)
	var p float64
	for k := atanTerms - 1; k >= 1; k-- {
		p = 1/float64(2*k+1) - float64(u*p)
	}
	return float64(float64(t*u) * p)
}

// twoSum returns a + b + c, |a| ≥ |b| ≥ |c| or a = 0, in two parts.
func twoSum(a, b, c float64) (hi, lo float64) {
	hi = a + b
	if a == 0 {
		return hi, c
	}
	return hi, ((a - hi) + b) + c
}
