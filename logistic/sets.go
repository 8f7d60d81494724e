// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// PredictionSet returns the classes that x may have, so that sets have the class of a new row with a probability of about level, which is
// between 0 and 1. Classes are sorted by probability, the largest first, and equal ones by number. With
//
//	s(x, c) = log((1 − p(c | x))/p(c | x))
//
// they are the classes with s(x, c) ≤ q, where q is the k-th smallest s(xᵢ, yᵢ) of m rows, k = ⌈(m + 1)·level⌉, by fits without the fifth of the
// rows that row i is in; all classes if k > m. Such sets are the smallest of their coverage (Sadinle, Lei and Wasserman 2019, "Least ambiguous
// set-valued classifiers with bounded error levels"). See Sets in the package comment for what holds, and for weights.
//
// A set may be empty: then even the likeliest class is less likely at x than their own class is at a part of level of the rows. Predict
// returns that class all the same. A set is a part of each one of a higher level. That of an x with a NaN is empty.
//
// It panics if level is not between 0 and 1, if the model was fitted without Options.PredictionSets, and with mat.ErrShape if the length of x is
// not in.
func (m *Model) PredictionSet(x []float64, level float64) []int {
	switch {
	case m.phi == nil:
		panic(mat.ErrShape)
	case m.sets == nil:
		panic("logistic: no prediction sets: the model was fitted without Options.PredictionSets")
	case !(level > 0 && level < 1):
		panic(fmt.Sprintf("logistic: level = %v: must be between 0 and 1", level))
	}
	scores := m.scores.PredictVec(nil, x)
	if largest(scores) < 0 {
		return nil
	}
	order := make([]int, len(scores))
	for c := range order {
		order[c] = c
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), a-b) })
	most := m.sets.quantile(level)
	for k, c := range order {
		if !(math.IsInf(most, 1) || against(scores, c) <= most) {
			return order[:k]
		}
	}
	return order
}

// against returns the logarithm of the odds against a class, of the scores of all. It tells probabilities apart that are 1 or 0 to rounding.
func against(scores []float64, class int) float64 {
	most := math.Inf(-1)
	for c, v := range scores {
		if c != class {
			most = max(most, v)
		}
	}
	var sum float64
	for c, v := range scores {
		if c != class {
			sum += detmath.Exp(v - most)
		}
	}
	return most - scores[class] + detmath.Log(sum)
}

// sets are what calibrates prediction sets: the odds against the class of each of some rows, by fits without it.
type sets struct {
	rows  int
	odds  []float64 // ascending: logarithms, of all rows or of knots
	below []float64 // the weight of the rows of no larger odds, where the largest weight is 1; nil: 1, 2, … of as many rows
	total float64   // the weight of all rows, and 1 more for a new one
}

const (
	mostOdds  = 4096 // more are kept as knots
	knotSlope = 64   // of knots, the part of the rows above one that the next one is away at most
)

// newSets returns the sets of the odds of some rows and their weights, nil if all weigh alike.
func newSets(odds, weights []float64) *sets {
	n := len(odds)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(odds[a], odds[b]), a-b) })
	s := &sets{rows: n, odds: make([]float64, n), total: float64(n + 1)}
	for k, i := range order {
		s.odds[k] = odds[i]
	}
	if weights == nil && n <= mostOdds {
		return s
	}
	s.below = make([]float64, n)
	sum := 0.0
	for k, i := range order {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		sum += w
		s.below[k] = sum
	}
	s.total = sum + 1
	if n > mostOdds {
		s.thin()
	}
	return s
}

// thin keeps knots: the largest odds, and others whose distance in rows grows with that from the largest. A quantile is rounded up to a knot, which covers a
// part of (1 − level)/knotSlope more at most, of rows that weigh alike.
func (s *sets) thin() {
	var odds, below []float64
	for k, n := 0, len(s.odds); k < n; k += 1 + k/knotSlope {
		odds, below = append(odds, s.odds[n-1-k]), append(below, s.below[n-1-k])
	}
	slices.Reverse(odds)
	slices.Reverse(below)
	s.odds, s.below = odds, below
}

// quantile returns the least odds up to which rows have a part of the weight, to rounding; +Inf if they are too few.
func (s *sets) quantile(level float64) float64 {
	const rounding = 1e-12
	need := level * s.total * (1 - rounding)
	k := sort.Search(len(s.odds), func(k int) bool {
		if s.below == nil {
			return float64(k+1) >= need
		}
		return s.below[k] >= need
	})
	if k == len(s.odds) {
		return math.Inf(1)
	}
	return s.odds[k]
}

// arrays returns the numbers that are saved.
func (s *sets) arrays() [][]float64 {
	if s.below == nil {
		return [][]float64{s.odds}
	}
	return [][]float64{s.odds, append(slices.Clone(s.below), s.total)}
}

// setSizes tells whether the sets of so many rows, 0 for none, of those of a model can have arrays of these sizes.
func setSizes(rows, of int, sizes []int) bool {
	if rows == 0 {
		return len(sizes) == 0
	}
	switch {
	case rows < fewestRows || rows > of || len(sizes) == 0 || sizes[0] < 1 || sizes[0] > min(rows, mostOdds):
		return false
	case len(sizes) == 1:
		return sizes[0] == rows
	}
	return len(sizes) == 2 && sizes[1] == sizes[0]+1
}

// readSets reads the sets of some rows, whose arrays have sizes that sets have.
func readSets(rows int, f *sealed.Reader) *sets {
	s := &sets{rows: rows, odds: f.Floats(f.Sizes[2]), total: float64(rows + 1)}
	if len(f.Sizes) > 3 {
		if below := f.Floats(f.Sizes[3]); len(below) == f.Sizes[3] { // otherwise Close returns an error
			s.below, s.total = below[:len(s.odds)], below[len(s.odds)]
		}
	}
	return s
}

// validate refuses what no rows have.
func (s *sets) validate() error {
	for k, v := range s.odds {
		if !(math.Abs(v) <= math.MaxFloat64) || k > 0 && !(v >= s.odds[k-1]) {
			return fmt.Errorf("odds %v: must be finite and in order", v)
		}
	}
	last := 0.0
	for _, v := range s.below {
		if !(v > 0 && v >= last) {
			return fmt.Errorf("a sum of weights %v, after %v: must be positive and in order", v, last)
		}
		last = v
	}
	if !(s.total > last && s.total <= math.MaxFloat64) {
		return fmt.Errorf("a weight of all of %v: must be finite and more than %v", s.total, last)
	}
	return nil
}
