// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/diff/fd"
)

func silent(string) {}

// The exact ways end in the same classifier up to rounding, because Eval's values and those of a matrix are equal, and
// the random ones in nearly the same.
func TestWaysAgree(t *testing.T) {
	digits, err := pendigits(200)
	if err != nil {
		t.Fatal(err)
	}
	if err := digits.polynomial(3); err != nil {
		t.Fatal(err)
	}
	gaussian := face(300)
	for _, p := range []*problem{digits, gaussian} {
		results, err := learn(silent, p, scope{rounds: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[*problem]int{digits: 6, gaussian: 4}[p]; len(results) != want {
			t.Fatalf("%s: %d ways, want %d", p.name, len(results), want)
		}
		for _, r := range results {
			most, least := 1e-12, 1.0
			if r.way.number > 4 {
				most, least = 0.6, 0.95
			}
			if !(r.far <= most && r.same >= least) {
				t.Errorf("%s, way %d: the same class for %v of the points, farthest %v", p.name, r.way.number, r.same, r.far)
			}
			if !(r.train > 0.85 && r.test > 0.85) {
				t.Errorf("%s, way %d: accuracies %v and %v", p.name, r.way.number, r.train, r.test)
			}
		}
	}
}

// The counted memory is what the heap grows by, except for parts that are small compared with a
// cache.
func TestMemory(t *testing.T) {
	p := scattered(400, 8)
	p.columns = 300
	if err := p.polynomial(3); err != nil {
		t.Fatal(err)
	}
	for _, w := range ways {
		j := &job{problem: p, way: w, order: p.order(16)}
		if err := j.measure(time.Microsecond); err != nil {
			t.Fatal(err)
		}
		if cached := w.number%2 == 0; cached && !(math.Abs(float64(j.heaped)/float64(j.counted)-1) < 0.05) {
			t.Errorf("way %d: %d bytes are counted, the heap grew by %d", w.number, j.counted, j.heaped)
		} else if !cached && j.counted > 100_000 {
			t.Errorf("way %d: %d bytes without a cache", w.number, j.counted)
		}
		if !(median(j.setups) > 0 && median(j.steps) > 0) {
			t.Errorf("way %d: took %v, %v", w.number, j.setups, j.steps)
		}
	}
}

func TestSlope(t *testing.T) {
	for _, y := range []float64{-1, 1} {
		for _, z := range []float64{-30, -1, 0, 0.5, 30} {
			want := fd.Derivative(func(z float64) float64 { return math.Log1p(math.Exp(-y * z)) }, z, &fd.Settings{Formula: fd.Central})
			if got := slope(z, y); !(math.Abs(got-want) < 1e-8) {
				t.Errorf("slope(%v, %v) = %v, want %v", z, y, got, want)
			}
		}
	}
	if got := slope(-1e4, 1); got != -1 {
		t.Errorf("slope(-1e4, 1) = %v, want -1", got)
	}
}

func TestFace(t *testing.T) {
	for _, c := range []struct{ x1, x2, want float64 }{
		{.25, .75, -1}, {.75, .89, -1}, {.75, .91, 1}, {.5, .75, 1}, // eyes, and what is above and between them
		{.5, .12, -1}, {.5, .16, 1}, {.5, .09, 1}, {.1, .39, -1}, {.1, .41, 1}, // mouth: bottom and corner
		{.5, .55, 1}, // where the lecture's condition, as printed, would have it
	} {
		if got := faceLabel([]float64{c.x1, c.x2}); got != c.want {
			t.Errorf("label of (%v, %v): %v, want %v", c.x1, c.x2, got, c.want)
		}
	}
}

func TestPendigitsRefuses(t *testing.T) {
	if _, err := pendigits(7495); err == nil || !strings.Contains(err.Error(), "7494") {
		t.Errorf("for 7495 points: %v", err)
	}
}

// Costs that are the lecture's products of powers have its exponents.
func TestExponents(t *testing.T) {
	all, err := axes(2)
	if err != nil {
		t.Fatal(err)
	}
	power := func(j *job) float64 { return 3 * j.n() * j.n() * j.columns() * math.Sqrt(j.d()) }
	for i, want := range []float64{2, 1, .5} {
		for k, jobs := range all[i].jobs() {
			if len(jobs) != 2 {
				t.Fatalf("%s: %d jobs of way %d", all[i].name, len(jobs), k+1)
			}
			if jobs[0].way.ofExact() && all[i].name == "d" {
				want = .5 + math.Log2(561./153) // C(34, 2) and C(18, 2) features
			} else if all[i].name == "d" {
				want = .5
			}
			if got := exponent(jobs, all[i].size, power); !(math.Abs(got-want) < 1e-12) {
				t.Errorf("way %d: exponent of %s is %v, want %v", k+1, all[i].name, got, want)
			}
		}
	}
}

// The file for the picture has the training points, and a field for each of four methods.
func TestPicture(t *testing.T) {
	p := face(256)
	rows, err := picture(silent, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "kind,method,x1,x2,value" {
		t.Fatalf("header %q", got)
	}
	fields := map[string][]float64{}
	var methods []string
	points := 0
	for _, row := range rows[1:] {
		var v [3]float64
		for i, s := range row[2:] {
			if v[i], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatalf("%q: %v", row, err)
			}
		}
		switch row[0] {
		case "point":
			if row[1] != "" || len(fields) > 0 || v[2] != p.labels[points] || v[0] != p.train.At(points, 0) || v[1] != p.train.At(points, 1) {
				t.Fatalf("point %d: %q", points, row)
			}
			points++
		case "field":
			i := len(fields[row[1]])
			if i == 0 {
				methods = append(methods, row[1])
			}
			if v[0] != float64(i%101)/100 || v[1] != float64(i/101)/100 {
				t.Fatalf("place %d of a field: %q", i, row)
			}
			fields[row[1]] = append(fields[row[1]], v[2])
		default:
			t.Fatalf("row %q", row)
		}
	}
	want := []string{"64 random features", "256 random features", "1024 random features", "exact kernel"}
	if points != 256 || !slices.Equal(methods, want) {
		t.Fatalf("%d points and the methods %q", points, methods)
	}
	before := 0.0
	for _, m := range methods {
		if len(fields[m]) != 101*101 {
			t.Errorf("%s: %d values", m, len(fields[m]))
		}
		same := agreement(fields[m], fields["exact kernel"])
		if !(same > before) {
			t.Errorf("%s: the class of the exact kernel in %v of the square, with fewer features %v", m, same, before)
		}
		before = same
	}
}

// A run writes tables that are in Markdown, and says nothing that is not a number.
func TestRun(t *testing.T) {
	size := scope{face: 120, points: 100, rounds: 1, least: time.Microsecond, maps: 2, columns: []int{64, 128}, scales: 2, csv: t.TempDir() + "/picture.csv"}
	var out strings.Builder
	if err := run(&out, silent, size); err != nil {
		t.Fatal(err)
	}
	columns, tables := 0, 0
	for _, line := range strings.Split(out.String(), "\n") {
		n := strings.Count(line, "|")
		switch {
		case n == 0:
			columns = 0
		case columns == 0:
			columns = n
			tables++
		case n != columns:
			t.Errorf("%d cells in a table with %d columns: %s", n-1, columns-1, line)
		}
	}
	if tables != 5 || strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") || strings.Contains(out.String(), "%!") {
		t.Errorf("%d tables:\n%s", tables, &out)
	}
	for i, w := range ways {
		if want := fmt.Sprintf("\n| %d. %s |", i+1, w.name); strings.Count(out.String(), want) != map[bool]int{true: 2, false: 4}[w.ofExact()] {
			t.Errorf("lines of way %d:\n%s", i+1, &out)
		}
	}
}
