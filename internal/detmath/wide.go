// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package detmath

import (
	"math"
	"sync"
)

// A Wide is a number x ≥ 0 with about 104 bits and an exponent that neither overflows nor
// underflows: x = (hi + lo)·2**exp, with hi between ½ and 1 (or x = 0) and lo below half a unit in
// the last place of hi. Intermediate powers and factorials may have any size, and a million
// products cost no digit of the result.
//
// The exponent is a whole number in a float64, because exponents of powers of powers do not fit an
// int64.
type Wide struct{ hi, lo, exp float64 }

// e is Euler's number, to 107 bits.
var e = Wide{0x1.5bf0a8b145769p-1, 0x1.4d57ee2b1013ap-55, 2}

// NewWide returns x, which must be finite and not negative.
func NewWide(x float64) Wide {
	m, k := math.Frexp(x)
	return Wide{m, 0, float64(k)}
}

// Float64 returns x rounded to a float64: +Inf if it is too large, 0 if too small.
func (x Wide) Float64() float64 {
	return math.Ldexp(x.hi, int(max(-4000, min(x.exp, 4000))))
}

// Mul returns x·y.
func (x Wide) Mul(y Wide) Wide {
	p := float64(x.hi * y.hi)
	rest := math.FMA(x.hi, y.hi, -p) + (float64(x.hi*y.lo) + float64(x.lo*y.hi))
	return normal(p, rest, x.exp+y.exp)
}

// Div returns x/y. The divisor must not be 0.
func (x Wide) Div(y Wide) Wide {
	q := x.hi / y.hi
	rest := math.FMA(-q, y.hi, x.hi) + (x.lo - float64(q*y.lo))
	return normal(q, rest/y.hi, x.exp-y.exp)
}

// normal returns (hi + lo)·2**exp, for hi from ¼ to 2 and a lo that is much smaller.
func normal(hi, lo, exp float64) Wide {
	sum := hi + lo
	lo -= sum - hi
	switch {
	case sum < 0.5:
		return Wide{2 * sum, 2 * lo, exp - 1}
	case sum > 1:
		return Wide{sum / 2, lo / 2, exp + 1}
	}
	return Wide{sum, lo, exp}
}

// Log1p returns log(1 + x) for x ≥ 0 to a few units in the last place, and NaN at NaN. It is Kahan's quotient
// log(y)·x/(y − 1), where y is 1 + x rounded: that rounding cancels.
func Log1p(x float64) float64 {
	y := 1 + x
	switch {
	case y == 1:
		return x
	case !(x < 1): // where the rounding is a small part
		return Log(y)
	}
	return float64(Log(y)*x) / (y - 1)
}

// Pow returns xⁿ for n ≥ 0, and 1 for n = 0, by repeated squaring.
func (x Wide) Pow(n int) Wide {
	p := NewWide(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = p.Mul(x)
		}
		x = x.Mul(x)
	}
	return p
}

// WideExp returns e**x for |x| < 2³¹. Exp overflows beyond 709.
func WideExp(x float64) Wide {
	whole := math.Floor(x)
	p := NewWide(Exp(x - whole))
	if whole < 0 {
		return p.Div(e.Pow(int(-whole)))
	}
	return p.Mul(e.Pow(int(whole)))
}

// Factorial returns n! for n ≥ 0: exactly up to 22!, and beyond by Stirling's series
//
//	n! = √(2πn)·(n/e)ⁿ·exp(1/12n − 1/360n³ + …)
//
// whose first omitted term is below 3e-18 (DLMF 5.11.1).
func Factorial(n int) Wide {
	if t := factorials(); n < len(t) {
		return t[n]
	}
	return factorial(n)
}

// factorials returns a table of the factorials that series need most.
var factorials = sync.OnceValue(func() *[512]Wide {
	t := new([512]Wide)
	for n := range t {
		t[n] = factorial(n)
	}
	return t
})

func factorial(n int) Wide {
	if n <= 22 {
		p := 1.0 // 22! has 51 bits, followed by 19 zeros
		for i := 2; i <= n; i++ {
			p *= float64(i)
		}
		return NewWide(p)
	}
	x := float64(n)
	z := 1 / float64(x*x)
	s := 1.0/1680 - float64(z*(1.0/1188))
	s = 1.0/1260 - float64(z*s)
	s = 1.0/360 - float64(z*s)
	s = 1.0/12 - float64(z*s)
	return NewWide(x).Div(e).Pow(n).Mul(NewWide(float64(math.Sqrt(2*math.Pi*x) * Exp(s/x))))
}

// CentralBinomial returns C(2k, k)/4ᵏ for k ≥ 0: exactly up to k = 25, and beyond by
//
//	Γ(k + ½)/(√π·k!) = (πw)^{−½}·(1 − 1/64w² + 21/8192w⁴ − …),  w = k + ¼,
//
// whose first omitted term is below 2e-17 (a ratio of gamma functions about its point of symmetry:
// DLMF 5.11.14).
func CentralBinomial(k int) float64 {
	if t := centralBinomials(); k < len(t) {
		return t[k]
	}
	return centralBinomial(k)
}

var centralBinomials = sync.OnceValue(func() *[512]float64 {
	t := new([512]float64)
	for k := range t {
		t[k] = centralBinomial(k)
	}
	return t
})

func centralBinomial(k int) float64 {
	if k <= 25 {
		c := 1.0 // C(2i, i), and its product with the next 2(2i − 1), have at most 53 bits
		for i := 1; i <= k; i++ {
			c = c * float64(2*(2*i-1)) / float64(i)
		}
		return math.Ldexp(c, -2*k)
	}
	w := float64(k) + 0.25
	z := 1 / float64(w*w)
	s := -671.0/(1<<19) + float64(z*(180323.0/(1<<27)))
	s = 21.0/(1<<13) + float64(z*s)
	s = -1.0/(1<<6) + float64(z*s)
	return (1 + float64(z*s)) / math.Sqrt(math.Pi*w)
}

// Expm1 returns e**x − 1 to a few units in the last place, by Kahan's quotient
// (e**x − 1)·x/log(e**x), in which the rounding of e**x cancels.
func Expm1(x float64) float64 {
	y := Exp(x)
	switch {
	case y == 1:
		return x
	case y-1 == -1 || math.IsInf(y, 1):
		return y - 1
	}
	return (y - 1) * x / Log(y)
}

// Pow returns xⁿ for n ≥ 0, and NaN for every n if x is NaN.
func Pow(x float64, n int) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case math.IsInf(x, 0):
		return math.Pow(x, float64(n))
	}
	p := NewWide(math.Abs(x)).Pow(n).Float64()
	if x < 0 && n%2 != 0 {
		return -p
	}
	return p
}
