// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

var sales = []string{"key", "price", "city", "day", "sold"}

// saleRecords returns n records of sales.
func saleRecords(n int, seed uint64) (records [][]string) {
	s := featuremap.NewSampler(seed)
	for i := range n {
		price := strconv.FormatFloat(10+s.Normal(), 'g', -1, 64)
		if i%7 == 3 {
			price = "NA"
		}
		city := []string{"Lima", "New York, \"NY\"", "two\nlines", ""}[s.IntN(4)]
		day := fmt.Sprintf("2025-%02d-%02d 1%d:30:00.25", 1+s.IntN(12), 1+s.IntN(28), s.IntN(9))
		records = append(records, []string{"k" + strconv.Itoa(i), price, city, day, strconv.Itoa(s.IntN(50))})
	}
	return records
}

// fittedTable returns a model of sales: of numbers, or of two classes.
func fittedTable(tb testing.TB, classes bool) *table.Model {
	tb.Helper()
	records := saleRecords(200, 1)
	if classes {
		for i, r := range records {
			r[4] = []string{"few, \"or\" none", "many"}[i%2]
		}
	}
	e, err := table.Fit(sales, records, &table.Options{Target: "sold", Missing: []string{"", "NA"}, Kinds: map[string]table.Kind{"key": table.Ignored}})
	if err != nil {
		tb.Fatal(err)
	}
	x, err := e.Encode(records)
	if err != nil {
		tb.Fatal(err)
	}
	_, in := x.Dims()
	phi, err := featuremap.NewFourier(e.Kernel(), in, 40, featuremap.NewSampler(1), nil)
	if err != nil {
		tb.Fatal(err)
	}
	m := &table.Model{Encoder: e}
	if classes {
		of, err := e.Classes(records)
		if err != nil {
			tb.Fatal(err)
		}
		if m.Logistic, err = logistic.Fit(phi, x, of, nil); err != nil {
			tb.Fatal(err)
		}
		return m
	}
	y, err := e.Targets(records)
	if err != nil {
		tb.Fatal(err)
	}
	if m.Ridge, err = ridge.Fit(phi, x, y, nil); err != nil {
		tb.Fatal(err)
	}
	return m
}

// written returns a CSV file of records with their columns in some order.
func written(t *testing.T, records [][]string, order ...int) string {
	t.Helper()
	var b strings.Builder
	w := csv.NewWriter(&b)
	for i := -1; i < len(records); i++ {
		r, some := sales, []string{}
		if i >= 0 {
			r = records[i]
		}
		for _, j := range order {
			some = append(some, r[j])
		}
		if err := w.Write(some); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	return b.String()
}

// file writes a text to a file.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func savedTable(t *testing.T, m *table.Model) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return file(t, b.String())
}

// What is written for records of a model of a table are the bits that examples/table computes of all at once.
func TestRecords(t *testing.T) {
	const n = 20_000
	records := saleRecords(n, 2)
	records[77][2] = "unseen"
	text := written(t, records, 3, 0, 2, 1)
	if len(text) < 2*pipeline.BlockBytes {
		t.Fatal("less than two blocks")
	}
	text = "\ufeff" + strings.Replace(text, "\n", "\n\n,,, \n", 1) // lines without values
	in := file(t, text)
	header, read, err := (&csvfile.Format{Comma: ','}).Read(io.Discard, in)
	if err != nil {
		t.Fatal(err)
	}
	ordered, err := csvfile.Order(header, read, sales, func(name string) bool { return name == "sold" })
	if err != nil {
		t.Fatal(err)
	}
	for _, classes := range []bool{false, true} {
		m := fittedTable(t, classes)
		x, err := m.Encoder.Encode(ordered)
		if err != nil {
			t.Fatal(err)
		}
		c := pipeline.Command{Model: savedTable(t, m), In: in, Out: filepath.Join(t.TempDir(), "out"), Write: "mean,interval", Options: pipeline.Options{Level: 0.8}}
		var want [][]string
		if classes {
			c.Write = "mean"
			var p mat.Dense
			m.Logistic.ProbabilityTo(&p, x)
			want = append(want, []string{"predicted", "probability"})
			for i, class := range m.Logistic.Classify(x) {
				want = append(want, []string{m.Encoder.ClassNames()[class], fmt.Sprint(p.At(i, class))})
			}
		} else {
			var mean, lo, hi mat.Dense
			m.Ridge.PredictTo(&mean, x)
			m.Ridge.IntervalTo(&lo, &hi, x, 0.8)
			want = append(want, []string{"mean", "lo", "hi"})
			for i := range n {
				want = append(want, []string{fmt.Sprint(mean.At(i, 0)), fmt.Sprint(lo.At(i, 0)), fmt.Sprint(hi.At(i, 0))})
			}
		}
		if err := run(c); err != nil {
			t.Fatal(err)
		}
		out, err := os.Open(c.Out)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		got, err := csv.NewReader(out).ReadAll()
		if err != nil || len(got) != n+1 {
			t.Fatalf("%d lines: %v", len(got), err)
		}
		for i := range got {
			if g, w := strings.Join(got[i], "|"), strings.Join(want[i], "|"); g != w {
				t.Fatalf("line %d: %s, want %s", i, g, w)
			}
		}
	}
}

