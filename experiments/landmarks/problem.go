// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A source is a data set and what is done to it.
type source struct {
	name    string
	folder  bool // it is read from a folder, not embedded
	read    func(folder string) (*sets.Set, error)
	prepare func(*sets.Set) // changes columns and targets first; nil: changes nothing
	raw     bool            // columns are not standardized
	about   string          // what is done to the columns and targets
	length  float64         // of the kernel; 0: MedianLengthScale's
}

// in makes the reader of an embedded set look like one that reads from a folder.
func in(program func() (*sets.Set, error)) func(string) (*sets.Set, error) {
	return func(string) (*sets.Set, error) { return program() }
}

// sources are the data sets.
var sources = []source{
	{name: "letter", read: in(sets.Letter), about: "standardized", length: 2.67},
	{name: "pendigits", read: in(sets.Pendigits), about: "standardized"},
	{name: "digits", read: in(sets.Digits), about: "standardized"},
	{
		name: "spambase", read: in(sets.Spambase), about: "all as log(1 + x); standardized",
		prepare: func(s *sets.Set) { sets.Logarithms(s.X, 0) },
	},
	{
		name: "cal_housing", folder: true, read: sets.CalHousing, length: 1.68,
		about: "rooms, bedrooms, people, households and income as log(1 + x); standardized; the target in 100,000 dollars",
		prepare: func(s *sets.Set) {
			sets.Logarithms(s.X, 3)
			s.Target.Scale(1e-5, s.Target)
		},
	},
	{
		name: "cpu_act", folder: true, read: sets.CPUAct, about: "all as log(1 + x); standardized; the target in percent",
		prepare: func(s *sets.Set) { sets.Logarithms(s.X, 0) },
	},
	{name: "adult", folder: true, read: sets.Adult, raw: true, about: "as they are, 0 or 1"},
}

// A problem is a data set with its splits.
type problem struct {
	source
	splits []split
}

// A split is a data set in two parts, with a kernel.
type split struct {
	train, test *sets.Set
	kernel      featuremap.Gaussian
	random      *featuremap.Sampler // for maps, which take a Split of it
}

// problem reads the data set, and splits it by the seeds 1, 2, …
func (s source) problem(size scope) (*problem, error) {
	set, err := s.read(size.data)
	if err != nil {
		return nil, err
	}
	if s.prepare != nil {
		s.prepare(set)
	}
	p := &problem{source: s}
	for seed := range size.splits {
		random := featuremap.NewSampler(uint64(seed + 1))
		train, test := set.Split(min(set.Len()*3/4, size.train), random)
		test = test.Rows(sets.Order(min(test.Len(), size.test)))
		if !s.raw {
			sets.Standardize(train.X, test.X)
		}
		kernel := featuremap.Gaussian{LengthScale: s.length}
		if s.length == 0 {
			if kernel.LengthScale, err = featuremap.MedianLengthScale(train.X, random); err != nil {
				return nil, err
			}
		}
		p.splits = append(p.splits, split{train, test, kernel, random})
	}
	return p, nil
}

// regression tells whether there are targets instead of classes.
func (s split) regression() bool { return s.train.Target != nil }

// targets returns what is to be predicted, a column for each class or one.
func (s split) targets() (*mat.Dense, error) {
	if s.regression() {
		return s.train.Target, nil
	}
	return ridge.Labels(s.train.Class, s.train.Classes)
}

// error returns the share of wrong classes, or the root mean square error, of predictions for the test rows.
func (s split) error(predictions mat.Matrix) float64 {
	if s.regression() {
		return s.test.RMSE(predictions)
	}
	return 1 - s.test.Accuracy(predictions)
}
