// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
)

var small = scope{rows: []int{100, 400}, exact: [2]int{400, 400}, features: []int{64, 2048}, test: 200, rounds: 1, missing: errors.New("not asked for")}

// More rows have a smaller error; so have more features, whose limit is the exact fit. scikit-learn's exact fit is ours.
func TestFits(t *testing.T) {
	size := small
	if python, err := peer.Find(""); err == nil {
		size.python, size.missing = python, nil
	}
	var out strings.Builder
	results, err := run(&out, func(string) {}, size)
	if err != nil {
		t.Fatal(err)
	}
	at := func(method string, rows int) result {
		i := slices.IndexFunc(results, func(r result) bool { return r.method == method && r.rows == rows })
		if i < 0 {
			t.Fatalf("no fit of %d rows by %s", rows, method)
		}
		if r := results[i]; !(r.seconds > 0 && r.megabytes >= 0 && r.error > 0) {
			t.Errorf("%+v", r)
		}
		return results[i]
	}
	for _, method := range []string{"exact, gonum", "64 features", "2048 features"} {
		if few, many := at(method, 100), at(method, 400); !(many.error < few.error) {
			t.Errorf("%s: an error of %v with 400 rows, %v with 100", method, many.error, few.error)
		}
	}
	exact, rough, fine := at("exact, gonum", 400).error, at("64 features", 400).error, at("2048 features", 400).error
	// Three standard deviations: the error of 2048 features varies by 4.5 % from map to map with 400 rows (twelve
	// maps).
	if !(rough > 1.2*exact && math.Abs(fine-exact) < 3*0.045*exact) {
		t.Errorf("the exact error is %v; 64 features have %v, 2048 have %v", exact, rough, fine)
	}
	if size.python != nil {
		if got := at("exact, scikit-learn", 400).error; math.Abs(got-exact) > 1e-8 {
			t.Errorf("scikit-learn's error is %v, ours %v", got, exact)
		}
	}
	table := records(results)
	if got, want := strings.Join(table[0], ","), "method,rows,seconds,megabytes,error"; got != want || len(table) != 1+len(results) {
		t.Errorf("%d records, header %q, want %q", len(table), got, want)
	}
	for _, want := range []string{title, "| rows | exact, gonum |", "Cal_housing is left out", "λ = 0."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q", want)
		}
	}
}

// A method without a fit has a dash, and medians are of each field.
func TestTables(t *testing.T) {
	p := &problem{name: "some", rows: []int{100, 200}}
	var out strings.Builder
	p.print(&out, []result{{"a", 100, fitted{1, 2, 3}}, {"b", 100, fitted{4, 5, 6}}, {"b", 200, fitted{7, 8, 9}}})
	if want := "Seconds:\n\n| rows | a | b |\n|---|---|---|\n| 100 | 1.00 | 4.00 |\n| 200 | – | 7.00 |\n"; !strings.Contains(out.String(), want) {
		t.Errorf("the tables are\n%s", out.String())
	}
	if got := medians([]fitted{{1, 9, 5}, {2, 7, 4}, {3, 8, 6}}); got != (fitted{2, 8, 5}) {
		t.Errorf("medians %+v", got)
	}
}

func TestLoadRefuses(t *testing.T) {
	size := small
	size.data = t.TempDir()
	if _, err := load(size); err == nil || !strings.Contains(err.Error(), "-data") {
		t.Errorf("a folder without houses: %v", err)
	}
}
