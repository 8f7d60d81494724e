// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package score

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// RMSE returns the root of the mean squared error, in units of y. It is NaN if a number is NaN.
func RMSE(predicted, y []float64) float64 {
	validateLengths(len(predicted), len(y))
	var most, sum float64
	for i, v := range y {
		most = max(most, math.Abs(predicted[i]-v)) // NaN if one is
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return most
	}
	_, exponent := math.Frexp(most) // the largest error is scaled to about 1, so that no square overflows
	for i, v := range y {
		e := math.Ldexp(predicted[i]-v, -exponent)
		sum = math.FMA(e, e, sum)
	}
	return math.Ldexp(math.Sqrt(sum/float64(len(y))), exponent)
}

// NLL returns the mean negative log likelihood of y under normal distributions, in nats: the mean over rows of
//
//	½·(log 2πv + (y − mean)²/v)
//
// for variances v of new targets: of a ridge.Model the squares of StdDevTo. (Rasmussen and Williams, Gaussian Processes for
// Machine Learning, 2006, section 2.5.) A target that is missed with a variance of 0 makes it +Inf, otherwise one that is met makes
// it −Inf. It is NaN if a number is NaN, or a variance negative.
func NLL(mean, variance, y []float64) float64 {
	validateLengths(len(mean), len(variance), len(y))
	var sum float64
	missed := false
	for i, v := range variance {
		d := y[i] - mean[i]
		switch {
		case !(v >= 0) || math.IsNaN(d):
			return math.NaN()
		case v == 0 && d != 0, math.IsInf(d, 0):
			missed = true
		case v == 0:
			sum = math.Inf(-1)
		default:
			sum += float64(0.5 * (detmath.Log(v) + detmath.Log(2*math.Pi) + float64(d/v*d)))
		}
	}
	if missed {
		return math.Inf(1)
	}
	return sum / float64(len(y))
}

// Coverage returns the share of rows whose y lies in the interval around the mean that has the given probability under a normal
// distribution: with level .95 in mean ± 1.96·√variance. It is about level where error bars are right, less where they are too
// short. Variances are those of new targets, as for NLL. It is NaN if a number is NaN, or a variance negative.
//
// It panics if level is not in [0, 1].
func Coverage(mean, variance, y []float64, level float64) float64 {
	validateLengths(len(mean), len(variance), len(y))
	if !(level >= 0 && level <= 1) {
		panic(fmt.Sprintf("score: Coverage: level = %v: must be from 0 to 1", level))
	}
	z, inside := deviations(level), 0
	for i, v := range variance {
		d := math.Abs(y[i] - mean[i])
		if !(v >= 0) || math.IsNaN(d) {
			return math.NaN()
		}
		if d == 0 || level == 1 || d <= z*math.Sqrt(v) {
			inside++
		}
	}
	return float64(inside) / float64(len(y))
}

// deviations returns z for which a standard normal number is between −z and z with some probability: by bisection, as math's
// functions have other bits on other machines.
func deviations(level float64) float64 {
	lo, hi := 0.0, 9.0
	for range 64 {
		if z := (lo + hi) / 2; within(z) < level {
			lo = z
		} else {
			hi = z
		}
	}
	return hi
}

// within returns the probability that a standard normal number is between −z and z, by the series of positive terms
// √(2/π)·e^(−z²/2)·(z + z³/3 + z⁵/(3·5) + …) (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.11).
func within(z float64) float64 {
	term, sum := z, 0.0
	for k := 3.0; term > sum*0x1p-60; k += 2 {
		sum += term
		term *= z * z / k
	}
	return math.Sqrt(2/math.Pi) * detmath.Exp(-z*z/2) * sum
}
