// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scores of a regression on test rows.

package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// scoredRows is the number of rows that are predicted together.
const scoredRows = 1024

// scoreTargets sets the score of a regression.
func (s *study) scoreTargets(m *ridge.Model) {
	_, targets := s.y.Dims()
	n := len(s.held)
	var held [4]*mat.Dense // for the rows: predictions, their standard deviations, and intervals
	for k := range held {
		held[k] = mat.NewDense(n, targets, nil)
	}
	mean, sd, lo90, hi90 := held[0], held[1], held[2], held[3]
	for lo := 0; lo < n; lo += scoredRows {
		hi := min(lo+scoredRows, n)
		points := s.points(s.held[lo:hi])
		m.PredictTo(mean.Slice(lo, hi, 0, targets).(*mat.Dense), points)
		lent.Of(m).StdDevTo(sd.Slice(lo, hi, 0, targets).(*mat.Dense), nil, points)
		if m.IntervalRows() > 0 {
			m.IntervalTo(lo90.Slice(lo, hi, 0, targets).(*mat.Dense), hi90.Slice(lo, hi, 0, targets).(*mat.Dense), points, 0.9)
		}
	}
	truth, means := score.Rows(s.y, s.held), mat.NewDense(n, targets, nil)
	means.Apply(func(_, t int, _ float64) float64 { return s.meanTarget(t) }, means)
	var from, to mat.Dense
	to.Scale(normal90, sd)
	from.Sub(mean, &to)
	to.Add(mean, &to)
	if m.IntervalRows() == 0 {
		lo90, hi90 = &from, &to
	}
	r := &s.report.regression
	r.Rows, r.RMSE, r.Baseline = n, score.RMSE(mean, truth), score.RMSE(means, truth)
	r.NLL, r.Coverage, r.GaussianCoverage = score.NLL(mean, sd, truth), score.Coverage(lo90, hi90, truth), score.Coverage(&from, &to, truth)
	r.Width, r.GaussianWidth = widths(lo90, hi90), widths(&from, &to)
	for t, v := range r.NLL {
		if math.IsNaN(v) { // constant in the training rows
			r.Coverage[t], r.Width[t] = v, v
		}
	}
	var groups []int
	if s.Groups != nil {
		for _, i := range s.held {
			groups = append(groups, s.Groups[i])
		}
		r.groups = len(s.oneOfEach(s.held))
	}
	for t, rmse := range r.RMSE {
		r.worst = append(r.worst, worstShare(mat.Col(nil, t, mean), mat.Col(nil, t, truth)))
		r.RMSEError = append(r.RMSEError, errorOfRMSE(mat.Col(nil, t, mean), mat.Col(nil, t, truth), rmse, groups))
	}
}

// worstShare returns the largest share of one row in the squared error.
func worstShare(predicted, y []float64) float64 {
	most, sum := 0.0, 0.0
	for i, v := range y {
		e := float64((predicted[i] - v) * (predicted[i] - v))
		most, sum = max(most, e), sum+e
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return 0
	}
	return most / sum
}

// widths returns the mean widths of intervals of each target.
func widths(lo, hi *mat.Dense) []float64 {
	var width mat.Dense
	width.Sub(hi, lo)
	_, targets := lo.Dims()
	all := make([]float64, targets)
	for t := range all {
		all[t] = meanOf(mat.Col(nil, t, &width))
	}
	return all
}

// meanTarget returns the mean of a target over the training rows.
func (s *study) meanTarget(t int) float64 {
	var mean float64
	for k, i := range s.rest {
		mean += (s.y.At(i, t) - mean) / float64(k+1)
	}
	return mean
}

// unseen returns the test rows that are not copies of training rows. The errors of copies are not those of new rows.
func (s *study) unseen() []int {
	var reader rows.Reader
	reader.Reset(s.x)
	fitted := make(map[uint64]bool, len(s.rest))
	for _, i := range s.rest {
		fitted[reader.Checksum(i)] = true
	}
	var held []int
	for _, i := range s.held {
		if !fitted[reader.Checksum(i)] {
			held = append(held, i)
		}
	}
	return held
}

// mostCopies is one over the share of test rows from which the report mentions that they are copies.
const mostCopies = 20

// noteCopies reports how many test rows are copies of training rows, targets included, if they are a twentieth or more.
// They say how well a model repeats what it has seen.
func (s *study) noteCopies() {
	type key struct{ point, target uint64 }
	var reader rows.Reader
	reader.Reset(s.x)
	keyOf := func(i int) key {
		if s.classes != nil {
			return key{reader.Checksum(i), uint64(s.classes[i])}
		}
		k := key{point: reader.Checksum(i)}
		_, targets := s.y.Dims()
		for t := range targets {
			k.target = k.target*0x9e3779b97f4a7c15 + math.Float64bits(s.y.At(i, t)+0) // 0, not −0
		}
		return k
	}
	fitted := make(map[key]bool, len(s.rest))
	for _, i := range s.rest {
		fitted[keyOf(i)] = true
	}
	copies := 0
	for _, i := range s.held {
		if fitted[keyOf(i)] {
			copies++
		}
	}
	if n := len(s.held); copies > 0 && mostCopies*copies >= n {
		s.note("fit", fmt.Sprintf("%d of %d test rows are copies of training rows, targets included: for new rows the score is too good", copies, n), false)
	}
}

// oneOfEach returns a random row of each group of a list, or the list if there are no groups: errors within a group are
// alike.
func (s *study) oneOfEach(list []int) []int {
	if s.Groups == nil {
		return list
	}
	random := *s.sampler // which is left as it was
	at, rows := make(map[int]int), make(map[int]int)
	var some []int
	for _, i := range list {
		g := s.Groups[i]
		if rows[g]++; rows[g] == 1 {
			at[g], some = len(some), append(some, i)
		} else if random.IntN(rows[g]) == 0 {
			some[at[g]] = i
		}
	}
	return some
}

// errorOfRMSE returns the standard error of a root mean squared error: the standard error of the mean square, over
// twice the root. Errors of a group go together: groups has the number of each row's group; nil: rows are independent.
func errorOfRMSE(predicted, y []float64, rmse float64, groups []int) float64 {
	number := make(map[int]int)
	var sums []float64 // of e² − 1, over each group
	for i, v := range y {
		k := i
		if groups != nil {
			var seen bool
			if k, seen = number[groups[i]]; !seen {
				k = len(sums)
				number[groups[i]] = k
			}
		}
		if k == len(sums) {
			sums = append(sums, 0)
		}
		e := (predicted[i] - v) / rmse
		sums[k] += math.FMA(e, e, -1)
	}
	if rmse == 0 || len(sums) < 2 {
		return 0
	}
	var squares float64
	for _, d := range sums {
		squares = math.FMA(d, d, squares)
	}
	n, all := float64(len(sums)), float64(len(y))
	return rmse / 2 * math.Sqrt(squares*n/(n-1)) / all
}
