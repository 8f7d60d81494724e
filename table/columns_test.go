// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

var header = []string{"price", "city", "date", "code", "sold"}

func records() [][]string {
	return [][]string{
		{"1.5", "Lima", "1970-01-02", "7", "10"},
		{" 2", "Bergen", "1970-07-02", "8", "20"},
		{"NA", "Lima", "1971-01-01", "7", "30"},
		{"6.5", "Osaka", "NA", "7", "50"},
	}
}

func options() *Options {
	return &Options{Target: "sold", Missing: []string{"NA"}, Kinds: map[string]Kind{"code": Category}}
}

func fitted(t testing.TB) *Encoder {
	t.Helper()
	e, err := Fit(header, records(), options())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Numbers, categories, dates and what is missing become the numbers that the package's comment says.
func TestEncode(t *testing.T) {
	e := fitted(t)
	names := []string{"price", "price is missing", "city = Bergen", "city = Lima", "city = Osaka", "date, days", "date, sine of the year",
		"date, cosine of the year", "date, sine of the week", "date, cosine of the week", "date is missing", "code = 7", "code = 8"}
	if got := e.Names(); !slices.Equal(got, names) || !slices.Equal(e.Header(), header) {
		t.Errorf("names %q of columns %q", got, e.Header())
	}
	if in, out := e.Dims(); in != 5 || out != len(names) {
		t.Errorf("Dims() = %d, %d", in, out)
	}
	x, err := e.Encode(records())
	if err != nil {
		t.Fatal(err)
	}
	year, week := 2*math.Pi/365.25, 2*math.Pi/7
	mean := (1 + 182 + 365) / 3. // 1970-07-02 is day 182
	want := mat.NewDense(4, len(names), []float64{
		1.5, 0, 0, 1, 0, 1, math.Sin(year), math.Cos(year), math.Sin(5 * week), math.Cos(5 * week), 0, 1, 0, // a Friday
		2, 0, 1, 0, 0, 182, math.Sin(182 * year), math.Cos(182 * year), math.Sin(4 * week), math.Cos(4 * week), 0, 0, 1,
		10. / 3, 1, 0, 1, 0, 365, 0, 1, math.Sin(5 * week), math.Cos(5 * week), 0, 1, 0,
		6.5, 0, 0, 0, 1, mean, 0, 0, 0, 0, 1, 1, 0,
	})
	if !mat.EqualApprox(x, want, 1e-13) {
		t.Errorf("rows\n%v\nwant\n%v", mat.Formatted(x), mat.Formatted(want))
	}
	for i, r := range records() {
		for _, fields := range [][]string{r, r[:4]} { // without the target, which is the last
			if v, err := e.EncodeVec(nil, fields); err != nil || !slices.Equal(v, x.RawRowView(i)) {
				t.Errorf("row %d alone: %v, %v", i, v, err)
			}
		}
	}
	if y, err := e.Targets(records()); err != nil || !slices.Equal(y.RawMatrix().Data, []float64{10, 20, 30, 50}) {
		t.Errorf("targets %v, %v", y, err)
	}
	if v, err := e.EncodeVec(nil, []string{"1", "Quito", "NA", "9"}); err != nil || v[2] != 0 || v[3] != 0 || v[4] != 0 || v[11] != 0 {
		t.Errorf("a city that was not there: %v, %v", v, err)
	}
	text := e.String()
	for _, want := range []string{"price  number from 1.5 to 6.5, some missing\n", "city   category of 3 values: Bergen, Lima, Osaka\n",
		"date   date from 1970-01-02 to 1971-01-01, some missing\n", "sold   number from 10 to 50, the target\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas no line %q", text, want)
		}
	}
}

