// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/table"
)

// A curve is the prediction along a column, with all others at a typical record.
type curve struct {
	column *column
	x      []float64 // numbers, or days since 1970
	names  []string  // of a category, instead of x

	mean, sd []float64  // of a regression: of the function; sd is nil if the model has none
	lo, hi   []float64  // of a new observation; nil as sd is
	p        *mat.Dense // probabilities of classes
}

const (
	gridPoints    = 80
	fewNumbers    = 32 // of a column
	mostValues    = 10 // of a category
	mostCurves    = 4
	mostImportant = 12 // columns that are shown
)

// typical returns a record with the median of each number and date, and the most frequent value of each category.
func (s *study) typical() []string {
	typical := make([]string, len(s.Encoder.Header()))
	for k := range s.columns {
		c := &s.columns[k]
		if c.Kind == table.Category {
			typical[c.field] = s.values(c)[0]
			continue
		}
		if order := s.sorted(c); len(order) > 0 {
			typical[c.field] = s.records[order[len(order)/2]][c.field]
		} else {
			typical[c.field] = s.records[0][c.field]
		}
	}
	return typical
}

// values returns the values of a category, the most frequent first.
func (s *study) values(c *column) []string {
	counts := make(map[string]int)
	for _, r := range s.records {
		counts[r[c.field]]++
	}
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
}

// sorted returns the numbers of the records in which a column of numbers or dates is known, in its order.
func (s *study) sorted(c *column) (order []int) {
	for i, known := range s.known(c) {
		if known {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.x.At(a, c.from), s.x.At(b, c.from)) })
	return order
}

// along returns the curve along a column, or nil if the column has one value.
func (s *study) along(c *column, typical []string) (*curve, error) {
	fields := s.grid(c)
	if len(fields) < 2 {
		return nil, nil
	}
	records := make([][]string, len(fields))
	for i, f := range fields {
		records[i] = slices.Clone(typical)
		records[i][c.field] = f
	}
	x, err := s.Encoder.Encode(records)
	if err != nil {
		return nil, err
	}
	v := &curve{column: c}
	if c.Kind == table.Category {
		v.names = fields
	} else {
		v.x = mat.Col(nil, c.from, x)
	}
	if s.Logistic != nil {
		v.p = s.outputs(x)
		return v, nil
	}
	var variance, lo, hi mat.Dense
	v.mean = s.outputs(x).RawMatrix().Data
	if posterior, err := s.Ridge.Posterior(); err == nil {
		posterior.VarianceTo(&variance, x)
		s.Ridge.IntervalTo(&lo, &hi, x, level)
		v.lo, v.hi = lo.RawMatrix().Data, hi.RawMatrix().Data
		for _, u := range variance.RawMatrix().Data {
			v.sd = append(v.sd, math.Sqrt(u))
		}
	}
	return v, nil
}

// few returns the values of a column of numbers in their order; nil if it has one value, or more than fewNumbers.
func (s *study) few(c *column) (values []float64) {
	if c.Kind != table.Number {
		return nil
	}
	for _, i := range s.sorted(c) {
		if v := s.x.At(i, c.from); len(values) == 0 || v != values[len(values)-1] {
			values = append(values, v)
		}
		if len(values) > fewNumbers {
			return nil
		}
	}
	if len(values) < 2 {
		return nil
	}
	return values
}

// grid returns fields of a column: its most frequent values, dates of the rows, or numbers from the least to the largest. Few numbers may
// be codes, between which there is nothing.
func (s *study) grid(c *column) (fields []string) {
	if c.Kind == table.Category {
		values := s.values(c)
		return values[:min(len(values), mostValues)]
	}
	order := s.sorted(c)
	if len(order) == 0 {
		return nil
	}
	at := func(k int) float64 { return s.x.At(order[k], c.from) }
	first, last := at(0), at(len(order)-1)
	if first == last {
		return nil
	}
	if values := s.few(c); values != nil {
		for _, v := range values {
			fields = append(fields, strconv.FormatFloat(v, 'f', -1, 64))
		}
		return fields
	}
	near := 0
	for k := range gridPoints {
		v := first + (last-first)*float64(k)/(gridPoints-1)
		field := strconv.FormatFloat(v, 'f', -1, 64)
		if c.Kind == table.Date {
			for near+1 < len(order) && math.Abs(at(near+1)-v) <= math.Abs(at(near)-v) {
				near++
			}
			field = s.records[order[near]][c.field]
		}
		if len(fields) == 0 || fields[len(fields)-1] != field {
			fields = append(fields, field)
		}
	}
	return fields
}

// span returns the largest difference of predictions on a curve.
func (v *curve) span() float64 {
	if v.p == nil {
		return slices.Max(v.mean) - slices.Min(v.mean)
	}
	widest := 0.0
	_, classes := v.p.Dims()
	for c := range classes {
		p := mat.Col(nil, c, v.p)
		widest = max(widest, slices.Max(p)-slices.Min(p))
	}
	return widest
}

// curves returns the curves along the columns that matter most, the most important first: by their importances or, without these, by the spans of
// the curves.
func (s *study) curves(important []importance) (some []*curve, err error) {
	typical := s.typical()
	columns := make([]*column, 0, len(s.columns))
	for _, i := range important {
		columns = append(columns, i.column)
	}
	if important == nil {
		for k := range s.columns {
			columns = append(columns, &s.columns[k])
		}
	}
	for _, c := range columns {
		v, err := s.along(c, typical)
		if err != nil {
			return nil, err
		}
		if v != nil {
			some = append(some, v)
		}
		if important != nil && len(some) == mostCurves {
			break
		}
	}
	if important == nil {
		slices.SortStableFunc(some, func(a, b *curve) int { return cmp.Compare(b.span(), a.span()) })
	}
	return some[:min(len(some), mostCurves)], nil
}
