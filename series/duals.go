// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package series

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// Dual activations as series, for dot product kernels and units of skeletons. The activations of Neurons maps are in
// internal/projection/neurons.go.

// The dual activations of Daniely, Frostig and Singer 2016, normalized to f(1) = 1.

// HermiteDual is the series ρᴺ, the dual of the normalized Hermite polynomial of degree N. For N = 1 the activation is
// σ(x) = x. (The dual of any σ is E σ(X)σ(Y) for standard normal X and Y of correlation ρ, so its coefficients are the
// squares of the Hermite coefficients of σ.)
type HermiteDual struct {
	N int // from 0 to 2²⁰
}

// maxHermite is the largest N.
const maxHermite = 1 << 20

// Eval returns ρᴺ.
func (f HermiteDual) Eval(rho float64) float64 { return detmath.Pow(rho, f.N) }

// Deriv returns N·ρᴺ⁻¹.
func (f HermiteDual) Deriv(rho float64) float64 {
	if f.N == 0 {
		return arith.Times(0, rho)
	}
	return float64(f.N) * detmath.Pow(rho, f.N-1)
}

// Coeff returns 1 for n = N, and 0 otherwise.
func (f HermiteDual) Coeff(n int) float64 {
	if n < 0 || n != f.N {
		return 0
	}
	return 1
}

// Radius returns +Inf.
func (f HermiteDual) Radius() float64 { return math.Inf(1) }

// Validate returns an error if N is out of range.
func (f HermiteDual) Validate() error {
	if f.N < 0 || f.N > maxHermite {
		return fmt.Errorf("featuremap: HermiteDual N = %d: must be from 0 to %d", f.N, maxHermite)
	}
	return nil
}

// ReLUDual is the series (√(1 − ρ²) + (π − arccos ρ)ρ)/π, the dual of σ(x) = √2·max(0, x). It makes the arc-cosine
// kernel of order 1 (Cho and Saul 2009), and its radius is 1. Its coefficients
//
//	a₀ = 1/π,  a₁ = ½,  a₂ₖ₊₂ = C(2k, k)/(4ᵏ·π(2k + 1)(2k + 2)),  else 0,
//
// fall as n^{−5/2}. The mean of the degrees is finite, f′(1) = 1, but their variance is infinite.
type ReLUDual struct{}

// Eval returns (√(1 − ρ²) + (π − arccos ρ)ρ)/π, with an absolute error of about 1e-16.
func (ReLUDual) Eval(rho float64) float64 {
	return within(1, rho, func(rho float64) float64 {
		return (sine(rho) + float64(angle(rho)*rho)) / math.Pi
	})
}

// Deriv returns 1 − arccos(ρ)/π.
func (ReLUDual) Deriv(rho float64) float64 { return StepDual{}.Eval(rho) }

// Coeff returns aₙ.
func (ReLUDual) Coeff(n int) float64 {
	switch {
	case n == 0:
		return 1 / math.Pi
	case n == 1:
		return 0.5
	case n < 0 || n%2 != 0:
		return 0
	}
	return detmath.CentralBinomial(n/2-1) / (math.Pi * float64(n) * float64(n-1))
}

// Radius returns 1.
func (ReLUDual) Radius() float64 { return 1 }

// StepDual is the series 1 − arccos(ρ)/π, the dual of the step function √2·[x ≥ 0]. It makes the arc-cosine kernel of
// order 0 (Cho and Saul 2009), and its radius is 1. Its coefficients
//
//	a₀ = ½,  a₂ₖ₊₁ = C(2k, k)/(4ᵏ·π(2k + 1)),  else 0,
//
// fall as n^{−3/2}. The mean of the degrees, f′(1), is infinite. So StepDual makes a kernel, but no random features of
// finite expected cost.
type StepDual struct{}

// Eval returns 1 − arccos(ρ)/π.
func (StepDual) Eval(rho float64) float64 {
	return within(1, rho, func(rho float64) float64 { return angle(rho) / math.Pi })
}

// Deriv returns 1/(π√(1 − ρ²)), which is +Inf at ±1.
func (StepDual) Deriv(rho float64) float64 {
	return within(1, rho, func(rho float64) float64 { return 1 / (math.Pi * sine(rho)) })
}

// Coeff returns aₙ.
func (StepDual) Coeff(n int) float64 {
	switch {
	case n == 0:
		return 0.5
	case n < 0 || n%2 == 0:
		return 0
	}
	return detmath.CentralBinomial(n/2) / (math.Pi * float64(n))
}

// Radius returns 1.
func (StepDual) Radius() float64 { return 1 }

// ErfDual is the series arcsin(⅔ρ)/arcsin ⅔, the dual of the error function scaled to E σ(X)² = 1 (Williams 1998). Its
// radius is 3/2, and its coefficients are
//
//	a₂ₖ₊₁ = C(2k, k)·(⅔)²ᵏ⁺¹/(4ᵏ(2k + 1)·arcsin ⅔),  else 0.
type ErfDual struct{}

const arcsinTwoThirds = 0.72972765622696636345479665981332

