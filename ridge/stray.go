// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// A stray is the leave-one-out prediction that is farthest beyond the span of its target, among all rows looked at. The
// zero value stands for no stray.
type stray struct {
	target     int
	prediction float64
	span       span
	distance   float64 // the distance from the span divided by the span's length
}

// newStray returns the stray of a prediction. Its distance is negative within the span, and NaN for a span of one
// number.
func newStray(target int, prediction float64, s span) stray {
	return stray{target, prediction, s, max(s.least-prediction, prediction-s.most) / (s.most - s.least)}
}

// look replaces s by the prediction, among some rows and targets, that is farthest beyond its span, if that is farther
// than s. A prediction is the target minus the residual.
func (s *stray) look(residuals blas64.General, rows *someRows, spans []span, targets []int) {
	for i := range residuals.Rows {
		for _, t := range targets {
			target := spans[t]
			p := rows.y.Data[i*rows.y.Stride+t] - residuals.Data[i*residuals.Stride+t]
			if far := newStray(t, p, target); far.distance > s.distance && far.distance <= math.MaxFloat64 && target.most > target.least {
				*s = far
			}
		}
	}
}
