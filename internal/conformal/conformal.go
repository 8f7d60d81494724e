// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package conformal has the quantiles of conformal prediction, of the scores of rows that took no part in a fit: how far the target of each is from
// its prediction (Vovk, Gammerman and Shafer 2005, "Algorithmic Learning in a Random World"; of rows of weights Tibshirani, Barber, Candès and
// Ramdas 2019, "Conformal prediction under covariate shift").
package conformal

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"
)

// MostScores is how many scores are kept; of more about 500 knots are.
const MostScores = 4096

// slope is the part of the rows beyond a knot, up to the nearer end, that the next knot outwards is away at most: of 20,000 scores there are 480.
const slope = 36

// Scores are signed scores in ascending order, with what the rows of no larger and of no smaller ones weigh. The zero value has none.
type Scores struct {
	values       []float64
	below, above []float64 // a value each; nil: 1, 2, … and m, m − 1, …
	total        float64   // the weight of all rows, and of the heaviest once more, for which a new row counts
}

// New returns the scores of rows, with their weights, nil if all are 1. Of more than 4,096 rows it keeps about 500 knots, the closer together the
// nearer they are to an end.
func New(values, weights []float64) Scores {
	m := len(values)
	if weights == nil && m <= MostScores {
		return Scores{values: slices.Sorted(slices.Values(values)), total: float64(m + 1)}
	}
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(values[a], values[b]), a-b) })
	s := Scores{values: make([]float64, m), total: float64(m + 1)}
	for k, i := range order {
		s.values[k] = values[i]
	}
	s.below, s.above = make([]float64, m), make([]float64, m)
	weight := func(k int) float64 {
		if weights == nil {
			return 1
		}
		return weights[order[k]]
	}
	var below, above, most float64
	for k := range order {
		below += weight(k)
		above += weight(m - 1 - k)
		most = max(most, weight(k))
		s.below[k], s.above[m-1-k] = below, above
	}
	if s.total = below + most; m > MostScores {
		s.keep(places(m))
	}
	return s
}

