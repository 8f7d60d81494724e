// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/learn"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// The lines of a table that the last one compares.
const (
	given   = "given"
	learned = "result"
)

// A result is what was measured of a kernel, the mean over the splits of a set.
type result struct {
	set, kernel string
	figures
	splits int // in which the stage was not skipped
}

// The figures of a kernel. Figures that do not exist are NaN.
type figures struct{ evidence, error, nll, seconds float64 }

// add adds the figures of a split to the sums.
func (r *result) add(f figures) {
	r.evidence += f.evidence
	r.error += f.error
	r.nll += f.nll
	r.seconds += f.seconds
	r.splits++
}

// measure writes the table of a set, and returns its results.
func (s source) measure(w io.Writer, show func(doing string), size scope, python *peer.Python) ([]result, error) {
	set, err := s.read(size.data)
	if err != nil {
		return nil, err
	}
	var results []result
	sum := func(kernel string, f figures) {
		for i := range results {
			if results[i].kernel == kernel {
				results[i].add(f)
				return
			}
		}
		r := result{set: s.name, kernel: kernel}
		r.add(f)
		results = append(results, r)
	}
	var part *split
	for seed := range size.splits {
		if part, err = newSplit(set, uint64(seed+1), size); err != nil {
			return nil, err
		}
		show(fmt.Sprintf("%s, split %d: learning …", s.name, seed+1))
		if err := part.learn(size, sum); err != nil {
			return nil, err
		}
		if python != nil && part.regression() && seed == 0 { // it takes minutes
			show(fmt.Sprintf("%s, split %d: scikit-learn …", s.name, seed+1))
			f, err := part.exact(python, size.exact)
			if err != nil {
				return nil, err
			}
			sum(fmt.Sprintf("scikit-learn, %d rows, first split", min(size.exact, part.train.Len())), f)
		}
	}
	for i := range results {
		r := &results[i]
		n := float64(r.splits)
		r.figures = figures{r.evidence / n, r.error / n, r.nll / n, r.seconds / n}
	}
	s.print(w, part, results)
	return results, nil
}

// learn learns a kernel, and passes the figures of all stages and of the result to a function.
func (s *split) learn(size scope, sum func(kernel string, f figures)) error {
	y, err := s.targets()
	if err != nil {
		return err
	}
	start := peak.CPU()
	before := start
	var seconds []float64 // of stages
	opts := &learn.KernelOptions{Seed: s.random.Uint64(), Progress: func(_ string, step int, _ float64) error { return nil }}
	found, err := learn.Kernel(s.kernel, s.train.X, y, opts)
	if err != nil {
		return err
	}
	total := (peak.CPU() - before).Seconds()
	var wall float64
	for _, stage := range found.Stages {
		wall += stage.Seconds
	}
	for _, stage := range found.Stages { // stages are timed one by one, so that each has its share of the time
		seconds = append(seconds, total*stage.Seconds/wall)
	}
	draw := s.random.Split()
	for i, stage := range found.Stages {
		if stage.Kernel == nil {
			continue
		}
		f, err := s.fit(stage.Kernel, y, size.features, *draw)
		if err != nil {
			return fmt.Errorf("%s: %w", stage.Name, err)
		}
		f.evidence, f.seconds = stage.LogEvidence, seconds[i]
		sum(stage.Name, f)
		if stage.LogEvidence == found.LogEvidence {
			f.seconds = total
			defer sum(learned, f)
		}
	}
	return nil
}

// fit returns the errors of a ridge regression on features of a kernel, sampled by a copy of a
// sampler.
func (s *split) fit(k featuremap.Kernel, y *mat.Dense, features int, by featuremap.Sampler) (f figures, err error) {
	phi, err := featuremap.NewFourier(k, s.train.Dim(), features, &by, &featuremap.FourierOptions{Design: featuremap.Orthogonal})
	if err != nil {
		return f, err
	}
	model, err := ridge.Fit(phi, s.train.X, y, nil)
	if err != nil {
		return f, err
	}
	var predictions, variances mat.Dense
	model.PredictTo(&predictions, s.test.X)
	model.StdDevTo(&variances, s.test.X)
	variances.MulElem(&variances, &variances)
	return figures{error: s.error(&predictions), nll: s.nll(&predictions, &variances)}, nil
}

// exactSteps is the largest number of steps in which scikit-learn's Gaussian process learns, the same as for the
// stage of length scales.
const exactSteps = 40

//go:embed exact.py
var script string

// exact returns the figures of scikit-learn's Gaussian process, with a length scale for each
// column.
func (s *split) exact(python *peer.Python, most int) (f figures, err error) {
	train := s.train.Rows(sets.Order(min(most, s.train.Len())))
	p, err := python.Start(script, 1, train.X, train.Target, s.test.X)
	if err != nil {
		return f, err
	}
	defer p.Close()
	numbers, err := p.Ask(s.train.Dim(), s.kernel.LengthScale, exactSteps)
	if err != nil {
		return f, err
	}
	n := s.test.Len()
	if len(numbers) != 1+2*n {
		return f, fmt.Errorf("scikit-learn answers %d numbers, not %d", len(numbers), 1+2*n)
	}
	predictions, variances := mat.NewDense(n, 1, numbers[1:][:n]), mat.NewDense(n, 1, numbers[1+n:])
	return figures{math.NaN(), s.error(predictions), s.nll(predictions, variances), numbers[0]}, nil
}
