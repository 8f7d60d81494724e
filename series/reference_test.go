// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package series_test

import (
	"math"
	"math/big"
)

// What follows has 300 bits.

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }

// bigConstant parses a constant; those below are from mpmath 1.3.0 with 60 digits.
func bigConstant(digits string) *big.Float {
	x, ok := bigFloat(0).SetString(digits)
	if !ok {
		panic(digits)
	}
	return x
}

var (
	bigPi     = bigConstant("3.14159265358979323846264338327950288419716939937510582097494")
	bigArcsin = bigConstant("0.729727656226966363454796659813320695396505914047713690708949") // of ⅔
)

func quotient(x, y *big.Float) *big.Float { return bigFloat(0).Quo(x, y) }

func bigPower(x *big.Float, n int) *big.Float {
	p := bigFloat(1)
	for range n {
		p.Mul(p, x)
	}
	return p
}

// bigExp returns e^x by its Taylor series at x/64.
func bigExp(x float64) *big.Float {
	y := bigFloat(x / 64)
	sum, term := bigFloat(1), bigFloat(1)
	for n := 1; n < 100; n++ {
		term.Mul(term, y).Quo(term, bigFloat(float64(n)))
		sum.Add(sum, term)
	}
	return bigPower(sum, 64)
}

// bigSum returns the sums of aₙxⁿ and of n·aₙxⁿ⁻¹, and those of their magnitudes, for aₙ of at least 0: the terms of even powers and of odd ones,
// which differ only by the sign of x.
func bigSum(a []float64, x float64) (sum, slope, size, steep float64) {
	var s, d [2]*big.Float
	for i := range s {
		s[i], d[i] = bigFloat(0), bigFloat(0)
	}
	last := len(a) - 1
	for last > 0 && a[last] == 0 {
		last--
	}
	base, power, term := bigFloat(math.Abs(x)), bigFloat(1), bigFloat(0)
	for n := range min(last+1, len(a)-1) {
		s[n%2].Add(s[n%2], term.Mul(bigFloat(a[n]), power))
		term.Mul(bigFloat(a[n+1]), power)
		d[n%2].Add(d[n%2], term.Mul(term, bigFloat(float64(n+1))))
		power.Mul(power, base)
	}
	both := func(v [2]*big.Float) (signed, unsigned float64) {
		unsigned, _ = bigFloat(0).Add(v[0], v[1]).Float64()
		if x >= 0 {
			return unsigned, unsigned
		}
		signed, _ = bigFloat(0).Sub(v[0], v[1]).Float64()
		return signed, unsigned
	}
	sum, size = both(s)
	slope, steep = both(d)
	return sum, slope, size, steep
}

func bigFactorial(n int) *big.Float {
	return bigFloat(0).SetInt(new(big.Int).MulRange(1, int64(n)))
}

func bigExpTerm(rate, shift float64, n int) *big.Float {
	x := bigFloat(0).Mul(bigExp(shift), bigPower(bigFloat(rate), n))
	return x.Quo(x, bigFactorial(n))
}

// bigCentral returns C(2k, k)/4ᵏ.
func bigCentral(k int) *big.Float {
	c := bigFloat(0).SetInt(new(big.Int).Binomial(int64(2*k), int64(k)))
	return c.SetMantExp(c, -2*k)
}

func exactReLU(n int) *big.Float {
	switch {
	case n == 0:
		return quotient(bigFloat(1), bigPi)
	case n == 1:
		return bigFloat(0.5)
	case n%2 != 0:
		return bigFloat(0)
	}
	return quotient(quotient(bigCentral(n/2-1), bigPi), bigFloat(float64(n*(n-1))))
}

func exactStep(n int) *big.Float {
	switch {
	case n == 0:
		return bigFloat(0.5)
	case n%2 == 0:
		return bigFloat(0)
	}
	return quotient(quotient(bigCentral(n/2), bigPi), bigFloat(float64(n)))
}

func exactErf(n int) *big.Float {
	if n%2 == 0 {
		return bigFloat(0)
	}
	x := quotient(quotient(bigCentral(n/2), bigArcsin), bigFloat(float64(n)))
	return x.Mul(x, bigPower(quotient(bigFloat(2), bigFloat(3)), n))
}

// exactHyperbolic returns the coefficients of sinh(at)/sinh a (odd = 1), cosh(at)/cosh a (0).
func exactHyperbolic(a float64, n, odd int) *big.Float {
	if n%2 != odd {
		return bigFloat(0)
	}
	up, down := bigExp(a), bigExp(-a)
	if odd == 1 {
		down.Neg(down)
	}
	total := up.Add(up, down)
	return quotient(bigFloat(0).Mul(bigFloat(2), bigExpTerm(a, 0, n)), total)
}

func exactBinomial(degree int, scale, offset float64) func(n int) *big.Float {
	return func(n int) *big.Float {
		if n > degree {
			return bigFloat(0)
		}
		c := bigFloat(0).SetInt(new(big.Int).Binomial(int64(degree), int64(n)))
		c.Mul(c, bigPower(bigFloat(scale), n))
		return c.Mul(c, bigPower(bigFloat(offset), degree-n))
	}
}

func polynomial(a ...float64) func(n int) *big.Float {
	return func(n int) *big.Float {
		if n >= len(a) {
			return bigFloat(0)
		}
		return bigFloat(a[n])
	}
}

// exactProduct keeps the coefficients of its factors, which each of its own needs.
func exactProduct(f, g func(n int) *big.Float) func(n int) *big.Float {
	var of, by []*big.Float
	return func(n int) *big.Float {
		for i := len(of); i <= n; i++ {
			of, by = append(of, f(i)), append(by, g(i))
		}
		sum := bigFloat(0)
		for i := range n + 1 {
			sum.Add(sum, bigFloat(0).Mul(of[i], by[n-i]))
		}
		return sum
	}
}
