// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package sets returns the data sets of the experiments in one form: sets that are embedded in the
// programs, and sets that are read from a folder because their licenses do not allow a copy here.
package sets

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
)

// Set is points, one a row, with their classes or with one target each.
type Set struct {
	Name    string
	X       *mat.Dense
	Class   []int // from 0 to Classes−1; nil for regression
	Classes int
	Target  *mat.Dense // one column; nil for classification
	Train   int        // the number of training rows, the first ones, by the set's authors; 0 if they do not say
}

// classified returns a set of the embedded ones.
func classified(name string, train int, load func() (*mat.Dense, []int, error)) (*Set, error) {
	x, class, err := load()
	if err != nil {
		return nil, err
	}
	return &Set{Name: name, X: x, Class: class, Classes: slices.Max(class) + 1, Train: train}, nil
}

// Digits returns 1797 handwritten digits, 64 pixels each.
func Digits() (*Set, error) { return classified("digits", 0, dataset.Digits) }

// Letter returns 20000 letters, 16 numbers each, 16000 of them to train on.
func Letter() (*Set, error) { return classified("letter", 16000, dataset.Letter) }

// Nursery returns 12960 applications, the numbers of 8 categories each.
func Nursery() (*Set, error) { return classified("nursery", 0, dataset.Nursery) }

// Pendigits returns 10992 digits of a pen's path, 16 numbers each, 7494 of them to train on.
func Pendigits() (*Set, error) { return classified("pendigits", 7494, dataset.Pendigits) }

// Spambase returns 4601 messages, 57 numbers each.
func Spambase() (*Set, error) {
	return classified("spambase", 0, func() (*mat.Dense, []int, error) {
		x, class, _, err := dataset.Spambase()
		return x, class, err
	})
}

// Len returns the number of points.
func (s *Set) Len() int {
	n, _ := s.X.Dims()
	return n
}

// Truth returns the values to be predicted: the targets, or the numbers of the classes.
func (s *Set) Truth() []float64 {
	if s.Class == nil {
		return mat.Col(nil, 0, s.Target)
	}
	y := make([]float64, s.Len())
	for i, c := range s.Class {
		y[i] = float64(c)
	}
	return y
}

// Dim returns the number of coordinates.
func (s *Set) Dim() int {
	_, d := s.X.Dims()
	return d
}

// Rows returns the points with these numbers, as a new set.
func (s *Set) Rows(of []int) *Set {
	part := &Set{Name: s.Name, X: mat.NewDense(len(of), s.Dim(), nil), Classes: s.Classes}
	if s.Target != nil {
		part.Target = mat.NewDense(len(of), 1, nil)
	}
	for i, r := range of {
		part.X.SetRow(i, s.X.RawRowView(r))
		if s.Class != nil {
			part.Class = append(part.Class, s.Class[r])
		}
		if s.Target != nil {
			part.Target.Set(i, 0, s.Target.At(r, 0))
		}
	}
	return part
}

// Own returns the parts that the set's authors train and test on. Train must not be 0.
func (s *Set) Own() (train, test *Set) { return s.Cut(s.Train) }

// Cut returns the first n points, and the others.
func (s *Set) Cut(n int) (first, others *Set) {
	order := Order(s.Len())
	return s.Rows(order[:n]), s.Rows(order[n:])
}

// Split returns a number of points sampled at random, and the others.
func (s *Set) Split(train int, by *featuremap.Sampler) (first, others *Set) {
	order := Shuffle(s.Len(), by)
	return s.Rows(order[:train]), s.Rows(order[train:])
}

// Order returns the numbers from 0 to n−1.
func Order(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// Shuffle returns the numbers from 0 to n−1 in random order (Fisher and Yates).
func Shuffle(n int, by *featuremap.Sampler) []int {
	order := Order(n)
	for i := range order {
		j := i + by.IntN(n-i)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// Standardize gives the columns of train mean 0 and standard deviation 1, and transforms those of
// the others in the same way, by the means and standard deviations of train. A constant column
// becomes 0.
func Standardize(train *mat.Dense, others ...*mat.Dense) {
	n, d := train.Dims()
	column := make([]float64, n)
	for j := range d {
		mean, deviation := stat.PopMeanStdDev(mat.Col(column, j, train), nil)
		if deviation == 0 {
			deviation = 1
		}
		for _, x := range append([]*mat.Dense{train}, others...) {
			rows, _ := x.Dims()
			for i := range rows {
				x.Set(i, j, (x.At(i, j)-mean)/deviation)
			}
		}
	}
}

// Logarithms replaces all columns from one on by log(1 + x). It is for counts, or incomes, whose
// largest values are many standard deviations from their mean.
func Logarithms(x *mat.Dense, from int) {
	rows, d := x.Dims()
	counts := x.Slice(0, rows, from, d).(*mat.Dense)
	counts.Apply(func(_, _ int, v float64) float64 { return math.Log1p(v) }, counts)
}

// Accuracy returns the share of the points whose own class has the largest of the scores, a row
// for each point.
func (s *Set) Accuracy(scores mat.Matrix) float64 {
	right := 0
	for i, c := range s.Class {
		best := 0
		for j := range s.Classes {
			if scores.At(i, j) > scores.At(i, best) {
				best = j
			}
		}
		if best == c {
			right++
		}
	}
	return float64(right) / float64(len(s.Class))
}

// RMSE returns the root mean square difference of predictions, one column, and targets.
func (s *Set) RMSE(predictions mat.Matrix) float64 {
	sum := 0.0
	for i := range s.Len() {
		e := predictions.At(i, 0) - s.Target.At(i, 0)
		sum += e * e
	}
	return math.Sqrt(sum / float64(s.Len()))
}
