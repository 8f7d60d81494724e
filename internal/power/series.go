// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package power implements the algebra of power series with non-negative coefficients: sums, products, compositions and
// dilations, tables of their coefficients, and the sampling of degrees.
//
// Begin with algebra.go; tables.go, degrees.go and laws.go use it.
package power

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A Binomial is the polynomial (scale·t + offset)^p: aₙ = C(p, n)·scaleⁿ·offset^(p−n).
type Binomial struct {
	Degree int     `save:"degree"`
	Gamma  float64 `save:"gamma"`  // not negative
	Offset float64 `save:"offset"` // not negative
}

func (f Binomial) Eval(t float64) float64 {
	return detmath.Pow(math.FMA(f.Gamma, t, f.Offset), f.Degree)
}

func (f Binomial) Deriv(t float64) float64 {
	return arith.Times(float64(f.Degree)*f.Gamma, detmath.Pow(math.FMA(f.Gamma, t, f.Offset), max(f.Degree-1, 0)))
}

func (f Binomial) Coeff(n int) float64 {
	if n < 0 || n > f.Degree {
		return 0
	}
	rest := f.Degree - n
	choose := detmath.Factorial(f.Degree).Div(detmath.Factorial(n)).Div(detmath.Factorial(rest))
	powers := detmath.NewWide(f.Gamma).Pow(n).Mul(detmath.NewWide(f.Offset).Pow(rest))
	return choose.Mul(powers).Float64()
}

func (f Binomial) Radius() float64 { return math.Inf(1) }

func (f Binomial) profile() Profile {
	if f.Offset > 0 {
		return Profile{Degree: f.Degree} // no gaps: terms of the series rise and fall once
	}
	return Profile{Degree: f.Degree, Gaps: f.Degree}
}

func (f Binomial) Validate() error {
	if f.Degree < 0 {
		return fmt.Errorf("featuremap: Polynomial Degree = %d: must be at least 0", f.Degree)
	}
	return cmp.Or(
		check.NonNegative("Polynomial", "Gamma", f.Gamma),
		check.NonNegative("Polynomial", "Offset", f.Offset))
}

// Validate checks a series that is passed to a constructor: for nil, and by its method Validate if it
// has one.
func Validate(f series.Series) error {
	if check.IsNil(f) {
		return fmt.Errorf("featuremap: series f = nil")
	}
	if v, ok := f.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// Copy returns the series as a value, or a copy, so that the caller cannot change it.
func Copy(f series.Series) series.Series {
	if c, ok := check.Value(f).(series.Coefficients); ok {
		return slices.Clone(c)
	}
	return check.Value(f)
}

// ValidateCoefficient refuses a negative or NaN coefficient of a caller's series.
func ValidateCoefficient(f series.Series, n int, a float64) error {
	if a < 0 {
		return fmt.Errorf("%w: %s has the coefficient %v at degree %d", check.ErrNotPSD, gosyntax.Of(f), a, n)
	}
	if math.IsNaN(a) {
		return fmt.Errorf("featuremap: %s has the coefficient NaN at degree %d", gosyntax.Of(f), n)
	}
	return nil
}

// KernelSource returns the Go expression of the kernel f(⟨x, y⟩).
func KernelSource(f series.Series) string {
	switch f := f.(type) {
	case series.HermiteDual:
		if f.N == 1 {
			return "Linear{}"
		}
	case Binomial:
		return fmt.Sprintf("Polynomial{Degree: %d, Gamma: %s, Offset: %s}", f.Degree, gosyntax.Of(f.Gamma), gosyntax.Of(f.Offset))
	case Scaled:
		return gosyntax.Call("Scale", f.C, kernelOf{f.F})
	case Sum:
		return gosyntax.Call("Sum", kernelOf{f.F}, kernelOf{f.G})
	case Product:
		return gosyntax.Call("Product", kernelOf{f.F}, kernelOf{f.G})
	case Composed:
		return gosyntax.Call("Compose", f.F, kernelOf{f.G})
	case Dilated:
		return gosyntax.Call("Compose", f.F, kernelOf{Scaled{f.C, series.HermiteDual{N: 1}}})
	}
	return gosyntax.Call("Dot", f)
}

// A kernelOf prints as the kernel of a series.
type kernelOf struct{ f series.Series }

func (k kernelOf) GoString() string { return KernelSource(k.f) }

// Series that are made of others print as the kernel of a series, because no Go expression makes
// them.

func (f Binomial) GoString() string { return KernelSource(f) + ".Series()" }
func (s Scaled) GoString() string   { return seriesSource(s) }
func (s Sum) GoString() string      { return seriesSource(s) }
func (s Product) GoString() string  { return seriesSource(s) }
func (s Composed) GoString() string { return seriesSource(s) }
func (s Dilated) GoString() string  { return seriesSource(s) }

func seriesSource(f series.Series) string { return "series of " + KernelSource(f) }
