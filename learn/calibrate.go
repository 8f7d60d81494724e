// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What a ridge regression says of rows that are left out of it, one at a time.

package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// leftOutRows is the number of rows that are left out, at most.
const leftOutRows = 2048

// Rows that were left out: their errors and the variances of these that a model says, a row a row and a column a target.
type leftOut struct {
	errors, variances *mat.Dense
	weights           []float64
	spread            []float64 // the deviation of each target; 0 of constant ones, which have no part in losses
}

// leaveOut leaves out some of the rows that a model was fitted to, of those of a list, each of which is predicted by a fit of all others:
// with a row's leverage h, and its features less the mean, a = 1/Σw + φ̃ᵀA⁻¹φ̃ = h/w, the error is its residual over 1 − h, and the variance σ²·a
// becomes σ²·a/(1 − h).
func (s *study) leaveOut(m *ridge.Model, list []int) *leftOut {
	phi, hidden := m.Map(), lent.Of(m)
	index := some(list, leftOutRows)
	p := s.part(index)
	y := p.targets(s.count)
	_, targets := y.Dims()
	weight := s.fitWeight()
	_, out := phi.Dims()
	l := &leftOut{errors: mat.NewDense(len(index), targets, nil), variances: mat.NewDense(len(index), targets, nil)}
	features := mat.NewDense(len(index), out, nil)
	phi.TransformTo(features, p.x)
	for i := range index {
		for j, v := range hidden.Mean {
			features.RawRowView(i)[j] -= v
		}
	}
	leverages := make([]float64, len(index))
	hidden.Factor.SquaredNorms(leverages, features.RawMatrix())
	var total float64
	for _, i := range list {
		total += weight(i)
	}
	m.PredictTo(l.errors, p.x)
	hidden.StdDevTo(l.variances, p.x)
	for i, row := range index {
		w := weight(row)
		a := leverages[i] + 1/total
		rest := max(1-float64(w*a), leastLeft)
		l.weights = append(l.weights, w)
		for t := range targets {
			l.errors.Set(i, t, (y.At(i, t)-l.errors.At(i, t))/rest)
			sd := l.variances.At(i, t)
			l.variances.Set(i, t, float64(sd*sd)+float64(hidden.Noise[t]*(a/rest-a)))
		}
	}
	for _, c := range rows.Spreads(y, nil) {
		l.spread = append(l.spread, c.Deviation)
	}
	return l
}

// leastLeft bounds 1 less a leverage: of less, all is rounding.
const leastLeft = 1e-12

// losses returns the squared errors of each row, as means over the targets that are not constant, in their variances.
func (l *leftOut) losses() []float64 {
	n, targets := l.errors.Dims()
	losses, varying := make([]float64, n), 0.0
	for t := range targets {
		if l.spread[t] == 0 {
			continue
		}
		varying++
		for i := range losses {
			e := l.errors.At(i, t) / l.spread[t]
			losses[i] = math.FMA(e, e, losses[i])
		}
	}
	for i := range losses {
		losses[i] /= varying
	}
	return losses
}

// calibration returns by what the variances of each target are to be multiplied: the mean of the squared error over its variance, which is 1 if the model says
// the truth, or less where a few rows far out have most of it: times the ratio of the quantile that 90 of 100 errors are within to the normal one, and
// over the root of that mean.
func (l *leftOut) calibration() []float64 {
	n, targets := l.errors.Dims()
	ratios, sizes := make([]float64, targets), make([]float64, n)
	for t := range ratios {
		var squares, total float64
		for i := range sizes {
			e := l.errors.At(i, t)
			ratio := e * e / l.variances.At(i, t)
			sizes[i] = math.Sqrt(ratio)
			squares = math.FMA(l.weights[i], ratio, squares)
			total += l.weights[i]
		}
		slices.Sort(sizes)
		root, quantile := math.Sqrt(squares/total), sizes[(9*(n-1)+5)/10]/normal90
		ratios[t] = root * min(root, quantile)
	}
	return ratios
}
