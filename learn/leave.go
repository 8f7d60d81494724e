// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Leave-one-out predictions of a kernel.

package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// leaveOneOut returns the losses of up to mostLeft rows of the fresh table, each left out of a refit: for targets minus
// the log predictive density, in the targets' units, and for labels 1 if another class has the largest prediction. With
// rᵢ the residual of row i and hᵢ = 1/n + (φᵢ−φ̄)ᵀB⁻¹(φᵢ−φ̄), the error is rᵢ/(1 − hᵢ), and its variance σ²/(1 − hᵢ)
// (Allen 1974, "The relationship between variable selection and data augmentation and a method for prediction";
// Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 5.4.2, for exact processes). It
// returns nil if the refit has no solution.
func (l *learner) leaveOneOut(r *refit) (losses []float64) {
	m := l.fresh
	e, err := l.refreshed(r)
	if err != nil {
		return nil
	}
	s, err := e.Solve(r.solution.Lambda)
	if err != nil {
		return nil
	}
	weights, intercept := e.Weights(s)
	targets := m.table.y.Cols
	left := subset.Rows(m.features.Rows, mostLeft)
	residuals := newGeneral(min(chunk, len(left)), targets, targets)
	part := newGeneral(min(chunk, len(left)), m.width, tiled.Stride(m.width))
	for some := range slices.Chunk(left, chunk) {
		part.Rows, residuals.Rows = len(some), len(some)
		for i, row := range some {
			copy(part.Data[i*part.Stride:][:m.width], m.features.Data[row*m.features.Stride:])
		}
		tiled.Products(residuals, part, weights.Data, weights.Stride)
		for i := range some {
			for j, v := range e.Mean {
				part.Data[i*part.Stride+j] -= v
			}
		}
		s.Factor.SolveTransVecs(part)
		for i, row := range some {
			solved := part.Data[i*part.Stride:][:m.width]
			rest := 1 - tiled.Dot(solved, solved)
			if e.Mean != nil {
				rest -= 1 / float64(m.features.Rows)
			}
			rest = max(rest, leastRest)
			y := m.features.Data[row*m.features.Stride+m.width:][:targets]
			errors := residuals.Data[i*targets:][:targets]
			for t, v := range errors {
				errors[t] = (y[t] - intercept[t] - v) / rest
			}
			if l.labels {
				losses = append(losses, l.wrong(errors, y))
			} else {
				losses = append(losses, l.unlikely(errors, s.Noise, rest))
			}
		}
	}
	return losses
}

// meanOf returns the mean of numbers, as one chain of sums: package stat has other last bits on other machines.
func meanOf(v []float64) (mean float64) {
	for _, v := range v {
		mean += v
	}
	return mean / float64(len(v))
}

// moreLoss returns the mean of a − b, row by row, and its standard error. It is NaN without rows.
func moreLoss(a, b []float64) (mean, deviation float64) {
	if len(a) == 0 || len(a) != len(b) {
		return math.NaN(), math.NaN()
	}
	n := float64(len(a))
	for i, v := range a {
		mean += v - b[i]
	}
	mean /= n
	for i, v := range a {
		d := v - b[i] - mean
		deviation = math.FMA(d, d, deviation)
	}
	return mean, math.Sqrt(deviation / max(n-1, 1) / n)
}

const (
	mostLeft  = 4000 // rows that are left out
	leastRest = 1e-8 // lower bound of 1 − h
)

// unlikely returns the mean over targets of minus the log density of their errors, whose variances are the noises over
// rest.
func (l *learner) unlikely(errors, noise []float64, rest float64) (sum float64) {
	for t, v := range errors {
		variance := max(noise[t], leastNoise) / rest
		sum += 0.5*(detmath.Log(2*math.Pi*variance)+v*v/variance) + detmath.Log(l.fresh.table.targets.unit[t])
	}
	return sum / float64(len(errors))
}

// leastNoise is a lower bound of σ², in the squared units of the targets.
const leastNoise = 1e-30

// wrong returns 1 if the prediction of a row of labels, minus its errors, is not its class, and 0 otherwise.
func (l *learner) wrong(errors, y []float64) float64 {
	units := l.fresh.table.targets
	at, class := -1, -1
	var most float64
	for t, v := range y {
		predicted := float64((v-errors[t])*units.unit[t]) + units.center[t]
		if at < 0 || predicted > most {
			at, most = t, predicted
		}
		if float64(v*units.unit[t])+units.center[t] > 0 {
			class = t
		}
	}
	if len(y) == 1 && most <= 0 {
		at = -1
	}
	if at != class {
		return 1
	}
	return 0
}

// areLabels reports whether targets are the result of ridge.Labels: all are ±1, and if there are several columns,
// exactly one is 1.
func areLabels(y blas64.General) bool {
	for i := range y.Rows {
		ones := 0
		for _, v := range y.Data[i*y.Stride:][:y.Cols] {
			switch v {
			case 1:
				ones++
			case -1:
			default:
				return false
			}
		}
		if y.Cols > 1 && ones > 1 {
			return false
		}
	}
	return true
}
