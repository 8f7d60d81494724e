// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package series provides power series with non-negative coefficients, and laws that draw the degrees of Maclaurin
// features.
//
// A [Series] f makes the dot product kernel f(⟨x, y⟩), by featuremap.Dot, and the units of a featuremap.Skeleton. The
// dual series, such as [ReLUDual], belong to activations of neural networks. A [Law] is an option of
// featuremap.NewMaclaurin.
package series

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A Series is a power series f(t) = Σ aₙtⁿ with every aₙ ≥ 0. By Schoenberg (1942) these are the functions for which
// f(⟨x, y⟩) is positive semi-definite in every dimension: the dot product kernels of Kar and Karnick (2012).
//
// With f(1) = 1 they are the conjugate activations, or duals, of Daniely, Frostig and Singer (2016). The dual of an
// activation σ, with E σ(X)² = 1 for a standard normal X, is
//
//	f(ρ) = E σ(X)σ(Y),  X, Y standard normal of correlation ρ.
//
// A series must be safe for concurrent use. The parameters of this package's series are checked by the constructors
// that take them, not by their methods. A series of another package is trusted, but a constructor refuses a negative or
// NaN coefficient that it uses.
//
// Coefficients of this package have the same bits on every machine, because weights are made from them. They are right
// to a few units in the last place for any n. A large n takes hardly longer than a small one, except in products (order
// n) and compositions (order n² or more).
type Series interface {
	// Eval returns f(t). Beyond the radius R the series diverges: Eval is +Inf for t > R and NaN for t < −R. If a
	// closed form is finite at R, Eval returns f(±R) for a t that is beyond ±R by at most 1e-12·R, where rounding may
	// have put it. Eval is NaN at NaN.
	Eval(t float64) float64

	// Deriv returns f′(t) = Σ n·aₙtⁿ⁻¹, on the domain of Eval. It may be +Inf at R.
	Deriv(t float64) float64

	// Coeff returns aₙ, and 0 for n < 0. If aₙ is outside the range of a float64, it returns 0 or +Inf.
	Coeff(n int) float64

	// Radius returns the radius of convergence, which may be +Inf.
	Radius() float64
}

// Coefficients is the polynomial a₀ + a₁t + a₂t² + …, and the polynomial 0 if it is empty. A coefficient that is
// negative or not finite is refused.
type Coefficients []float64

// Eval returns the value of the polynomial, by Horner's rule.
func (f Coefficients) Eval(t float64) float64 {
	sum := arith.Times(0, t)
	for n := len(f) - 1; n >= 0; n-- {
		sum = arith.Times(sum, t) + f[n]
	}
	return sum
}

// Deriv returns the derivative, by Horner's rule.
func (f Coefficients) Deriv(t float64) float64 {
	sum := arith.Times(0, t)
	for n := len(f) - 1; n >= 1; n-- {
		sum = arith.Times(sum, t) + float64(float64(n)*f[n])
	}
	return sum
}

// Coeff returns f[n], and 0 beyond the end.
func (f Coefficients) Coeff(n int) float64 {
	if n < 0 || n >= len(f) {
		return 0
	}
	return f[n]
}

// Radius returns +Inf.
func (f Coefficients) Radius() float64 { return math.Inf(1) }

// Validate returns an error if a coefficient is negative or not finite.
func (f Coefficients) Validate() error {
	for n, a := range f {
		if err := check.NonNegative("Coefficients", fmt.Sprintf("a[%d]", n), a); err != nil {
			return err
		}
	}
	return nil
}

// Exp is the series exp(Rate·t + Shift), with coefficients aₙ = e^Shift·Rateⁿ/n!. With Shift = −Rate it is a dual: see
// ExpDual.
type Exp struct {
	Rate  float64 // not negative
	Shift float64 // from −1e9 to 1e9
}

// ExpDual returns the series exp(rate·(ρ − 1)), the dual of σ(x) = exp(√rate·x − rate). Its degrees have the Poisson
// distribution of mean rate. (Daniely, Frostig and Singer 2016 lack the factor e^{−rate} that makes f(1) = 1.) A
// negative rate is refused.
func ExpDual(rate float64) Exp { return Exp{Rate: rate, Shift: -rate} }

// Eval returns exp(Rate·t + Shift).
func (f Exp) Eval(t float64) float64 { return detmath.Exp(math.FMA(f.Rate, t, f.Shift)) }

// Deriv returns Rate·exp(Rate·t + Shift).
func (f Exp) Deriv(t float64) float64 { return arith.Times(f.Rate, f.Eval(t)) }

// Coeff returns e^Shift·Rateⁿ/n!.
func (f Exp) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return detmath.ExpTerm(f.Rate, f.Shift, n).Float64()
}

// Radius returns +Inf.
func (f Exp) Radius() float64 { return math.Inf(1) }

// Validate returns an error if Rate or Shift is out of range.
func (f Exp) Validate() error {
	if err := check.NonNegative("Exp", "Rate", f.Rate); err != nil {
		return err
	}
	if !(math.Abs(f.Shift) <= maxExponent) {
		return fmt.Errorf("featuremap: Exp Shift = %v: must lie between %v and %v", f.Shift, -maxExponent, maxExponent)
	}
	return nil
}

// Geometric is the series 1/(1 − Ratio·t), with coefficients aₙ = Ratioⁿ and radius 1/Ratio.
type Geometric struct {
	Ratio float64 // not negative
}

// Eval returns 1/(1 − Ratio·t) for −1 ≤ Ratio·t < 1.
func (f Geometric) Eval(t float64) float64 {
	switch rest := math.FMA(-f.Ratio, t, 1); {
	case rest <= 0:
		return math.Inf(1)
	case rest > 2:
		return math.NaN()
	default:
		return 1 / rest
	}
}

// Deriv returns Ratio/(1 − Ratio·t)² for −1 ≤ Ratio·t < 1.
func (f Geometric) Deriv(t float64) float64 {
	v := f.Eval(t)
	return arith.Times(f.Ratio, v*v)
}

// Coeff returns Ratioⁿ.
func (f Geometric) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return detmath.NewWide(f.Ratio).Pow(n).Float64()
}

// Radius returns 1/Ratio.
func (f Geometric) Radius() float64 { return 1 / f.Ratio }

// Validate returns an error if Ratio is negative or not finite.
func (f Geometric) Validate() error { return check.NonNegative("Geometric", "Ratio", f.Ratio) }

// maxExponent keeps exponentials within the range of detmath, and minRate keeps reciprocals within the range of a
// float64.
const (
	maxExponent = 1e9
	minRate     = 1e-150
)
