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

func (f binomial) Validate() error {
	if f.Degree < 0 {
		return fmt.Errorf("featuremap: Polynomial Degree = %d: must be at least 0", f.Degree)
	}
	return cmp.Or(
		check.NonNegative("Polynomial", "Scale", f.Scale),
		check.NonNegative("Polynomial", "Offset", f.Offset))
}

// validateSeries checks a series given to a constructor: for nil, and by its method Validate if it has one.
func validateSeries(f Series) error {
	if check.IsNil(f) {
		return fmt.Errorf("featuremap: series f = nil")
	}
	if v, ok := f.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// ownSeries returns the series as a value, or as a copy, so that the caller cannot change it.
func ownSeries(f Series) Series {
	if c, ok := check.Value(f).(Coefficients); ok {
		return slices.Clone(c)
	}
	return check.Value(f)
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

// kernelSource returns the Go expression of the kernel f(⟨x, y⟩).
func kernelSource(f Series) string {
	switch f := f.(type) {
	case HermiteDual:
		if f.N == 1 {
			return "Linear{}"
		}
	case binomial:
		return fmt.Sprintf("Polynomial{Degree: %d, Scale: %s, Offset: %s}", f.Degree, gosyntax.Of(f.Scale), gosyntax.Of(f.Offset))
	case scaledSeries:
		return gosyntax.Call("Scale", f.C, kernelOf{f.F})
	case sumSeries:
		return gosyntax.Call("Sum", kernelOf{f.F}, kernelOf{f.G})
	case productSeries:
		return gosyntax.Call("Product", kernelOf{f.F}, kernelOf{f.G})
	case composedSeries:
		return gosyntax.Call("Compose", f.F, kernelOf{f.G})
	case dilated:
		return gosyntax.Call("Compose", f.F, kernelOf{scaledSeries{f.C, HermiteDual{1}}})
	}
	return gosyntax.Call("Dot", f)
}

// A kernelOf prints as the kernel of a series.
type kernelOf struct{ f Series }

func (k kernelOf) GoString() string { return kernelSource(k.f) }

// Series that are made of others print as SeriesOf with the kernel that they are the series of.

func (f binomial) GoString() string       { return kernelSource(f) + ".Series()" }
func (s scaledSeries) GoString() string   { return seriesSource(s) }
func (s sumSeries) GoString() string      { return seriesSource(s) }
func (s productSeries) GoString() string  { return seriesSource(s) }
func (s composedSeries) GoString() string { return seriesSource(s) }
func (s dilated) GoString() string        { return seriesSource(s) }

func seriesSource(f Series) string { return gosyntax.Call("SeriesOf", kernelOf{f}) }
