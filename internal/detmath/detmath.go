// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package detmath computes elementary functions with the same bits on every architecture.
//
// Package math does not promise this: some of its functions are assembly on some architectures, and
// on arm64, ppc64, s390x and riscv64 the compiler may fuse x*y + z into one rounding. Here
// functions use only +, −, ×, ÷, math.Sqrt, math.FMA and moves of bits. A product that is added to
// something, unless it is exact, is rounded by an explicit float64 conversion, which the language
// specification does not allow to be fused.
//
// Tests check the accuracy: the error of Exp and Log is below one unit in the last place, and the
// error of other functions a few units.
package detmath

import "math"

// ln 2 in two parts: the first has 21 trailing zero bits, so that its product
// with a whole number below 2²¹ is exact.
const (
	ln2Hi = 0x1.62e42fee00000p-1
	ln2Lo = 0x1.a39ef35793c76p-33
	log2E = 0x1.71547652b82fep+0
)

// Arguments beyond which Exp is +Inf and 0.
const (
	expOverflow  = 709.782712893384
	expUnderflow = -745.1332191019412
)

// expTaylor holds 1/n! for n = 13 down to 2. On |r| ≤ ½·ln 2 the next term, r¹⁴/14!, is below
// 5e-18.
var expTaylor = [...]float64{
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
	1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2,
}

// Exp returns e**x. It is +Inf above 709.78, 0 below −745.13 and NaN at NaN.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	}
	// x = k·ln 2 + r with |r| ≤ ½·ln 2, and e**r by its Taylor series.
	k := math.Floor(float64(x*log2E) + 0.5)
	r := x - float64(k*ln2Hi)
	r -= float64(k * ln2Lo)
	p := expTaylor[0]
	for _, c := range expTaylor[1:] {
		p = float64(p*r) + c
	}
	e := 1 + (r + float64(float64(r*r)*p))
	return math.Ldexp(e, int(k))
}

// logSeries holds 2/(2k+1) for k = 11 down to 1. With s² ≤ 0.0295 the next term is below 2e-20.
var logSeries = [...]float64{
	2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
	2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3,
}

// Log returns the natural logarithm of x. It is −Inf at 0, +Inf at +Inf, and NaN
// at NaN and below 0.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	// x = 2**k·(1+f) with √½ ≤ 1+f < √2. With s = f/(2+f),
	// log(1+f) = 2 artanh s = 2s + s·R, R = Σ 2s²ᵏ/(2k+1), and 2s = f − s·f.
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	k := float64(e)
	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	r := logSeries[0]
	for _, c := range logSeries[1:] {
		r = float64(r*z) + c
	}
	r = float64(r * z)
	half := 0.5 * float64(f*f)
	tail := float64(s*(half+r)) + float64(k*ln2Lo)
	return float64(k*ln2Hi) - ((half - tail) - f)
}
