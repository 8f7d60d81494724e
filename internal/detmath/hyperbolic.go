// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package detmath

import "math"

// ExpTerm returns e^shift·rateⁿ/n!, the coefficient n ≥ 0 of exp(rate·t + shift).
func ExpTerm(rate, shift float64, n int) Wide {
	return WideExp(shift).Mul(NewWide(rate).Pow(n)).Div(Factorial(n))
}

// ExpTerms returns ExpTerm of degree 0, 1, 2, … in its calls, with the same bits, in half of the time.
func ExpTerms(rate, shift float64) func() Wide {
	first, squares := WideExp(shift), []Wide{NewWide(rate)}
	n := -1
	return func() Wide {
		n++
		p := NewWide(1)
		for i, rest := 0, n; rest > 0; i, rest = i+1, rest>>1 {
			if i == len(squares) {
				squares = append(squares, squares[i-1].Mul(squares[i-1]))
			}
			if rest&1 != 0 {
				p = p.Mul(squares[i])
			}
		}
		return first.Mul(p).Div(Factorial(n))
	}
}

// SinhTerm returns rateⁿ/(n!·sinh rate) for odd n, else 0: the coefficient n of sinh(rate·t)/sinh(rate).
func SinhTerm(rate float64, n int) Wide { return hyperbolicTerm(rate, n, 1, Sinh(rate, 1)) }

// CoshTerm returns rateⁿ/(n!·cosh rate) for even n, else 0: the coefficient n of cosh(rate·t)/cosh(rate).
func CoshTerm(rate float64, n int) Wide { return hyperbolicTerm(rate, n, 0, Cosh(rate, 1)) }

// hyperbolicTerm returns 2e^{−rate}·rateⁿ/(n!·norm) if n has the given parity, else 0.
func hyperbolicTerm(rate float64, n, parity int, norm float64) Wide {
	if n < 0 || n%2 != parity {
		return NewWide(0)
	}
	return ExpTerm(rate, -rate, n).Mul(NewWide(2 / norm))
}

// Sinh returns 2e^{−a}·sinh(a·t), without overflow for |t| ≤ 1.
func Sinh(a, t float64) float64 {
	u := math.Abs(t)
	return math.Copysign(Exp(a*(u-1))*Expm1(-2*a*u), t)
}

// Cosh returns 2e^{−a}·cosh(a·t), without overflow for |t| ≤ 1.
func Cosh(a, t float64) float64 {
	u := math.Abs(t)
	return float64(Exp(a*(u-1)) * (1 + Exp(-2*a*u)))
}
