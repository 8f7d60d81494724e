// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package gram

import (
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/tier"
)

// A Function is a function of a statistic. It must be safe for concurrent use.
type Function interface {
	// To sets dst to the function of each of the elements of src, which dst may be.
	To(dst, src []float64)
}

// Identity is the function t.
type Identity struct{}

// To copies src.
func (Identity) To(dst, src []float64) { copy(dst, src) }

// Each is a function of one number as a Function.
type Each func(t float64) float64

// To calls the function for each element.
func (f Each) To(dst, src []float64) {
	for i, t := range src {
		dst[i] = f(t)
	}
}

// Exponential is the function exp(Rate·t + Shift).
type Exponential struct{ Rate, Shift float64 }

// To sets dst to the function of each of the elements of src.
func (f Exponential) To(dst, src []float64) { f.in(tier.Best(), dst, src) }

func (f Exponential) in(t tier.Tier, dst, src []float64) {
	done := 0
	if t != tier.Plain {
		done = exponentialAssembly(t, dst, src, f)
	}
	for i := done; i < len(src); i++ {
		dst[i] = exp(math.FMA(f.Rate, src[i], f.Shift))
	}
}

// Decay is the function P(z)·e^{−z} of z = √(Scale·t), for a polynomial P without negative coefficients, of which there is
// at least one: a₀ + a₁z + a₂z² + … For z above 745 it is 0.
type Decay struct {
	Scale        float64
	Coefficients []float64
}

// To sets dst to the function of each of the elements of src.
func (f Decay) To(dst, src []float64) { f.in(tier.Best(), dst, src) }

func (f Decay) in(t tier.Tier, dst, src []float64) {
	done := 0
	if t != tier.Plain {
		done = decayAssembly(t, dst, src, f)
	}
	n := len(f.Coefficients) - 1
	for i := done; i < len(src); i++ {
		z := math.Sqrt(f.Scale * src[i])
		if z > maxDecay {
			z = maxDecay
		}
		p := f.Coefficients[n]
		for k := n - 1; k >= 0; k-- {
			p = math.FMA(p, z, f.Coefficients[k])
		}
		dst[i] = p * exp(-z)
	}
}

// Ratio is the function (1 + Rate·t)^{−Power}.
type Ratio struct{ Rate, Power float64 }

// To sets dst to the function of each of the elements of src.
func (f Ratio) To(dst, src []float64) { f.in(tier.Best(), dst, src) }

func (f Ratio) in(t tier.Tier, dst, src []float64) {
	done := 0
	if t != tier.Plain {
		done = ratioAssembly(t, dst, src, f)
	}
	for i := done; i < len(src); i++ {
		dst[i] = exp(float64(-f.Power * log1p(float64(f.Rate*src[i]))))
	}
}

const (
	// maxRatio replaces larger arguments of log1p.
	maxRatio = 0x1p1000

	one = 0x3ff0000000000000 // the bits of 1

	// rootHalf are the leading bits of √½: a number of mantissa m is (1 + g)·2ᵏ with 1 + g from there to twice that.
	rootHalf = 0x3fe6a09e00000000

	exponents = 0xfff0000000000000 // the bits of an exponent
)

// logSeries holds 2/(2n + 1) for n = 10 down to 1, for log(1 + g) = g − s·(g − Σ 2/(2n + 1)·s²ⁿ) with s = g/(2 + g). On
// |s| ≤ 0.1716 the first omitted term is below 4e-18 of the first.
var logSeries = [...]float64{
	2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3,
}

// log1p returns log(1 + x) for x ≥ 0, and for NaN. Like exp it is meant for vector lanes.
func log1p(x float64) float64 {
	if x > maxRatio {
		x = maxRatio
	}
	// 1 + x = (1 + g)·2ᵏ, and the rounding error of the sum is added back.
	w := 1 + x
	shift := (math.Float64bits(w) - rootHalf) & exponents // k, as an exponent
	scale := math.Float64frombits(one - shift)            // 2⁻ᵏ
	k := float64(shift >> 52)
	g := math.FMA(x-(w-1), scale, float64(w*scale)-1)
	s := g / (2 + g)
	z := float64(s * s)
	p := logSeries[0]
	for _, c := range logSeries[1:] {
		p = math.FMA(p, z, c)
	}
	v := math.FMA(s, math.FMA(p, z, -g), g)
	return math.FMA(k, ln2Hi, math.FMA(k, ln2Lo, v))
}

// maxDecay is a number z with e^{−z} = 0 at which polynomials are still finite.
const maxDecay = 1000

const (
	log2E = 0x1.71547652b82fep+0

	// ln 2 in two parts.
	ln2Hi = 0x1.62e42fefa39efp-1
	ln2Lo = 0x1.abc9e3b39803fp-56

	// Arguments beyond which exp is 0 and +Inf.
	minExp = -746
	maxExp = 710

	// rounding added to a number of moderate size leaves the nearest integer in the last bits.
	rounding = 0x1.8p52
)

// expSeries holds 1/n! for n = 13 down to 2. On |r| ≤ ½·ln 2 the first omitted term, r¹⁴/14!, is below 5e-18.
var expSeries = [...]float64{
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
	1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2,
}

// exp returns e**x to less than a unit in the last place. Unlike the function of package detmath it uses fused
// operations: it is meant for vector lanes.
func exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x < minExp:
		x = minExp
	case x > maxExp:
		x = maxExp
	}
	// x = k·ln 2 + r with |r| ≤ ½·ln 2, and e**r by its Taylor series.
	t := math.FMA(x, log2E, rounding)
	k := t - rounding
	r := math.FMA(-k, ln2Hi, x)
	r = math.FMA(-k, ln2Lo, r)
	p := expSeries[0]
	for _, c := range expSeries[1:] {
		p = math.FMA(p, r, c)
	}
	e := 1 + math.FMA(p, float64(r*r), r)
	// The product with the first half of the power of two is exact, so the result is rounded once.
	n := int(k)
	return float64(e*power(n>>1)) * power(n-n>>1)
}

// power returns 2**n for |n| < 1023.
func power(n int) float64 { return math.Float64frombits(uint64(1023+n) << 52) }

// Add adds src to dst.
func Add(dst, src []float64) {
	for i, v := range src[:len(dst)] {
		dst[i] += v
	}
}

// Multiply multiplies dst by src, element by element.
func Multiply(dst, src []float64) {
	for i, v := range src[:len(dst)] {
		dst[i] *= v
	}
}
