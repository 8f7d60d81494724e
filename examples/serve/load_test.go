// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// 2000 requests, a tenth of them malformed, 32 at a time: none is lost or wrong, and the server counts as many.
func TestLoad(t *testing.T) {
	r := startReady(t, func(l *limits) { l.rows, l.bytes = 100, 1<<14 })
	for _, c := range []struct {
		name     string
		model    *ridge.Model
		requests int
	}{
		{"answers from the model", small(), 600},
		{"answers from the server", nil, 300},
	} {
		l := &load{url: r.url + "/", requests: c.requests, atOnce: 32, rows: 5, malformed: 0.1, model: c.model}
		if err := l.prepare(); err != nil {
			t.Fatal(err)
		}
		before, rows := answered(), counts.rows.Value()
		got := l.run()
		bad := c.requests / 10
		fine := c.requests - bad
		if want := [outcomes]int{good: fine, refused: bad}; got.counts != want || len(got.latencies) != fine {
			t.Errorf("%s: %v, want %v: %q", c.name, got.counts, want, got.reasons)
		}
		want := map[int]int{200: fine}
		for i := range bad {
			want[faults[i%len(faults)].status]++
		}
		after := answered()
		for status := range after {
			if after[status] -= before[status]; after[status] == 0 {
				delete(after, status)
			}
		}
		if !maps.Equal(after, want) || counts.rows.Value()-rows != int64(5*fine) {
			t.Errorf("%s: the server counts %v and %d rows, want %v and %d", c.name, after, counts.rows.Value()-rows, want, 5*fine)
		}
	}
	if n := len(r.slots); n != 0 {
		t.Errorf("%d slots taken after the last answer", n)
	}
	r.stop()
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}

// answered returns how many requests of /predict the servers have answered, by status.
func answered() map[int]int {
	var all map[string]int
	if err := json.Unmarshal([]byte(counts.requests.String()), &all); err != nil {
		panic(err)
	}
	n := map[int]int{}
	for key, c := range all {
		var status int
		if _, err := fmt.Sscanf(key, "/predict %d", &status); err == nil {
			n[status] = c
		}
	}
	return n
}

// The load test sees what a server does wrong.
func TestLoadSees(t *testing.T) {
	inner := ready(t, small(), nil).handler()
	for _, c := range []struct {
		name string
		do   http.HandlerFunc // for every tenth request
		want outcome
	}{
		{"no answer", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, lost},
		{"half an answer", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(`{"predictions":`))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, lost},
		{"a prediction that is one bit off", changed(inner, func(a *answer) { a.Predictions[4][0] = math.Nextafter(a.Predictions[4][0], 0) }), wrong},
		{"a deviation that is one bit off", changed(inner, func(a *answer) { a.Deviations[4][1] = math.Nextafter(a.Deviations[4][1], 0) }), wrong},
		{"a prediction too few", changed(inner, func(a *answer) { a.Predictions = a.Predictions[:4] }), wrong},
		{"a deviation too few", changed(inner, func(a *answer) { a.Deviations = a.Deviations[:4] }), wrong},
		{"a target too few", changed(inner, func(a *answer) { a.Predictions[0] = a.Predictions[0][:1] }), wrong},
		{"a wrong status", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }, wrong},
		{"a refusal without cause", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(400) }, wrong},
		{"an answer that is no JSON", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("OK")) }, wrong},
		{"turned away", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, turnedAway},
	} {
		var n atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/predict" && n.Add(1)%10 == 0 {
				c.do(w, r)
				return
			}
			inner.ServeHTTP(w, r)
		}))
		l := &load{url: server.URL, requests: 100, atOnce: 4, rows: 5, model: small()}
		var out bytes.Buffer
		err := l.report(&out)
		server.Close()
		want := [outcomes]int{good: 90}
		want[c.want] = 10
		if !strings.Contains(out.String(), fmt.Sprintf(loadTable, want[0], want[1], want[2], want[3], want[4], want[5])) {
			t.Errorf("%s:\n%s", c.name, &out)
		}
		if (err != nil) != (c.want == wrong || c.want == lost) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

const loadTable = `
good         %7d
refused      %7d
turned away  %7d
no server    %7d
wrong        %7d
lost         %7d
`

// changed returns a handler that answers as h does, except for a change.
func changed(h http.Handler, change func(a *answer)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		var a answer
		json.Unmarshal(got.Body.Bytes(), &a)
		change(&a)
		json.NewEncoder(w).Encode(a)
	}
}

// A malformed request that is answered as if it were none is wrong, and so is a refusal without an error.
func TestLoadSeesFaults(t *testing.T) {
	inner := ready(t, small(), nil).handler()
	for name, do := range map[string]http.HandlerFunc{
		"all is well": func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(`{"predictions":[],"deviations":[]}`)) },
		"no error":    func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(400) },
		"another status": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.Write([]byte(`{"error":"no coffee"}`))
		},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/predict" {
				do(w, r)
				return
			}
			inner.ServeHTTP(w, r)
		}))
		l := &load{url: server.URL, requests: len(faults), atOnce: 2, rows: 5, malformed: 1, model: small()}
		if err := l.prepare(); err != nil {
			t.Fatal(err)
		}
		if got := l.run(); got.counts != [outcomes]int{wrong: len(faults)} {
			t.Errorf("%s: %v", name, got.counts)
		}
		server.Close()
	}
}

// The load test refuses to begin with a server that has another model, takes fewer rows, or is not one.
func TestLoadRefuses(t *testing.T) {
	server := httptest.NewServer(ready(t, small(), nil).handler())
	defer server.Close()
	none := httptest.NewServer(http.NotFoundHandler())
	defer none.Close()
	for _, l := range []*load{
		{url: server.URL, requests: 1, atOnce: 1, rows: standard.rows + 1},
		{url: none.URL, requests: 1, atOnce: 1, rows: 1},
		{url: "http://localhost:0", requests: 1, atOnce: 1, rows: 1},
	} {
		if err := l.prepare(); err == nil {
			t.Errorf("no error for %s, %d rows", l.url, l.rows)
		}
	}
	// Another model of the same size: every answer is wrong.
	l := &load{url: server.URL, requests: 20, atOnce: 2, rows: 3, model: model(2, 64)}
	if err := l.prepare(); err != nil {
		t.Fatal(err)
	}
	if got := l.run(); got.counts != [outcomes]int{wrong: 20} {
		t.Errorf("another model: %v", got.counts)
	}
}

// The share of malformed requests is the one that was asked for, evenly spread.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		share float64
		n     int
		want  int
	}{{0.1, 2000, 200}, {0.29, 100, 29}, {0, 50, 0}, {1, 50, 50}, {0.5, 7, 4}} {
		l := &load{malformed: c.share}
		if got := l.spoiled(c.n); got != c.want {
			t.Errorf("%d of %d, want %d", got, c.n, c.want)
		}
		for i := range c.n {
			if d := l.spoiled(i+1) - l.spoiled(i); d < 0 || d > 1 {
				t.Errorf("share %v: request %d is %d of them", c.share, i, d)
			}
		}
	}
}

// A quantile is the smallest latency that the share does not exceed.
func TestQuantile(t *testing.T) {
	r := &result{latencies: []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	var got []time.Duration
	for _, q := range []float64{0, 0.5, 0.51, 0.9, 0.99, 1} {
		got = append(got, r.quantile(q))
	}
	if want := []time.Duration{1, 5, 6, 9, 10, 10}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
