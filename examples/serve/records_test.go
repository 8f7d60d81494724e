// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// sales returns a model with an encoder of a price and a city, and saves it to a file: of what is sold, or of the class of that.
func sales(t *testing.T, classes bool) (*table.Model, string) {
	t.Helper()
	var records [][]string
	for i := range 60 {
		records = append(records, []string{fmt.Sprint(5 + i%7), []string{"Bergen", "Lima"}[i%2], fmt.Sprint(60 + 30*(i%2) - 4*(i%7))})
	}
	if classes {
		for i := range records {
			records[i][2] = []string{"good", "dear"}[i/2%2]
		}
	}
	e, err := table.Fit([]string{"price", "city", "sold"}, records, &table.Options{Target: "sold"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	_, in := x.Dims()
	phi, err := testkit.New(e.Kernel(), in, 32, featuremap.NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	m := &table.Model{Encoder: e}
	if classes {
		class, err := e.Classes(records)
		if err != nil {
			t.Fatal(err)
		}
		m.Logistic, err = logistic.Fit(phi, x, class, nil)
		if err != nil {
			t.Fatal(err)
		}
	} else if y, wrong := e.Targets(records); wrong == nil {
		m.Ridge, err = ridge.Fit(phi, x, y, nil)
	} else {
		err = wrong
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "sales"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := m.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	return m, f.Name()
}

// A model with an encoder takes records as lines of CSV, with the predictions of the numbers that they are encoded to, and rows of these
// numbers, too. Records that it cannot read are refused with their row.
func TestRecords(t *testing.T) {
	want, path := sales(t, false)
	l := standard
	l.rows = 3
	s := newServer(l, log.New(io.Discard, "", 0))
	if err := s.load(func() (*table.Model, error) { return open(path) }); err != nil {
		t.Fatal(err)
	}
	h := s.handler()
	w := call(h, http.MethodPost, predictPath, "text/csv; charset=utf-8", []byte("7.50,Lima\n11,\"Bergen\"\n"))
	var got answer
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || len(got.Predictions) != 2 {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	for i, record := range [][]string{{"7.50", "Lima"}, {"11", "Bergen"}} {
		row, err := want.Encoder.EncodeVec(nil, record)
		if err != nil {
			t.Fatal(err)
		}
		if mean, deviation := want.Ridge.Predict(row); !sameBits(got.Predictions[i], mean) || !sameBits(got.Deviations[i], deviation) {
			t.Errorf("%q: %v ± %v, want %v ± %v", record, got.Predictions[i], got.Deviations[i], mean, deviation)
		}
		numbers := call(h, http.MethodPost, predictPath, jsonType, encodeRows([][]float64{row}))
		var alone answer
		if err := json.Unmarshal(numbers.Body.Bytes(), &alone); err != nil || !sameBits(alone.Predictions[0], got.Predictions[i]) {
			t.Errorf("%q: its numbers have %s", record, numbers.Body)
		}
	}
	for _, c := range []struct {
		body, media string
		status      int
		want        string
	}{
		{"", csvType, 400, "no rows"},
		{"7.50,Lima\nmuch,Lima\n", csvType, 400, `row 1, column "price"`},
		{"7.50\n", csvType, 400, "row 0 has 1 fields: must have 3"},
		{"7.50,\"Lima\n", csvType, 400, "malformed"},
		{strings.Repeat("7.50,Lima\n", 4), csvType, 413, "more than 3 rows"},
		{"7.50,Lima\n", "text/csv; charset=latin1", 415, csvType},
	} {
		w := call(h, http.MethodPost, predictPath, c.media, []byte(c.body))
		if text := errorOf(t, w); w.Code != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%q: status %d, %s; want %d, %s", c.body, w.Code, text, c.status, c.want)
		}
	}
	if w := call(h, http.MethodGet, "/model", "", nil); !strings.Contains(w.Body.String(), "category of 2 values: Bergen, Lima") {
		t.Errorf("/model: %s", w.Body)
	}
	plain := ready(t, small(), nil).handler()
	if w := call(plain, http.MethodPost, predictPath, csvType, []byte("1,2,3\n")); w.Code != 415 || !strings.Contains(errorOf(t, w), "should be application/json, application/x-float32") {
		t.Errorf("records for a model without an encoder: status %d: %s", w.Code, w.Body)
	}
}

// Records are taken as files have them: with a byte order mark, the line of names, semicolons or tabs, and empty lines at the end. What would
// shift rows against their predictions is refused. What no record fitted had, such as a city of another spelling, is named.
func TestRecordsOfFiles(t *testing.T) {
	_, path := sales(t, false)
	s := newServer(standard, log.New(io.Discard, "", 0))
	if err := s.load(func() (*table.Model, error) { return open(path) }); err != nil {
		t.Fatal(err)
	}
	h := s.handler()
	post := func(body string) (int, string) {
		w := call(h, http.MethodPost, "/predict", csvType, []byte(body))
		return w.Code, w.Body.String()
	}
	_, want := post("7.50,Lima\n11,Bergen\n")
	for _, body := range []string{
		"price,city,sold\n7.50,Lima,\n11,Bergen,8\n",
		"\ufeff\"price\", city\n7.50,Lima\n11,Bergen\n",
		"\ufeff7.50,Lima\n11,Bergen\n",
		"7.50;Lima;3\n11;Bergen;4\n",
		"price\tcity\n7.50\tLima\n11\tBergen",
		"7.50,Lima\r\n11,Bergen\r\n\r\n\n",
		"7.50,Lima,\n11,Bergen,\n,,\n , ,\n",
		"7.50;Lima;\n11;Bergen;\n;;\n\n",
	} {
		if status, got := post(body); status != http.StatusOK || got != want {
			t.Errorf("%q: status %d, %s, want %s", body, status, got, want)
		}
	}
	for body, want := range map[string]string{
		"7.50,Lima\n\n11,Bergen\n":            "row 1 is a line without a value, and others follow",
		"7.50,Lima\r\n\r\n11,Bergen\n":        "row 1 is a line",
		"price,city\n\n7.50,Lima\n":           "row 0 is a line",
		"7.50;Lima;\n;;\n11;Bergen;\n":        "row 1 is a line",
		"7.50,Lima\n7.50;Lima\n":              "row 1 has 1 fields",
		"price,city,sold\n":                   "no rows",
		"\n\n":                                "no rows",
		"city,price\n7.50,Lima\n":             `the columns are ["city" "price"], and should be ["price" "city" "sold"]`,
		"price,city,sold,more\n7.50,Lima,1\n": "row 0 has 4 fields",
		"7,50;Lima\n":                         "begin with the line of names",
		"7,50;Lima;12\n":                      "must have a decimal point",
		"price;city\n7,50;Lima\n":             "must have a decimal point",
	} {
		if status, got := post(body); status != http.StatusBadRequest || !strings.Contains(got, strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%q: status %d, %s, want %s", body, status, got, want)
		}
	}
	for body, want := range map[string]string{
		"7.50,Lima\n11,lima\n70,BERGEN\n":      `"unseen":[[],["city"],["price","city"]]`,
		"7.50,Lima\n":                          `"predictions"`,
		"price,city,sold\n7.50,\"Lima \",-1\n": `"predictions"`,
	} {
		status, got := post(body)
		if status != http.StatusOK || !strings.Contains(got, want) || strings.Contains(got, "unseen") != strings.Contains(want, "unseen") {
			t.Errorf("%q: status %d, %s, want %s", body, status, got, want)
		}
	}
}

// Semicolons and tabs are found for records of one column, too, with the target or without.
func TestRecordsOfOneColumn(t *testing.T) {
	for _, c := range []struct {
		header, body, want string
		comma              rune
	}{
		{"price,sold", "7.5\n", "", ','},
		{"price,sold", "7.5,1\n", "", ','},
		{"price,sold", "7.5;1\n", "", ';'},
		{"price,sold", "7.5\t1\n", "", '\t'},
		{"price,sold", "price;sold\n7.5;1\n", "", ';'},
		{"city,sold", "city;sold\nLima;1\n", "", ';'},
		{"price,sold", "7,5;1\n", "2 fields", 0},
		{"price,city,sold", "7,50;Lima;12\n", "", ';'},
		{"price,city,sold", "7,5;a\tb\n", "2 fields", 0},
		{"price,city,sold", "7\n", "", ','},
	} {
		comma, err := separator([]byte(c.body), strings.Split(c.header, ","))
		if comma != c.comma || (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q of %s: %q, %v", c.body, c.header, comma, err)
		}
	}
}

// A table without a line of names has columns 0, 1, …, and a record may have these values. An index of pandas has a name of its own.
func TestIsHeader(t *testing.T) {
	for _, c := range []struct {
		record, header string
		want           bool
	}{
		{"0,1,2", "0,1,2", false},
		{"a,b", "a,b", true},
		{" a,b", "a,b", true},
		{"a", "a,b", true},
		{",b", "Unnamed: 0,b", true},
		{",b", "a,b", false},
		{"a,b,c,", "a,b,c", false},
		{"b,a", "a,b", false},
	} {
		if got := isHeader(strings.Split(c.record, ","), strings.Split(c.header, ",")); got != c.want {
			t.Errorf("%q of %q: %t", c.record, c.header, got)
		}
	}
}

// A model of classes, with an encoder and without, has their probabilities, with the bits of ProbabilityVec, and the likeliest of each row.
func TestClasses(t *testing.T) {
	m, path := sales(t, true)
	plain := filepath.Join(t.TempDir(), "plain")
	f, err := os.Create(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := m.Logistic.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	for path, names := range map[string][]string{path: {"dear", "good"}, plain: {"0", "1"}} {
		s := newServer(standard, log.New(io.Discard, "", 0))
		if err := s.load(func() (*table.Model, error) { return open(path) }); err != nil {
			t.Fatal(err)
		}
		h := s.handler()
		var of description
		if err := json.Unmarshal(call(h, http.MethodGet, "/model", "", nil).Body.Bytes(), &of); err != nil || !slices.Equal(of.Classes, names) || of.Targets != 2 || of.Noise != nil {
			t.Errorf("/model: %v, %+v", err, of)
		}
		for _, record := range [][]string{{"7.50", "Lima"}, {"11", "Bergen"}} {
			row, err := m.Encoder.EncodeVec(nil, record)
			if err != nil {
				t.Fatal(err)
			}
			bodies := map[string][]byte{jsonType: encodeRows([][]float64{row})}
			if names[0] == "dear" {
				bodies[csvType] = []byte(strings.Join(record, ",") + "\n")
			}
			p := m.Logistic.ProbabilityVec(nil, row)
			likeliest := names[0]
			if p[1] > p[0] {
				likeliest = names[1]
			}
			for media, body := range bodies {
				w := call(h, http.MethodPost, "/predict", media, body)
				var got answer
				if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Probabilities) != 1 || !sameBits(got.Probabilities[0], p) || !slices.Equal(got.Classes, []string{likeliest}) || got.Predictions != nil {
					t.Errorf("%s of %q: status %d, %v: %s, want %v", media, record, w.Code, err, w.Body, p)
				}
			}
		}
		if w := call(h, http.MethodPost, predictPath, jsonType, encodeRows([][]float64{make([]float64, of.Inputs)})); w.Code != 400 || !strings.Contains(errorOf(t, w), "no deviations") {
			t.Errorf("deviations: status %d: %s", w.Code, w.Body)
		}
		server := httptest.NewServer(h)
		if err := (&load{url: server.URL, requests: 1, atOnce: 1, rows: 1}).report(io.Discard); err == nil || !strings.Contains(err.Error(), "a model of classes") {
			t.Errorf("-load: %v", err)
		}
		server.Close()
	}
}

// The classes of an encoder without a target, or with one of numbers, have no names. They are numbers then, too.
func TestClassesWithoutNames(t *testing.T) {
	m, _ := sales(t, true)
	records := [][]string{{"5", "Bergen", "1"}, {"6", "Lima", "2"}}
	for header, target := range map[string]string{"price,city": "", "price,city,sold": "sold"} {
		names := strings.Split(header, ",")
		e, err := table.Fit(names, [][]string{records[0][:len(names)], records[1][:len(names)]}, &table.Options{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		s := newServer(standard, log.New(io.Discard, "", 0))
		if err := s.load(func() (*table.Model, error) { return &table.Model{Encoder: e, Logistic: m.Logistic}, nil }); err != nil {
			t.Fatal(err)
		}
		if w := call(s.handler(), http.MethodPost, "/predict", csvType, []byte("7.50,Lima\n")); w.Code != 200 || !strings.Contains(w.Body.String(), `"classes":["`) {
			t.Errorf("%s: status %d, %s", header, w.Code, w.Body)
		}
	}
}

// A damaged file says what it is for each kind.
func TestOpenRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(path, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(path); err == nil || strings.Count(err.Error(), path) != 3 {
		t.Errorf("no model: %v", err)
	}
}
