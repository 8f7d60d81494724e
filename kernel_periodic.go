// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
)

// Periodic is the kernel of functions that repeat,
//
//	k(x, y) = ∏ᵢ exp(−2 sin²(πΔᵢ/p)/ℓ²) = ∏ᵢ exp((cos(2πΔᵢ/p) − 1)/ℓ²),  Δ = x − y,
//
// with the period p in every coordinate (MacKay 1998, "Introduction to Gaussian processes"; Rasmussen and Williams
// 2006, equation 4.31). It is the Gaussian kernel of length scale ℓ for points on the unit circle, a product over the
// coordinates, and not radial.
//
// ARD multiplies the period of each coordinate. For different periods and length scales take a Product of a Select for
// each coordinate. The product with a Gaussian kernel describes patterns that change slowly.
//
// The coordinates of a frequency are independent. Each is j·2π/p for an integer j with probability e^{−1/ℓ²}·I_j(1/ℓ²),
// where I_j is the modified Bessel function: j is the difference of two Poisson variates of mean 1/2ℓ² each (Skellam
// 1946), and mostly below 2/ℓ. In one coordinate, more than about 8/ℓ features mostly repeat frequencies, and the error
// falls only by averaging.
type Periodic struct {
	Period      float64 // p, in the units of x: positive, from 1e-150 to 1e150
	LengthScale float64 // ℓ, without unit: positive, from 1e-7 to 1e150
}

// minPeriodicLength is the least LengthScale. For smaller ones a phase a few periods from the origin keeps few digits.
const minPeriodicLength = 1e-7

// Eval returns ∏ᵢ exp(−2 sin²(πΔᵢ/p)/ℓ²). It reduces Δ to one period without rounding, so values near multiples of the
// period keep all digits, however far away the points are.
func (k Periodic) Eval(x, y []float64) float64 {
	arith.SameLength(x, y)
	var sum float64
	for i, v := range x {
		delta := v - y[i]
		if math.IsInf(delta, 0) { // finite coordinates of opposite sign may have such a difference
			delta = math.Remainder(v, k.Period) - math.Remainder(y[i], k.Period)
		}
		u := math.Sin(math.Pi*(k.remainder(delta)/k.Period)) / k.LengthScale
		sum += u * u
	}
	return math.Exp(-2 * sum)
}

func (k Periodic) pairwise() (f matrix.Function, ok bool) {
	return matrix.Function{
		Measure:  gram.Measure{Of: gram.Sines, Scale: 1, Period: k.Period},
		Function: gram.Exponential{Rate: -2 / float64(k.LengthScale*k.LengthScale)},
	}, true
}

// remainder returns delta minus the nearest multiple of the period, or one next to it, without rounding.
func (k Periodic) remainder(delta float64) float64 {
	const most = 1 << 20 // up to this many periods the rounded quotient is within about one half of delta/p
	if q := delta / k.Period; math.Abs(q) < most {
		return math.FMA(-math.RoundToEven(q), k.Period, delta)
	}
	return math.Remainder(delta, k.Period)
}

// Mass returns 1.
func (k Periodic) Mass() float64 { return 1 }

// Frequency draws an independent multiple of 2π/p for each coordinate.
func (k Periodic) Frequency(dst []float64, s *Sampler) {
	lambda := 1 / float64(k.LengthScale*k.LengthScale)
	for i := range dst {
		dst[i] = 2 * math.Pi * s.skellam(lambda) / k.Period
	}
}

// root returns √E ωᵢ²: the variance of a difference of Poisson variates is the sum of their means.
func (k Periodic) root() float64 { return 2 * math.Pi / k.Period / k.LengthScale }

// slow returns the time that one coordinate takes to draw, about, relative to a normal variate: 48 for ℓ = 1, 850 for
// 1e-7.
func (k Periodic) slow() float64 { return 12 + 36*math.Log2(1+1/k.LengthScale) }

func (k Periodic) validate(int) error {
	if err := check.Length("Periodic", "Period", k.Period); err != nil {
		return err
	}
	if err := check.Length("Periodic", "LengthScale", k.LengthScale); err != nil {
		return err
	}
	if k.LengthScale < minPeriodicLength {
		return fmt.Errorf("featuremap: Periodic LengthScale = %v: must be at least %v, as frequencies are multiples of 2π/Period of about 1/LengthScale", k.LengthScale, minPeriodicLength)
	}
	return nil
}

func (k Periodic) parameters() parameters {
	return oneParameter(k.LengthScale, func(v float64) Kernel { k.LengthScale = v; return k })
}

// String returns the Go expression that makes the kernel.
func (k Periodic) String() string { return gosyntax.Of(k) }

var _ Stationary = Periodic{}
