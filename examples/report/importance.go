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

// importances returns how much each column matters, the most important first: the mean over rows of
//
//	Σⱼ (sⱼ·∂f/∂xⱼ)²
//
// over the numbers j that the column becomes, where sⱼ is their standard deviation and f the prediction. For classes it is the sum of this over
// the probabilities of all classes. The gradient is exact: with the Jacobian matrix J(x) of the map φ and f(x) = ⟨φ(x), w⟩ + c it is J(x)ᵀw.
// Numbers with few values may be codes, between which there is nothing: there the slopes to the next values replace the derivative. It
// returns an error if the map has no derivative.
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
		for k := range all {
			if values[k] != nil {
				all[k].square += s.slopes(x, all[k].column, values[k]) / float64(len(rows))
			}
		}
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

// slopes returns the sum over rows of the mean squared slope from the value of a column to the next one on each side, in units of the
// column's standard deviation. Rows with none of the values add nothing.
func (s *study) slopes(x *mat.Dense, c *column, values []float64) (sum float64) {
	n, _ := x.Dims()
	from := s.outputs(x)
	sides := make([]float64, n)
	squares := make([]float64, n)
	for _, side := range []int{-1, 1} {
		to := mat.DenseCopyOf(x)
		steps := make([]float64, n)
		for i := range n {
			v := x.At(i, c.from)
			k, found := slices.BinarySearch(values, v)
			if k += side; found && k >= 0 && k < len(values) {
				to.Set(i, c.from, values[k])
				steps[i] = (values[k] - v) / c.Deviations[0]
			}
		}
		outputs := s.outputs(to)
		for i, step := range steps {
			if step == 0 {
				continue
			}
			sides[i]++
			for o, v := range outputs.RawRowView(i) {
				slope := (v - from.At(i, o)) / step
				squares[i] += slope * slope
			}
		}
	}
	for i, n := range sides {
		if n > 0 {
			sum += squares[i] / n
		}
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
