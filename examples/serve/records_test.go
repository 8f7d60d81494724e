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
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/columns"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// sales returns a model with an encoder of a price and a city, and saves it to a file: of what is sold, or of the class of that.
func sales(t *testing.T, classes bool) (*columns.Model, string) {
	t.Helper()
	var records [][]string
	for i := range 60 {
		records = append(records, []string{fmt.Sprint(5 + i%7), []string{"Bergen", "Lima"}[i%2], fmt.Sprint(60 + 30*(i%2) - 4*(i%7))})
	}
	e, err := columns.Fit([]string{"price", "city", "sold"}, records, &columns.Options{Target: "sold"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	_, in := x.Dims()
	phi, err := featuremap.New(e.Kernel(), in, 32, featuremap.NewSampler(1))
	if err != nil {
		t.Fatal(err)
	}
	m := &columns.Model{Encoder: e}
	if classes {
		class := make([]int, len(records))
		for i := range class {
			class[i] = i % 2
		}
		m.Logistic, err = logistic.Fit(phi, x, class, nil)
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
// numbers besides. Records that it cannot read are refused with their row.
func TestRecords(t *testing.T) {
	want, path := sales(t, false)
	l := standard
	l.rows = 3
	s := newServer(l, log.New(io.Discard, "", 0))
	if err := s.load(func() (*columns.Model, error) { return open(path) }); err != nil {
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
		if mean, deviation := predictOne(want.Ridge, row); !sameBits(got.Predictions[i], mean) || !sameBits(got.Deviations[i], deviation) {
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

// A model of classes is not served, and a damaged file says what it is for both kinds.
func TestOpenRefuses(t *testing.T) {
	_, path := sales(t, true)
	if _, err := open(path); err == nil || !strings.Contains(err.Error(), "a model of classes") {
		t.Errorf("a model of classes: %v", err)
	}
	if err := os.WriteFile(path, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("no model: %v", err)
	}
}
