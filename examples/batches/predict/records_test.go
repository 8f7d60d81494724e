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
	return fittedOn(tb, sales, records)
}

// fittedOn returns a model of records, whose first column is ignored and whose last one is the target.
func fittedOn(tb testing.TB, names []string, records [][]string) *table.Model {
	tb.Helper()
	e, err := table.Fit(names, records, &table.Options{Target: names[4], Missing: []string{"", "NA"}, Kinds: map[string]table.Kind{names[0]: table.Ignored}})
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
	if e.ClassNames() != nil {
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

// together returns what to write for a file of records, by a model of a table, as examples/table computes it of all at once.
func together(t *testing.T, m *table.Model, f csvfile.Format, in string) (lines [][]string) {
	t.Helper()
	header, read, err := f.Read(io.Discard, in)
	if err != nil {
		t.Fatal(err)
	}
	names := m.Encoder.Header()
	ordered, err := csvfile.Order(header, read, names, func(name string) bool { return name == names[0] || name == names[4] })
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.Encoder.Encode(ordered)
	if err != nil {
		t.Fatal(err)
	}
	if m.Logistic != nil {
		var p mat.Dense
		m.Logistic.ProbabilityTo(&p, x)
		lines = append(lines, []string{"predicted", "probability"})
		for i, class := range m.Logistic.Classify(x) {
			lines = append(lines, []string{m.Encoder.ClassNames()[class], fmt.Sprint(p.At(i, class))})
		}
	} else {
		var mean, lo, hi mat.Dense
		m.Ridge.PredictTo(&mean, x)
		m.Ridge.IntervalTo(&lo, &hi, x, 0.8)
		lines = append(lines, []string{"mean", "lo", "hi"})
		for i := range ordered {
			lines = append(lines, []string{fmt.Sprint(mean.At(i, 0)), fmt.Sprint(lo.At(i, 0)), fmt.Sprint(hi.At(i, 0))})
		}
	}
	if f.Headless {
		return lines[1:]
	}
	return lines
}

// checkRecords checks what is written for a file of records.
func checkRecords(t *testing.T, m *table.Model, f csvfile.Format, in string) {
	t.Helper()
	c := pipeline.Command{Model: savedTable(t, m), In: in, Out: filepath.Join(t.TempDir(), "out"), Write: "mean,interval", Options: pipeline.Options{Level: 0.8}}
	if m.Logistic != nil {
		c.Write = "mean"
	}
	if err := run(c, f); err != nil {
		t.Fatal(err)
	}
	out, err := os.Open(c.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	r := csv.NewReader(out)
	r.Comma = f.Comma
	got, err := r.ReadAll()
	want := together(t, m, f, in)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d lines, want %d: %v", len(got), len(want), err)
	}
	for i := range got {
		if g, w := strings.Join(got[i], "|"), strings.Join(want[i], "|"); g != w {
			t.Fatalf("line %d: %s, want %s", i, g, w)
		}
	}
}

// What is written for records of a model of a table are the bits that examples/table computes of all at once.
func TestRecords(t *testing.T) {
	records := saleRecords(20_000, 2)
	records[77][2] = "unseen"
	text := written(t, records, 3, 0, 2, 1)
	if len(text) < 2*pipeline.BlockBytes {
		t.Fatal("less than two blocks")
	}
	text = "\ufeff" + strings.Replace(text, "\n", "\n\n,,, \n", 1) // lines without values
	in := file(t, text)
	for _, classes := range []bool{false, true} {
		checkRecords(t, fittedTable(t, classes), plain, in)
	}
}

// Files with another character between fields, in another encoding or without a line of names have the same bits, in more than one block, by a model
// that is fitted to such a file.
func TestRecordsFormats(t *testing.T) {
	for _, c := range []struct {
		csvfile.Format
		classes bool
		columns int // of what is predicted: 4 without the target, 5 with it
	}{
		{csvfile.Format{Comma: ';', Encoding: "windows-1252"}, true, 4},
		{csvfile.Format{Comma: '\t', Encoding: "latin1", Headless: true}, false, 5},
		{csvfile.Format{Comma: ',', Headless: true}, true, 4},
		{csvfile.Format{Comma: '§', Encoding: "UTF-8"}, false, 5},
	} {
		made := func(n int, seed uint64, columns int) string {
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			w.Comma = c.Comma
			if !c.Headless {
				w.Write([]string{"Schlüssel", "Preis", "Größe", "Tag", "verkauft"}[:columns])
			}
			for i, r := range saleRecords(n, seed) {
				if r[2] == "Lima" {
					r[2] = "Zürich; \tSüd, §"
				}
				if c.classes {
					r[4] = []string{"müßig; ,", "viel"}[i%2]
				}
				w.Write(r[:columns])
			}
			w.Flush()
			if c.Encoding == "UTF-8" || c.Encoding == "" {
				return file(t, b.String())
			}
			var latin []byte
			for _, r := range b.String() {
				latin = append(latin, byte(r))
			}
			return file(t, string(latin))
		}
		names, records, err := c.Read(io.Discard, made(200, 1, 5))
		if err != nil {
			t.Fatal(err)
		}
		m := fittedOn(t, names, records)
		if (m.Logistic != nil) != c.classes || m.Encoder.Header()[1] != map[bool]string{false: "Preis", true: "1"}[c.Headless] {
			t.Fatalf("%v", m.Encoder)
		}
		checkRecords(t, m, c.Format, made(8_000, 2, c.columns))
		if !c.Headless {
			continue
		}
		for text, want := range map[string]string{"": "", "\n\n": "", "#### \n": "", "\na#b\n": "line 2: "} { // of few fields there are no columns
			var out bytes.Buffer
			err := predict(&out, strings.NewReader(strings.ReplaceAll(text, "#", string(c.Comma))), m, c.Format, pipeline.Options{Mean: true})
			if out.Len() > 0 || (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: %q, %v, want %q", text, &out, err, want)
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
		"price,town,day\n":                 `line 1: "city" is no column: the names are ["price" "town" "day"]`,
		"price,city,day,city\n":            `line 1: the name "city" is twice there`,
		good + "\nseven,Lima,2025-01-01\n": `line 4, column "price": "seven" is no number`,
		good + "7,Lima,1.2.2025\n":         `line 3, column "day": "1.2.2025" is no date`,
		good + "7,\"a\nb\",2025-01-01\n8,\xff,x\n":                               `line 5, column "city": "\xff" is not UTF-8: -encoding latin1 or windows-1252`,
		good + "7,Lima,2025-01-01\n1\xa0000,x,2025-01-01\n":                      `line 4, column "price": "1\xa0000" is not UTF-8: -encoding`,
		"\nprice,Gr\xf6\xdfe,day\n":                                              `line 2: "city" is no column: the names are ["price" "Gr\xf6\xdfe" "day"]; the file is not UTF-8: -encoding latin1 or windows-1252`,
		"price;city;day\n":                                                       `line 1: "price" is no column: the names are ["price;city;day"]; what is between fields may be something else: -comma ';' or -comma '\t'`,
		"1,Lima,2025-01-01\n":                                                    `line 1: "price" is no column: the names are ["1" "Lima" "2025-01-01"]; if the file has no line of names, -header=false`,
		good + "7,Lima\n":                                                        "line 3: wrong number of fields",
		good + "7,\"Lima,2025-01-01\n":                                           `line 3: extraneous or missing " in quoted-field`,
		good + strings.Repeat("7,Lima,2025-01-01\n", 20_000) + "7,Lima,x\n":      `line 20003, column "day"`,
		good + "7,\"" + strings.Repeat("7,Lima,2025-01-01\n", longest/18+20_000): "line 1: a quote is not closed",
		"\xff\xfep": "the file is UTF-16",
	} {
		var out bytes.Buffer
		err := predict(&out, strings.NewReader(text), m, plain, pipeline.Options{Mean: true})
		if strings.Contains(want, "a quote") && err != nil && strings.Contains(err.Error(), "a quote is not closed") {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	var out bytes.Buffer
	if err := predict(&out, strings.NewReader("price,city,day\n"), m, plain, pipeline.Options{Mean: true}); err != nil || out.String() != "mean\n" {
		t.Errorf("no records: %q, %v", &out, err)
	}
	if err := predict(&out, strings.NewReader(good), fittedTable(t, true), plain, pipeline.Options{Mean: true, SD: true, Write: "mean,sd"}); err == nil || !strings.HasPrefix(err.Error(), "-write mean,sd: the model is of classes") {
		t.Error(err)
	}
	for f, want := range map[csvfile.Format]string{
		{Comma: ',', Encoding: "utf-16"}: "-encoding utf-16: must be utf-8, latin1 or windows-1252",
		{Comma: '"'}:                     "csv: invalid field or comment delimiter",
		{Comma: ',', Headless: true}:     `line 1: "price" is no column: the names are ["0" "1" "2"]`,
	} {
		if err := predict(io.Discard, strings.NewReader(good), m, f, pipeline.Options{Mean: true}); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", f, err, want)
		}
	}
	// Columns that are not read may have any bytes, as in examples/table.
	if err := predict(io.Discard, strings.NewReader("price,city,day,n\xf6te\n1,Lima,2025-01-01,\xff\n"), m, plain, pipeline.Options{Mean: true}); err != nil {
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
		if err := predict(io.Discard, r, m, plain, pipeline.Options{Mean: true}); err != nil {
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
