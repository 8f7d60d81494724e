// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// A Model is a fitted classifier. It gives each class c the probability
//
//	p(c | x) = exp(f_c(x)) / Σ exp(f_k(x)), f_c(x) = ⟨φ(x), w_c⟩ + b_c
//
// The zero value has no map: its methods that take points panic with mat.ErrShape. A Model is safe for concurrent use.
// If its features have the same bits everywhere, so do its results, one by one or in batches, on every machine.
type Model struct {
	phi       featuremap.FeatureMap
	rows      int // that it was fitted on
	lambda    float64
	loss      float64
	weights   []float64 // of each class in turn
	intercept []float64
	sets      *sets // nil: none

	scores *linear.Predictor
}

// serve sets what computes the scores.
func (m *Model) serve() { m.scores = linear.NewPredictor(m.phi, m.weights, m.intercept) }

// Map returns the feature map that the model was fitted with.
func (m *Model) Map() featuremap.FeatureMap { return m.phi }

// Lambda returns the λ of the penalty λ/2·‖W‖².
func (m *Model) Lambda() float64 { return m.lambda }

// Loss returns the minimum that the fit found, per unit of weight: (Σ wᵢ·(−log p(yᵢ | xᵢ)) + λ/2·‖W‖²)/Σ wᵢ over the
// training rows, with their weights wᵢ.
func (m *Model) Loss() float64 { return m.loss }

// Weights returns a copy of the weights W, D×K, a column for each class.
func (m *Model) Weights() *mat.Dense {
	if m.phi == nil {
		return new(mat.Dense)
	}
	_, out := m.phi.Dims()
	w := mat.NewDense(out, len(m.intercept), nil)
	for k := range m.intercept {
		w.SetCol(k, m.weights[k*out:][:out])
	}
	return w
}

// Intercept returns a copy of the intercepts b, one for each class.
func (m *Model) Intercept() []float64 { return slices.Clone(m.intercept) }

// String returns a line with the dimensions of the map, the numbers of classes and rows, λ and the loss, and the number
// of rows that calibrate prediction sets, if any.
func (m *Model) String() string {
	if m.phi == nil {
		return "logistic: the zero value of a Model"
	}
	in, out := m.phi.Dims()
	s := fmt.Sprintf("logistic: R^%d → %d features → %d classes, %d rows, λ = %.3g, loss %.3g", in, out, len(m.intercept), m.rows, m.lambda, m.loss)
	if m.sets != nil {
		s += fmt.Sprintf(", prediction sets by %d rows", m.sets.rows)
	}
	return s
}

// ProbabilityTo sets row i of dst, n×K, to the probabilities of the classes for row i of x, n×in. They sum to 1, to
// rounding. An empty dst is resized. Rows are transformed in blocks, by up to GOMAXPROCS goroutines.
//
// It panics with mat.ErrZeroLength if x has no rows, with mat.ErrShape if its width is not in or dst is neither empty
// nor n×K, and as gonum does if dst overlaps x. A NaN in a row of x makes the probabilities of that row NaN, and of no
// other.
func (m *Model) ProbabilityTo(dst *mat.Dense, x mat.Matrix) {
	if m.phi == nil {
		panic(mat.ErrShape)
	}
	m.scores.PredictTo(dst, x)
	raw := dst.RawMatrix()
	const work = 1 << 12
	parallel.Run(parallel.Func(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			softmax(raw.Data[i*raw.Stride:][:raw.Cols])
		}
	}), raw.Rows, 1+work/raw.Cols)
}

// ProbabilityVec sets dst to the probabilities of the classes for x, and returns it. They have the same bits as in
// ProbabilityTo. A nil dst is allocated; otherwise nothing is. It panics with mat.ErrShape if x is not of length in or
// dst not of length K, and as gonum does if they overlap.
func (m *Model) ProbabilityVec(dst, x []float64) []float64 {
	if m.phi == nil {
		panic(mat.ErrShape)
	}
	dst = m.scores.PredictVec(dst, x)
	softmax(dst)
	return dst
}

// Predict returns the most probable class for x, as Classify does, and the probabilities p of all classes, as
// ProbabilityVec does. If classes are equally probable, it is the first; if x has a NaN, it is −1. It panics with
// mat.ErrShape if the length of x is not in.
func (m *Model) Predict(x []float64) (class int, p []float64) {
	if m.phi == nil {
		panic(mat.ErrShape)
	}
	p = m.scores.PredictVec(nil, x)
	class = largest(p) // of scores: two that differ may have one probability
	softmax(p)
	return class, p
}

// Classify returns the most probable class for each row of x, n×in. If classes are equally probable, it is the first;
// for a row with a NaN it is −1. It panics as ProbabilityTo does.
func (m *Model) Classify(x mat.Matrix) []int {
	if m.phi == nil {
		panic(mat.ErrShape)
	}
	var scores mat.Dense
	m.scores.PredictTo(&scores, x)
	n, _ := scores.Dims()
	classes := make([]int, n)
	for i := range classes {
		classes[i] = largest(scores.RawRowView(i))
	}
	return classes
}

// largest returns the index of the largest number, the first of equal ones, or −1 if there is a NaN.
func largest(row []float64) int {
	best := 0
	for c, v := range row {
		if math.IsNaN(v) {
			return -1
		}
		if v > row[best] {
			best = c
		}
	}
	return best
}

// softmax makes scores probabilities.
func softmax(row []float64) {
	shiftRow(row)
	gram.Exponential{Rate: 1}.To(row, row)
	normalize(row)
}

// validate refuses numbers that are not finite, and a λ that is 0.
func (m *Model) validate() error {
	if !(m.lambda > 0 && m.lambda <= math.MaxFloat64) {
		return fmt.Errorf("λ = %v: must be positive and finite, as it is with Weights closer to 1", m.lambda)
	}
	for _, v := range []struct {
		name    string
		numbers []float64
	}{{"weights", m.weights}, {"intercepts", m.intercept}, {"loss", []float64{m.loss}}} {
		for i, v2 := range v.numbers {
			if !(math.Abs(v2) <= math.MaxFloat64) {
				return fmt.Errorf("%v for number %d of the %s: must be finite", v2, i, v.name)
			}
		}
	}
	return nil
}
