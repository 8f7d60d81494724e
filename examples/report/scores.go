// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/score"
)

// A measure is a score with a 95 % interval, and the score of the baseline.
type measure struct {
	name          string
	value, lo, hi float64
	baseline      float64 // NaN if there is no baseline
	percent       bool
}

// z95 is the number of standard errors on either side of a score in a 95 % interval.
const z95 = 1.96

// measures returns the scores of the predictions.
func (s *study) measures() []measure {
	if s.Logistic != nil {
		return s.classScores()
	}
	return s.regressionScores()
}

// regressionScores returns the scores of a regression. The baseline is the mean of the targets.
func (s *study) regressionScores() []measure {
	n := len(s.y)
	squares, absolute := make([]float64, n), make([]float64, n)
	baseline := make([]float64, n)
	mean := stat.Mean(s.y, nil)
	for i, y := range s.y {
		absolute[i] = math.Abs(y - s.mean[i])
		squares[i] = absolute[i] * absolute[i]
		baseline[i] = math.Abs(y - mean)
	}
	_, lo, hi := interval(squares)
	column := func(v []float64) mat.Matrix { return mat.NewDense(n, 1, v) }
	all := []measure{{
		name:  "RMSE",
		value: score.RMSE(column(s.mean), column(s.y))[0], lo: math.Sqrt(lo), hi: math.Sqrt(hi),
		baseline: stat.PopStdDev(s.y, nil),
	}}
	value, lo, hi := interval(absolute)
	all = append(all, measure{name: "Mean absolute error", value: value, lo: lo, hi: hi, baseline: stat.Mean(baseline, nil)})
	if s.lo == nil {
		return all
	}
	covered := score.Coverage(column(s.lo), column(s.hi), column(s.y))[0]
	lo, hi = intervalOfShare(covered, n)
	return append(all, measure{name: "Rows in their intervals", value: covered, lo: lo, hi: hi, baseline: math.NaN(), percent: true})
}

// explained returns the share of the variance of the targets that a regression explains, NaN if these are constant.
func (s *study) explained() float64 {
	rmse := s.measures()[0]
	if !(rmse.baseline > 0) {
		return math.NaN()
	}
	return 1 - math.Pow(rmse.value/rmse.baseline, 2)
}

// classScores returns the scores of probabilities. The baseline is the frequencies of the classes.
func (s *study) classScores() []measure {
	n := len(s.classes)
	frequencies := s.frequencies()
	predicted, losses, guesses := s.likeliest(), make([]float64, n), make([]float64, n)
	most := 0.0
	for i, c := range s.classes {
		losses[i], guesses[i] = -math.Log(s.p.At(i, c)), -math.Log(frequencies[c])
		most = max(most, frequencies[c])
	}
	accuracy := score.Accuracy(predicted, s.classes)
	lo, hi := intervalOfShare(accuracy, n)
	all := []measure{{name: "Accuracy", value: accuracy, lo: lo, hi: hi, baseline: most, percent: true}}
	value, lo, hi := interval(losses)
	all = append(all, measure{name: "Log loss", value: value, lo: lo, hi: hi, baseline: stat.Mean(guesses, nil)})
	if len(frequencies) != 2 {
		return all
	}
	positive, scores := make([]bool, n), mat.Col(nil, 1, s.p)
	for i, c := range s.classes {
		positive[i] = c == 1
	}
	if auc := score.AUC(scores, positive); !math.IsNaN(auc) {
		lo, hi := intervalOfAUC(auc, frequencies[1]*float64(n), frequencies[0]*float64(n))
		all = append(all, measure{name: "AUC", value: auc, lo: lo, hi: hi, baseline: 0.5})
	}
	return all
}

// frequencies returns the share of the rows that are of each class.
func (s *study) frequencies() []float64 {
	shares := make([]float64, len(s.Encoder.ClassNames()))
	for _, c := range s.classes {
		shares[c] += 1 / float64(len(s.classes))
	}
	return shares
}

// likeliest returns the class of largest probability of each row, of equal ones the first.
func (s *study) likeliest() []int {
	all := make([]int, len(s.classes))
	for i := range all {
		for c := range s.p.RawRowView(i) {
			if s.p.At(i, c) > s.p.At(i, all[i]) {
				all[i] = c
			}
		}
	}
	return all
}

// interval returns the mean of numbers that are at least 0, and its 95 % interval by its standard error.
func interval(v []float64) (mean, lo, hi float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	if len(v) < 2 {
		return mean, 0, math.Inf(1)
	}
	radius := z95 * sd / math.Sqrt(float64(len(v)))
	return mean, max(mean-radius, 0), mean + radius
}

// intervalOfShare returns the 95 % interval for a share of n rows (Wilson 1927, "Probable inference, the law of succession, and statistical
// inference").
func intervalOfShare(p float64, n int) (lo, hi float64) {
	z := z95 * z95 / float64(n)
	middle, radius := (p+z/2)/(1+z), math.Sqrt(z*(p*(1-p)+z/4))/(1+z)
	return max(middle-radius, 0), min(middle+radius, 1)
}

// intervalOfAUC returns the 95 % interval for the area under a curve (Hanley and McNeil 1982, "The meaning and use of the area under a receiver
// operating characteristic curve").
func intervalOfAUC(a, positive, negative float64) (lo, hi float64) {
	q1, q2 := a/(2-a), 2*a*a/(1+a)
	radius := z95 * math.Sqrt((a*(1-a)+(positive-1)*(q1-a*a)+(negative-1)*(q2-a*a))/(positive*negative))
	return max(a-radius, 0), min(a+radius, 1)
}

// row returns a measure as a row of a table.
func (m measure) row() []string {
	text := func(v float64) string {
		switch {
		case !finite(v):
			return "–"
		case m.percent:
			return fmt.Sprintf("%.1f\u00a0%%", 100*v)
		}
		return number(v)
	}
	interval := "–"
	if finite(m.lo) && finite(m.hi) {
		interval = text(m.lo) + " to " + text(m.hi)
	}
	return []string{m.name, text(m.value), interval, text(m.baseline)}
}

// number returns a number in four digits, without an exponent unless it is very large or small.
func number(v float64) string {
	if a := math.Abs(v); a >= 1000 && a < 1e7 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
