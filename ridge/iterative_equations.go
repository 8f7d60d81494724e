// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
)

// equationsOf are ΦᵀΦw = Φᵀy of a set of rows, less means.
type equationsOf struct {
	rows   int
	weight float64        // the sum of the weights
	b      blas64.General // Φᵀy
	yy     []float64      // yᵀy
	mean   []float64      // of features less c; nil: 0
	sum    []float64      // Σw(φ − c) less mean
	level  []float64      // the mean of the targets
}

// ifAny returns v if there is a mean.
func ifAny(v []float64, intercept bool) []float64 {
	if intercept {
		return v
	}
	return nil
}

// newEquationsOf returns the equations of sums of a first pass. Features and targets are less their means, or less those of
// another set, or as they are. The mean is less the shift.
func newEquationsOf(s *setSums, targets int, shift, level []float64, intercept bool, by *equationsOf) *equationsOf {
	w := s.u[targets]
	e := &equationsOf{rows: s.rows, weight: w, b: slabs.New(targets, s.g.Cols), yy: slices.Clone(s.yy), level: make([]float64, targets)}
	total := s.g.Data[targets*s.g.Stride:][:s.g.Cols]
	mean := make([]float64, s.g.Cols) // what features are taken less, less the shift
	for k := range mean {
		switch {
		case by != nil && intercept:
			mean[k] = by.mean[k]
		case intercept:
			mean[k] = total[k] / w
		default:
			mean[k] = -shift[k]
		}
	}
	e.sum = make([]float64, s.g.Cols)
	for k, v := range total {
		e.sum[k] = math.FMA(-w, mean[k], v)
	}
	for t := range targets {
		d := -level[t] // what targets are taken less, less the level
		if intercept {
			d = s.u[t] / w
			if by != nil {
				d = by.level[t] - level[t]
			}
		}
		e.level[t] = 0
		if intercept {
			e.level[t] = level[t] + d
		}
		// Σw(y − l − d)² = yy − 2dΣw(y − l) + d²W
		e.yy[t] = math.FMA(float64(d*d), w, math.FMA(-2*d, s.u[t], e.yy[t]))
		e.yy[t] = max(e.yy[t], 0)
		row, b := s.g.Data[t*s.g.Stride:], e.b.Data[t*e.b.Stride:]
		left := math.FMA(-d, w, s.u[t])
		for k := range mean {
			// Σw(φ − s − m)(y − l − d) = g − dΣw(φ − s) − m·(Σw(y − l) − dW)
			b[k] = math.FMA(-mean[k], left, math.FMA(-d, total[k], row[k]))
		}
	}
	e.mean = mean
	return e
}
