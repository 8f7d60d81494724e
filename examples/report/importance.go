// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// An importance is how much a column matters.
type importance struct {
	column *column
	square float64 // the mean squared gradient, in units of the column's standard deviation
	share  float64 // of the sum over all columns
}

// gradientRows is the most rows whose gradients are averaged.
const gradientRows = 2000

// changedRows is the most rows in which numbers with few values take each of these.
const changedRows = 300

// importances returns how much each column matters, the most important first: the mean over rows of
//
//	Σⱼ (sⱼ·∂f/∂xⱼ)²
//
// over the numbers j that the column becomes, where sⱼ is their standard deviation and f the prediction. For classes it is the sum of this over
// the probabilities of all classes. The gradient is exact: with the Jacobian matrix J(x) of the map φ and f(x) = ⟨φ(x), w⟩ + c it is J(x)ᵀw.
// Numbers with few values may be codes, between which there is nothing: for these it is half the mean squared change of the prediction
// to the value of another row, which for a linear one is the same. It returns an error if the map has no derivative.
func (s *study) importances() ([]importance, error) {
	back, err := featuremap.Derivative(s.phi())
	if err != nil {
		return nil, err
	}
	all := make([]importance, len(s.columns))
	values := make([][]float64, len(s.columns))
	for k := range all {
		all[k].column = &s.columns[k]
		values[k] = s.few(all[k].column)
	}
	rows := spread(len(s.records), gradientRows)
	const block = 256
	for part := range slices.Chunk(rows, block) {
		x := score.Rows(s.x, part)
		for weights := range s.weights(x) {
			var gradient mat.Dense
			back.PullbackTo(&gradient, x, weights)
			for k := range all {
				c := all[k].column
				for i := range part {
					for j, sd := range c.Deviations {
						if j > 0 || !slices.Contains(values[k], x.At(i, c.from)) {
							g := sd * gradient.At(i, c.from+j)
							all[k].square += g * g / float64(len(rows))
						}
					}
				}
			}
		}
	}
	for k := range all {
		all[k].square += s.changes(all[k].column, values[k])
	}
	sum := 0.0
	for _, i := range all {
		sum += i.square
	}
	for k := range all {
		if sum > 0 {
			all[k].share = all[k].square / sum
		}
	}
	slices.SortStableFunc(all, func(a, b importance) int { return cmp.Compare(b.square, a.square) })
	return all, nil
}

// changes returns half the mean squared change of the prediction where a column takes the value of another row. Rows without one of the
// values change nothing.
func (s *study) changes(c *column, values []float64) (sum float64) {
	if values == nil {
		return 0
	}
	counts, known := make([]float64, len(values)), 0.0
	for i, ok := range s.known(c) {
		if k, found := slices.BinarySearch(values, s.x.At(i, c.from)); ok && found {
			counts[k]++
			known++
		}
	}
	rows := spread(len(s.records), changedRows)
	x := score.Rows(s.x, rows)
	from := s.outputs(x)
	for k, v := range values {
		to := mat.DenseCopyOf(x)
		for i := range rows {
			if slices.Contains(values, x.At(i, c.from)) {
				to.Set(i, c.from, v)
			}
		}
		to = s.outputs(to)
		to.Sub(to, from)
		change := mat.Norm(to, 2)
		sum += change * change * counts[k] / known / 2 / float64(len(rows))
	}
	return sum
}

// outputs returns the predictions, or the probabilities of all classes, for each row.
func (s *study) outputs(x *mat.Dense) *mat.Dense {
	var out mat.Dense
	if s.Logistic != nil {
		s.Logistic.ProbabilityTo(&out, x)
	} else {
		s.Ridge.PredictTo(&out, x)
	}
	return &out
}

// weights yields matrices with a row for each row of x, which are pulled back to gradients: the weights of a regression, or for each class c
//
//	∂p(c)/∂φ = p(c)·(w(c) − Σₖ p(k)·w(k))
func (s *study) weights(x *mat.Dense) iter.Seq[*mat.Dense] {
	n, _ := x.Dims()
	return func(yield func(*mat.Dense) bool) {
		if s.Ridge != nil {
			w := s.Ridge.Weights()
			g := mat.NewDense(n, w.RawMatrix().Rows, nil)
			for i := range n {
				mat.Col(g.RawRowView(i), 0, w)
			}
			yield(g)
			return
		}
		w := s.Logistic.Weights()
		var p, mean mat.Dense
		s.Logistic.ProbabilityTo(&p, x)
		mean.Mul(&p, w.T())
		features, classes := w.Dims()
		g := mat.NewDense(n, features, nil)
		for c := range classes {
			g.Apply(func(i, j int, _ float64) float64 { return p.At(i, c) * (w.At(j, c) - mean.At(i, j)) }, g)
			if !yield(g) {
				return
			}
		}
	}
}

// spread returns at most so many of n numbers from 0 on, with equal gaps.
func spread(n, most int) (some []int) {
	m := min(n, most)
	for k := range m {
		some = append(some, k*n/m)
	}
	return some
}
