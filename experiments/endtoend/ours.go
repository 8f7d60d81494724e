// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

var (
	factors = []float64{0.5, 1, 2}                             // candidates of the length scale, times the median
	ridges  = []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1} // candidates of λ, where k(x, x) = 1
)

// choice is a length scale and a λ.
type choice struct{ length, ridge float64 }

// The methods, except for the baselines.
const (
	byHeldOut   = "featuremap, held out"
	byEvidence  = "featuremap, evidence"
	byLandmarks = "featuremap, landmarks"
	bySampler   = "scikit-learn, RBFSampler" // this one and the next are named as in peer.py
	byNystroem  = "scikit-learn, Nystroem"
)

// method makes maps in its own way, and chooses among them by a judge.
type method struct {
	name string
	draw drawer
	by   judge
}

// ours returns the results of a round of this library: random features, chosen by the held-out rows, as
// scikit-learn's are, and by the largest evidence; and landmarks, chosen by the held-out rows.
func (t *task) ours(seed int, size scope) ([]result, error) {
	own, _ := t.train.Cut(t.own)
	methods := []method{
		{byHeldOut, t.random, t.heldOut()},
		{byEvidence, t.random, t.evidence},
		{byLandmarks, landmarks, t.heldOut()},
	}
	if size.landmarks {
		methods = methods[2:]
	}
	var results []result
	for _, m := range methods {
		s := featuremap.NewSampler(uint64(seed))
		start := peak.CPU()
		chosen, err := t.choose(m, own.X, size.features[0], s)
		if err != nil {
			return nil, err
		}
		seconds := since(start)
		for _, f := range size.features {
			r, err := t.fit(m, chosen, f, s)
			if err != nil {
				return nil, err
			}
			r.Choose = seconds
			results = append(results, r)
		}
	}
	return results, nil
}

// since returns the seconds of CPU time since the process had used this much.
func since(start time.Duration) float64 { return (peak.CPU() - start).Seconds() }

// drawer returns a map of the Gaussian kernel with this length scale, which may be made from these rows, and the
// seconds that planning took.
type drawer func(rows *mat.Dense, length float64, features int, s *featuremap.Sampler) (phi featuremap.FeatureMap, planned float64, err error)

// random plans a map for points like the training rows, and samples it.
func (t *task) random(_ *mat.Dense, length float64, features int, s *featuremap.Sampler) (featuremap.FeatureMap, float64, error) {
	start := peak.CPU()
	kernel := featuremap.Gaussian{LengthScale: length}
	plan, err := featuremap.NewPlan(kernel, t.train.X, features, &featuremap.PlanOptions{Unbiased: true})
	if err != nil {
		return nil, 0, err
	}
	planned := since(start)
	phi, err := plan.Draw(s)
	return phi, planned, err
}

// landmarks takes centers of clusters of the rows.
func landmarks(rows *mat.Dense, length float64, features int, s *featuremap.Sampler) (featuremap.FeatureMap, float64, error) {
	phi, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: length}, rows, features, s, nil)
	return phi, 0, err
}

// judge returns the best λ for a map, and how good it is: larger is better.
type judge func(phi featuremap.FeatureMap) (lambda, merit float64, err error)

// choose returns the length scale, and its λ, whose map is best, among maps made from these rows.
func (t *task) choose(m method, rows *mat.Dense, features int, s *featuremap.Sampler) (choice, error) {
	var best choice
	most := math.Inf(-1)
	for _, f := range factors {
		phi, _, err := m.draw(rows, f*t.median, features, s)
		if err != nil {
			return choice{}, err
		}
		lambda, merit, err := m.by(phi)
		if err != nil {
			return choice{}, err
		}
		if merit > most {
			best, most = choice{f * t.median, lambda}, merit
		}
	}
	return best, nil
}

// evidence judges by the evidence of all training rows; no rows need be held out.
func (t *task) evidence(phi featuremap.FeatureMap) (lambda, merit float64, err error) {
	y, err := t.targets(t.train)
	if err != nil {
		return 0, 0, err
	}
	m, err := ridge.Fit(phi, t.train.X, y, nil)
	if err != nil {
		return 0, 0, err
	}
	merit, _ = m.LogEvidence()
	return m.Lambda()[0], merit, nil
}

// heldOut returns a judge that uses the score on the held-out rows. The sums ΦᵀΦ and ΦᵀY of a map
// serve all λ.
func (t *task) heldOut() judge {
	own, held := t.train.Cut(t.own)
	y, wrong := t.targets(own)
	return func(phi featuremap.FeatureMap) (lambda, merit float64, err error) {
		if wrong != nil {
			return 0, 0, wrong
		}
		_, targets := y.Dims()
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

// fit fits all training rows with a new map, and predicts the test rows.
func (t *task) fit(m method, c choice, features int, s *featuremap.Sampler) (result, error) {
	start := peak.CPU()
	phi, planned, err := m.draw(t.train.X, c.length, features, s)
	if err != nil {
		return result{}, err
	}
	y, err := t.targets(t.train)
	if err != nil {
		return result{}, err
	}
	model, err := ridge.Fit(phi, t.train.X, y, &ridge.Options{Lambda: c.ridge})
	if err != nil {
		return result{}, err
	}
	r := result{Method: m.name, Features: features, Plan: planned, Fit: since(start) - planned, Length: c.length, Ridge: c.ridge}
	t.predict(&r, model.PredictTo)
	return r, nil
}

// predict sets the score of a model's predictions of the test rows, and their time.
func (t *task) predict(r *result, predictTo func(dst *mat.Dense, x mat.Matrix)) {
	start := peak.CPU()
	var predictions mat.Dense
	predictTo(&predictions, t.test.X)
	r.Score = t.score(t.test, &predictions)
	r.Predict = since(start)
}
