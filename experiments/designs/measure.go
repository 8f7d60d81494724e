// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	_ "embed"
	"fmt"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
)

const seed = 1

//go:embed peer.py
var script string

// A result is what was measured of a method with a number of features.
type result struct {
	set, method string
	asked       int // number of features; a plan may take fewer
	features    int
	predicted   float64 // root mean square errors
	measured    float64
	doubt       float64 // standard error of measured
	micros      float64 // a row
	kind        string  // of the map of a plan
}

// measure returns the results of all methods, by number of features.
func (s *set) measure(show func(doing string), size scope) ([]result, error) {
	var exact mat.SymDense
	featuremap.Gram(&exact, s.kernel, s.rows)
	var process *peer.Process
	if size.python != nil {
		_, d := s.rows.Dims()
		about := mat.NewDense(1, 3, []float64{float64(d), s.kernel.LengthScale, size.sample})
		var err error
		if process, err = size.python.Start(script, 1, s.rows, s.batch, about); err != nil {
			return nil, err
		}
		defer process.Close()
	}
	by := featuremap.NewSampler(seed)
	var results []result
	for _, features := range size.features {
		show(fmt.Sprintf("%s, %d features …", s.name, features))
		rs, err := s.compare(features, &exact, process, by, size)
		if err != nil {
			return nil, fmt.Errorf("%d features: %w", features, err)
		}
		results = slices.Concat(results, rs)
	}
	return results, nil
}

// A sampler takes one sample of the time of a transform, in microseconds a row.
type sampler func() (float64, error)

// compare returns the results of all methods with a number of features. process may be nil.
func (s *set) compare(features int, exact *mat.SymDense, process *peer.Process, by *featuremap.Sampler, size scope) ([]result, error) {
	var results []result
	var samplers []sampler
	for _, m := range s.methods() {
		r, drawn, err := s.errors(m, features, exact, by, size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		results = append(results, r)
		samplers = append(samplers, s.sampler(drawn, size.sample))
	}
	if process != nil {
		squares, err := process.Ask("errors", features, size.maps)
		if err != nil {
			return nil, err
		}
		r := results[0] // single cosines, like RBFSampler's features
		r.method = sampled
		r.measured, r.doubt = pairs.Root(squares)
		results = append(results, r)
		samplers = append(samplers, func() (float64, error) {
			times, err := process.Ask("time", features)
			if err != nil {
				return 0, err
			}
			return times[0], nil
		})
	}
	medians, err := medians(samplers, size.rounds)
	if err != nil {
		return nil, err
	}
	for i, m := range medians {
		results[i].micros = m
	}
	return results, nil
}

// errors returns the result of a method without its time, and one of its maps.
func (s *set) errors(m method, features int, exact *mat.SymDense, by *featuremap.Sampler, size scope) (result, featuremap.FeatureMap, error) {
	draw, err := m.plan(features)
	if err != nil {
		return result{}, nil, err
	}
	var drawn featuremap.FeatureMap
	squares := make([]float64, size.maps)
	for i := range squares {
		if drawn, err = draw(by); err != nil {
			return result{}, nil, err
		}
		squares[i] = pairs.SquaredError(drawn, s.rows, exact)
	}
	r := result{set: s.name, method: m.name, asked: features, predicted: pairs.Predicted(drawn, s.rows), kind: program.Features(drawn)}
	_, r.features = drawn.Dims()
	r.measured, r.doubt = pairs.Root(squares)
	return r, drawn, nil
}

// sampler returns a sampler of the CPU time of m, over calls that take this many seconds together.
func (s *set) sampler(m featuremap.FeatureMap, seconds float64) sampler {
	n, _ := s.batch.Dims()
	return func() (float64, error) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		var z mat.Dense
		m.TransformTo(&z, s.batch)
		start, calls, spent := peak.CPU(), 0, 0.0
		for spent < seconds {
			m.TransformTo(&z, s.batch)
			calls++
			spent = (peak.CPU() - start).Seconds()
		}
		return spent / float64(calls) / float64(n) * 1e6, nil
	}
}

// medians returns the median of each sampler's samples. They take turns, in reverse in every second round.
func medians(samplers []sampler, rounds int) ([]float64, error) {
	samples := make([][]float64, len(samplers))
	for round := range rounds {
		for i := range samplers {
			if round%2 == 1 {
				i = len(samplers) - 1 - i
			}
			v, err := samplers[i]()
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], v)
		}
	}
	medians := make([]float64, len(samplers))
	for i, v := range samples {
		slices.Sort(v)
		medians[i] = stat.Quantile(0.5, stat.Empirical, v, nil)
	}
	return medians, nil
}
