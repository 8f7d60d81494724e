// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package score

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/conformal"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// RMSE returns the root mean squared error of each target, in units of y; predicted and y are n×T. It is NaN if a
// number is NaN.
func RMSE(predicted, y mat.Matrix) []float64 {
	return eachTarget(y, func(columns ...[]float64) float64 { return rmse(columns[1], columns[0]) }, predicted)
}

// eachTarget calls of with each column of y and the same columns of others, and returns the results. It panics unless
// all have the shape of y, and y is not empty.
func eachTarget(y mat.Matrix, of func(columns ...[]float64) float64, others ...mat.Matrix) []float64 {
	n, targets := y.Dims()
	for _, m := range others {
		r, c := m.Dims()
		validateLengths(n, r)
		validateLengths(targets, c)
	}
	validateLengths(n)
	validateLengths(targets)
	values, columns := make([]float64, targets), make([][]float64, 1+len(others))
	for t := range values {
		columns[0] = mat.Col(columns[0], t, y)
		for k, m := range others {
			columns[1+k] = mat.Col(columns[1+k], t, m)
		}
		values[t] = of(columns...)
	}
	return values
}

func rmse(predicted, y []float64) float64 {
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

// NLL returns the mean negative log likelihood of each target under normal distributions, in nats: the mean over rows
// of
//
//	½·log 2π + log s + ½·((y − mean)/s)²
//
// where s is the standard deviation of a new observation, as StdDevTo of a ridge.Model returns it; mean, sd and y are
// n×T. (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 2.5.) It is NaN if a number is
// NaN or a standard deviation negative. An infinite sd, or one of 0 where the target differs from its mean, makes the
// result +Inf; if there is no such row, an sd of 0 makes it −Inf.
func NLL(mean, sd, y mat.Matrix) []float64 {
	return eachTarget(y, func(columns ...[]float64) float64 { return nll(columns[1], columns[2], columns[0]) }, mean, sd)
}

func nll(mean, sd, y []float64) float64 {
	var sum float64
	missed := false
	for i, s := range sd {
		d := y[i] - mean[i]
		switch {
		case !(s >= 0) || math.IsNaN(d):
			return math.NaN()
		case s == 0 && d != 0, math.IsInf(d, 0), math.IsInf(s, 1):
			missed = true
		case s == 0:
			sum = math.Inf(-1)
		default:
			z := d / s
			sum += float64(0.5*(detmath.Log(2*math.Pi)+float64(z*z))) + detmath.Log(s)
		}
	}
	if missed {
		return math.Inf(1)
	}
	return sum / float64(len(y))
}

// Coverage returns the share of rows of each target that lie in their intervals, lo ≤ y ≤ hi; lo, hi and y are n×T.
// Correct intervals cover about the share that their level promises, and intervals that are too short cover less. It is
// NaN if a number is NaN.
func Coverage(lo, hi, y mat.Matrix) []float64 {
	return eachTarget(y, func(columns ...[]float64) float64 {
		inside := 0
		for i, v := range columns[0] {
			from, to := columns[1][i], columns[2][i]
			if math.IsNaN(v) || math.IsNaN(from) || math.IsNaN(to) {
				return math.NaN()
			}
			if from <= v && v <= to {
				inside++
			}
		}
		return float64(inside) / float64(len(columns[0]))
	}, lo, hi)
}

// IntervalScore returns the mean interval score of each target, for intervals from lo to hi of the given level: the
// mean over rows of
//
//	hi − lo + 2/(1 − level)·max(lo − y, y − hi, 0)
//
// in units of y; lo, hi and y are n×T. Lower is better: the score is least for intervals with (1 − level)/2 of the
// targets on either side. (Gneiting and Raftery 2007, "Strictly proper scoring rules, prediction, and estimation".) It
// is NaN if a number is NaN. It panics unless level is between 0 and 1.
func IntervalScore(lo, hi, y mat.Matrix, level float64) []float64 {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("score: level = %v: must be between 0 and 1", level))
	}
	return eachTarget(y, func(columns ...[]float64) float64 {
		var sum float64
		for i, v := range columns[0] {
			sum += conformal.Loss(columns[1][i], columns[2][i], v, level)
		}
		return sum / float64(len(columns[0]))
	}, lo, hi)
}
