// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/parquet/numbers"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// predictCells writes predictions for rows of texts, numbers and dates to w, for a model of a table.
func predictCells(w io.Writer, f *numbers.File, columns string, p *pipeline.Predictor) error {
	if columns != "" {
		return errors.New("-columns: the model knows the names of its columns: leave it out")
	}
	form, err := pipeline.FormOf(p.Encoder)
	if err != nil {
		return err
	}
	all := f.Names()
	places, err := form.Places(all)
	if err != nil {
		return err
	}
	var names []string
	var to []int // the columns of the encoder that are read
	for k, place := range places {
		if place >= 0 {
			names, to = append(names, all[place]), append(to, k)
		}
	}
	from, err := f.Values(names)
	if err != nil {
		return err
	}
	for j, k := range to { // refused before the first row
		if _, err := newCell(form, &form.Columns[k], f.Type(names[j])); err != nil {
			return err
		}
	}
	return stream(w, from, len(names), p, func() func(*block[parquet.Value]) error {
		own := *p
		record := make([]string, len(places))
		var cells []cell
		for j, k := range to {
			c, _ := newCell(form, &form.Columns[k], f.Type(names[j]))
			cells = append(cells, c)
		}
		return func(b *block[parquet.Value]) (err error) {
			var x []float64
			for i := range b.rows {
				for j, v := range b.x[i*len(cells):][:len(cells)] {
					if record[to[j]], err = cells[j](v); err != nil {
						return fmt.Errorf("row %d, column %q: %w", b.row+i, names[j], err)
					}
				}
				if x, err = own.Encode(x, record); err != nil {
					return fmt.Errorf("row %d%w", b.row+i, err)
				}
			}
			b.out, b.x = own.Predict(nil, x), nil
			return nil
		}
	})
}

// A cell returns the text that an encoder takes for a value.
type cell func(parquet.Value) (string, error)

// newCell returns the cell of a column of an encoder, which is of some type in a file.
func newCell(f *pipeline.Form, c *pipeline.FormColumn, of parquet.Type) (cell, error) {
	known := knownCell(f, c, of)
	if known == nil {
		return nil, fmt.Errorf("column %q: %v: must be a text, a boolean, a number, a date, a time of day or a timestamp", c.Name, of)
	}
	if c.Kind == table.Category {
		known = spelled(c, of, known)
	}
	null, ok := nullOf(f, c)
	return func(v parquet.Value) (string, error) {
		missing := v.IsNull()
		switch {
		case missing:
		case v.Kind() == parquet.Double:
			missing = math.IsNaN(v.Double())
		case v.Kind() == parquet.Float:
			missing = math.IsNaN(float64(v.Float()))
		}
		switch {
		case !missing:
			return known(v)
		case !ok:
			return "", fmt.Errorf("%v is missing: the model was fitted without texts for missing values", v)
		}
		return null, nil
	}, nil
}

// spelled returns a cell of a category that has the texts of known, except that a number is spelled as one of the values
// is: 1.0, for example, or 01. If several spell it, it stays as it is.
func spelled(c *pipeline.FormColumn, of parquet.Type, known cell) cell {
	switch of.Kind() {
	case parquet.Int32, parquet.Int64, parquet.Float, parquet.Double, parquet.FixedLenByteArray, parquet.ByteArray:
	default:
		return known
	}
	if l := of.LogicalType(); l == nil && of.Kind() == parquet.ByteArray || l != nil && !isNumber(l.Value) {
		return known
	}
	number := func(text string) (v float64, ok bool) {
		v, err := strconv.ParseFloat(text, 64)
		if of.Kind() == parquet.Float {
			v = float64(float32(v))
		}
		return v, err == nil && !strings.ContainsAny(text, "_xX")
	}
	spellings := make(map[float64][]string)
	for _, text := range c.Values {
		if v, ok := number(text); ok {
			spellings[v] = append(spellings[v], text)
		}
	}
	return func(v parquet.Value) (string, error) {
		text, err := known(v)
		if err != nil {
			return "", err
		}
		if _, ok := slices.BinarySearch(c.Values, text); ok {
			return text, nil
		}
		if n, ok := number(text); ok && len(spellings[n]) == 1 {
			return spellings[n][0], nil
		}
		return text, nil
	}
}

// isNumber reports whether a logical type is of numbers.
func isNumber(logical any) bool {
	switch logical.(type) {
	case nil, *format.IntType, *format.DecimalType:
		return true
	}
	return false
}

// nullOf returns the text of a missing value. A category may have it among its values.
func nullOf(f *pipeline.Form, c *pipeline.FormColumn) (text string, ok bool) {
	texts := slices.Clone(f.Missing)
	if i := slices.Index(texts, ""); i > 0 {
		texts[0], texts[i] = texts[i], texts[0]
	}
	if c.Kind == table.Category {
		for _, text := range append(texts, "") {
			if slices.Contains(c.Values, text) {
				return text, true
			}
		}
	}
	if len(texts) > 0 {
		return texts[0], true
	}
	return "", false
}

