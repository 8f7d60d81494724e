// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A fresh is records to predict, as they are in their file, and their rows.
type fresh struct {
	header  []string // nil if the file has no line of names
	records [][]string
	x       *mat.Dense
}

// validatePredict refuses flags for predictions that cannot be made.
func (j *job) validatePredict() error {
	switch {
	case (j.predict == "") != (j.predictions == ""):
		return errors.New("-predict and -predictions: must both be given, the file of records and the file to write, or neither")
	case !(j.level > 0 && j.level < 1):
		return fmt.Errorf("-level %v: must be between 0 and 1", j.level)
	}
	return nil
}

// readFresh returns the records of the file of -predict. Its columns may be in any order, other columns are allowed,
// and the target and ignored columns may be missing.
func (j *job) readFresh(w io.Writer, e *table.Encoder) (*fresh, error) {
	header, records, err := j.Read(w, j.predict)
	if err != nil {
		return nil, err
	}
	ordered, err := csvfile.Order(header, records, e.Header(), func(name string) bool { return name == j.Target || j.Kinds[name] == table.Ignored })
	if err != nil {
		return nil, fmt.Errorf("-predict %s: %w", j.predict, err)
	}
	x, err := e.Encode(ordered)
	if err != nil {
		return nil, fmt.Errorf("-predict %s: %w", j.predict, err)
	}
	if j.Headless {
		header = nil
	}
	return &fresh{header, records, x}, nil
}

// write writes the records with their predictions: a number and its interval, or a class and its probability.
func (f *fresh) write(w io.Writer, m *table.Model, comma rune, level float64) error {
	names, columns, err := predict(m, f.x, level)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.Comma = comma
	if f.header != nil {
		if err := out.Write(append(slices.Clone(f.header), names...)); err != nil {
			return err
		}
	}
	for i, r := range f.records {
		if err := out.Write(append(slices.Clone(r), columns[i]...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// predict returns the names of the predicted columns, and their fields for each row of x. It refuses a level for which too few
// rows calibrate the model.
func predict(m *table.Model, x *mat.Dense, level float64) (names []string, columns [][]string, err error) {
	if m.Logistic != nil {
		classes := m.Encoder.ClassNames()
		var probabilities mat.Dense
		m.Logistic.ProbabilityTo(&probabilities, x)
		for i, c := range m.Logistic.Classify(x) {
			columns = append(columns, []string{classes[c], number(probabilities.At(i, c))})
		}
		return []string{"predicted", "probability"}, columns, nil
	}
	var mean, lo, hi mat.Dense
	m.Ridge.PredictTo(&mean, x)
	m.Ridge.IntervalTo(&lo, &hi, x, level)
	n, _ := x.Dims()
	for i := range n {
		if math.IsInf(lo.At(i, 0), 0) || math.IsInf(hi.At(i, 0), 0) {
			return nil, nil, fmt.Errorf("-level %v: of %d rows left out levels are up to %.3g", level, m.Ridge.IntervalRows(), 1-2/float64(m.Ridge.IntervalRows()+1))
		}
		columns = append(columns, []string{number(mean.At(i, 0)), number(lo.At(i, 0)), number(hi.At(i, 0))})
	}
	return []string{"predicted", "lo", "hi"}, columns, nil
}

// number returns a number with all its digits: far from 0 its interval may be in the last ones.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
