// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package conformal computes the quantiles of conformal prediction, from the scores of rows that took no part in a fit.
// A score says how far a row's target is from its prediction.
//
// Sources: Vovk, Gammerman and Shafer 2005, "Algorithmic Learning in a Random World"; for rows with weights,
// Tibshirani, Barber, Candès and Ramdas 2019, "Conformal prediction under covariate shift"; for values between scores,
// Hall and Rieck 2001, "Improving coverage accuracy of nonparametric prediction intervals".
package conformal

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"
)

// MostScores is the number of scores up to which all are kept. Of more, about 500 knots are kept.
const MostScores = 4096

// slope sets the distance between knots: from a knot to the next one outwards there are at most 1/slope of the rows
// between it and the nearer end. For 20,000 scores there are 480 knots.
const slope = 36

// Scores are signed scores in ascending order. Each comes with the total weight of the rows with no larger scores, and
// of the rows with no smaller scores. The zero value has no scores.
type Scores struct {
	values       []float64
	below, above []float64 // one number a value; nil: 1, 2, … and m, m − 1, …
	total        float64   // the weight of all rows, plus the largest weight again, for the new row
	least        float64   // the least weight of a row
}

// New returns the scores of rows with their weights; nil weights are all 1. With more than 4,096 rows it keeps about
// 500 knots, which are closer together near the ends.
func New(values, weights []float64) Scores {
	m := len(values)
	if weights == nil && m <= MostScores {
		return Scores{values: slices.Sorted(slices.Values(values)), total: float64(m + 1), least: 1}
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
	s.setLeast()
	return s
}

// setLeast sets the least weight of a row to the least distance between totals.
func (s *Scores) setLeast() {
	s.least = s.belowOf(0)
	for k := 1; k < len(s.values); k++ {
		s.least = min(s.least, s.belowOf(k)-s.belowOf(k-1))
	}
}

// places returns the places of the knots among m scores: all scores within slope of an end, and then knots at distances
// from the end that grow by a factor of 1 + 1/slope.
func places(m int) []int {
	all := []int{m / 2}
	for d := 0; 2*d < m; d += 1 + d/slope {
		all = append(all, d, m-1-d)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// keep keeps the scores at the given places.
func (s *Scores) keep(places []int) {
	for _, v := range []*[]float64{&s.values, &s.below, &s.above} {
		kept := make([]float64, len(places))
		for k, i := range places {
			kept[k] = (*v)[i]
		}
		*v = kept
	}
}

// rounding is the relative error that sums of weights may have.
const rounding = 1e-12

// Ends returns lo and hi. The score of a new row is between them with a probability of level, and beyond either end with
// a probability of (1 − level)/2, to O(1/m²) for m rows.
//
// In ascending order of the scores, hi is at the place (m + 1)·(1 + level)/2, and lo is there in descending order. Between
// two places it is interpolated. With weights the scores are the first, from below and from above, up to which that share
// of the total weight lies; the total counts the heaviest row twice. Only the least weight before a row is interpolated,
// so that equal weights are as none, and a row of weight 2 is as two rows of weight 1. With too few rows both ends are
// infinite. Between knots an end is at most the next knot outwards.
func (s *Scores) Ends(level float64) (lo, hi float64) {
	need := float64((1 + level) / 2 * s.total)
	n := len(s.values)
	lo, hi = math.Inf(-1), math.Inf(1)
	if k := sort.Search(n, func(k int) bool { return s.aboveOf(n-1-k) >= need*(1-rounding) }); k < n {
		lo = s.between(n-k, n-1-k, need-s.aboveOf(min(n-k, n-1)))
	}
	if k := sort.Search(n, func(k int) bool { return s.belowOf(k) >= need*(1-rounding) }); k < n {
		hi = s.between(k-1, k, need-s.belowOf(max(k-1, 0)))
	}
	return lo, hi
}

// between returns the score at a place after that of value i, up to that of value k: further of the total weight are after
// value i. If there is no value i, it is value k.
func (s *Scores) between(i, k int, further float64) float64 {
	from, to := s.values[min(max(i, 0), len(s.values)-1)], s.values[k]
	if from == to || further >= s.least-float64(rounding*s.total) {
		return to
	}
	return math.FMA(further/s.least, to-from, from)
}

// Within returns the share of the rows whose scores have a magnitude of at most size.
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

// Scaling returns the factor by which to multiply the scores so that a share level of the rows lies within them. The
// magnitudes in sizes stand for a share of all rows, and s stands for the rest. The factor is at least floor, unless more
// than level of the sizes lie within the scores of s, by two standard errors, or that share has a standard error below
// steadyShare.
func (s *Scores) Scaling(sizes []float64, share, level, floor float64) float64 {
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
	scaling := both / own
	if !(scaling > 0 && scaling <= math.MaxFloat64) {
		return 1
	}
	k := sort.Search(len(sizes), func(k int) bool { return sizes[k] > own })
	n := float64(len(sizes))
	deviation := math.Sqrt(level * (1 - level) / n)
	if tooLong := float64(k)/n-level > 2*deviation; !tooLong && deviation > steadyShare {
		return max(scaling, floor)
	}
	return scaling
}

// steadyShare is a standard error of a coverage with which that is followed both ways.
const steadyShare = 0.01

// Scale multiplies all scores by a factor.
func (s *Scores) Scale(factor float64) {
	s.values = slices.Clone(s.values)
	for k := range s.values {
		s.values[k] *= factor
	}
}

// Upper returns the score that a new row exceeds with a probability of at most 1 − level. For m rows it is the k-th
// smallest score, k = ⌈(m + 1)·level⌉, and +Inf with too few rows. Weights and knots are as in Ends.
func (s *Scores) Upper(level float64) float64 { return s.upTo(level * s.total * (1 - rounding)) }

// upTo returns the first score up to which the rows have the given total weight.
func (s *Scores) upTo(need float64) float64 {
	if k := sort.Search(len(s.values), func(k int) bool { return s.belowOf(k) >= need }); k < len(s.values) {
		return s.values[k]
	}
	return math.Inf(1)
}

// belowOf returns the total weight of the rows whose scores are no larger than value k.
func (s *Scores) belowOf(k int) float64 {
	if s.below == nil {
		return float64(k + 1)
	}
	return s.below[k]
}

// aboveOf returns the total weight of the rows whose scores are no smaller than value k.
func (s *Scores) aboveOf(k int) float64 {
	if s.above == nil {
		return float64(len(s.values) - k)
	}
	return s.above[k]
}

// MostNumbers is the largest number of numbers that Numbers returns.
const MostNumbers = 3*MostScores + 1

// Numbers returns the numbers that Restore takes: the values, and if rows are weighted the weights of rows from below,
// from above, and in total.
func (s *Scores) Numbers() (numbers []float64, weighted bool) {
	if s.below == nil {
		return s.values, false
	}
	return slices.Concat(s.values, s.below, s.above, []float64{s.total}), true
}

// Restore returns the scores with these numbers, or an error if there are no such scores.
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
	if n > 0 {
		s.setLeast()
	}
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

// Loss returns the interval score of an interval and a target: the length of the interval, plus 2/(1 − level) times the
// distance of the target from it (Gneiting and Raftery 2007, "Strictly proper scoring rules, prediction, and
// estimation").
func Loss(lo, hi, y, level float64) float64 {
	return hi - lo + float64(2/(1-level)*max(lo-y, y-hi, 0))
}
