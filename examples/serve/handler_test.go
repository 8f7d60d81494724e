// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/json"
	"expvar"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// small returns a model of 3 numbers in, 64 features and 2 targets.
var small = sync.OnceValue(func() *ridge.Model { return model(1, 64) })

// model returns one of a length scale and a number of features.
func model(scale float64, features int) *ridge.Model {
	s := featuremap.NewSampler(seed)
	x, y := mat.NewDense(300, 3, nil), mat.NewDense(300, 2, nil)
	for i := range 300 {
		row := x.RawRowView(i)
		s.FillNormal(row)
		y.Set(i, 0, math.Sin(row[0]+row[1])+0.1*s.Normal())
		y.Set(i, 1, row[2]+s.Normal())
	}
	phi, err := testkit.New(featuremap.Gaussian{LengthScale: scale}, 3, features, s)
	if err != nil {
		panic(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		panic(err)
	}
	return m
}

// ready returns a server that serves a model.
func ready(t testing.TB, m *ridge.Model, change func(*limits)) *server {
	t.Helper()
	l := standard
	if change != nil {
		change(&l)
	}
	s := newServer(l, log.New(io.Discard, "", 0))
	if err := s.load(func() (*table.Model, error) { return &table.Model{Ridge: m}, nil }); err != nil {
		t.Fatal(err)
	}
	return s
}

// call returns the answer of a handler.
func call(h http.Handler, method, path, media string, body []byte) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// post returns the answer of /predict.
func post(h http.Handler, body string) *httptest.ResponseRecorder {
	return call(h, http.MethodPost, "/predict", "application/json", []byte(body))
}

// errorOf returns the error in an answer, which must be JSON.
func errorOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var e struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Error == "" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("status %d, %s, without an error: %s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	return e.Error
}

// Predictions and deviations have the bits of PredictVec, and of VarianceVec and the noise, after their way through JSON.
func TestPredict(t *testing.T) {
	m := small()
	h := ready(t, m, nil).handler()
	s := featuremap.NewSampler(2)
	rows := [][]float64{{0, math.Copysign(0, -1), 5e-324}, {1e100, -1e-100, 1.0 / 3}}
	for range 98 {
		row := make([]float64, 3)
		s.FillNormal(row)
		rows = append(rows, row)
	}
	w := call(h, http.MethodPost, predictPath, "application/json", encodeRows(rows))
	var got answer
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	if len(got.Predictions) != len(rows) || len(got.Deviations) != len(rows) {
		t.Fatalf("%d predictions and %d deviations for %d rows", len(got.Predictions), len(got.Deviations), len(rows))
	}
	for i, row := range rows {
		mean, sd := m.Predict(row)
		for j := range mean {
			if p, d := got.Predictions[i][j], got.Deviations[i][j]; p != mean[j] || d != sd[j] {
				t.Errorf("row %v, target %d: %v ± %v, want %v ± %v", row, j, p, d, mean[j], sd[j])
			}
		}
	}
}

// Intervals have the bits of Interval. A level out of range, or for which rows are too few, is refused.
func TestIntervals(t *testing.T) {
	m := small()
	h := ready(t, m, nil).handler()
	rows := [][]float64{{1, -2, 0.5}, {0, 0, 3}}
	w := call(h, http.MethodPost, "/predict?level=0.9", "application/json", encodeRows(rows))
	var got answer
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || len(got.Intervals) != len(rows) || got.Deviations != nil {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	for i, row := range rows {
		lo, hi := m.Interval(row, 0.9)
		for j := range lo {
			if got := got.Intervals[i][j]; got != (ends{lo[j], hi[j]}) {
				t.Errorf("row %v, target %d: %v, want %v to %v", row, j, got, lo[j], hi[j])
			}
		}
	}
	for query, code := range map[string]int{"level=0": 400, "level=1": 400, "level=NaN": 400, "level=": 400, "level=.9&level=.9": 400, "level=0.9999999": 422} {
		if w := call(h, http.MethodPost, "/predict?"+query, "application/json", encodeRows(rows)); w.Code != code {
			t.Errorf("%s: status %d, want %d: %s", query, w.Code, code, w.Body)
		}
	}
}

// The same rows may be written in several ways.
func TestSpelling(t *testing.T) {
	h := ready(t, small(), nil).handler()
	want := post(h, `{"rows":[[1,-2,0.5],[0,0,3]]}`)
	for _, body := range []string{
		" {\n\t\"rows\" : [ [ 1 , -2 , 0.5 ] , [ 0 , 0 , 3 ] ] }\r\n",
		`{"\u0072ows":[[1.0,-2e0,5E-1],[1e-999,0e7,30e-1]]}`,
	} {
		if got := post(h, body); got.Code != http.StatusOK || got.Body.String() != want.Body.String() {
			t.Errorf("%s: status %d: %s, want %s", body, got.Code, got.Body, want.Body)
		}
	}
	for _, media := range []string{"application/json; charset=utf-8", "Application/JSON;charset=UTF-8"} {
		if got := call(h, http.MethodPost, "/predict", media, []byte(`{"rows":[[1,-2,0.5],[0,0,3]]}`)); got.Body.String() != want.Body.String() {
			t.Errorf("%s: status %d: %s", media, got.Code, got.Body)
		}
	}
}

// Every fault of the load test gets its status, and an error. What is as large as allowed is no fault.
func TestFaults(t *testing.T) {
	s := ready(t, small(), func(l *limits) { l.rows, l.bytes = 7, 300 })
	h := s.handler()
	var of description
	if err := json.Unmarshal(call(h, http.MethodGet, "/model", "", nil).Body.Bytes(), &of); err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		w := call(h, f.method, "/predict", f.media, f.body(of))
		if w.Code != f.status {
			t.Errorf("a request that %s: status %d, want %d: %s", f.name, w.Code, f.status, w.Body)
		}
		errorOf(t, w)
	}
	most := rows("[1,2,3]", 7)
	most += strings.Repeat(" ", 300-len(most))
	if w := post(h, most); w.Code != http.StatusOK {
		t.Errorf("7 rows in 300 bytes: status %d: %s", w.Code, w.Body)
	}
	if len(s.slots) != 0 {
		t.Errorf("%d slots taken after all requests", len(s.slots))
	}
}

// An error names what is wrong and where.
func TestErrors(t *testing.T) {
	// Frequencies of some thousands take a number near the largest beyond it.
	h := ready(t, model(1e-3, 64), nil).handler()
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"rows":[[1,2,3],[1,2]]}`, 400, "row 1 has 2 numbers, and should have 3"},
		{`{"rows":[[]]}`, 400, "row 0 has 0 numbers"},
		{`{"rows":[[ ]]}`, 400, "row 0 has 0 numbers"},
		{`{"rows":[[1,2,3],null]}`, 400, "row 1 should be an array"},
		{`{"rows":[[1,2,3],[1,"a]",3]]}`, 400, "row 1 has"},
		{`{"rows":[[1,2,{"a":[1,2]}]]}`, 400, "row 0 has"},
		{`{"rows":[[1,2,3],[1,true,3]]}`, 400, `row 1 has "true"`},
		{`{"rows":[[1,2,-1e400]]}`, 400, `"-1e400", and should have finite numbers`},
		{`{"rows":null}`, 400, "rows should be an array"},
		{`{"rows":{"0":[1,2,3]}}`, 400, "rows should be an array"},
		{`{"rows":[[1,2,3]],}`, 400, "malformed"},
		{`{"rows":[[1,2,3,]]}`, 400, "malformed"},
		{`{"rows":[[1,2,03]]}`, 400, "malformed"},
		{`{"rows":[[1,2,0x3]]}`, 400, "malformed"},
		{`{"rows":[[1,2,3]]}]`, 400, "malformed"},
		{`null`, 400, "should be an object"},
		{`{"a":1}`, 400, `unknown field "a"`},
		{strings.Repeat("[", 100_000), 400, "malformed"},
		{`{"rows":[[1,2,3],[1.7e308,1.7e308,-1.7e308]]}`, 422, "for row 1"},
	} {
		w := post(h, c.body)
		if got := errorOf(t, w); w.Code != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%.60s: status %d, %q, want %d, %q", c.body, w.Code, got, c.status, c.want)
		}
	}
}

// Other pages, methods and media.
func TestStatuses(t *testing.T) {
	h := ready(t, small(), nil).handler()
	for _, c := range []struct {
		method, path, media string
		status              int
		header, value       string
	}{
		{"GET", "/healthz", "", 200, "", ""},
		{"HEAD", "/healthz", "", 200, "", ""},
		{"GET", "/readyz", "", 200, "", ""},
		{"GET", "/model", "", 200, "", ""},
		{"GET", "/debug/vars", "", 200, "", ""},
		{"GET", "/", "", 404, "", ""},
		{"POST", "/predict/", "application/json", 404, "", ""},
		{"PUT", "/predict", "application/json", 405, "Allow", "POST"},
		{"POST", "/readyz", "", 405, "Allow", "GET"},
		{"POST", "/model", "", 405, "Allow", "GET"},
		{"POST", "/predict", "", 415, "", ""},
		{"POST", "/predict", "application/json; charset=latin1", 415, "", ""},
		{"POST", "/predict", "application/x-www-form-urlencoded", 415, "", ""},
	} {
		w := call(h, c.method, c.path, c.media, []byte(`{"rows":[[1,2,3]]}`))
		if w.Code != c.status || c.header != "" && w.Header().Get(c.header) != c.value {
			t.Errorf("%s %s, %q: status %d, %s %q, want %d, %q: %s", c.method, c.path, c.media, w.Code, c.header, w.Header().Get(c.header), c.status, c.value, w.Body)
		}
		if w.Code >= 400 {
			errorOf(t, w)
		}
	}
	r := httptest.NewRequest("POST", "/predict", strings.NewReader(`{"rows":[[1,2,3]]}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Encoding", "gzip")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 415 {
		t.Errorf("gzip: status %d", w.Code)
	}
}

