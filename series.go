// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"cmp"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// A Series is a power series f(t) = Σ aₙtⁿ with every aₙ ≥ 0. By Schoenberg (1942)
// these are the functions for which f(⟨x, y⟩) is positive semi-definite in every
// dimension: the dot product kernels of Kar and Karnick (2012). With f(1) = 1 they are
// the conjugate activations, or duals, of Daniely, Frostig and Singer (2016): the dual
// of an activation σ, with E σ(X)² = 1 for a standard normal X, is
//
//	f(ρ) = E σ(X)σ(Y),  X, Y standard normal of correlation ρ.
//
// A series must be safe for concurrent use. Those of this package are checked by the
// constructors that take them, not by their methods. A caller's own are trusted, but
// for a coefficient that is negative or NaN where one is used.
//
// Their coefficients have the same bits on every machine, since weights are made of
// them. They are right to a few units in the last place for any n, and cost hardly
// more for a large n than for a small one; only a product's take a sum over all before.
type Series interface {
	// Eval returns f(t). Beyond the radius R it is +Inf for t > R, where the series
	// diverges, and NaN for t < −R. A closed form that stops at R takes an argument that
	// rounding put outside [−R, R], by 1e-12·R at most, for the end point; it does not
	// clamp further. Eval is NaN at NaN.
	Eval(t float64) float64

	// Deriv returns f′(t) = Σ n·aₙtⁿ⁻¹, on the domain of Eval. It may be +Inf at R.
	Deriv(t float64) float64

	// Coeff returns aₙ, and 0 for n < 0: 0 or +Inf where aₙ is beyond a float64.
	Coeff(n int) float64

	// Radius returns the radius of convergence, which may be +Inf.
	Radius() float64
}

// Coefficients is the polynomial a₀ + a₁t + a₂t² + …, by its coefficients. None is the
// polynomial 0. A coefficient that is negative or not finite is refused.
type Coefficients []float64

// Eval returns the polynomial's value, by Horner's rule.
func (f Coefficients) Eval(t float64) float64 {
	sum := times(0, t)
	for n := len(f) - 1; n >= 0; n-- {
		sum = times(sum, t) + f[n]
	}
	return sum
}

