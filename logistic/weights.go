// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
)

// Weights of rows and classes.

// leastWeight is about the least number whose inverse is finite.
const leastWeight = 1e-300

// balance sets the sums of the weights, refuses classes without weight, and makes classes count alike if Balanced is
// set. The weights are then scaled to sum to the effective number of rows: only their ratios to each other and to λ
// matter.
func (t *training) balance() error {
	t.unit = 1
	if t.weights == nil && t.Balanced {
		t.weights = ones(len(t.classes))
	}
	if t.weights != nil && t.begun == nil {
		t.unit = 1 / max(slices.Max(t.weights), leastWeight)
		t.scale(t.unit)
	}
	if t.PredictionSets {
		t.given = slices.Clone(t.weights)
	}
	t.sum()
	for c, v := range t.classWeights {
		if v == 0 {
			return fmt.Errorf("logistic: class %d has no row of positive weight, of %d classes", c, t.count)
		}
	}
	if !(t.total <= math.MaxFloat64) {
		return fmt.Errorf("logistic: the sum of the weights is %v: must be finite", t.total)
	}
	if t.Balanced {
		for i, c := range t.classes {
			t.weights[i] *= t.total / t.classWeights[c] / float64(t.count)
		}
		t.sum()
	}
	if t.weights != nil && t.begun == nil {
		factor := max(t.effective(), 2) / t.total
		t.scale(factor)
		t.unit *= factor
		t.sum()
	}
	given := t.Lambda
	if t.Lambda *= t.unit; given > 0 && !(t.Lambda > 0 && t.Lambda <= math.MaxFloat64) {
		return fmt.Errorf("logistic: Lambda = %v and weights of up to %v: too different for float64", given, 1/t.unit)
	}
	return nil
}

// scale multiplies the weights.
func (t *training) scale(factor float64) {
	for i := range t.weights {
		t.weights[i] *= factor
	}
}

// sum sets the sums of the weights.
func (t *training) sum() {
	t.total, t.classWeights = 0, make([]float64, t.count)
	for i, c := range t.classes {
		t.classWeights[c] += t.weight(i)
	}
	for _, v := range t.classWeights {
		t.total += v
	}
}

// enoughOfClass is the number of other rows of a class from which these judge alone, even if there are more landmarks.
const enoughOfClass = 30

// judgeScarce lets the landmarks of a class judge if there are few other rows of it.
func (t *training) judgeScarce() {
	if t.notJudging == nil {
		return
	}
	marks, others := make([]int, t.count), make([]int, t.count)
	for i, c := range t.classes {
		switch {
		case t.notJudging[i]:
			marks[c]++
		case t.weight(i) > 0:
			others[c]++
		}
	}
	for i, c := range t.classes {
		if others[c] <= marks[c] && others[c] < enoughOfClass {
			t.notJudging[i] = false
		}
	}
}

// entropy returns the loss of the frequencies of the classes.
func (t *training) entropy() (loss float64) {
	for _, v := range t.classWeights {
		if v > 0 {
			loss -= float64(v / t.total * detmath.Log(v/t.total))
		}
	}
	return loss
}

// weight returns the weight of row i.
func (t *training) weight(i int) float64 {
	if t.weights == nil {
		return 1
	}
	return t.weights[i]
}

// ones returns n ones.
func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}