// knownCell returns the cell of values that are not null, or nil for other types.
func knownCell(f *pipeline.Form, c *pipeline.FormColumn, of parquet.Type) cell {
	kind := of.Kind()
	var logical any
	if l := of.LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.DateType:
		return dates(f, func(v parquet.Value) time.Time { return time.Unix(int64(v.Int32())*daySeconds, 0).UTC() })
	case *format.TimestampType:
		switch l.Unit.Value.(type) {
		case *format.MilliSeconds:
			return dates(f, func(v parquet.Value) time.Time { return time.UnixMilli(v.Int64()).UTC() })
		case *format.MicroSeconds:
			return dates(f, func(v parquet.Value) time.Time { return time.UnixMicro(v.Int64()).UTC() })
		case *format.NanoSeconds:
			return dates(f, func(v parquet.Value) time.Time { return time.Unix(0, v.Int64()).UTC() })
		}
		return nil
	case *format.TimeType:
		return clock(f, c, kind, l.Unit.Value)
	case *format.DecimalType:
		if text := numbers.Decimal(of); text != nil {
			return text
		}
		return nil
	case *format.IntType:
		switch {
		case kind == parquet.Int32 && !l.IsSigned:
			return func(v parquet.Value) (string, error) { return strconv.FormatUint(uint64(v.Uint32()), 10), nil }
		case kind == parquet.Int64 && !l.IsSigned:
			return func(v parquet.Value) (string, error) { return strconv.FormatUint(v.Uint64(), 10), nil }
		}
	case *format.StringType, *format.EnumType, nil:
	default:
		return nil // a UUID, for example
	}
	switch kind {
	case parquet.ByteArray:
		return func(v parquet.Value) (string, error) { return string(v.ByteArray()), nil }
	case parquet.Boolean:
		texts := booleans(c)
		return func(v parquet.Value) (string, error) {
			if v.Boolean() {
				return texts[1], nil
			}
			return texts[0], nil
		}
	case parquet.Int32:
		return func(v parquet.Value) (string, error) { return strconv.FormatInt(int64(v.Int32()), 10), nil }
	case parquet.Int64:
		return func(v parquet.Value) (string, error) { return strconv.FormatInt(v.Int64(), 10), nil }
	case parquet.Float:
		return func(v parquet.Value) (string, error) {
			return strconv.FormatFloat(float64(v.Float()), 'g', -1, 64), nil
		}
	case parquet.Double:
		return func(v parquet.Value) (string, error) { return strconv.FormatFloat(v.Double(), 'g', -1, 64), nil }
	case parquet.Int96: // of Spark: nanoseconds of the day, and a Julian day
		return dates(f, func(v parquet.Value) time.Time {
			u := v.Int96()
			return time.Unix((int64(u[2])-julian1970)*daySeconds, int64(u[1])<<32|int64(u[0])).UTC()
		})
	}
	return nil
}

const (
	daySeconds = 24 * 60 * 60
	julian1970 = 2440588
)

// booleans returns the texts of false and true: those among the values of the category, in the spelling of most
// programs, of Python, or of R.
func booleans(c *pipeline.FormColumn) [2]string {
	if c.Kind == table.Number {
		return [2]string{"0", "1"}
	}
	for _, pair := range [][2]string{{"false", "true"}, {"False", "True"}, {"FALSE", "TRUE"}, {"f", "t"}, {"0", "1"}} {
		if slices.Contains(c.Values, pair[0]) || slices.Contains(c.Values, pair[1]) {
			return pair
		}
	}
	return [2]string{"false", "true"}
}

// mostTexts is the number of dates whose texts a cell remembers.
const mostTexts = 1 << 14

// dates returns a cell that writes dates in a layout in which the encoder reads them: the first
// that loses nothing.
func dates(f *pipeline.Form, date func(parquet.Value) time.Time) cell {
	texts := make(map[time.Time]string)
	return func(v parquet.Value) (string, error) {
		t := date(v)
		text, ok := texts[t]
		if ok {
			return text, nil
		}
		for _, layout := range f.Layouts {
			text := t.Format(strings.Replace(layout, "05", "05.999999999", 1))
			if read, err := parse(f.Layouts, text); err != nil || !read.Equal(t) {
				continue
			}
			if len(texts) == mostTexts {
				clear(texts)
			}
			texts[t] = text
			return text, nil
		}
		return "", fmt.Errorf("no layout of %q has all of %v", f.Layouts, t.Format(time.RFC3339Nano))
	}
}

// clock returns a cell for times of the day, which are integers of a kind and of a unit. It writes a date in a layout of
// the encoder, and otherwise the text of that time among the values of the category, or one with the digits it needs.
func clock(f *pipeline.Form, c *pipeline.FormColumn, kind parquet.Kind, unit format.TimeUnitValue) cell {
	if unit == nil {
		return nil
	}
	known := make(map[time.Time]string)
	for _, text := range c.Values {
		if t, err := parse([]string{time.TimeOnly, "15:04"}, text); err == nil {
			known[t] = text
		}
	}
	at := func(n int64) time.Time {
		return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * unit.Duration())
	}
	date := dates(f, func(v parquet.Value) time.Time { return at(integer(v, kind)) })
	return func(v parquet.Value) (string, error) {
		n := integer(v, kind)
		if n < 0 || n >= int64(24*time.Hour/unit.Duration()) {
			return "", fmt.Errorf("%v is no time of day", v)
		}
		if c.Kind == table.Date {
			return date(v)
		}
		if text, ok := known[at(n)]; ok {
			return text, nil
		}
		return at(n).Format("15:04:05.999999999"), nil
	}
}

// integer returns an integer of 32 or 64 bits.
func integer(v parquet.Value, kind parquet.Kind) int64 {
	if kind == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// parse reads a date as an encoder does: by the first layout that can.
func parse(layouts []string, text string) (t time.Time, err error) {
	for _, layout := range layouts {
		if t, err = time.Parse(layout, text); err == nil {
			break
		}
	}
	return t, err
}
