// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// small is a scope for tests.
var small = scope{columns: []int{32, 128}, splits: 2, train: 250, test: 120, pairs: 100}

func quiet(string) {}

// Without a folder the program uses the embedded sets. On all of them landmarks have a smaller error of the kernel than
// the plan's map, more columns have a smaller error than few, and classes are predicted.
func TestRun(t *testing.T) {
	var out strings.Builder
	results, err := run(&out, quiet, small)
	if err != nil {
		t.Fatal(err)
	}
	if want := 4 * 2 * len(methods); len(results) != want {
		t.Fatalf("%d results, want %d", len(results), want)
	}
	few := len(methods)
	for i, r := range results {
		if !(r.kernel > 0 && r.kernel < 1 && r.error > 0 && r.error < 0.75 && r.choose > 0 && r.fit > 0 && r.predict > 0) || !math.IsNaN(r.nll) {
			t.Errorf("%+v", r)
		}
		if p := results[i-i%few]; r.method != planned && !(r.kernel < p.kernel) {
			t.Errorf("%s, %d columns: the error of the kernel is %v by %s, %v by the plan", r.set, r.columns, r.kernel, r.method, p.kernel)
		}
		if i%(2*few) >= few {
			if before := results[i-few]; !(r.kernel < before.kernel) || before.set != r.set || before.method != r.method {
				t.Errorf("more columns have no smaller error: %+v and %+v", before, r)
			}
		}
	}
	for _, want := range []string{title, "## letter", "250 training rows, 120 test rows; coordinates: 16", "length scale 2.67",
		"| 128 | pivoted |", "| columns | map | kernel error |", "Left out: cal_housing, cpu_act, adult"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q", want)
		}
	}
	_, last, _ := strings.Cut(out.String(), "## k-means relative to the plan's map\n")
	if got, want := strings.Count(last, "\n| "), 1+4*2; got != want {
		t.Errorf("the last table has %d lines, want %d:\n%s", got, want, last)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.HasPrefix(line, "| 32 |") && (strings.Count(line, "|") != 9 || !strings.Contains(line, " % |")) {
			t.Errorf("line %q", line)
		}
	}
	table := records(results)
	if got, want := strings.Join(table[0][:5], ","), "set,columns,map,relative kernel error,test error"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if got := strings.Join(table[1][:3], "; "); len(table) != len(results)+1 || got != "letter; 32; plan" || table[1][5] != "" {
		t.Errorf("%d records, the first is %q", len(table), table[1])
	}
}

// houses writes a set of regression to a folder: districts whose values are a smooth function of the income, with noise.
func houses(t *testing.T, rows int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	s := featuremap.NewSampler(1)
	for range rows {
		for range 7 {
			fmt.Fprintf(z, "%v,", s.Float64())
		}
		income := 10 * s.Float64()
		fmt.Fprintf(z, "%v,%v\n", income, 1e5*(math.Log1p(income)+0.1*s.Normal()))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "cal_housing.csv.gz"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

// Regression has a root mean square error near the noise, and the likelihood of normal targets with that error.
func TestRegression(t *testing.T) {
	size := small
	size.data, size.train, size.columns = houses(t, 800), 600, []int{128}
	at := slices.IndexFunc(sources, func(s source) bool { return s.name == "cal_housing" })
	p, err := sources[at].problem(size)
	if err != nil {
		t.Fatal(err)
	}
	results, err := p.measure(quiet, size)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !(r.error > 0.09 && r.error < 0.3) {
			t.Errorf("%s: a root mean square error of %v, and the noise is 0.1", r.method, r.error)
		}
		// The value for normal errors with one known variance; the model's own variance is not
		// exact.
		if want := math.Log(r.error) + 0.5*math.Log(2*math.Pi*math.E); !(math.Abs(r.nll-want) < 0.15) {
			t.Errorf("%s: a negative log likelihood of %v, and %v for an error of %v", r.method, r.nll, want, r.error)
		}
	}
	var out strings.Builder
	p.print(&out, results)
	printRatios(&out, results)
	plan, centers := results[0], results[2] // of the plan, and k-means
	if want := fmt.Sprintf("| cal_housing | 128 | %.3g", centers.kernel/plan.kernel); !strings.Contains(out.String(), want) {
		t.Errorf("the output has no %q:\n%s", want, &out)
	}
	if want := fmt.Sprintf("| %.3f | %.4f |", centers.error/plan.error, centers.nll-plan.nll); !strings.Contains(out.String(), want) {
		t.Errorf("the output has no %q:\n%s", want, &out)
	}
}

// A folder without the files is refused; splits of one seed are equal, and others are not.
func TestProblems(t *testing.T) {
	size := small
	size.data = t.TempDir()
	for _, s := range sources {
		if !s.folder {
			continue
		}
		if _, err := s.problem(size); err == nil {
			t.Errorf("%s was read from an empty folder", s.name)
		}
	}
	size.data = houses(t, 800)
	var first [2][2]string
	for i := range first {
		p, err := source{read: sets.CalHousing}.problem(size)
		if err != nil {
			t.Fatal(err)
		}
		for j, s := range p.splits {
			first[i][j] = fmt.Sprint(s.train.X.RawRowView(0), s.test.X.RawRowView(0), s.kernel)
			if s.train.Len() != small.train || s.test.Len() != small.test {
				t.Errorf("split %d has %d and %d rows", j, s.train.Len(), s.test.Len())
			}
		}
	}
	if first[0] != first[1] || first[0][0] == first[0][1] {
		t.Error("splits of one seed differ, or those of two do not")
	}
}