// Eval returns arcsin(⅔ρ)/arcsin ⅔.
func (ErfDual) Eval(rho float64) float64 {
	return within(1.5, rho, func(rho float64) float64 {
		return arcsin(2*rho, 3) / arcsinTwoThirds
	})
}

// Deriv returns 2/(√(9 − 4ρ²)·arcsin ⅔), which is +Inf at ±3/2.
func (ErfDual) Deriv(rho float64) float64 {
	return within(1.5, rho, func(rho float64) float64 {
		return 2 / (math.Sqrt((3-2*rho)*(3+2*rho)) * arcsinTwoThirds)
	})
}

// Coeff returns aₙ.
func (ErfDual) Coeff(n int) float64 {
	if n < 0 || n%2 == 0 {
		return 0
	}
	power := detmath.NewWide(2).Div(detmath.NewWide(3)).Pow(n)
	return power.Mul(detmath.NewWide(detmath.CentralBinomial(n/2) / (float64(n) * arcsinTwoThirds))).Float64()
}

// Radius returns 3/2.
func (ErfDual) Radius() float64 { return 1.5 }

// SineDual is the series sinh(Rate·ρ)/sinh(Rate), the dual of σ(x) = sin(√Rate·x) scaled to E σ(X)² = 1 (Daniely,
// Frostig and Singer 2016). Its coefficients are aₙ = Rateⁿ/(n!·sinh Rate) for odd n, and 0 for even n.
type SineDual struct {
	Rate float64 // from 1e-150 to 1e9
}

// Eval returns sinh(Rate·ρ)/sinh(Rate).
func (f SineDual) Eval(rho float64) float64 {
	return detmath.Sinh(f.Rate, rho) / detmath.Sinh(f.Rate, 1)
}

// Deriv returns Rate·cosh(Rate·ρ)/sinh(Rate).
func (f SineDual) Deriv(rho float64) float64 {
	return detmath.Cosh(f.Rate, rho) * (f.Rate / detmath.Sinh(f.Rate, 1))
}

// Coeff returns Rateⁿ/(n!·sinh Rate) for odd n, and 0 otherwise.
func (f SineDual) Coeff(n int) float64 {
	return detmath.SinhTerm(f.Rate, n).Float64()
}

// Radius returns +Inf.
func (f SineDual) Radius() float64 { return math.Inf(1) }

// Validate returns an error if Rate is out of range.
func (f SineDual) Validate() error { return validateRate("SineDual", f.Rate) }

// CosineDual is the series cosh(Rate·ρ)/cosh(Rate), the dual of σ(x) = cos(√Rate·x) scaled to E σ(X)² = 1 (Daniely,
// Frostig and Singer 2016). Its coefficients are aₙ = Rateⁿ/(n!·cosh Rate) for even n, and 0 for odd n.
type CosineDual struct {
	Rate float64 // from 1e-150 to 1e9
}

// Eval returns cosh(Rate·ρ)/cosh(Rate).
func (f CosineDual) Eval(rho float64) float64 {
	return detmath.Cosh(f.Rate, rho) / detmath.Cosh(f.Rate, 1)
}

// Deriv returns Rate·sinh(Rate·ρ)/cosh(Rate).
func (f CosineDual) Deriv(rho float64) float64 {
	return detmath.Sinh(f.Rate, rho) * (f.Rate / detmath.Cosh(f.Rate, 1))
}

// Coeff returns Rateⁿ/(n!·cosh Rate) for even n, and 0 otherwise.
func (f CosineDual) Coeff(n int) float64 {
	return detmath.CoshTerm(f.Rate, n).Float64()
}

// Radius returns +Inf.
func (f CosineDual) Radius() float64 { return math.Inf(1) }

// Validate returns an error if Rate is out of range.
func (f CosineDual) Validate() error { return validateRate("CosineDual", f.Rate) }

// within returns f(t) for a closed form f on [−r, r]. Beyond, it returns the value that Series.Eval specifies.
func within(r, t float64, f func(t float64) float64) float64 {
	const slack = 1e-12
	switch {
	case t > r*(1+slack):
		return math.Inf(1)
	case t < -r*(1+slack):
		return math.NaN()
	}
	return f(max(-r, min(t, r)))
}

// sine returns √(1 − ρ²), the sine of arccos ρ.
func sine(rho float64) float64 { return math.Sqrt((1 - rho) * (1 + rho)) }

// angle returns π − arccos ρ.
func angle(rho float64) float64 { return detmath.Atan2(sine(rho), -rho) }

// arcsin returns the arcsine of a/b for |a| ≤ b.
func arcsin(a, b float64) float64 {
	return math.Copysign(detmath.Atan2(math.Abs(a), math.Sqrt((b-a)*(b+a))), a)
}

// validateRate refuses a rate outside the range of SineDual and CosineDual.
func validateRate(series string, rate float64) error {
	if !(rate >= minRate && rate <= maxExponent) {
		return fmt.Errorf("featuremap: %s Rate = %v: must lie between %v and %v", series, rate, minRate, maxExponent)
	}
	return nil
}
