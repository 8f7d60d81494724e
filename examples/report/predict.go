// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// level is the share of new rows that are to lie in an interval.
const level = 0.9

// Predictions are what a model says of each row.
type predictions struct {
	mean    []float64  // of a regression
	lo, hi  []float64  // its intervals; nil if it has none, for a reason
	without string     // the reason
	p       *mat.Dense // probabilities of classes
}

// predict sets the predictions: those of the model if folds is 0, or for each part of the rows those of a model that is fitted without it.
func (s *study) predict(folds int) error {
	n := len(s.records)
	if folds == 0 {
		s.predictions = *newPredictions(n, s.Logistic)
		return s.predictPart(s.Ridge, s.Logistic, nil)
	}
	if folds < 2 || folds > n {
		return fmt.Errorf("-folds %d: must be from 2 to the number of rows, %d, or 0", folds, n)
	}
	s.predictions = *newPredictions(n, s.Logistic)
	order := rand.New(rand.NewPCG(1, 0)).Perm(n)
	for k := range folds {
		var train, test []int
		for at, i := range order {
			if at%folds == k {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		if class, found := s.missing(train); found {
			return fmt.Errorf("-folds %d: without part %d of the rows there are none of the class %q: must be some in two parts", folds, k+1, class)
		}
		r, l, err := s.refit(train)
		if err != nil {
			return fmt.Errorf("-folds %d: the fit without part %d of the rows: %w", folds, k+1, err)
		}
		if err := s.predictPart(r, l, test); err != nil {
			return err
		}
	}
	return nil
}

// newPredictions returns empty predictions for n rows.
func newPredictions(n int, classes *logistic.Model) *predictions {
	if classes != nil {
		return &predictions{p: mat.NewDense(n, len(classes.Intercept()), nil)}
	}
	return &predictions{mean: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n)}
}

// missing returns the first class that has no row among some, and whether there is such a class.
func (s *study) missing(rows []int) (class string, found bool) {
	names := s.Encoder.ClassNames()
	has := make([]bool, len(names))
	for _, i := range rows {
		if s.classes != nil {
			has[s.classes[i]] = true
		}
	}
	c := slices.Index(has, false)
	if c < 0 {
		return "", false
	}
	return names[c], true
}

// refit fits the model again, with its map and its λ, to some of the rows.
func (s *study) refit(rows []int) (*ridge.Model, *logistic.Model, error) {
	x := score.Rows(s.x, rows)
	if s.Logistic != nil {
		classes := make([]int, len(rows))
		for k, i := range rows {
			classes[k] = s.classes[i]
		}
		l, err := logistic.Fit(s.phi(), x, classes, &logistic.Options{Lambda: s.Logistic.Lambda()})
		return nil, l, err
	}
	y := score.Rows(mat.NewDense(len(s.y), 1, s.y), rows)
	r, err := ridge.Fit(s.phi(), x, y, &ridge.Options{Lambda: s.Ridge.Lambda()[0], Beyond: true})
	return r, nil, err
}

// predictPart sets the predictions for some rows, or for all if rows is nil, to those of one of the models, which is not nil.
func (s *study) predictPart(r *ridge.Model, l *logistic.Model, rows []int) error {
	if rows == nil {
		for i := range s.records {
			rows = append(rows, i)
		}
	}
	x := score.Rows(s.x, rows)
	if l != nil {
		var p mat.Dense
		l.ProbabilityTo(&p, x)
		for k, i := range rows {
			s.p.SetRow(i, p.RawRowView(k))
		}
		return nil
	}
	var mean, lo, hi mat.Dense
	r.PredictTo(&mean, x)
	if _, err := r.Posterior(); err != nil {
		s.lo, s.hi, s.without = nil, nil, err.Error()
	} else {
		r.IntervalTo(&lo, &hi, x, level)
	}
	for k, i := range rows {
		s.mean[i] = mean.At(k, 0)
		if s.lo != nil {
			s.lo[i], s.hi[i] = lo.At(k, 0), hi.At(k, 0)
		}
	}
	return nil
}
