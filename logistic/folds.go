// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/conformal"
)

// Prediction sets are calibrated by five folds of the rows. Each is left out in turn, by weights of 0, and the others
// are fitted, at the same λ and in the coordinates in which the descent over all rows has ended. Copies of a row are in
// one fold: if a copy stayed in the fit, it would reveal the class of the one left out.
//
// A fit starts from the weights of all rows, which have seen the fold, and ends when its loss can fall by Tolerance.
// Fits from zero to a hundredth of that take three to seven times as many passes, and sets at level .9 then cover at
// most a tenth of a point more or less: for digits, letter, nursery, and 40 to 300 random rows of three classes with
// one in ten at random.

const (
	foldCount    = 5
	fewestRows   = 32 // that calibrate sets, at least
	fewestPoints = 2  // different rows of a class, at least: a fit without one of them has the other
	leastWeights = 19 // of the sum of all weights over the largest: with so many rows the quantile at a level of .95 is finite
	noFold       = -1 // of a row of weight 0
)

// givenWeight returns the weight of a row as it was given, times a common factor, without the effect of Balanced.
func (t *training) givenWeight(i int) float64 {
	if t.given == nil {
		return 1
	}
	return t.given[i]
}

// notePoints records checksums of the points of a batch of n rows, to find copies. Two points with the same checksum
// count as copies, which does no harm.
func (t *training) notePoints(n int) {
	for i := range n {
		t.points = append(t.points, t.reader.Checksum(i))
	}
}

// copies returns the rows of positive weight in groups with the same point, in the order of their first rows.
func (t *training) copies() (groups [][]int) {
	at := make(map[uint64]int)
	for i, point := range t.points {
		if t.givenWeight(i) == 0 {
			continue
		}
		k, seen := at[point]
		if !seen {
			k = len(groups)
			at[point], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}

// checkFolds refuses too few rows to calibrate sets.
func (t *training) checkFolds(groups [][]int) error {
	rows, sum, most, points := 0, 0.0, 0.0, make([]int, t.count)
	for _, group := range groups {
		var seen []int32
		for _, i := range group {
			rows, sum, most = rows+1, sum+t.givenWeight(i), max(most, t.givenWeight(i))
			if c := t.classes[i]; !slices.Contains(seen, c) {
				seen = append(seen, c)
				points[c]++
			}
		}
	}
	switch {
	case rows < fewestRows:
		return fmt.Errorf("logistic: PredictionSets: %d rows of positive weight: must be at least %d", rows, fewestRows)
	case sum < leastWeights*most:
		return fmt.Errorf("logistic: PredictionSets: the sum of the weights is %.3g times the largest: must be at least %d times", sum/most, leastWeights)
	}
	for c, n := range points {
		if n < fewestPoints {
			return fmt.Errorf("logistic: PredictionSets: class %d has one row, or copies of one: must have %d different ones, to be fitted without one", c, fewestPoints)
		}
	}
	return nil
}

// dealFolds deals out the rows to folds: at random, always in the same way, evenly for each class.
func (t *training) dealFolds() error {
	groups := t.copies()
	if err := t.checkFolds(groups); err != nil {
		return err
	}
	byClass := make([][][]int, t.count)
	for _, group := range groups {
		c := t.classes[group[0]]
		byClass[c] = append(byClass[c], group)
	}
	t.folds = slices.Repeat([]int8{noFold}, len(t.classes))
	random := featuremap.NewSampler(0)
	ofClass, ofAll := make([][foldCount]int, t.count), [foldCount]int{} // rows in each fold
	for c, groups := range byClass {
		for k := range groups {
			j := k + random.IntN(len(groups)-k)
			groups[k], groups[j] = groups[j], groups[k]
			fold := 0
			for f, n := range ofClass[c] {
				if least := ofClass[c][fold]; n < least || n == least && ofAll[f] < ofAll[fold] {
					fold = f
				}
			}
			for _, i := range groups[k] {
				t.folds[i] = int8(fold)
				ofClass[t.classes[i]][fold]++
				ofAll[fold]++
			}
		}
	}
	return nil
}

// calibrate returns the prediction sets of a descent that has ended. Afterwards it is the descent of a fold.
func (d *descent) calibrate() (*sets, error) {
	t, full := d.training, d.newFunctions()
	full.copy(d.at)
	if progress, pass, loss := t.Progress, d.pass, d.loss; progress != nil {
		t.Progress = func(int, float64) error { return progress(pass, loss) }
	}
	odds, all := make([]float64, len(t.classes)), t.weights
	t.spreads, d.reconditions = nil, false
	for fold := range int8(foldCount) {
		if !slices.Contains(t.folds, fold) {
			continue // all rows are at a few points
		}
		t.weights = t.without(fold, all)
		t.sum()
		if err := d.refit(full); err != nil {
			return nil, err
		}
		if err := d.judge(odds, fold); err != nil {
			return nil, err
		}
	}
	return t.newSets(odds)
}

// without returns weights (ones if they are nil) with those of a fold set to 0.
func (t *training) without(fold int8, weights []float64) []float64 {
	if weights == nil {
		weights = ones(len(t.classes))
	}
	weights = slices.Clone(weights)
	for i, f := range t.folds {
		if f == fold {
			weights[i] = 0
		}
	}
	return weights
}

// refit descends over the rows that now have weight, from some functions.
func (d *descent) refit(from functions) error {
	d.start.copy(from)
	d.set(d.start)
	if err := d.takeScores(d.raw); err != nil {
		return err
	}
	d.start.intercept, _ = d.pin(d.start.intercept)
	d.beginSearch()
	if err := d.run(); err != nil {
		return err
	}
	d.settled()
	return nil
}

// judge sets the odds against the class of each row of a fold.
func (d *descent) judge(odds []float64, fold int8) error {
	t := d.training
	return t.parts(func(p *partial, first int, part blas64.General) {
		p.blocks(first, part, func(first int, features, scores blas64.General) {
			tasks(d.raw, features, scores, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					if t.folds[first+i] != fold {
						continue
					}
					row := scores.Data[i*scores.Stride:][:scores.Cols]
					for c, v := range d.raw.intercept {
						row[c] += v
					}
					odds[first+i] = against(row, int(t.classes[first+i]))
				}
			})
		})
	}, func(*partial) {})
}

// newSets returns the sets of the odds of all rows.
func (t *training) newSets(odds []float64) (*sets, error) {
	var some, weights []float64
	alike, most := true, 0.0
	for i, f := range t.folds {
		if f != noFold {
			w := t.givenWeight(i)
			some, weights = append(some, odds[i]), append(weights, w)
			alike, most = alike && w == weights[0], max(most, w)
		}
	}
	for k := range weights {
		weights[k] /= most
	}
	if alike {
		weights = nil
	}
	for _, v := range some {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return nil, fmt.Errorf("logistic: PredictionSets: odds of %v against the class of a row: must be finite", v)
		}
	}
	return &sets{rows: len(some), odds: conformal.New(some, weights)}, nil
}
