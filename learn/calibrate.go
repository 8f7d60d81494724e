// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Leave-one-out predictions of a ridge regression.

package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// leftOutRows is the largest number of rows that are left out.
const leftOutRows = 2048

// A leftOut is the errors of rows that were left out, and the variances that the model gives for them: a row a row, a
// column a target.
type leftOut struct {
	errors, variances *mat.Dense
	spread            []float64 // standard deviation of each target; 0 for constant ones, which do not count in losses
}

// leaveOut leaves out some of the rows of a fit, each with its copies, and predicts them by the others, with the λ of
// each target. For a group of copies with weight w, mean target ȳ and centered features φ̃, let a = 1/Σw + φ̃ᵀA⁻¹φ̃ and
// h = w·a. The prediction f becomes f − (ȳ − f)·h/(1 − h), and its variance σ²·a becomes σ²·a/(1 − h). For a single row
// the error is its residual over 1 − h.
func (s *study) leaveOut(z *sized) *leftOut {
	hidden, c := lent.Of(z.model), z.copies
	var list []int
	for _, i := range s.rest {
		if c.of[i] >= 0 {
			list = append(list, i)
		}
	}
	index := some(list, leftOutRows)
	p := s.part(index)
	y := p.targets(s.count)
	_, targets := y.Dims()
	var total float64
	for _, first := range c.first {
		total += c.weights[first]
	}
	l := &leftOut{errors: mat.NewDense(len(index), targets, nil), variances: mat.NewDense(len(index), targets, nil)}
	var predicted mat.Dense
	z.model.PredictTo(&predicted, p.x)
	norms := mat.NewDense(len(index), targets, nil) // φ̃ᵀA⁻¹φ̃
	hidden.StdDevTo(l.variances, norms, p.x)
	for t := range targets {
		for i, row := range index {
			first := c.of[row]
			a := norms.At(i, t) + 1/total
			rest := max(1-float64(c.weights[first]*a), leastLeft) // 1 − h
			f, sd := predicted.At(i, t), l.variances.At(i, t)
			l.errors.Set(i, t, y.At(i, t)-f+float64((c.At(first, t)-f)*(1-rest)/rest))
			l.variances.Set(i, t, float64(sd*sd)+float64(hidden.Noise[t]*(a/rest-a)))
		}
	}
	for _, c := range rows.Spreads(y, nil) {
		l.spread = append(l.spread, c.Deviation)
	}
	return l
}

// leastLeft bounds 1 − h from below: a smaller value is rounding.
const leastLeft = 1e-12

// losses returns the squared error of each row, in variances of the targets, as a mean over targets that are not
// constant.
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

// calibrate scales the noise variance of each target so that leave-one-out errors are as large as the model predicts. A
// kernel and λ that predict best may state too little or too much noise. Errors count as larger by the optimism of the metric.
func (s *study) calibrate(z *sized) {
	left := z.left
	if left == nil {
		left = s.leaveOut(z)
	}
	noise := lent.Of(z.model).Noise
	z.spread = left.spreads(noise)
	for t, v := range left.calibration() {
		if v > 0 && v <= math.MaxFloat64 {
			noise[t] *= v * s.optimism * s.optimism
		}
	}
}

// spreads returns the mean variance of each target's predictions, in units of its noise variance.
func (l *leftOut) spreads(noise []float64) []float64 {
	n, targets := l.variances.Dims()
	spreads := make([]float64, targets)
	for t := range spreads {
		spreads[t] = mat.Sum(l.variances.ColView(t))/float64(n)/noise[t] - 1
	}
	return spreads
}

// noisier returns a fit whose noise is at least that between rows at the same point, σ₀². Groups of these that are left
// out tell how much predictions err at other points, σ²(1 + K) with K of order 1/λ, but not what part of that is noise:
// if λ is small, it may be none. With one target, λ has the largest evidence for σ₀². With several it is such that
// σ₀²(1 + K) is as large as before.
func (s *study) noisier(z *sized, labels bool, index []int) (*ridge.Model, error) {
	noise, each := slices.Clone(lent.Of(z.model).Noise), z.model.Lambda()
	most := 1.0
	for t, v := range noise {
		if own, low := z.copies.noise(t); v < low {
			ratio := z.spread[t] / max(float64(v/own*(1+z.spread[t]))-1, z.spread[t]/mostNoisier)
			noise[t], each[t] = own, each[t]*ratio
			most = max(most, ratio)
		}
	}
	switch {
	case most == 1:
		return z.model, nil
	case labels: // which share λ
		for t, v := range z.model.Lambda() {
			each[t] = v * most
		}
	}
	m, err := s.fitEach(z.sums, labels, each, index)
	if err != nil {
		return nil, err
	}
	copy(lent.Of(m).Noise, noise)
	s.note("fit", "noise of rows at the same point", false)
	return m, nil
}

// mostNoisier is the largest factor of λ.
const mostNoisier = 1e9

// calibration returns r·min(r, q) for each target. r is the root mean square of errors over their predicted standard
// deviations, and q their 90 % quantile over that of normal errors. Both are 1 if the model is right. r is larger if a
// few outliers cause most of the error. Rows count alike: each errs by the noise, whatever its weight in the fit.
func (l *leftOut) calibration() []float64 {
	n, targets := l.errors.Dims()
	ratios, sizes := make([]float64, targets), make([]float64, n)
	for t := range ratios {
		var squares float64
		for i := range sizes {
			e := l.errors.At(i, t)
			ratio := e * e / l.variances.At(i, t)
			sizes[i] = math.Sqrt(ratio)
			squares += ratio
		}
		slices.Sort(sizes)
		root, quantile := math.Sqrt(squares/float64(n)), sizes[(9*(n-1)+5)/10]/normal90
		ratios[t] = root * min(root, quantile)
	}
	return ratios
}
