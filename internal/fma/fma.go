// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package fma computes the fused multiply-add of float32; package math has only the one of float64. It specifies what
// assembly does in one instruction.
package fma

import "math"

// Float32 returns a·b + c rounded once to float32, as a fused multiply-add does.
//
// In float64 the product is exact. The sum is rounded to odd: where it is not exact, its last bit is set towards the
// exact sum. Rounding this to float32 gives the same result as rounding the exact sum (Boldo and Melquiond 2008,
// "Emulation of FMA and correctly rounded sums"). Rounding to nearest twice would differ only where the first rounded
// sum lies halfway between two float32, or where the result is subnormal and so has fewer bits.
func Float32(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	bits := math.Float64bits(s)
	const (
		lost    = 1<<29 - 1 // the bits that float32 does not have
		halfway = 1 << 28
		least   = (1023 - 126) << 52 // the least normal float32
	)
	if bits&lost != halfway && bits&^(1<<63) >= least {
		return float32(s)
	}
	return float32(toOdd(s, p, q))
}

// toOdd returns p + q rounded to odd, given s, the sum rounded to nearest.
func toOdd(s, p, q float64) float64 {
	// The error of s, exactly (Knuth 1969, "The art of computer programming", volume 2, section 4.2.2).
	v := s - p
	e := (p - (s - v)) + (q - v)
	bits := math.Float64bits(s)
	if bits&1 != 0 || !(e < 0 || e > 0) { // exact, or not a number
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
