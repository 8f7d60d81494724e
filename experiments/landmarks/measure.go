// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// result is what was measured of a map with a number of columns, over the splits of a set.
type result struct {
	set, method string
	columns     int
	figures
}

// The figures of a map.
type figures struct {
	kernel float64 // relative error of the kernel
	error  float64 // of predictions
	nll    float64 // NaN for classification

	choose, fit, predict float64 // seconds of CPU time
}

// A method makes a map of a kernel for rows to train on.
type method struct {
	name string
	make func(k featuremap.Kernel, x *mat.Dense, columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error)
}

// The methods that the last table compares.
const (
	planned   = "plan"
	clustered = "k-means"
)

var methods = []method{
	{planned, func(k featuremap.Kernel, x *mat.Dense, columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		plan, err := featuremap.NewPlan(k, x, columns, &featuremap.PlanOptions{Unbiased: true})
		if err != nil {
			return nil, err
		}
		return plan.Draw(s)
	}},
	{"uniform", landmarks(featuremap.RandomRows)},
	{clustered, landmarks(featuremap.KMeans)},
	{"pivoted", landmarks(featuremap.RPCholesky)},
}

// landmarks returns a function that makes maps of landmarks, chosen in one way.
func landmarks(how featuremap.LandmarkChoice) func(featuremap.Kernel, *mat.Dense, int, *featuremap.Sampler) (featuremap.FeatureMap, error) {
	return func(k featuremap.Kernel, x *mat.Dense, columns int, s *featuremap.Sampler) (featuremap.FeatureMap, error) {
		return featuremap.NewNystrom(k, x, columns, s, &featuremap.NystromOptions{Landmarks: how})
	}
}

// measure returns the results of all methods, for each number of columns. Each split begins with another method.
func (p *problem) measure(show func(doing string), size scope) ([]result, error) {
	var results []result
	for _, columns := range size.columns {
		all := make([][]figures, len(methods)) // of each split
		for i, s := range p.splits {
			for turn := range methods {
				at := (turn + i) % len(methods)
				show(fmt.Sprintf("%s, %d columns, split %d: %s …", p.name, columns, i+1, methods[at].name))
				f, err := s.measure(methods[at], columns, size.pairs)
				if err != nil {
					return nil, fmt.Errorf("%d columns, %s: %w", columns, methods[at].name, err)
				}
				all[at] = append(all[at], f)
			}
		}
		for i, m := range methods {
			results = append(results, result{p.name, m.name, columns, summary(all[i])})
		}
	}
	return results, nil
}

// summary returns the mean errors of some splits, and the median seconds.
func summary(splits []figures) figures {
	over := func(field func(f figures) float64) (mean, median float64) {
		v := make([]float64, len(splits))
		for i, f := range splits {
			v[i] = field(f)
		}
		mean = stat.Mean(v, nil)
		slices.Sort(v)
		return mean, stat.Quantile(0.5, stat.Empirical, v, nil)
	}
	var s figures
	s.kernel, _ = over(func(f figures) float64 { return f.kernel })
	s.error, _ = over(func(f figures) float64 { return f.error })
	s.nll = math.NaN()
	if !math.IsNaN(splits[0].nll) {
		s.nll, _ = over(func(f figures) float64 { return f.nll })
	}
	_, s.choose = over(func(f figures) float64 { return f.choose })
	_, s.fit = over(func(f figures) float64 { return f.fit })
	_, s.predict = over(func(f figures) float64 { return f.predict })
	return s
}

// since returns the seconds of CPU time since start, a time of peak.CPU: at least a microsecond.
func since(start time.Duration) float64 { return max((peak.CPU() - start).Seconds(), 1e-6) }

// measure returns the figures of a method on the split.
func (s split) measure(m method, columns, pairs int) (f figures, err error) {
	start := peak.CPU()
	phi, err := m.make(s.kernel, s.train.X, columns, s.random.Split())
	if err != nil {
		return f, err
	}
	f.choose = since(start)
	y, err := s.targets()
	if err != nil {
		return f, err
	}
	start = peak.CPU()
	model, err := ridge.Fit(phi, s.train.X, y, nil)
	if err != nil {
		return f, err
	}
	f.fit = since(start)
	start = peak.CPU()
	var predictions mat.Dense
	model.PredictTo(&predictions, s.test.X)
	f.predict = since(start)
	f.error, f.nll = s.error(&predictions), math.NaN()
	if s.regression() {
		f.nll = s.nll(model, &predictions)
	}
	f.kernel = s.kernelError(phi, pairs)
	return f, nil
}

// nll returns the mean negative log likelihood of the test targets.
func (s split) nll(m *ridge.Model, predictions *mat.Dense) float64 {
	var deviations mat.Dense
	m.StdDevTo(&deviations, s.test.X)
	sum := 0.0
	for i := range s.test.Len() {
		sum -= distuv.Normal{Mu: predictions.At(i, 0), Sigma: deviations.At(i, 0)}.LogProb(s.test.Target.At(i, 0))
	}
	return sum / float64(s.test.Len())
}

// kernelError returns ‖ΦΦᵀ − K‖/‖K‖ in Frobenius norms, over the first test rows.
func (s split) kernelError(phi featuremap.FeatureMap, most int) float64 {
	rows := s.test.Rows(sets.Order(min(s.test.Len(), most)))
	var exact mat.SymDense
	featuremap.Gram(&exact, s.kernel, rows.X)
	var z, estimate mat.Dense
	phi.TransformTo(&z, rows.X)
	estimate.Mul(&z, z.T())
	estimate.Sub(&estimate, &exact)
	return mat.Norm(&estimate, 2) / mat.Norm(&exact, 2)
}
