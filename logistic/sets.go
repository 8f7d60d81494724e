// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/conformal"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// PredictionSet returns the classes that x may have, so that the set of a new row contains its class with a probability
// of about level, 0 < level < 1. The most probable class comes first, and of equally probable ones the smallest number.
// The set has the classes with s(x, c) ≤ q, where
//
//	s(x, c) = log((1 − p(c | x))/p(c | x))
//
// and q is the k-th smallest s(xᵢ, yᵢ) of the m training rows, k = ⌈(m + 1)·level⌉, by fits without the fifth of the
// rows that contains row i. If k > m, it has all classes. With weights w (as given, without Balanced) q is the least
// score up to which rows have level·(Σw + max w) of the weight. With more than 4096 rows a few hundred scores are kept,
// and sets cover up to (1 − level)/36 more. Such sets are the smallest of their coverage (Sadinle, Lei and Wasserman
// 2019, "Least ambiguous set-valued classifiers with bounded error levels"). See docs/guide/classes.md for what the
// level promises.
//
// A set may be empty if the model is right more often than level; Predict still returns a class. The set of a higher
// level contains that of a lower one. The set of an x with a NaN is empty. It panics if level is not between 0 and 1,
// if the model has no sets (Options.PredictionSets), and with mat.ErrShape if x is not of length in.
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
	most := m.sets.odds.Upper(level)
	for k, c := range order {
		if !(math.IsInf(most, 1) || against(scores, c) <= most) {
			return order[:k]
		}
	}
	return order
}

// against returns the logarithm of the odds against a class, from the scores of all. It also distinguishes
// probabilities that are 1 or 0 to rounding.
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

// sets calibrate prediction sets: the odds against the class of each of some rows, by fits without it.
type sets struct {
	rows int
	odds conformal.Scores // logarithms
}

// arrays returns the numbers that are saved.
func (s *sets) arrays() [][]float64 {
	numbers, _ := s.odds.Numbers()
	return [][]float64{numbers}
}

// setSizes reports whether the arrays of the sets can have these sizes, for rows calibrating rows (0: no sets) out of
// those of a model.
func setSizes(rows, of int, sizes []int) bool {
	if rows == 0 {
		return len(sizes) == 0
	}
	if rows < fewestRows || rows > of || len(sizes) != 1 {
		return false
	}
	n := sizes[0]
	if rows > conformal.MostScores {
		return n > 0 && n <= conformal.MostNumbers
	}
	return n == rows || n == 3*rows+1
}

// readSets reads the sets of some rows, whose array has a valid size. It refuses odds that no rows have.
func readSets(rows int, f *sealed.Reader) (s *sets, err error) {
	numbers := f.Floats(f.Sizes[2])
	if f.Err() != nil {
		return nil, nil // Close has the error
	}
	if i := slices.IndexFunc(numbers, func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat64) }); i >= 0 {
		return nil, fmt.Errorf("prediction sets: number %d is %v: must be finite", i, numbers[i])
	}
	s = &sets{rows: rows}
	if s.odds, err = conformal.Restore(numbers, len(numbers) != rows || rows > conformal.MostScores); err != nil {
		return nil, fmt.Errorf("prediction sets: %w", err)
	}
	return s, nil
}
