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

// A task is a data set in the form that both sides get.
type task struct {
	source
	train, test *sets.Set // in random order, unless the set says what to test on
	own         int       // the first rows of train, to fit on while choosing; the others are held out
	median      float64   // distance of two rows of train, over √2
}

// source is a data set, with what is known of it.
type source struct {
	name    string
	folder  bool // it is read from a folder, not embedded
	read    func(folder string) (*sets.Set, error)
	prepare func(*sets.Set) // changes columns and targets first; nil: changes nothing
	raw     bool            // columns are not standardized
	about   string          // what is done to the columns and targets
	known   string          // results of others
}

// in makes the reader of an embedded set look like one that reads from a folder.
func in(program func() (*sets.Set, error)) func(string) (*sets.Set, error) {
	return func(string) (*sets.Set, error) { return program() }
}

// sources are the data sets.
var sources = []source{
	{
		name: "cal_housing", folder: true, read: sets.CalHousing,
		about: "rooms, bedrooms, people, households and income as log(1 + x); standardized; the target in 100,000 dollars",
		prepare: func(s *sets.Set) {
			sets.Logarithms(s.X, 3)
			s.Target.Scale(1e-5, s.Target)
		},
		// A. Géron, Hands-on machine learning with Scikit-Learn, Keras and TensorFlow, 2nd edition, 2019, chapter 2: RMSE
		// of 50,182 and 69,052 dollars.
		known: "RMSE 0.50 by a random forest, 0.69 by linear regression, with more columns, cross-validated (Géron 2019)",
	},
	{
		name: "cpu_act", folder: true, read: sets.CPUAct,
		about:   "all as log(1 + x); standardized; the target in percent",
		prepare: func(s *sets.Set) { sets.Logarithms(s.X, 0) },
		known:   "no known results with the same error",
	},
	{
		name: "letter", read: in(sets.Letter), about: "standardized",
		// C.-W. Hsu, C.-J. Lin, A comparison of methods for multiclass support vector machines, 2002, for one against one.
		known: "97.98 % by support vectors of a Gaussian kernel, 15000 rows to train on (Hsu and Lin 2002)",
	},
	{
		name: "pendigits", read: in(sets.Pendigits), about: "standardized",
		// pendigits.names in the UCI repository, for Euclidean distances.
		known: "97.80 % by three nearest neighbors (Alpaydin and Alimoglu 1998)",
	},
	{
		name: "adult", folder: true, read: sets.Adult, raw: true, about: "as they are, 0 or 1",
		// A. Rahimi, B. Recht, Random features for large-scale kernel machines, 2007, table 1: errors of 14.9 and 15.1 %.
		known: "85.1 % by least squares on 500 Fourier features, 84.9 % by exact support vectors (Rahimi and Recht 2007)",
	},
}

// load reads and prepares the data sets; those in the folder only if there is one. It returns the
// names of the sets that are left out.
func load(size scope) (tasks []*task, left []string, err error) {
	for _, s := range sources {
		if size.set != "" && s.name != size.set {
			continue
		}
		if s.folder && size.data == "" {
			left = append(left, s.name)
			continue
		}
		t, err := s.task(size)
		if err != nil {
			return nil, nil, err
		}
		tasks = append(tasks, t)
	}
	return tasks, left, nil
}

// task reads the set, splits it, limits the number of rows, and standardizes the columns.
func (s source) task(size scope) (*task, error) {
	set, err := s.read(size.data)
	if err != nil {
		return nil, err
	}
	if s.prepare != nil {
		s.prepare(set)
	}
	t := &task{source: s}
	random := featuremap.NewSampler(1)
	if set.Train > 0 {
		t.train, t.test = set.Own()
	} else {
		t.train, t.test = set.Split(set.Len()*3/4, random)
	}
	t.train, t.test = some(t.train, size.rows, random), some(t.test, size.rows/2, random)
	t.own = t.train.Len() * 3 / 4
	if !s.raw {
		sets.Standardize(t.train.X, t.test.X)
	}
	t.median, err = featuremap.MedianLengthScale(t.train.X, random)
	return t, err
}

// some returns rows of a set in random order: at most most, or all if most is 0.
func some(s *sets.Set, most int, random *featuremap.Sampler) *sets.Set {
	order := sets.Shuffle(s.Len(), random)
	if most > 0 {
		order = order[:min(most, len(order))]
	}
	return s.Rows(order)
}

// targets returns what is to be predicted, a column for each class or one.
func (t *task) targets(s *sets.Set) (*mat.Dense, error) {
	if s.Class != nil {
		return ridge.Labels(s.Class, s.Classes)
	}
	return s.Target, nil
}

// score returns the share of classes that are right, or the root mean square error.
func (t *task) score(s *sets.Set, predictions mat.Matrix) float64 {
	if s.Class != nil {
		return s.Accuracy(predictions)
	}
	return s.RMSE(predictions)
}

// merit returns a number that is larger for better scores.
func (t *task) merit(score float64) float64 {
	if t.train.Class != nil {
		return score
	}
	return -score
}
