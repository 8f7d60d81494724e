// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// predict answers /predict.
func (s *server) predict(w http.ResponseWriter, r *http.Request) (any, error) {
	m, err := s.ready()
	if err != nil {
		return nil, err
	}
	parse, err := m.parserOf(r.Header)
	if err != nil {
		return nil, err
	}
	asks, err := newQuestion(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	// The slot is taken before the body is read, which limits the number of bodies in memory.
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return nil, refuse(http.StatusServiceUnavailable, "%d predictions are in progress: try again", s.limits.atOnce)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.bytes))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refuse(http.StatusRequestTimeout, "the body took more than %v", s.limits.read)
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body broke off")
	}
	in, _ := m.Map().Dims()
	x, err := parse(body, in, s.limits.rows)
	if err != nil {
		return nil, err
	}
	a, err := m.predict(x, asks)
	if err != nil {
		return nil, err
	}
	if a.Unseen, err = m.unseen(x.records); err != nil {
		return nil, err
	}
	n, _ := x.wide.Dims()
	counts.rows.Add(int64(n))
	return a, nil
}

// A question is what a query asks for in addition to predictions.
type question struct {
	deviations bool
	level      float64 // of intervals; 0: no intervals
}

// newQuestion returns the question of a query, and refuses unknown parameters.
func newQuestion(query string) (q question, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return q, refuse(http.StatusBadRequest, "the query is malformed: %v", err)
	}
	for name, v := range values {
		switch {
		case name == "deviations" && len(v) == 1 && (v[0] == "true" || v[0] == "false"):
			q.deviations = v[0] == "true"
			continue
		case name == "level" && len(v) == 1:
			if q.level, err = strconv.ParseFloat(v[0], 64); err == nil && q.level > 0 && q.level < 1 {
				continue
			}
		}
		return q, refuse(http.StatusBadRequest, "the query has %.40q = %.40q, and may have deviations = true or false, and a level between 0 and 1", name, v)
	}
	return q, nil
}

// An answer is the answer to /predict: a row for each row of the request, with a number for each target or class.
type answer struct {
	Predictions   [][]float64 `json:"predictions,omitempty"`
	Deviations    [][]float64 `json:"deviations,omitempty"`    // of new observations: √(variance of the function + noise variance)
	Intervals     [][]ends    `json:"intervals,omitempty"`     // for new observations
	Classes       []string    `json:"classes,omitempty"`       // the most probable one of each row
	Probabilities [][]float64 `json:"probabilities,omitempty"` // of the classes in the order of /model
	Unseen        [][]string  `json:"unseen,omitempty"`        // columns in which a record is unlike all training rows, if any
}

// ends are the lower and the upper end of an interval.
type ends [2]float64

// A loaded model predicts from rows of both precisions.
type loaded struct {
	*ridge.Model                 // nil for classes
	in32         *ridge.Model32  // nil if its map has no float32 version
	logistic     *logistic.Model // nil for targets
	classes      []string        // names
	encoder      *table.Encoder  // of records; nil if the model has no encoder
}

func newLoaded(m *table.Model) *loaded {
	l := &loaded{Model: m.Ridge, logistic: m.Logistic, encoder: m.Encoder}
	if m.Logistic != nil {
		l.classes = classNames(m)
		return l
	}
	var err error
	if l.in32, err = m.Ridge.Float32(); err != nil {
		l.in32 = nil // rows of float32 are predicted in float64
	}
	return l
}

// Map returns the map of the model.
func (m *loaded) Map() featuremap.FeatureMap {
	if m.logistic != nil {
		return m.logistic.Map()
	}
	return m.Model.Map()
}

// unseen returns the columns in which records are unlike all training rows; nil if there are no such columns.
func (m *loaded) unseen(records [][]string) ([][]string, error) {
	all, some := make([][]string, len(records)), false
	for i, r := range records {
		names, err := m.encoder.Unseen(r)
		if err != nil {
			return nil, err
		}
		all[i] = append([]string{}, names...)
		some = some || len(names) > 0
	}
	if !some {
		return nil, nil
	}
	return all, nil
}

// predict returns the predictions for rows, with standard deviations and intervals if they are asked for, which take
// most of the time. It refuses rows for which they are not finite.
func (m *loaded) predict(x *batch, asks question) (*answer, error) {
	if m.logistic != nil {
		return m.classify(x, asks)
	}
	a := &answer{Predictions: m.means(x)}
	deviations := asks.deviations
	if deviations {
		a.Deviations = m.deviations(x.wide)
	}
	if asks.level > 0 {
		var err error
		if a.Intervals, err = m.intervals(x.wide, asks.level); err != nil {
			return nil, err
		}
	}
	for i, row := range a.Predictions {
		for t, v := range row {
			d := 0.0
			if deviations {
				d = a.Deviations[i][t]
			}
			if !(math.Abs(v) <= math.MaxFloat64 && d <= math.MaxFloat64) {
				return nil, refuse(http.StatusUnprocessableEntity, "the model has %v ± %v for row %d: the numbers must be finite", v, d, i)
			}
		}
	}
	return a, nil
}

// means returns the predictions. For rows of float32 they are in float32 if the map has a version in that.
func (m *loaded) means(x *batch) [][]float64 {
	var mean mat.Dense
	if x.single.Rows == 0 || m.in32 == nil {
		m.PredictTo(&mean, x.wide)
		return rowsOf(&mean)
	}
	targets := len(m.NoiseVariance())
	dst := blas32.General{Rows: x.single.Rows, Cols: targets, Stride: targets, Data: make([]float32, x.single.Rows*targets)}
	m.in32.PredictTo(dst, x.single)
	return rowsOf(widened(dst))
}

// deviations returns the standard deviations of new observations.
func (m *loaded) deviations(x *mat.Dense) [][]float64 {
	var d mat.Dense
	m.StdDevTo(&d, x)
	return rowsOf(&d)
}

// intervals returns intervals of a level. It refuses a level for which too few rows calibrate the model.
func (m *loaded) intervals(x *mat.Dense, level float64) ([][]ends, error) {
	var lo, hi mat.Dense
	m.IntervalTo(&lo, &hi, x, level)
	n, targets := lo.Dims()
	all := make([][]ends, n)
	for i := range all {
		for t := range targets {
			e := ends{lo.At(i, t), hi.At(i, t)}
			if !(math.Abs(e[0]) <= math.MaxFloat64 && math.Abs(e[1]) <= math.MaxFloat64) {
				return nil, refuse(http.StatusUnprocessableEntity, "the model has the interval %v to %v for row %d: of %d rows left out levels are up to %.3g",
					e[0], e[1], i, m.IntervalRows(), 1-2/float64(m.IntervalRows()+1))
			}
			all[i] = append(all[i], e)
		}
	}
	return all, nil
}

// rowsOf returns the rows of a matrix.
func rowsOf(a *mat.Dense) [][]float64 {
	n, _ := a.Dims()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = a.RawRowView(i)
	}
	return rows
}
