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

// equationsOf are the normal equations ΦᵀΦw = Φᵀy of all rows, for centered features and targets.
type equationsOf struct {
	weight    float64        // the sum of the weights
	b         blas64.General // Φᵀy
	yy        []float64      // yᵀy
	variances []float64      // of the targets
	mean      []float64      // of features minus the shift
	level     []float64      // the mean of the targets
}

// newEquationsOf returns the equations from the sums of a first pass. Features and targets are centered if there is an
// intercept.
func newEquationsOf(s *setSums, targets int, shift, level []float64, intercept bool) *equationsOf {
	w := s.u[targets]
	e := &equationsOf{weight: w, b: slabs.New(targets, s.g.Cols), yy: slices.Clone(s.yy), level: make([]float64, targets)}
	total := s.g.Data[targets*s.g.Stride:][:s.g.Cols]
	mean := make([]float64, s.g.Cols) // to be subtracted from features, after the shift
	for k := range mean {
		if mean[k] = -shift[k]; intercept {
			mean[k] = total[k] / w
		}
	}
	for t := range targets {
		d := -level[t] // to be subtracted from targets, after the level
		if intercept {
			d = s.u[t] / w
			e.level[t] = level[t] + d
		}
		e.variances = append(e.variances, max(math.FMA(-s.u[t]/w, s.u[t], s.yy[t]), 0)/w)
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
