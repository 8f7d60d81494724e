// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package detmath

import "math"

// NormalQuantile returns the z for which a standard normal variable is at most z with probability p. It is −Inf at 0,
// +Inf at 1, and NaN at NaN and outside [0, 1]. Its relative error is below 4e-15, not counting the rounding of 1 − p
// near p = 1.
//
// It is algorithm AS 241 (Wichura 1988, "The percentage points of the normal distribution"): a ratio of two polynomials
// of degree 7 in each of three ranges.
func NormalQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return float64(q*horner(&quantileCenter[0], r)) / horner(&quantileCenter[1], r)
	}
	tail := min(p, 1-p)
	switch {
	case !(tail >= 0): // NaN, or p outside [0, 1]
		return math.NaN()
	case tail == 0:
		return math.Copysign(math.Inf(1), q)
	}
	r, ratio := math.Sqrt(-Log(tail)), &quantileTail
	if r <= 5 {
		r -= 1.6
	} else {
		r, ratio = r-5, &quantileFar
	}
	return math.Copysign(horner(&ratio[0], r)/horner(&ratio[1], r), q)
}

// horner returns the polynomial with the given coefficients, the highest first.
func horner(c *[8]float64, x float64) float64 {
	p := c[0]
	for _, v := range c[1:] {
		p = float64(p*x) + v
	}
	return p
}

// The numerators and denominators of AS 241, in |p − ½| ≤ .425, in the tails down to e⁻²⁵, and beyond.
var (
	quantileCenter = [2][8]float64{
		{2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
			13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608},
		{5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
			5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1},
	}
	quantileTail = [2][8]float64{
		{7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
			3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734},
		{1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
			0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1},
	}
	quantileFar = [2][8]float64{
		{2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
			0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772},
		{2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
			0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1},
	}
)