// places returns the places of knots among m scores: all that are within slope of an end, and then at distances from it that grow by 1/slope.
func places(m int) []int {
	all := []int{m / 2}
	for d := 0; 2*d < m; d += 1 + d/slope {
		all = append(all, d, m-1-d)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// keep keeps the scores at some places.
func (s *Scores) keep(places []int) {
	for _, v := range []*[]float64{&s.values, &s.below, &s.above} {
		kept := make([]float64, len(places))
		for k, i := range places {
			kept[k] = (*v)[i]
		}
		*v = kept
	}
}

// rounding is the part of a weight that sums of weights may be off by.
const rounding = 1e-12

// Ends returns the scores that a new row is between with a chance of the level, at most (1 − level)/2 on either side: of m rows the k-th smallest
// and the k-th largest, k = ⌈(m + 1)·(1 + level)/2⌉, so that hi comes first from the other end; with weights the first ones up to which that part
// of the weight of all rows and of the heaviest once more lies. An end is infinite where there are too few rows, and of knots it is the next one
// outwards.
func (s *Scores) Ends(level float64) (lo, hi float64) {
	need := (1 + level) / 2 * s.total * (1 - rounding)
	lo, hi = math.Inf(-1), s.upTo(need)
	n := len(s.values)
	if k := sort.Search(n, func(k int) bool { return s.aboveOf(n-1-k) >= need }); k < n {
		lo = s.values[n-1-k]
	}
	return lo, hi
}

// Within returns the share of the rows whose scores are at most so large, of either sign.
func (s *Scores) Within(size float64) float64 {
	n := len(s.values)
	from := sort.Search(n, func(k int) bool { return s.values[k] >= -size })
	to := sort.Search(n, func(k int) bool { return s.values[k] > size })
	if from >= to {
		return 0
	}
	all := s.belowOf(n - 1)
	return (s.belowOf(to-1) + s.aboveOf(from) - all) / all
}

// Widening returns by what scores are to be multiplied, at least 1, so that a part of the level of rows is within them, where the sizes of
// other scores stand for a share of all rows, and these for the rest.
func (s *Scores) Widening(sizes []float64, share, level float64) float64 {
	sizes = slices.Sorted(slices.Values(sizes))
	within := func(size float64) float64 {
		k, _ := slices.BinarySearchFunc(sizes, size, func(v, size float64) int {
			if v <= size {
				return -1
			}
			return 1
		})
		return float64((1-share)*s.Within(size)) + float64(share*float64(k)/float64(len(sizes)))
	}
	all := slices.Clone(sizes)
	for _, v := range s.values {
		all = append(all, math.Abs(v))
	}
	slices.Sort(all)
	own := all[min(sort.Search(len(all), func(k int) bool { return s.Within(all[k]) >= level }), len(all)-1)]
	both := all[min(sort.Search(len(all), func(k int) bool { return within(all[k]) >= level }), len(all)-1)]
	if widening := both / own; widening > 1 && widening <= math.MaxFloat64 {
		return widening
	}
	return 1
}

// Widen multiplies all scores by a factor.
func (s *Scores) Widen(factor float64) {
	s.values = slices.Clone(s.values)
	for k := range s.values {
		s.values[k] *= factor
	}
}

// Upper returns the score up to which a new row is with a chance of the level, at most 1 − level above it: of m rows the k-th smallest, k = ⌈(m + 1)·level⌉,
// and +Inf where there are too few. Weights and knots are as in Ends.
func (s *Scores) Upper(level float64) float64 { return s.upTo(level * s.total * (1 - rounding)) }

// upTo returns the first score up to which rows weigh so much.
func (s *Scores) upTo(need float64) float64 {
	if k := sort.Search(len(s.values), func(k int) bool { return s.belowOf(k) >= need }); k < len(s.values) {
		return s.values[k]
	}
	return math.Inf(1)
}

// belowOf returns what rows of no larger scores than value k weigh.
func (s *Scores) belowOf(k int) float64 {
	if s.below == nil {
		return float64(k + 1)
	}
	return s.below[k]
}

// aboveOf returns what rows of no smaller scores than value k weigh.
func (s *Scores) aboveOf(k int) float64 {
	if s.above == nil {
		return float64(len(s.values) - k)
	}
	return s.above[k]
}

// MostNumbers is how many numbers scores have, at most.
const MostNumbers = 3*MostScores + 1

// Numbers returns the numbers that Restore takes: the values, and where they have weights what rows weigh from below, from above, and in all.
func (s *Scores) Numbers() (numbers []float64, weighted bool) {
	if s.below == nil {
		return s.values, false
	}
	return slices.Concat(s.values, s.below, s.above, []float64{s.total}), true
}

// Restore returns scores by their numbers. It returns an error if no scores have these.
func Restore(numbers []float64, weighted bool) (s Scores, err error) {
	n := len(numbers)
	if weighted {
		if n%3 != 1 {
			return s, errors.New("scores have values and weights of different numbers")
		}
		s.total = numbers[n-1]
		n /= 3
		s.below, s.above = numbers[n:2*n:2*n], numbers[2*n:3*n:3*n]
	} else {
		s.total = float64(n + 1)
	}
	s.values = numbers[:n:n]
	for k, v := range s.values {
		if math.IsNaN(v) || k > 0 && v < s.values[k-1] {
			return s, errors.New("scores are not in order")
		}
		if k > 0 && !(s.belowOf(k) >= s.belowOf(k-1) && s.aboveOf(k) <= s.aboveOf(k-1)) || !(s.belowOf(k) >= 0 && s.aboveOf(k) >= 0) {
			return s, errors.New("weights of scores are not in order")
		}
	}
	if n == 0 || n > MostScores || !(s.total > 0 && s.total <= math.MaxFloat64 && math.Abs(s.belowOf(n-1)-s.aboveOf(0)) <= rounding*float64(n)*s.total && s.belowOf(n-1) <= s.total) {
		return s, errors.New("scores are too many or too few, or weigh too little or too much")
	}
	return s, nil
}

// Loss returns the interval score of an interval and a target (Gneiting and Raftery 2007, "Strictly proper scoring rules, prediction, and
// estimation"): its length, and 2/(1 − level) times how far the target is outside.
func Loss(lo, hi, y, level float64) float64 {
	return hi - lo + float64(2/(1-level)*max(lo-y, y-hi, 0))
}
