// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/normal"
)

// finiteBelow reports whether all numbers are below limit in magnitude.
func finiteBelow(v []float64, limit float64) bool {
	return !slices.ContainsFunc(v, func(v float64) bool { return !(math.Abs(v) < limit) })
}

// validateSpans refuses a target that would seem constant because squares underflow: those of its differences from the
// mean if there is an intercept, and otherwise its own. Numbers of magnitude least have squares as precise as others.
func validateSpans(spans []span, intercept bool, least float64) error {
	for t, s := range spans {
		size := s.most - s.least
		if !intercept {
			size = max(math.Abs(s.least), math.Abs(s.most))
		}
		if size > 0 && size < least {
			return fmt.Errorf("ridge: y: column %d: squares of numbers within %.3g underflow: multiply the column by a power of ten", t, size)
		}
	}
	return nil
}

// validateWeights refuses weights whose sum is too small for an intercept, and those with which the squares of a target
// underflow.
func validateWeights(e *normal.Facts, spans []span, underflows func(target int) bool) error {
	if e.Weight == float64(e.Rows) {
		return nil
	}
	const rounding = 1e-9 // for weights that are meant to add up to 1
	if e.Mean != nil && !(e.Weight > 1+rounding) {
		return fmt.Errorf("ridge: the weights add up to %.6g: must be more than 1 with an intercept; a row of weight 1 counts as one row", e.Weight)
	}
	for t, s := range spans {
		if varies := s.most > s.least || e.Mean == nil && s.most != 0; varies && underflows(t) {
			return fmt.Errorf("ridge: y: column %d: its squares times the weights underflow: multiply the weights, or the column, by a power of ten", t)
		}
	}
	return nil
}