// /model says what the model is.
func TestModel(t *testing.T) {
	m := small()
	var got description
	if err := json.Unmarshal(call(ready(t, m, nil).handler(), "GET", "/model", "", nil).Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	_, features := m.Map().Dims()
	if got.Map != fmt.Sprint(m.Map()) || got.Inputs != 3 || got.Features != features || got.Targets != 2 || !sameBits(got.Lambda, m.Lambda()) ||
		!sameBits(got.Noise, m.NoiseVariance()) || got.MostRows != standard.rows || got.MostBytes != standard.bytes {
		t.Errorf("%+v", got)
	}
}

// Without a model the server is alive, and everything else has to wait.
func TestNotReady(t *testing.T) {
	s := newServer(standard, log.New(io.Discard, "", 0))
	h := s.handler()
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/model": 503} {
		if w := call(h, "GET", path, "", nil); w.Code != want {
			t.Errorf("%s: status %d, want %d", path, w.Code, want)
		}
	}
	w := post(h, `{"rows":[[1,2,3]]}`)
	if w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("status %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	errorOf(t, w)
}

// A panic is an error for one client, is counted and logged, and the server goes on.
func TestPanic(t *testing.T) {
	var logged bytes.Buffer
	s := ready(t, small(), nil)
	s.log = log.New(&logged, "", 0)
	mux := make(pages)
	s.handle(mux, "/predict", "POST", func(http.ResponseWriter, *http.Request) (any, error) { panic("a secret") })
	before, failed := counts.panics.Value(), count("/predict 500")
	w := post(mux, "")
	if got := errorOf(t, w); w.Code != 500 || strings.Contains(got, "secret") {
		t.Errorf("status %d, %s", w.Code, got)
	}
	if counts.panics.Value() != before+1 || count("/predict 500") != failed+1 || counts.inFlight.Value() != 0 {
		t.Errorf("%d panics, %d answers of status 500, %d in flight", counts.panics.Value()-before, count("/predict 500")-failed, counts.inFlight.Value())
	}
	if !strings.Contains(logged.String(), "a secret") || !strings.Contains(logged.String(), "handler_test.go") {
		t.Errorf("logged: %s", &logged)
	}
}

// count returns how many requests of a page and status were answered.
func count(key string) int64 {
	if v, ok := counts.requests.Get(key).(*expvar.Int); ok {
		return v.Value()
	}
	return 0
}

// /debug/vars is JSON and counts requests, rows and times.
func TestVars(t *testing.T) {
	h := ready(t, small(), nil).handler()
	type vars struct {
		Serve struct {
			Requests map[string]int
			Rows     int
			InFlight *int
			Panics   *int
			Latency  struct {
				AtMostMilliseconds map[string]int
				SumSeconds         float64
			}
		}
	}
	get := func() (v vars) {
		t.Helper()
		if err := json.Unmarshal(call(h, "GET", "/debug/vars", "", nil).Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := get().Serve
	post(h, `{"rows":[[1,2,3],[4,5,6]]}`)
	post(h, `{"rows":[]}`)
	call(h, "GET", "/readyz", "", nil)
	after := get().Serve
	for key, want := range map[string]int{"/predict 200": 1, "/predict 400": 1, "/readyz 200": 1} {
		if got := after.Requests[key] - before.Requests[key]; got != want {
			t.Errorf("%s counted %d times, want %d", key, got, want)
		}
	}
	if got := after.Rows - before.Rows; got != 2 {
		t.Errorf("%d rows counted, want 2", got)
	}
	if got := after.Latency.AtMostMilliseconds["any"] - before.Latency.AtMostMilliseconds["any"]; got != 2 {
		t.Errorf("%d latencies, want 2", got)
	}
	if after.InFlight == nil || *after.InFlight != 0 || after.Panics == nil {
		t.Errorf("%+v", after)
	}
}

// A duration on a bound belongs to it, and counts are cumulative.
func TestHistogram(t *testing.T) {
	var h histogram
	for _, d := range []time.Duration{0, time.Millisecond, time.Millisecond + 1, 20 * time.Millisecond, time.Hour} {
		h.add(d)
	}
	const want = `{"atMostMilliseconds": {"1": 2, "2": 3, "5": 3, "10": 3, "20": 4, "50": 4, "100": 4, "200": 4, "500": 4, "1000": 4, "2000": 4, "5000": 4, "any": 5}, "sumSeconds": 3600.022000}`
	if got := h.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What parse takes, encoding/json takes with the same numbers; and the other way round, except for what parse refuses on purpose.
func FuzzParse(f *testing.F) {
	of := description{Inputs: 3, MostRows: 7, MostBytes: 300}
	for _, fault := range faults {
		f.Add(fault.body(of))
	}
	f.Add([]byte(`{"rows":[[1,-0,5e-324],[1e308,0.1,1e-999]]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		x, err := parse(body, 3, 7)
		var v struct{ Rows [][]*float64 }
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		std := d.Decode(&v)
		if _, end := d.Token(); std == nil && end != io.EOF {
			std = fmt.Errorf("trailing data")
		}
		regular := std == nil && len(v.Rows) > 0 && len(v.Rows) <= 7
		for _, row := range v.Rows {
			regular = regular && len(row) == 3 && row[0] != nil && row[1] != nil && row[2] != nil
		}
		if err != nil {
			if regular && bytes.Count(body, []byte(`"`)) == 2 && bytes.Contains(body, []byte(`"rows"`)) {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		if n, _ := x.Dims(); !regular || n != len(v.Rows) {
			t.Fatalf("%q: %d rows; encoding/json has %v, %v", body, n, v.Rows, std)
		}
		for i, row := range v.Rows {
			if !sameBits(x.RawRowView(i), []float64{*row[0], *row[1], *row[2]}) {
				t.Fatalf("%q: row %d is %v", body, i, x.RawRowView(i))
			}
		}
	})
}
