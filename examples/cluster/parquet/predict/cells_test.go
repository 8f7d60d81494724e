// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A sale is a row of a table.
type sale struct {
	City  *string    `parquet:"city,optional,dict"`
	Price *float64   `parquet:"price,optional"`
	Count uint32     `parquet:"count"`
	Open  bool       `parquet:"open"`
	Day   int32      `parquet:"day,date"`
	At    *time.Time `parquet:"at,optional,timestamp(microsecond)"`
	Other []float64  `parquet:"other"`
}

var saleNames = []string{"key", "at", "city", "count", "day", "open", "price", "sold"}

// sales returns n rows, and the records of a CSV file of them.
func sales(n int, seed uint64) (rows []sale, records [][]string) {
	s := featuremap.NewSampler(seed)
	for i := range n {
		price, at := 10+s.Normal(), time.UnixMicro(1.7e15+int64(s.IntN(1e9))*1e5+123).UTC()
		r := sale{Count: uint32(s.IntN(100)), Open: s.IntN(2) == 1, Day: int32(20_000 + s.IntN(400)), Price: &price, At: &at}
		record := []string{"", at.Format("2006-01-02 15:04:05.999999"), "", strconv.Itoa(int(r.Count)), time.Unix(int64(r.Day)*daySeconds, 0).UTC().Format(time.DateOnly),
			map[bool]string{false: "False", true: "True"}[r.Open], fmt.Sprint(price), strconv.Itoa(s.IntN(50))}
		if city := s.IntN(3); city > 0 {
			record[2] = []string{"", "Lima", "Osaka"}[city]
			r.City = &record[2]
		}
		if i%7 == 3 {
			r.At, record[1] = nil, ""
		}
		switch nan := math.NaN(); i % 11 {
		case 3:
			r.Price, record[6] = nil, "NA"
		case 4:
			r.Price, record[6] = &nan, "NA"
		}
		rows, records = append(rows, r), append(records, record)
	}
	return rows, records
}