// Records and models that examples/table refuses are refused, with line and column; a file without records has no predictions.
func TestRecordsRefused(t *testing.T) {
	m := fittedTable(t, false)
	const good = "price,city,day\n1,Lima,2025-01-01\n"
	for text, want := range map[string]string{
		"":                                 "there is no line of names",
		"price,town,day\n":                 `"city" is no column: the names are ["price" "town" "day"]`,
		"price,city,day,city\n":            `the name "city" is twice there`,
		good + "\nseven,Lima,2025-01-01\n": `line 4, column "price": "seven" is no number`,
		good + "7,Lima,1.2.2025\n":         `line 3, column "day": "1.2.2025" is no date`,
		good + "7,\"a\nb\",2025-01-01\n8,\xff,x\n":                               `line 5, column "city": "\xff" is not UTF-8`,
		good + "7,Lima\n":                                                        "line 3: wrong number of fields",
		good + "7,\"Lima,2025-01-01\n":                                           `line 3: extraneous or missing " in quoted-field`,
		good + strings.Repeat("7,Lima,2025-01-01\n", 20_000) + "7,Lima,x\n":      `line 20003, column "day"`,
		good + "7,\"" + strings.Repeat("7,Lima,2025-01-01\n", longest/18+20_000): "line 1: a quote is not closed",
		"\xff\xfep": "the file is UTF-16",
	} {
		var out bytes.Buffer
		err := predict(&out, strings.NewReader(text), m, pipeline.Options{Mean: true})
		if strings.Contains(want, "a quote") && err != nil && strings.Contains(err.Error(), "a quote is not closed") {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	var out bytes.Buffer
	if err := predict(&out, strings.NewReader("price,city,day\n"), m, pipeline.Options{Mean: true}); err != nil || out.String() != "mean\n" {
		t.Errorf("no records: %q, %v", &out, err)
	}
	if err := predict(&out, strings.NewReader(good), fittedTable(t, true), pipeline.Options{Mean: true, SD: true, Write: "mean,sd"}); err == nil || !strings.HasPrefix(err.Error(), "-write mean,sd: the model is of classes") {
		t.Error(err)
	}
	data, err := os.ReadFile(savedTable(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 97 {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		if _, err := pipeline.ReadTable(file(t, string(bad))); err == nil {
			t.Errorf("byte %d is damaged: no error", i)
		}
	}
	if _, err := pipeline.ReadModel(savedTable(t, m)); err == nil || !strings.HasSuffix(err.Error(), "the model is of a table: must be of rows of numbers") {
		t.Error(err)
	}
}

// repeated is a text over and over; it notes the most memory in use.
type repeated struct {
	head, text string
	left       int
	most       uint64
	now        string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.now == "" {
		if r.left--; r.left < 0 {
			return 0, io.EOF
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		r.most = max(r.most, m.HeapInuse)
		r.now = r.text
	}
	if r.head != "" {
		r.now, r.head = r.head, ""
	}
	n := copy(p, r.now)
	r.now = r.now[n:]
	return n, nil
}

// Memory does not grow with the number of records.
func TestRecordsMemory(t *testing.T) {
	m := fittedTable(t, false)
	head, text, _ := strings.Cut(written(t, saleRecords(5_000, 3), 0, 1, 2, 3), "\n")
	use := func(times int) uint64 {
		runtime.GC()
		r := &repeated{head: head + "\n", text: text, left: times + 1}
		if err := predict(io.Discard, r, m, pipeline.Options{Mean: true}); err != nil {
			t.Fatal(err)
		}
		return r.most
	}
	few, many := use(10), use(60)
	t.Logf("%d MB, and %d MB for six times as many", few>>20, many>>20)
	if many > few+few/2+16<<20 {
		t.Errorf("%d bytes, and %d for a sixth of the records", many, few)
	}
}