// What no record fitted had is named: here the records fitted miss dates and prices, and no code.
func TestUnseen(t *testing.T) {
	e, err := Fit([]string{"price", "city", "date", "weight", "sold"}, [][]string{
		{"1.5", "Lima", "1970-01-02", "3", "1"}, {"NA", "Oslo", "NA", "5", "2"}, {"9", "Lima", "1971-06-01", "4", "3"}},
		&Options{Target: "sold", Missing: []string{"NA"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		record, want []string
	}{
		{[]string{"1.5", "Oslo", "1971-06-01", "5", "70"}, nil},
		{[]string{"NA", " Lima ", "NA", "3"}, nil},
		{[]string{"1.4", "Quito", "1970-01-01", "NA"}, []string{"price", "city", "date", "weight"}},
		{[]string{"9", "lima", "1971-06-02", "5.1"}, []string{"city", "date", "weight"}},
	} {
		if got, err := e.Unseen(c.record); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v, want %q", c.record, got, err, c.want)
		}
	}
	// Missing where none was fitted, it is the mean.
	if v, err := e.EncodeVec(nil, []string{"2", "Lima", "1971-06-01", "NA"}); err != nil || v[len(v)-1] != 4 {
		t.Errorf("%v, %v", v, err)
	}
	for _, bad := range [][]string{{"2", "Lima"}, {"x", "Lima", "NA", "3"}, nil} {
		if got, err := e.Unseen(bad); err == nil || got != nil {
			t.Errorf("%q: %q", bad, got)
		}
	}
}

// A time of the day has a sine and a cosine of its own, and dates other layouts and zones.
func TestTimes(t *testing.T) {
	o := &Options{Layouts: []string{"02.01.2006 15:04", "2006-01-02T15:04Z07:00"}}
	e, err := Fit([]string{"at"}, [][]string{{"01.01.1970 00:00"}, {"01.01.1970 06:00"}, {"1970-01-01T13:00+01:00"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Encode([][]string{{"01.01.1970 18:00"}, {"1970-01-01T13:00+01:00"}})
	if err != nil {
		t.Fatal(err)
	}
	// The clock is the one that is written, for days and times alike.
	if got := x.RawRowView(0); !close(got[0], 0.75) || !close(got[5], -1) || !close(got[6], 0) {
		t.Errorf("18:00 is %v", got)
	}
	if got := x.RawRowView(1); !close(got[0], 13./24) || !close(got[5], math.Sin(2*math.Pi*13/24)) {
		t.Errorf("13:00 in another zone is %v", got)
	}
}

// Records of 50 a second are as many rows, each a fiftieth of a second on, of any layout, and days and times of day say the same.
func TestFractions(t *testing.T) {
	for _, layout := range []string{"2006-01-02 15:04:05", time.RFC3339, "02.01.2006 15:04:05.000"} {
		start := time.Date(1969, 12, 31, 23, 59, 55, 0, time.FixedZone("", 7200))
		var records [][]string
		for i := range 500 {
			text := start.Add(time.Duration(i) * 20 * time.Millisecond).Format(layout)
			if !strings.Contains(layout, ".0") && i%50 > 0 { // a fraction that the layout has not
				text = fmt.Sprintf("%s.%02d%s", text[:19], i%50*2, text[19:])
			}
			records = append(records, []string{text})
		}
		e, err := Fit([]string{"at"}, records, &Options{Layouts: []string{layout}})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Encode(records)
		if err != nil {
			t.Fatal(err)
		}
		for i := range records {
			row := x.RawRowView(i)
			if want := float64(i-250) / 50; math.Abs(row[0]*86400-want) > 1e-9 {
				t.Fatalf("%s: %q is %v seconds after 1970: want %v", layout, records[i][0], row[0]*86400, want)
			}
			if sin, cos := turn(row[0]); math.Abs(row[5]-sin) > 1e-14 || math.Abs(row[6]-cos) > 1e-14 {
				t.Fatalf("%s: %q has the time of day %v, and days %v", layout, records[i][0], row[5:], row[0])
			}
		}
		if want := "from 1969-12-31 23:59:55 to 1970-01-01 00:00:04.98"; !strings.Contains(e.String(), want) {
			t.Errorf("%v has no %q", e, want)
		}
	}
}

// Midnight, of whatever zone, has no time of the day; a nanosecond after it is one.
func TestMidnight(t *testing.T) {
	for text, times := range map[string]bool{"2025-07-01T00:00:00+02:00": false, "2025-07-01T00:00:00Z": false, "2025-07-01T02:00:00+02:00": true,
		"2025-07-01T00:00:00.000000001-11:00": true, "1969-07-01": false} {
		e, err := Fit([]string{"at"}, [][]string{{text}, {"2025-07-03"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.columns[0].Times != times {
			t.Errorf("%q has a time of the day: %v", text, !times)
		}
	}
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-14 }

// Turns are those of package math.
func TestTurn(t *testing.T) {
	for share := -1.0; share < 3; share += 1. / 512 {
		sin, cos := turn(share)
		wantSin, wantCos := math.Sincos(2 * math.Pi * share)
		if !(math.Abs(sin-wantSin) <= 4e-15) || !(math.Abs(cos-wantCos) <= 4e-15) {
			t.Fatalf("%v turns: %v, %v, want %v, %v", share, sin, cos, wantSin, wantCos)
		}
	}
}

// Each group of numbers counts alike: the mean of minus the logarithm of the kernel over pairs of rows is that of a group, 1, times
// the number of groups over itself.
func TestKernel(t *testing.T) {
	e := fitted(t)
	x, err := e.Encode(records())
	if err != nil {
		t.Fatal(err)
	}
	k := e.Kernel()
	var sum float64
	n, _ := x.Dims()
	for i := range n {
		for j := range n {
			sum -= math.Log(k.Eval(x.RawRowView(i), x.RawRowView(j))) / float64(n*n)
		}
	}
	if !close(sum, 1) {
		t.Errorf("mean exponent %v: must be 1, since E|x−y|² is twice the variance", sum)
	}
	// Groups: price, whether it is missing, city, days, year, week, whether the date is missing, code.
	if count, _, lengths := e.groups(); count != 8 || lengths[6] != lengths[7] || lengths[2] != lengths[4] || lengths[6] == lengths[5] {
		t.Errorf("%d groups of lengths %v", count, lengths)
	}
	same, err := Fit([]string{"a", "b"}, [][]string{{"1", "x"}, {"2", "x"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := same.Kernel().(featuremap.Expression); !ok || same.Kernel().Eval([]float64{1, 1}, []float64{1, 0}) != 1 {
		t.Errorf("kernel %v looks at a column that is constant", same.Kernel())
	}
}

func TestRefuses(t *testing.T) {
	change := func(row, column int, field string) [][]string {
		r := records()
		r[row][column] = field
		return r
	}
	many := func(n int) (all [][]string) {
		for i := range n {
			all = append(all, []string{"a" + strings.Repeat("x", i)})
		}
		return all
	}
	for want, call := range map[string]func() (*Encoder, error){
		"0 records":     func() (*Encoder, error) { return Fit(header, nil, options()) },
		"row 1 has 2":   func() (*Encoder, error) { return Fit([]string{"a"}, [][]string{{"1"}, {"1", "2"}}, nil) },
		`"a" twice`:     func() (*Encoder, error) { return Fit([]string{"a", "a"}, [][]string{{"1", "2"}}, nil) },
		`Target "x"`:    func() (*Encoder, error) { return Fit(header, records(), &Options{Target: "x"}) },
		`Kinds has "x"`: func() (*Encoder, error) { return Fit(header, records(), &Options{Kinds: map[string]Kind{"x": Number}}) },
		"a target must": func() (*Encoder, error) {
			return Fit(header, records(), &Options{Target: "sold", Kinds: map[string]Kind{"sold": Date}})
		},
		"Kind(9)": func() (*Encoder, error) { return Fit(header, records(), &Options{Kinds: map[string]Kind{"sold": 9}}) },
		`row 1, column "code": "x" is no number`: func() (*Encoder, error) {
			return Fit(header, change(1, 3, "x"), &Options{Missing: []string{"NA"}, Kinds: map[string]Kind{"code": Number}})
		},
		`row 2, column "code": "" is missing`:     func() (*Encoder, error) { return Fit(header, change(2, 3, ""), &Options{Missing: []string{"NA"}}) },
		`row 0, column "sold": "NaN" is missing`:  func() (*Encoder, error) { return Fit(header, change(0, 4, "NaN"), options()) },
		`row 0, column "sold": "NA" is no number`: func() (*Encoder, error) { return Fit(header, change(0, 4, "NA"), options()) },
		`row 3, column "code": "1e200"`: func() (*Encoder, error) {
			return Fit(header, change(3, 3, "1e200"), &Options{Missing: []string{"NA"}, Kinds: map[string]Kind{"code": Number}})
		},
		"is it a key?": func() (*Encoder, error) { return Fit([]string{"a"}, many(257), nil) },
		"are constant": func() (*Encoder, error) {
			return Fit([]string{"a", "y"}, [][]string{{"1", "2"}, {"1", "3"}}, &Options{Target: "y"})
		},
		"has no value": func() (*Encoder, error) {
			return Fit([]string{"a"}, [][]string{{"NA"}}, &Options{Missing: []string{"NA"}, Kinds: map[string]Kind{"a": Number}})
		},
	} {
		if e, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v: want %q", e, err, want)
		}
	}
	e := fitted(t)
	for want, call := range map[string]func() error{
		`row 1, column "price": "x" is no number`:   func() error { _, err := e.Encode(change(1, 0, "x")); return err },
		`a record, column "date": "May" is no date`: func() error { _, err := e.EncodeVec(nil, change(0, 2, "May")[0]); return err },
		"has 3 fields":                        func() error { _, err := e.EncodeVec(nil, records()[0][:3]); return err },
		"dst has 1":                           func() error { _, err := e.EncodeVec(make([]float64, 1), records()[0]); return err },
		"an encoder of 0 numbers":             func() error { _, err := new(Encoder).Encode(records()); return err },
		"must be of kind category":            func() error { _, err := e.Classes(records()); return err },
		"has no target":                       func() error { _, err := new(Encoder).Targets(records()); return err },
		`row 2, column "sold": "" is missing`: func() error { _, err := e.Targets(change(2, 4, "")); return err },
		"zero value":                          func() error { _, err := json.Marshal(new(Encoder)); return err },
		"Model must have":                     func() error { _, err := (&Model{Encoder: e}).WriteTo(new(bytes.Buffer)); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

// Classes are numbered in the order of their names, and others are refused.
func TestClasses(t *testing.T) {
	e, err := Fit([]string{"a", "kind"}, [][]string{{"1", "yes"}, {"2", "no"}}, &Options{Target: "kind"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Classes([][]string{{"", "yes"}, {"", "no"}}); err != nil || !slices.Equal(got, []int{1, 0}) || !slices.Equal(e.ClassNames(), []string{"no", "yes"}) {
		t.Errorf("%v of %q, %v", got, e.ClassNames(), err)
	}
	if _, err := e.Classes([][]string{{"", "maybe"}}); err == nil || !strings.Contains(err.Error(), `row 0, column "kind": "maybe"`) {
		t.Errorf("another class: %v", err)
	}
}

// A table without a header has numbers for names.
func TestNoHeader(t *testing.T) {
	e, err := Fit(nil, [][]string{{"1", "a"}, {"2", "b"}}, &Options{Target: "0"})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Names(); !slices.Equal(got, []string{"1 = a", "1 = b"}) {
		t.Errorf("names %q", got)
	}
}

// A saved encoder makes the same rows, and each change of the document that makes it none is refused.
func TestSaveEncoder(t *testing.T) {
	e := fitted(t)
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var read Encoder
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	a, _ := e.Encode(records())
	b, err := read.Encode(records())
	if err != nil || !mat.Equal(a, b) || read.String() != e.String() || !slices.Equal(read.Names(), e.Names()) {
		t.Errorf("read another encoder: %v, %v", &read, err)
	}
	if err := json.Unmarshal(data, &read); err == nil {
		t.Error("an encoder was read into another")
	}
	for _, c := range [][2]string{
		{`"target":4`, `"target":5`}, {`"target":4`, `"target":2`}, {`"price"`, `"city"`}, {`"kind":1`, `"kind":3`}, {`"kind":2`, `"kind":0`},
		{`["Bergen","Lima","Osaka"]`, `["Lima","Bergen","Osaka"]`}, {`["Bergen","Lima","Osaka"]`, `["Lima","Lima","Osaka"]`},
		{`["Bergen","Lima","Osaka"]`, `["Bergen","Lima"]`}, {`"flag":true`, `"flag":false`}, {`"times":false`, `"times":true`},
		{`"mean":`, `"Mean":`}, {`"deviations":[`, `"deviations":[-`}, {`"target":4`, `"target":4,"more":1`},
	} {
		changed := bytes.Replace(data, []byte(c[0]), []byte(c[1]), 1)
		if bytes.Equal(changed, data) {
			t.Fatalf("%s has no %s", data, c[0])
		}
		if err := new(Encoder).UnmarshalJSON(changed); err == nil {
			t.Errorf("%s in place of %s was read", c[1], c[0])
		}
	}
}

// Whatever is changed in a document, what is read of it is no reason to panic.
func TestHostileEncoders(t *testing.T) {
	data, err := json.Marshal(fitted(t))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for i := range data {
		for j, c := range []byte("09-e\"[") {
			if (i+j)%3 > 0 {
				continue
			}
			changed := slices.Clone(data)
			changed[i] = c
			var e Encoder
			if e.UnmarshalJSON(changed) != nil {
				continue
			}
			read++
			_, _ = e.Encode(records())
			_, _ = e.Targets(records())
			_, _, _ = e.String(), e.Names(), e.Header()
			if k := e.Kernel(); k != nil {
				_ = k.Eval(make([]float64, e.numbers), make([]float64, e.numbers))
			}
		}
	}
	if read == 0 {
		t.Error("no document was read")
	}
}

// A model is read with its encoder and predicts the same bits; damage is refused.
func TestSaveModel(t *testing.T) {
	e := fitted(t)
	x, err := e.Encode(records())
	if err != nil {
		t.Fatal(err)
	}
	y, err := e.Targets(records())
	if err != nil {
		t.Fatal(err)
	}
	phi, err := testkit.New(e.Kernel(), 13, 16, featuremap.NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	m := Model{Encoder: e}
	if m.Ridge, err = ridge.Fit(phi, x, y, nil); err != nil {
		t.Fatal(err)
	}
	classes := Model{Encoder: e}
	if classes.Logistic, err = logistic.Fit(phi, x, []int{0, 1, 0, 1}, nil); err != nil {
		t.Fatal(err)
	}
	var file, other bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := classes.WriteTo(&other); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < file.Len(); i += 97 {
		damaged := slices.Clone(file.Bytes())
		damaged[i] ^= 1
		if _, err := ReadModel(bytes.NewReader(damaged), nil); err == nil {
			t.Fatalf("a file with another byte %d was read", i)
		}
	}
	read, err := ReadModel(&file, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := read.Encoder.EncodeVec(nil, records()[1])
	if err != nil || read.Ridge.PredictVec(nil, v)[0] != m.Ridge.PredictVec(nil, v)[0] {
		t.Errorf("the model that was read predicts otherwise: %v", err)
	}
	if read, err = ReadModel(&other, nil); err != nil || read.Ridge != nil || !slices.Equal(read.Logistic.ProbabilityVec(nil, v), classes.Logistic.ProbabilityVec(nil, v)) {
		t.Errorf("the classifier that was read predicts otherwise: %v", err)
	}
	wrong, err := Fit([]string{"a"}, [][]string{{"1"}, {"2"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Model{Encoder: wrong, Ridge: m.Ridge}).WriteTo(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "rows of 13 numbers") {
		t.Errorf("an encoder of another model: %v", err)
	}
}

// Texts for missing values are one category, also one that no record of Fit had; a text that is not listed is another.
func TestMissingCategories(t *testing.T) {
	records := [][]string{{"red", "1"}, {"", "2"}, {"NA", "3"}, {"blue", "5"}, {"n/a", "4"}}
	e, err := Fit([]string{"color", "y"}, records, &Options{Target: "y", Missing: []string{"?", "", "NA"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(e.Names(), "; "), "color = ?; color = blue; color = n/a; color = red"; got != want {
		t.Fatalf("names %q, want %q", got, want)
	}
	for field, want := range map[string]int{"": 0, "NA": 0, " ? ": 0, "blue": 1, "n/a": 2, "red": 3} {
		row, err := e.EncodeVec(nil, []string{field})
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range row {
			if (v == 1) != (k == want) {
				t.Errorf("%q: %v", field, row)
			}
		}
		if unseen, err := e.Unseen([]string{field}); err != nil || len(unseen) > 0 {
			t.Errorf("%q: unseen %v, %v", field, unseen, err)
		}
	}
	e, err = Fit([]string{"color", "y"}, [][]string{{"red", "1"}, {"blue", "2"}}, &Options{Target: "y", Missing: []string{""}})
	if err != nil {
		t.Fatal(err)
	}
	if unseen, err := e.Unseen([]string{""}); err != nil || len(unseen) != 1 {
		t.Errorf("a missing value where none was: unseen %v, %v", unseen, err)
	}
}
