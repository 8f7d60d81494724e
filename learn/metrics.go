// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The metrics of the kernels of a bank.

package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/subset"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// learnedMetrics returns the metrics of the kernels of stages that have one, for raw columns or for logarithms with
// some scales.
func learnedMetrics(stages []*learnedStage, columns int, scales []float64) (all []metric) {
	for _, g := range stages {
		terms, err := termsOf(g.kernels[g.best], columns)
		if err != nil || len(terms) != 1 || terms[0].kind != stationary || terms[0].held != nil || g.Name == "given" && len(stages) > 1 {
			continue
		}
		m := metric{name: g.Name, warp: terms[0].warp, scales: scales}
		for _, k := range g.kernels {
			of, err := termsOf(k, columns)
			if err != nil || len(of) != 1 {
				m.folds = nil
				break
			}
			m.folds = append(m.folds, of[0].warp)
		}
		all = append(all, m)
	}
	return all
}

// A view is the rows of a study, raw or in logarithms, with the standard deviations of the columns.
type view struct {
	x      mat.Matrix
	scales []float64
	spread []float64 // of columns
}

func (s *study) view(scales []float64) *view {
	v := &view{x: s.x, scales: scales}
	if scales != nil {
		v.x = rows.Logarithms(s.x, scales)
	}
	for _, c := range rows.Spreads(v.x, s.rest) {
		v.spread = append(v.spread, c.Deviation)
	}
	return v
}

// metricRows is the number of rows from which the median distance is computed.
const metricRows = 600

// weighted returns the metric that multiplies the columns that vary by factors over their standard deviations, in units
// of the median distance of two rows: a sum of absolute differences, or the root of a sum of squares.
func (s *study) weighted(name string, v *view, factors []float64, absolute bool) metric {
	w := warp{in: s.columns, diagonal: []float64{}}
	for j, d := range v.spread {
		if d > 0 {
			w.columns, w.diagonal = append(w.columns, j), append(w.diagonal, factors[j]/d)
		}
	}
	if len(w.columns) == s.columns {
		w.columns = nil
	}
	some := dense(v.x, some(s.rest, metricRows))
	n, _ := some.Dims()
	var all []float64
	for i := range n {
		for k := range i {
			var sum float64
			for e, a := range w.diagonal {
				d := math.Abs(a * (some.At(i, w.column(e)) - some.At(k, w.column(e))))
				if absolute {
					sum += float64(d)
				} else {
					sum = math.FMA(d, d, sum)
				}
			}
			if sum > 0 {
				all = append(all, sum)
			}
		}
	}
	if len(all) > 0 {
		slices.Sort(all)
		median := all[len(all)/2]
		if !absolute {
			median = math.Sqrt(median)
		}
		w = w.scaled(1 / median)
	}
	return metric{name: name, warp: w, scales: v.scales}
}

// startFactors returns the factor of each column in the kernel to start from, in units of 1/(its standard deviation):
// 1, or that of a given kernel.
func (s *study) startFactors() []float64 {
	if s.Kernel == nil {
		return constants(1, s.columns)
	}
	terms, err := termsOf(s.Kernel, s.columns)
	if err != nil || len(terms) != 1 || terms[0].kind != stationary {
		return constants(1, s.columns)
	}
	return s.view(nil).ofLengths(&metric{warp: terms[0].warp})
}

// ofLengths returns the importance of each column in a metric: the norm of its column times its standard deviation, in
// units of the mean.
func (v *view) ofLengths(m *metric) []float64 {
	factors := make([]float64, len(v.spread))
	elements, out := m.warp.elements(), m.warp.out()
	if m.warp.diagonal != nil {
		for e, a := range elements {
			factors[m.warp.column(e)] = math.Abs(a)
		}
	} else {
		width := m.warp.width()
		for j := range width {
			var squares float64
			for r := range out {
				squares = math.FMA(elements[r*width+j], elements[r*width+j], squares)
			}
			factors[m.warp.column(j)] = math.Sqrt(squares)
		}
	}
	var mean float64
	for j, d := range v.spread {
		factors[j] *= d
		mean += factors[j] / float64(len(factors))
	}
	for j := range factors {
		factors[j] = max(factors[j]/mean, leastFactor)
	}
	return factors
}

const (
	leastFactor   = 1e-3 // of a column
	gradientFit   = 3000 // rows for the fit whose derivatives measure the importance of columns, at most
	gradientRows  = 1500 // rows at which the derivatives are taken, at most
	gradientMarks = 600  // landmarks of that fit, at most
	rowsAColumn   = 5    // with fewer rows a column there is no such fit
)

// gradients returns the importance of each column: the root mean squared derivative of a fit by a Gaussian of a metric,
// times the standard deviation of the column, in units of the root mean square of these (the diagonal of the average
// gradient outer product: Radhakrishnan, Beaglehole, Pandit and Belkin 2024, "Mechanism for feature learning in neural
// networks and backpropagation-free machine learning models"). It is nil if there is no such fit, or too few rows for
// the columns. With groups of columns it has an element for each group: the root of the sum of squares over its
// columns.
func (s *study) gradients(v *view, of *metric, groups *tying) []float64 {
	count := s.columns
	if groups != nil {
		count = groups.count
	}
	if len(s.rest) < rowsAColumn*count || !of.usable() {
		return nil
	}
	fit := some(s.rest, s.most(gradientFit))
	x, y := dense(v.x, fit), s.part(fit).targets(s.count)
	stream, k := *s.sampler, of.warp.expression(featuremap.Gaussian{LengthScale: 1})
	phi, err := newMap(drawn, k, x, gradientMarks, &stream)
	if err != nil {
		return nil
	}
	o := &ridge.Options{
		Beyond: true, SharedLambda: s.classes != nil, Criterion: ridge.LeaveOneOut, Intervals: &ridge.IntervalOptions{Off: true},
		Progress: func(int) error { return s.tell("bank: derivatives") },
	}
	lent.Of(o).MarksJudge = true
	m, err := ridge.Fit(phi, x, y, o)
	if err != nil {
		return nil
	}
	squares := make([]float64, s.columns)
	gradient := make([]float64, s.columns)
	for t, c := range rows.Spreads(y, nil) {
		if c.Deviation == 0 {
			continue
		}
		for _, i := range subset.Rows(len(fit), gradientRows) {
			m.GradientVec(gradient, x.RawRowView(i), t)
			for j, g := range gradient {
				g *= v.spread[j] / c.Deviation
				squares[j] = math.FMA(g, g, squares[j])
			}
		}
	}
	if groups != nil {
		squares = groups.sums(squares)
	}
	var mean float64
	for _, v := range squares {
		mean += v / float64(len(squares))
	}
	if !(mean > 0 && mean <= math.MaxFloat64) {
		return nil
	}
	for j, v := range squares {
		squares[j] = max(math.Sqrt(v/mean), leastFactor)
	}
	return squares
}

// roots returns the roots of numbers.
func roots(v []float64) []float64 {
	r := make([]float64, len(v))
	for i, a := range v {
		r[i] = math.Sqrt(a)
	}
	return r
}
