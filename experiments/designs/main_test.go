// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
)

// small is a scope whose errors are precise enough to be compared.
var small = scope{features: []int{64, 256}, points: 120, maps: 20, rounds: 1, sample: 1e-4, missing: errors.New("not asked for")}

// Measured errors agree with the predicted ones up to their standard errors. More features have a smaller error, and
// designs come in the order that theory predicts.
func TestErrors(t *testing.T) {
	var out strings.Builder
	results, err := run(&out, func(string) {}, small)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * 2 * 5; len(results) != want {
		t.Fatalf("%d results, want %d", len(results), want)
	}
	for _, rs := range byMethod(results) {
		for i := 0; i < len(rs); i += 2 { // sets
			few, many := rs[i], rs[i+1]
			if !(many.measured < few.measured && many.predicted < few.predicted) {
				t.Errorf("more features have no smaller error: %+v and %+v", few, many)
			}
			for _, r := range rs[i : i+2] {
				if z := (r.measured - r.predicted) / r.doubt; !(math.Abs(z) < 4) || !(r.micros > 0) || r.features > r.asked {
					t.Errorf("%v standard errors between measured and predicted: %+v", z, r)
				}
			}
		}
	}
	for i := 0; i < len(results); i += 5 {
		if r := results[i : i+5]; !(r[2].predicted < r[1].predicted && r[1].predicted < r[0].predicted && r[4].predicted <= 1.05*r[2].predicted) {
			t.Errorf("the order of predicted errors of %+v", r)
		}
	}
	for _, want := range []string{title, "digits, smooth: 64 coordinates", "| pairs, structured |", "left out: not asked for", "-data", "NewPlan takes 64 of 64, 256 of 256 features: Fourier, Orthogonal"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q", want)
		}
	}
	table := records(results)
	if got, want := strings.Join(table[0], ","), "set,method,features,predicted RMSE,measured RMSE,standard error,microseconds a row"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if got := strings.Join(table[1][:3], "; "); len(table) != len(results)+1 || got != "digits; single cosines, independent; 64" {
		t.Errorf("%d records, the first is %q", len(table), table[1])
	}
}

// RBFSampler's features are single cosines with independent frequencies, and its errors match
// theirs.
func TestPeer(t *testing.T) {
	python, err := peer.Find("")
	if err != nil {
		t.Skip(err)
	}
	size := small
	size.python, size.maps, size.features = python, 30, size.features[:1]
	all, err := load(size)
	if err != nil {
		t.Fatal(err)
	}
	results, err := all[0].measure(func(string) {}, size)
	if err != nil {
		t.Fatal(err)
	}
	r := results[len(results)-1]
	if z := (r.measured - r.predicted) / r.doubt; r.method != sampled || !(math.Abs(z) < 4) || !(r.micros > 0) {
		t.Errorf("%v standard errors between measured and predicted: %+v", z, r)
	}
}

func TestTimeFor(t *testing.T) {
	rs := []result{{measured: 0.1, micros: 1}, {measured: 0.05, micros: 2}, {measured: 0.025, micros: 4}}
	for target, want := range map[float64]string{0.2: "< 1.00", 0.1: "< 1.00", 0.05: "2.00", 0.025 * math.Sqrt2: "2.83", 0.02: "> 4.00"} {
		if got := timeFor(rs, target); got != want {
			t.Errorf("an error of %v takes %q, want %q", target, got, want)
		}
	}
}

func TestLoad(t *testing.T) {
	if _, err := load(scope{points: 10, data: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "-data") {
		t.Errorf("a folder without images: %v", err)
	}
	all, err := load(small)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if n, _ := s.rows.Dims(); n != 60 {
			t.Errorf("%s: %d rows", s.name, n)
		}
	}
}
