// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

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
		name   string
		choose func(features int, s *featuremap.Sampler) (choice, error)
	}{{byHeldOut, t.chooseHeldOut}, {byEvidence, t.chooseEvidence}} {
		s := featuremap.NewSampler(uint64(seed))
		start := time.Now()
		chosen, err := method.choose(features[0], s)
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

// plan plans a map of the Gaussian kernel of this length scale for points like the training rows.
func (t *task) plan(length float64, features int) (*featuremap.Plan, error) {
	kernel := featuremap.Gaussian{LengthScale: length}
	return featuremap.NewPlan(kernel, t.train.Dim(), features, &featuremap.PlanOptions{Points: t.train.X})
}

// draw plans and draws a map.
func (t *task) draw(length float64, features int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
	plan, err := t.plan(length, features)
	if err != nil {
		return nil, err
	}
	return plan.Draw(s)
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

// chooseHeldOut returns the choice with the best score on the rows held out. The sums ΦᵀΦ and ΦᵀY
// of a length scale serve all ridges.
func (t *task) chooseHeldOut(features int, s *featuremap.Sampler) (choice, error) {
	own, held := t.train.Cut(t.own)
	y := t.targets(own)
	_, targets := y.Dims()
	var best choice
	bestScore := math.NaN()
	for _, f := range factors {
		phi, err := t.draw(f*t.median, features, s)
		if err != nil {
			return choice{}, err
		}
		sums, err := ridge.NewAccumulator(phi, targets)
		if err != nil {
			return choice{}, err
		}
		if err := sums.Add(own.X, y); err != nil {
			return choice{}, err
		}
		for _, lambda := range ridges {
			m, err := sums.Fit(&ridge.Options{Lambda: lambda})
			if err != nil {
				return choice{}, err
			}
			var predictions mat.Dense
			m.PredictTo(&predictions, held.X)
			if score := t.score(held, &predictions); math.IsNaN(bestScore) || t.better(score, bestScore) {
				best, bestScore = choice{f * t.median, lambda}, score
			}
		}
	}
	return best, nil
}

// chooseEvidence returns the choice of largest evidence, which needs no rows to be held out.
func (t *task) chooseEvidence(features int, s *featuremap.Sampler) (choice, error) {
	var best choice
	most := math.Inf(-1)
	y := t.targets(t.train)
	for _, f := range factors {
		phi, err := t.draw(f*t.median, features, s)
		if err != nil {
			return choice{}, err
		}
		m, err := ridge.Fit(phi, t.train.X, y, nil)
		if err != nil {
			return choice{}, err
		}
		if evidence := m.LogEvidence(); evidence > most {
			best, most = choice{f * t.median, m.Lambda()}, evidence
		}
	}
	return best, nil
}

// baselines returns the results of linear ridge regression on all rows, and of kernel ridge
// regression without random features on some of them, by the choice given.
func (t *task) baselines(c choice, rows int) ([]result, error) {
	linear, err := t.linear()
	if err != nil {
		return nil, err
	}
	exact, err := t.exact(c, rows)
	return []result{linear, exact}, err
}

// linear fits the coordinates themselves, with the ridge of largest evidence.
func (t *task) linear() (result, error) {
	d := t.train.Dim()
	start := time.Now()
	coordinates, err := featuremap.New(featuremap.Linear{}, d, d, featuremap.NewSampler(1))
	if err != nil {
		return result{}, err
	}
	m, err := ridge.Fit(coordinates, t.train.X, t.targets(t.train), nil)
	if err != nil {
		return result{}, err
	}
	r := result{Method: "linear ridge", Features: d, Fit: time.Since(start).Seconds(), Ridge: m.Lambda()}
	t.predict(&r, m.PredictTo)
	return r, nil
}

// exact fits the kernel itself to the first rows, (K + λI)α = Y, and predicts by k(test, rows)·α.
// Targets are taken less their means.
func (t *task) exact(c choice, rows int) (result, error) {
	part, _ := t.train.Cut(rows)
	start := time.Now()
	kernel := featuremap.Gaussian{LengthScale: c.length}
	var gram mat.SymDense
	featuremap.Gram(&gram, kernel, part.X)
	for i := range rows {
		gram.SetSym(i, i, gram.At(i, i)+c.ridge)
	}
	var factor mat.Cholesky
	if !factor.Factorize(&gram) {
		return result{}, fmt.Errorf("the %d×%d system is not positive definite", rows, rows)
	}
	y := mat.DenseCopyOf(t.targets(part))
	_, targets := y.Dims()
	means := make([]float64, targets)
	for j := range means {
		means[j] = stat.Mean(mat.Col(nil, j, y), nil)
	}
	y.Apply(func(_, j int, v float64) float64 { return v - means[j] }, y)
	var alpha mat.Dense
	if err := factor.SolveTo(&alpha, y); err != nil {
		return result{}, err
	}
	r := result{Method: fmt.Sprintf("exact kernel, %d rows", rows), Fit: time.Since(start).Seconds(), Length: c.length, Ridge: c.ridge}
	t.predict(&r, func(dst *mat.Dense, x mat.Matrix) {
		var cross mat.Dense
		featuremap.CrossGram(&cross, kernel, x, part.X)
		dst.Mul(&cross, &alpha)
		dst.Apply(func(_, j int, v float64) float64 { return v + means[j] }, dst)
	})
	return r, nil
}
