// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
)

// A Series is a power series f(t) = Σ aₙtⁿ with every aₙ ≥ 0. By Schoenberg (1942) these are the functions
// for which f(⟨x, y⟩) is positive semi-definite in every dimension: the dot product kernels of Kar and
// Karnick (2012). With f(1) = 1 they are the conjugate activations, or duals, of Daniely, Frostig and
// Singer (2016): the dual of an activation σ, with E σ(X)² = 1 for a standard normal X, is
//
//	f(ρ) = E σ(X)σ(Y),  X, Y standard normal of correlation ρ.
//
// A series must be safe for concurrent use. The parameters of this package's series are checked by the
// constructors that take them, not by their methods. A caller's series is trusted, except that a
// constructor that uses a negative or NaN coefficient refuses it.
//
// This package's coefficients have the same bits on every machine, since weights are made from them. They
// are right to a few units in the last place for any n. A large n costs hardly more than a small one,
// except in products, of order n, and compositions, of order n² or more.
type Series interface {
	// Eval returns f(t). Beyond the radius R it is +Inf for t > R, where the series diverges, and NaN for
	// t < −R. If a closed form is finite at R, it returns f(±R) for a t that is beyond ±R by at most 1e-12·R,
	// where rounding may have put it. Eval is NaN at NaN.
	Eval(t float64) float64

	// Deriv returns f′(t) = Σ n·aₙtⁿ⁻¹, on the domain of Eval. It may be +Inf at R.
	Deriv(t float64) float64

	// Coeff returns aₙ, and 0 for n < 0. It is 0 or +Inf where aₙ is out of a float64's range.
	Coeff(n int) float64

	// Radius returns the radius of convergence, which may be +Inf.
	Radius() float64
}

// Coefficients is the polynomial a₀ + a₁t + a₂t² + …; an empty slice is the polynomial 0. A coefficient
// that is negative or not finite is refused.
type Coefficients []float64

// Eval returns the polynomial's value, by Horner's rule.
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

func (f Coefficients) profile() profile {
	n := len(f) - 1
	for n > 0 && f[n] == 0 {
		n--
	}
	return profile{degree: max(n, 0), gaps: max(n, 0)}
}

func (f Coefficients) validate() error {
	for n, a := range f {
		if err := check.NonNegative("Coefficients", fmt.Sprintf("a[%d]", n), a); err != nil {
			return err
		}
	}
	return nil
}

// Exp is the series exp(Rate·t + Shift): aₙ = e^Shift·Rateⁿ/n!. With Shift = −Rate it is the dual ExpDual.
type Exp struct {
	Rate  float64 // not negative
	Shift float64 // from −1e9 to 1e9
}

// ExpDual returns exp(rate·(ρ − 1)), the dual of σ(x) = exp(√rate·x − rate) (Daniely, Frostig and Singer
// 2016, where the factor e^{−rate} that makes f(1) = 1 is missing). Its degrees have the Poisson
// distribution of mean rate. A negative rate is refused.
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
	return f.wide(n).Float64()
}

// wide returns aₙ for n ≥ 0, which may be out of a float64's range.
func (f Exp) wide(n int) detmath.Wide {
	power := detmath.NewWide(f.Rate).Pow(n)
	return detmath.WideExp(f.Shift).Mul(power).Div(detmath.Factorial(n))
}

// Radius returns +Inf.
func (f Exp) Radius() float64 { return math.Inf(1) }

func (f Exp) validate() error {
	if err := check.NonNegative("Exp", "Rate", f.Rate); err != nil {
		return err
	}
	if !(math.Abs(f.Shift) <= maxExponent) {
		return fmt.Errorf("featuremap: Exp Shift = %v: must lie between %v and %v", f.Shift, -maxExponent, maxExponent)
	}
	return nil
}

// Geometric is the series 1/(1 − Ratio·t): aₙ = Ratioⁿ, of radius 1/Ratio.
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

func (f Geometric) validate() error { return check.NonNegative("Geometric", "Ratio", f.Ratio) }

// A binomial is the polynomial (scale·t + offset)^p: aₙ = C(p, n)·scaleⁿ·offset^(p−n).
type binomial struct {
	Degree int     `save:"degree"`
	Scale  float64 `save:"scale"`  // not negative
	Offset float64 `save:"offset"` // not negative
}

func (f binomial) Eval(t float64) float64 {
	return detmath.Pow(math.FMA(f.Scale, t, f.Offset), f.Degree)
}

func (f binomial) Deriv(t float64) float64 {
	return arith.Times(float64(f.Degree)*f.Scale, detmath.Pow(math.FMA(f.Scale, t, f.Offset), max(f.Degree-1, 0)))
}

func (f binomial) Coeff(n int) float64 {
	if n < 0 || n > f.Degree {
		return 0
	}
	rest := f.Degree - n
	choose := detmath.Factorial(f.Degree).Div(detmath.Factorial(n)).Div(detmath.Factorial(rest))
	powers := detmath.NewWide(f.Scale).Pow(n).Mul(detmath.NewWide(f.Offset).Pow(rest))
	return choose.Mul(powers).Float64()
}

func (f binomial) Radius() float64 { return math.Inf(1) }

func (f binomial) profile() profile {
	if f.Offset > 0 {
		return profile{degree: f.Degree} // no gaps: terms of the series rise and fall once
	}
	return profile{degree: f.Degree, gaps: f.Degree}
}

func (f binomial) validate() error {
	if f.Degree < 0 {
		return fmt.Errorf("featuremap: Polynomial Degree = %d: must be at least 0", f.Degree)
	}
	return cmp.Or(
		check.NonNegative("Polynomial", "Scale", f.Scale),
		check.NonNegative("Polynomial", "Offset", f.Offset))
}

// maxExponent keeps exponentials within detmath's range, and minRate keeps reciprocals within that of a float64.
const (
	maxExponent = 1e9
	minRate     = 1e-150
)

// validateSeries checks a series given to a constructor. Another package's series is only checked for nil.
func validateSeries(f Series) error {
	if check.IsNil(f) {
		return fmt.Errorf("featuremap: series f = nil")
	}
	if v, ok := f.(interface {
		Series
		validate() error
	}); ok {
		return v.validate()
	}
	return nil
}

// ownSeries returns the series as a value, or as a copy, so that the caller cannot change it.
func ownSeries(f Series) Series {
	if c, ok := valueOf(f).(Coefficients); ok {
		return slices.Clone(c)
	}
	return valueOf(f)
}

// validateCoefficient refuses a negative or NaN coefficient of a caller's series.
func validateCoefficient(f Series, n int, a float64) error {
	if a < 0 {
		return fmt.Errorf("%w: %s has the coefficient %v at degree %d", ErrNotPSD, gosyntax.Of(f), a, n)
	}
	if math.IsNaN(a) {
		return fmt.Errorf("featuremap: %s has the coefficient NaN at degree %d", gosyntax.Of(f), n)
	}
	return nil
}