// fittedTable returns a model of sales: of numbers, or of classes.
func fittedTable(t *testing.T, classes bool, missing ...string) *table.Model {
	t.Helper()
	_, records := sales(200, 1)
	for i, r := range records {
		if missing == nil {
			r[1], r[6] = "2025-01-01 12:00:00", strconv.Itoa(i)
		}
		if classes {
			r[7] = []string{"few", "many"}[i%2]
		}
	}
	e, err := table.Fit(saleNames, records, &table.Options{Target: "sold", Missing: missing, Kinds: map[string]table.Kind{"key": table.Ignored}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	_, in := x.Dims()
	phi, err := featuremap.NewFourier(e.Kernel(), in, 40, featuremap.NewSampler(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &table.Model{Encoder: e}
	if classes {
		of, err := e.Classes(records)
		if err != nil {
			t.Fatal(err)
		}
		if m.Logistic, err = logistic.Fit(phi, x, of, nil); err != nil {
			t.Fatal(err)
		}
		return m
	}
	y, err := e.Targets(records)
	if err != nil {
		t.Fatal(err)
	}
	if m.Ridge, err = ridge.Fit(phi, x, y, nil); err != nil {
		t.Fatal(err)
	}
	return m
}

// parquetOf returns a Parquet file of rows.
func parquetOf[T any](t *testing.T, rows []T) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.MaxRowsPerRowGroup(9_000))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

// Predictions for a model of a table have the bits of those for the texts of a CSV file.
func TestCells(t *testing.T) {
	const n = 20_000
	rows, records := sales(n, 2)
	unseen := "unseen"
	rows[5].City, records[5][2] = &unseen, unseen
	in := parquetOf(t, rows)
	for _, classes := range []bool{false, true} {
		m := fittedTable(t, classes, "NA", "")
		x, err := m.Encoder.Encode(records)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := predict(&out, in, in.Size(), "", m, pipeline.Options{Mean: true, SD: !classes, Interval: !classes, Level: 0.8}); err != nil {
			t.Fatal(err)
		}
		if classes {
			type class struct {
				Predicted   string  `parquet:"predicted"`
				Probability float64 `parquet:"probability"`
			}
			got, err := parquet.Read[class](bytes.NewReader(out.Bytes()), int64(out.Len()))
			if err != nil || len(got) != n {
				t.Fatalf("%d rows: %v", len(got), err)
			}
			var p mat.Dense
			m.Logistic.ProbabilityTo(&p, x)
			for i, c := range m.Logistic.Classify(x) {
				if want := (class{m.Encoder.ClassNames()[c], p.At(i, c)}); got[i] != want {
					t.Fatalf("row %d: %v, want %v", i, got[i], want)
				}
			}
			continue
		}
		type number struct {
			Mean float64 `parquet:"mean"`
			SD   float64 `parquet:"sd"`
			Lo   float64 `parquet:"lo"`
			Hi   float64 `parquet:"hi"`
		}
		got, err := parquet.Read[number](bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil || len(got) != n {
			t.Fatalf("%d rows: %v", len(got), err)
		}
		var mean, sd, lo, hi mat.Dense
		m.Ridge.PredictTo(&mean, x)
		m.Ridge.StdDevTo(&sd, x)
		m.Ridge.IntervalTo(&lo, &hi, x, 0.8)
		for i := range got {
			if want := (number{mean.At(i, 0), sd.At(i, 0), lo.At(i, 0), hi.At(i, 0)}); got[i] != want {
				t.Fatalf("row %d: %v, want %v", i, got[i], want)
			}
		}
	}
	m := fittedTable(t, false, "NA", "")
	in = parquetOf(t, []sale{})
	var out bytes.Buffer
	if err := predict(&out, in, in.Size(), "", m, pipeline.Options{Mean: true}); err != nil {
		t.Error(err)
	}
}

// wares returns the rows of a Parquet file of decimals and of times of the day, and the records of a CSV file of them.
func wares(n int, seed uint64) (schema *parquet.Schema, names []string, rows []parquet.Row, records [][]string) {
	columns := parquet.Group{
		"bytes": parquet.Decimal(20, 38, parquet.ByteArrayType), "fixed": parquet.Decimal(3, 30, parquet.FixedLenByteArrayType(13)),
		"int32": parquet.Decimal(2, 9, parquet.Int32Type), "int64": parquet.Decimal(4, 18, parquet.Int64Type), "kind": parquet.Decimal(1, 3, parquet.Int32Type),
		"micro": parquet.Optional(parquet.Time(parquet.Microsecond)), "milli": parquet.TimeAdjusted(parquet.Millisecond, false), "nano": parquet.Time(parquet.Nanosecond),
	}
	schema = parquet.NewSchema("ware", columns)
	scales, units := []int{20, 3, 2, 4, 1}, []time.Duration{time.Microsecond, time.Millisecond, time.Nanosecond}
	for _, f := range schema.Fields() {
		names = append(names, f.Name())
	}
	names = append(names, "sold")
	s := featuremap.NewSampler(seed)
	for range n {
		row, record := make(parquet.Row, 8), make([]string, 9)
		for j, scale := range scales {
			v := big.NewInt(int64(1000 * s.Normal()))
			if j < 2 { // more than 64 bits
				v.Mul(v, big.NewInt(1e18)).Add(v, big.NewInt(int64(s.IntN(1000))))
			}
			if j == 4 {
				v.SetInt64(int64(s.IntN(4)) - 1)
			}
			record[j] = new(big.Rat).SetFrac(v, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
			twos := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 104), big.NewInt(1))).FillBytes(make([]byte, 13))
			row[j] = []parquet.Value{parquet.ByteArrayValue(twos), parquet.FixedLenByteArrayValue(twos), parquet.Int32Value(int32(v.Int64())), parquet.Int64Value(v.Int64()), parquet.Int32Value(int32(v.Int64()))}[j].Level(0, 0, j)
		}
		for k, unit := range units {
			at := time.Duration(s.IntN(48))*30*time.Minute + time.Duration(s.IntN(2))*250*time.Millisecond
			clock := time.Time{}.Add(at)
			record[5+k] = []string{clock.Format("15:04:05.000000"), clock.Format("15:04:05.999"), clock.Format("15:04:05.000000000")}[k]
			row[5+k] = parquet.Int64Value(int64(at/unit)).Level(0, 0, 5+k)
			if k == 0 {
				row[5] = row[5].Level(0, 1, 5)
				if s.IntN(9) == 0 {
					record[5], row[5] = "", parquet.NullValue().Level(0, 0, 5)
				}
			} else if k == 1 {
				row[6] = parquet.Int32Value(int32(at/unit)).Level(0, 0, 6)
			}
		}
		record[8] = strconv.Itoa(s.IntN(50))
		rows, records = append(rows, row), append(records, record)
	}
	return schema, names, rows, records
}

// Predictions for decimals, as numbers or categories, and for times of the day, as dates or categories, have the bits of those for the texts of a CSV
// file.
func TestDecimalsAndTimes(t *testing.T) {
	const n = 500
	schema, names, rows, records := wares(n, 1)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, schema)
	if _, err := w.WriteRows(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in := bytes.NewReader(b.Bytes())
	for _, layouts := range [][]string{nil, {time.DateOnly, time.TimeOnly}} {
		for _, fitted := range [][][]string{records, records[:20]} { // of these, some texts are new
			kinds := map[string]table.Kind{"kind": table.Category}
			for _, name := range []string{"micro", "milli", "nano"} {
				if layouts == nil {
					kinds[name] = table.Category
				}
			}
			e, err := table.Fit(names, fitted, &table.Options{Target: "sold", Missing: []string{""}, Layouts: layouts, Kinds: kinds})
			if err != nil {
				t.Fatal(err)
			}
			if text := e.String(); strings.Contains(text, "date") == (layouts == nil) || strings.Count(text, "number") != 5 {
				t.Fatalf("%v", e)
			}
			x, err := e.Encode(records)
			if err != nil {
				t.Fatal(err)
			}
			y := mat.NewDense(n, 1, nil)
			for i := range n {
				y.Set(i, 0, math.Sin(float64(i)))
			}
			_, columns := x.Dims()
			phi, err := featuremap.NewFourier(e.Kernel(), columns, 40, featuremap.NewSampler(1), nil)
			if err != nil {
				t.Fatal(err)
			}
			m := &table.Model{Encoder: e}
			if m.Ridge, err = ridge.Fit(phi, x, y, nil); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := predict(&out, in, in.Size(), "", m, pipeline.Options{Mean: true}); err != nil {
				t.Fatal(err)
			}
			type number struct {
				Mean float64 `parquet:"mean"`
			}
			got, err := parquet.Read[number](bytes.NewReader(out.Bytes()), int64(out.Len()))
			if err != nil || len(got) != n {
				t.Fatalf("%d rows: %v", len(got), err)
			}
			var mean mat.Dense
			m.Ridge.PredictTo(&mean, x)
			for i := range got {
				if got[i].Mean != mean.At(i, 0) {
					t.Fatalf("row %d, %q: %v, want %v", i, records[i], got[i].Mean, mean.At(i, 0))
				}
			}
		}
	}
}

// Times have the texts of the values of a category, whatever their digits; what is no time of the day is refused.
func TestTimes(t *testing.T) {
	f := &pipeline.Form{Layouts: []string{time.DateOnly, time.TimeOnly}}
	for _, c := range []struct {
		column pipeline.FormColumn
		millis int32
		want   string
	}{
		{pipeline.FormColumn{Kind: table.Category, Values: []string{"08:30", "9:00:00.500", "other"}}, 8*3600_000 + 30*60_000, "08:30"},
		{pipeline.FormColumn{Kind: table.Category, Values: []string{"08:30", "9:00:00.500", "other"}}, 9*3600_000 + 500, "9:00:00.500"},
		{pipeline.FormColumn{Kind: table.Category, Values: []string{"08:30", "08:30:00"}}, 8*3600_000 + 30*60_000, "08:30:00"},
		{pipeline.FormColumn{Kind: table.Category}, 24*3600_000 - 1, "23:59:59.999"},
		{pipeline.FormColumn{Kind: table.Date}, 9*3600_000 + 500, "09:00:00.5"},
		{pipeline.FormColumn{Kind: table.Number}, 0, "00:00:00"}, // which an encoder refuses
		{pipeline.FormColumn{Kind: table.Category}, -1, ""},
		{pipeline.FormColumn{Kind: table.Date}, 24 * 3600_000, ""},
	} {
		of, err := newCell(f, &c.column, parquet.Time(parquet.Millisecond).Type())
		if err != nil {
			t.Fatal(err)
		}
		text, err := of(parquet.Int32Value(c.millis))
		if text != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%v, %d: %q, want %q: %v", c.column, c.millis, text, c.want, err)
		}
	}
}

// What the table refuses is refused with row and column, as are columns that are no cells.
func TestCellsRefused(t *testing.T) {
	m, without := fittedTable(t, false, "NA", ""), fittedTable(t, false)
	check := func(in *bytes.Reader, m *table.Model, columns, want string) {
		t.Helper()
		err := predict(io.Discard, in, in.Size(), columns, m, pipeline.Options{Mean: true})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	rows, _ := sales(20_000, 3)
	inf := math.Inf(1)
	rows[15_000].Price = &inf
	check(parquetOf(t, rows), m, "", `row 15000, column "price": "+Inf": must be at most`)
	check(parquetOf(t, rows), m, "city", "-columns: the model knows")
	for i := range rows {
		rows[i].Price, rows[i].At = rows[0].Price, rows[0].At
	}
	rows[17_000].At = nil
	check(parquetOf(t, rows), without, "", `row 17000, column "at": <null> is missing: the model was fitted without`)
	type other struct {
		City string `parquet:"town"`
	}
	check(parquetOf(t, []other{{}}), m, "", `"at" is no column: the names are ["town"]`)
	if _, err := newCell(new(pipeline.Form), &pipeline.FormColumn{Name: "price", Kind: table.Number}, parquet.UUID().Type()); err == nil || !strings.HasPrefix(err.Error(), `column "price": UUID: must be`) {
		t.Error(err)
	}
}

// Dates are written in a layout that the encoder reads, and which loses nothing.
func TestDates(t *testing.T) {
	at := time.Date(2025, 3, 4, 5, 6, 7, 89_000_000, time.UTC)
	day := at.Truncate(24 * time.Hour)
	for _, c := range []struct {
		layouts []string
		at      time.Time
		want    string
	}{
		{[]string{time.DateOnly, time.DateTime}, day, "2025-03-04"},
		{[]string{time.DateOnly, time.DateTime}, at, "2025-03-04 05:06:07.089"},
		{[]string{"01/02/2006", "02/01/2006"}, day, "03/04/2025"},
		{[]string{"02.01.2006"}, day, "04.03.2025"},
		{[]string{"02.01.2006"}, at, ""},
		{[]string{time.RFC3339}, at, "2025-03-04T05:06:07.089Z"},
	} {
		text, err := dates(&pipeline.Form{Layouts: c.layouts}, func(parquet.Value) time.Time { return c.at })(parquet.Value{})
		if text != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q: %q, want %q: %v", c.layouts, text, c.want, err)
		}
	}
	f := &pipeline.Form{Layouts: []string{time.DateTime}}
	spark, err := newCell(f, &pipeline.FormColumn{Kind: table.Date}, parquet.Int96Type)
	if err != nil {
		t.Fatal(err)
	}
	nanos := uint64(3600e9)
	if text, err := spark(parquet.Int96Value(deprecated.Int96{uint32(nanos), uint32(nanos >> 32), julian1970 + 1})); text != "1970-01-02 01:00:00" {
		t.Errorf("%s, %v", text, err)
	}
}

// Numbers that are categories have the spelling of these: that of pandas with a missing value in the column, of postal codes, of float32. What two
// of them spell, and what is spelled as one of them, is written as it is.
func TestSpelledNumbers(t *testing.T) {
	for _, c := range []struct {
		of     parquet.Type
		value  parquet.Value
		values string
		want   string
	}{
		{parquet.DoubleType, parquet.DoubleValue(1), "1.0 2.0", "1.0"},
		{parquet.DoubleType, parquet.DoubleValue(3), "1.0 2.0", "3"},
		{parquet.Int64Type, parquet.Int64Value(1234), "01234 05678", "01234"},
		{parquet.Int32Type, parquet.Int32Value(-7), "-7.0 x", "-7.0"},
		{parquet.Int32Type, parquet.Int32Value(11), "1_1 0x1p3", "11"},
		{parquet.FloatType, parquet.FloatValue(0.1), "0.1 0.2", "0.1"},
		{parquet.DoubleType, parquet.DoubleValue(1), "1 1.0", "1"},
		{parquet.DoubleType, parquet.DoubleValue(1), "01 1.0", "1"},
		{parquet.Decimal(2, 9, parquet.Int32Type).Type(), parquet.Int32Value(150), "1.5 2.5", "1.5"},
		{parquet.String().Type(), parquet.ByteArrayValue([]byte("1")), "1.0 2.0", "1"},
	} {
		cell, err := newCell(&pipeline.Form{}, &pipeline.FormColumn{Name: "c", Kind: table.Category, Values: strings.Fields(c.values)}, c.of)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cell(c.value); got != c.want || err != nil {
			t.Errorf("%v among %s: %q, %v, want %q", c.value, c.values, got, err, c.want)
		}
	}
}
