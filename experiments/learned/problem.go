// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// source is a data set. Its description says how columns are changed.
type source struct {
	name   string
	folder bool // it is read from a folder
	about  string
	read   func(folder string) (*sets.Set, error)
}

// sources are the data sets.
var sources = []source{
	{"cal_housing", true, "rooms, bedrooms, people, households and income as log(1 + x); the target in 100,000 dollars", func(folder string) (*sets.Set, error) {
		s, err := sets.CalHousing(folder)
		if err == nil {
			sets.Logarithms(s.X, 3)
			s.Target.Scale(1e-5, s.Target)
		}
		return s, err
	}},
	{"cpu_act", true, "all as log(1 + x); the target in percent", func(folder string) (*sets.Set, error) {
		s, err := sets.CPUAct(folder)
		if err == nil {
			sets.Logarithms(s.X, 0)
		}
		return s, err
	}},
	{"letter", false, "as they are", func(string) (*sets.Set, error) { return sets.Letter() }},
	{"Friedman", false, "uniform, of which five matter; noise with standard deviation 1", func(string) (*sets.Set, error) { return friedman(20_000), nil }},
}

// friedman returns rows of Friedman's function (1991, "Multivariate adaptive regression splines", example 1), with 15
// further columns that do not matter, and noise.
func friedman(rows int) *sets.Set {
	const d = 20
	by := featuremap.NewSampler(1)
	s := &sets.Set{Name: "Friedman", X: mat.NewDense(rows, d, nil), Target: mat.NewDense(rows, 1, nil)}
	for i := range rows {
		x := s.X.RawRowView(i)
		for j := range x {
			x[j] = by.Float64()
		}
		s.Target.Set(i, 0, 10*math.Sin(math.Pi*x[0]*x[1])+20*(x[2]-0.5)*(x[2]-0.5)+10*x[3]+5*x[4]+by.Normal())
	}
	return s
}

// split is a data set in two parts, with the kernel of the median length scale.
type split struct {
	train, test *sets.Set
	kernel      featuremap.Gaussian
	random      *featuremap.Sampler
}

// newSplit splits a set by a seed: four fifths to train on, or as many as the scope has at most.
func newSplit(set *sets.Set, seed uint64, size scope) (*split, error) {
	s := &split{random: featuremap.NewSampler(seed)}
	s.train, s.test = set.Split(set.Len()*4/5, s.random)
	s.train = s.train.Rows(sets.Order(min(s.train.Len(), size.train)))
	s.test = s.test.Rows(sets.Order(min(s.test.Len(), size.train)))
	sets.Standardize(s.train.X, s.test.X)
	var err error
	s.kernel.LengthScale, err = featuremap.MedianLengthScale(s.train.X, s.random)
	return s, err
}

// regression tells whether there are targets instead of classes.
func (s *split) regression() bool { return s.train.Target != nil }

// targets returns what is to be predicted, a column for each class or one.
func (s *split) targets() (*mat.Dense, error) {
	if s.regression() {
		return s.train.Target, nil
	}
	return ridge.Labels(s.train.Class, s.train.Classes)
}

// error returns the share of wrong classes, or the root mean square error, of predictions for the test rows.
func (s *split) error(predictions mat.Matrix) float64 {
	if s.regression() {
		return s.test.RMSE(predictions)
	}
	return 1 - s.test.Accuracy(predictions)
}

// nll returns the mean negative log likelihood of the test targets, for normal predictions; NaN for classes.
func (s *split) nll(predictions, variances mat.Matrix) float64 {
	if !s.regression() {
		return math.NaN()
	}
	var sum float64
	for i := range s.test.Len() {
		v, e := variances.At(i, 0), s.test.Target.At(i, 0)-predictions.At(i, 0)
		sum += 0.5 * (math.Log(2*math.Pi*v) + e*e/v)
	}
	return sum / float64(s.test.Len())
}
