// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What a kernel predicts of rows that are left out.

package learn

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// leaveOneOut returns the mean loss of the rows of the fresh table, each left out of a refit: of targets the mean of the squared errors, in
// units of their variances, and of labels 1 if another class has the largest prediction. With rᵢ the residual of row i and
// hᵢ = 1/n + (φᵢ−φ̄)ᵀB⁻¹(φᵢ−φ̄) it errs by rᵢ/(1 − hᵢ) (Allen 1974, "The relationship between variable selection and data augmentation and
// a method for prediction"). It is NaN if the refit has no solution.
func (l *learner) leaveOneOut(r *refit) float64 {
	m := l.fresh
	e := l.refreshed(r)
	s, err := e.Solve(r.solution.Lambda)
	if err != nil {
		return math.NaN()
	}
	weights, intercept := e.Weights(s)
	n, targets := m.features.Rows, m.table.y.Cols
	sum, predicted := 0.0, newGeneral(min(chunk, n), targets, targets)
	part := newGeneral(min(chunk, n), m.width, tiled.Stride(m.width))
	for lo := 0; lo < n; lo += chunk {
		part.Rows = min(chunk, n-lo)
		predicted.Rows = part.Rows
		features := columnsOf(m.features, 0, m.width)
		features.Rows, features.Data = part.Rows, features.Data[lo*features.Stride:]
		tiled.Products(predicted, features, weights.Data, weights.Stride)
		for i := range part.Rows {
			row := part.Data[i*part.Stride:][:m.width]
			copy(row, features.Data[i*features.Stride:])
			for j, v := range e.Mean {
				row[j] -= v
			}
		}
		s.Factor.SolveTransVecs(part)
		for i := range part.Rows {
			row := part.Data[i*part.Stride:][:m.width]
			rest := 1 - tiled.Dot(row, row)
			if e.Mean != nil {
				rest -= 1 / float64(n)
			}
			y := m.features.Data[(lo+i)*m.features.Stride+m.width:][:targets]
			without := predicted.Data[i*targets:][:targets]
			for t, v := range without {
				without[t] = y[t] - (y[t]-intercept[t]-v)/max(rest, leastRest)
			}
			sum += l.loss(without, y)
		}
	}
	return sum / float64(n)
}

// leastRest bounds 1 − h.
const leastRest = 1e-8

// loss returns the loss of a row of predictions.
func (l *learner) loss(predicted, y []float64) (sum float64) {
	units := l.fresh.table.targets
	if !l.labels {
		for t, v := range predicted {
			e := (v - y[t]) * units.unit[t] / units.deviation[t]
			sum += float64(e * e)
		}
		return sum / float64(len(y))
	}
	at, class := -1, -1
	var most float64
	for t, v := range predicted {
		if v = float64(v*units.unit[t]) + units.center[t]; at < 0 || v > most {
			at, most = t, v
		}
		if float64(y[t]*units.unit[t])+units.center[t] > 0 {
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

// areLabels tells whether targets are those of ridge.Labels: ±1, and of several columns one is 1.
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
