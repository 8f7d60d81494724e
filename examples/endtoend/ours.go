// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

var (
	factors = []float64{0.5, 1, 2}           // length scales to choose from, times the median
	ridges  = []float64{0.001, 0.01, 0.1, 1} // to choose from, where k(x, x) = 1
)

// A choice is of a length scale and a ridge.
type choice struct{ length, ridge float64 }

// The methods, but for the baselines and scikit-learn's Nystroem.
const (
	byHeldOut  = "featuremap, held out"
	byEvidence = "featuremap, evidence"
	bySampler  = "scikit-learn, RBFSampler" // as peer.py has it
)

// ours returns the results of a round of this library: by the choice on the rows held out, which
// is scikit-learn's too, and by the choice of largest evidence.
func (t *task) ours(seed int, features []int) ([]result, error) {
	var results []result
	for _, method := range []struct {
		name  string
		judge judge
	}{{byHeldOut, t.heldOut()}, {byEvidence, t.evidence}} {
		s := featuremap.NewSampler(uint64(seed))
		start := time.Now()
		chosen, err := t.choose(features[0], method.judge, s)
		if err != nil {
			return nil, err
		}
		seconds := time.Since(start).Seconds()
		for _, f := range features {
			r, err := t.fit(chosen, f, s)
			if err != nil {
				return nil, err
			}
			r.Method, r.Choose = method.name, seconds
			results = append(results, r)
		}
	}
	return results, nil
}

// A judge returns the best ridge for a map, and how good it is: the larger the better.
type judge func(phi featuremap.FeatureMap) (lambda, merit float64, err error)

// choose returns the length scale, and its ridge, whose map is best.
func (t *task) choose(features int, by judge, s *featuremap.Sampler) (choice, error) {
	var best choice
	most := math.Inf(-1)
	for _, f := range factors {
		plan, err := t.plan(f*t.median, features)
		if err != nil {
			return choice{}, err
		}
		phi, err := plan.Draw(s)
		if err != nil {
			return choice{}, err
		}
		lambda, merit, err := by(phi)
		if err != nil {
			return choice{}, err
		}
		if merit > most {
			best, most = choice{f * t.median, lambda}, merit
		}
	}
	return best, nil
}

// evidence judges by the evidence of all training rows: none need be held out.
func (t *task) evidence(phi featuremap.FeatureMap) (lambda, merit float64, err error) {
	m, err := ridge.Fit(phi, t.train.X, t.targets(t.train), nil)
	if err != nil {
		return 0, 0, err
	}
	return m.Lambda(), m.LogEvidence(), nil
}

// heldOut returns the judge by the score on the rows held out. The sums ΦᵀΦ and ΦᵀY of a map serve
// all ridges.
func (t *task) heldOut() judge {
	own, held := t.train.Cut(t.own)
	y := t.targets(own)
	_, targets := y.Dims()
	return func(phi featuremap.FeatureMap) (lambda, merit float64, err error) {
		sums, err := ridge.NewAccumulator(phi, targets)
		if err != nil {
			return 0, 0, err
		}
		if err := sums.Add(own.X, y); err != nil {
			return 0, 0, err
		}
		merit = math.Inf(-1)
		for _, r := range ridges {
			m, err := sums.Fit(&ridge.Options{Lambda: r})
			if err != nil {
				return 0, 0, err
			}
			var predictions mat.Dense
			m.PredictTo(&predictions, held.X)
			if v := t.merit(t.score(held, &predictions)); v > merit {
				lambda, merit = r, v
			}
		}
		return lambda, merit, nil
	}
}

// plan plans a map of the Gaussian kernel of this length scale for points like the training rows.
func (t *task) plan(length float64, features int) (*featuremap.Plan, error) {
	kernel := featuremap.Gaussian{LengthScale: length}
	return featuremap.NewPlan(kernel, t.train.Dim(), features, &featuremap.PlanOptions{Points: t.train.X, Unbiased: true})
}

// fit fits all training rows with a map of its own, and predicts the test rows.
func (t *task) fit(c choice, features int, s *featuremap.Sampler) (result, error) {
	start := time.Now()
	plan, err := t.plan(c.length, features)
	if err != nil {
		return result{}, err
	}
	r := result{Features: features, Plan: time.Since(start).Seconds(), Length: c.length, Ridge: c.ridge}
	start = time.Now()
	phi, err := plan.Draw(s)
	if err != nil {
		return result{}, err
	}
	m, err := ridge.Fit(phi, t.train.X, t.targets(t.train), &ridge.Options{Lambda: c.ridge})
	if err != nil {
		return result{}, err
	}
	r.Fit = time.Since(start).Seconds()
	t.predict(&r, m.PredictTo)
	return r, nil
}

// predict sets the score of a model's predictions of the test rows, and their time.
func (t *task) predict(r *result, predictTo func(dst *mat.Dense, x mat.Matrix)) {
	start := time.Now()
	var predictions mat.Dense
	predictTo(&predictions, t.test.X)
	r.Score = t.score(t.test, &predictions)
	r.Predict = time.Since(start).Seconds()
}