// Deriv returns the derivative, by Horner's rule.
func (f Coefficients) Deriv(t float64) float64 {
	sum := times(0, t)
	for n := len(f) - 1; n >= 1; n-- {
		sum = times(sum, t) + float64(float64(n)*f[n])
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

func (f Coefficients) lastDegree() int { return max(len(f)-1, 0) }

func (f Coefficients) validate() error {
	for n, a := range f {
		if err := validateNonNegative("Coefficients", fmt.Sprintf("a[%d]", n), a); err != nil {
			return err
		}
	}
	return nil
}

// Exp is the series exp(Rate·t + Shift): aₙ = e^Shift·Rateⁿ/n!. With Shift = −Rate it is
// a dual activation: see ExpDual.
type Exp struct {
	Rate  float64 // not negative
	Shift float64 // from −1e9 to 1e9
}

// ExpDual returns exp(rate·(ρ − 1)), the dual of σ(x) = exp(√rate·x − rate) (Daniely,
// Frostig and Singer 2016, where the factor e^{−rate} that makes f(1) = 1 is missing).
// Its degrees have the Poisson distribution of mean rate. A negative rate is refused.
func ExpDual(rate float64) Exp { return Exp{Rate: rate, Shift: -rate} }

// Eval returns exp(Rate·t + Shift).
func (f Exp) Eval(t float64) float64 { return detmath.Exp(math.FMA(f.Rate, t, f.Shift)) }

// Deriv returns Rate·exp(Rate·t + Shift).
func (f Exp) Deriv(t float64) float64 { return times(f.Rate, f.Eval(t)) }

// Coeff returns e^Shift·Rateⁿ/n!.
func (f Exp) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return f.wide(n).Float64()
}

// wide returns aₙ for n ≥ 0, which may be beyond a float64.
func (f Exp) wide(n int) detmath.Wide {
	power := detmath.NewWide(f.Rate).Pow(n)
	return detmath.WideExp(f.Shift).Mul(power).Div(detmath.Factorial(n))
}

// Radius returns +Inf.
func (f Exp) Radius() float64 { return math.Inf(1) }

func (f Exp) validate() error {
	if err := validateNonNegative("Exp", "Rate", f.Rate); err != nil {
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
	return times(f.Ratio, v*v)
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

func (f Geometric) validate() error { return validateNonNegative("Geometric", "Ratio", f.Ratio) }

// A binomial is the polynomial (scale·t + offset)^degree, whose aₙ is
// C(degree, n)·scaleⁿ·offset^(degree−n).
type binomial struct {
	degree        int
	scale, offset float64 // not negative
}

func (f binomial) Eval(t float64) float64 {
	return detmath.Pow(math.FMA(f.scale, t, f.offset), f.degree)
}

func (f binomial) Deriv(t float64) float64 {
	return times(float64(f.degree)*f.scale, detmath.Pow(math.FMA(f.scale, t, f.offset), max(f.degree-1, 0)))
}

func (f binomial) Coeff(n int) float64 {
	if n < 0 || n > f.degree {
		return 0
	}
	rest := f.degree - n
	choose := detmath.Factorial(f.degree).Div(detmath.Factorial(n)).Div(detmath.Factorial(rest))
	powers := detmath.NewWide(f.scale).Pow(n).Mul(detmath.NewWide(f.offset).Pow(rest))
	return choose.Mul(powers).Float64()
}

func (f binomial) Radius() float64 { return math.Inf(1) }
func (f binomial) lastDegree() int { return f.degree }

func (f binomial) validate() error {
	if f.degree < 0 {
		return fmt.Errorf("featuremap: Polynomial Degree = %d: must be at least 0", f.degree)
	}
	return cmp.Or(
		validateNonNegative("Polynomial", "Scale", f.scale),
		validateNonNegative("Polynomial", "Offset", f.offset))
}

// A scaledSeries is c·f, c ≥ 0.
type scaledSeries struct {
	c float64
	f Series
}

func (s scaledSeries) Eval(t float64) float64  { return times(s.c, s.f.Eval(t)) }
func (s scaledSeries) Deriv(t float64) float64 { return times(s.c, s.f.Deriv(t)) }
func (s scaledSeries) Coeff(n int) float64     { return times(s.c, s.f.Coeff(n)) }
func (s scaledSeries) Radius() float64         { return s.f.Radius() }
func (s scaledSeries) slow() bool              { return highestDegree(s.f) < maxDegree }
func (s scaledSeries) lastDegree() int         { return lastDegree(s.f) }

func (s scaledSeries) validate() error {
	return cmp.Or(validateNonNegative("Scale", "c", s.c), validateSeries(s.f))
}

func (s scaledSeries) coefficients(n int) []float64 {
	a := coefficients(s.f, n)
	for i := range a {
		a[i] = times(s.c, a[i])
	}
	return a
}

// A sumSeries is f + g.
type sumSeries struct{ f, g Series }

func (s sumSeries) Eval(t float64) float64  { return s.f.Eval(t) + s.g.Eval(t) }
func (s sumSeries) Deriv(t float64) float64 { return s.f.Deriv(t) + s.g.Deriv(t) }
func (s sumSeries) Coeff(n int) float64     { return s.f.Coeff(n) + s.g.Coeff(n) }
func (s sumSeries) Radius() float64         { return min(s.f.Radius(), s.g.Radius()) }
func (s sumSeries) slow() bool              { return min(highestDegree(s.f), highestDegree(s.g)) < maxDegree }
func (s sumSeries) lastDegree() int         { return max(lastDegree(s.f), lastDegree(s.g)) }
func (s sumSeries) validate() error         { return cmp.Or(validateSeries(s.f), validateSeries(s.g)) }

func (s sumSeries) coefficients(n int) []float64 {
	a := coefficients(s.f, n)
	for i, b := range coefficients(s.g, n) {
		a[i] += b
	}
	return a
}

// A productSeries is f·g: aₙ = Σ fᵢgₙ₋ᵢ, of non-negative terms, so that nothing cancels.
// Coeff(n) takes a time of order n; see coefficients for many of them.
type productSeries struct{ f, g Series }

func (s productSeries) Eval(t float64) float64 { return times(s.f.Eval(t), s.g.Eval(t)) }

func (s productSeries) Deriv(t float64) float64 {
	return times(s.f.Deriv(t), s.g.Eval(t)) + times(s.f.Eval(t), s.g.Deriv(t))
}

func (s productSeries) Coeff(n int) float64 {
	if n < 0 {
		return 0
	}
	return cauchy(coefficients(s.f, n+1), coefficients(s.g, n+1))
}

func (s productSeries) Radius() float64 { return min(s.f.Radius(), s.g.Radius()) }
func (s productSeries) slow() bool      { return true }
func (s productSeries) lastDegree() int { return lastDegree(s.f) + lastDegree(s.g) }
func (s productSeries) validate() error { return sumSeries(s).validate() }

func (s productSeries) coefficients(n int) []float64 {
	f, g := coefficients(s.f, n), coefficients(s.g, n)
	a := make([]float64, n)
	for i := range a {
		a[i] = cauchy(f[:i+1], g[:i+1])
	}
	return a
}

// cauchy returns Σ fᵢgₙ₋ᵢ for f₀ … fₙ and g₀ … gₙ.
func cauchy(f, g []float64) float64 {
	var sum float64
	for i, a := range f {
		sum += times(a, g[len(g)-1-i])
	}
	return sum
}

// coefficients returns a₀ … aₙ₋₁ of f, in the bits of Coeff, where a table costs less
// than as many calls of Coeff.
func coefficients(f Series, n int) []float64 {
	if t, ok := f.(interface{ coefficients(n int) []float64 }); ok {
		return t.coefficients(n)
	}
	a := make([]float64, n)
	for i := range a {
		a[i] = f.Coeff(i)
	}
	return a
}

// times returns a·b, rounded by itself, with 0·∞ = 0.
func times(a, b float64) float64 {
	p := float64(a * b)
	if math.IsNaN(p) && !math.IsNaN(a) && !math.IsNaN(b) {
		return 0
	}
	return p
}

// What is beyond these has an exponential that detmath does not hold, or a reciprocal
// that a float64 does not.
const (
	maxExponent = 1e9
	minRate     = 1e-150
)

// validateSeries checks a series that a constructor was given. Those of other packages
// are taken as they are, unless nil.
func validateSeries(f Series) error {
	if isNil(f) {
		return fmt.Errorf("featuremap: series f = nil")
	}
	if v, ok := f.(interface{ validate() error }); ok {
		return v.validate()
	}
	return nil
}

// validateNonNegative refuses what is not finite, and what is negative: Schoenberg's
// theorem has no room for it.
func validateNonNegative(series, parameter string, v float64) error {
	if v < 0 {
		return fmt.Errorf("%w: %s %s = %v is negative", ErrNotPSD, series, parameter, v)
	}
	if !(v <= math.MaxFloat64) {
		return fmt.Errorf("featuremap: %s %s = %v: must be finite", series, parameter, v)
	}
	return nil
}

// validateDegree refuses a negative degree, and one that nobody would wait for.
func validateDegree(parameter string, n int) error {
	if n < 0 || n > maxDegree {
		return fmt.Errorf("featuremap: %s = %d: must be from 0 to %d", parameter, n, maxDegree)
	}
	return nil
}
