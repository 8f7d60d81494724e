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
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// writeData writes a file of 150 images, and returns its folder.
func writeData(t *testing.T) string {
	t.Helper()
	s := featuremap.NewSampler(1)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range 150 {
		image := make([]byte, 1+3*32*32)
		for i := range image[1:] {
			image[1+i] = byte(s.IntN(256))
		}
		if _, err := z.Write(image); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "cifar10_train4000_a.bin.gz"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// With -quick, measured errors are between half and twice the predicted ones. No map chosen by hand has a
// smaller predicted error than the plan, unless the plan says why it did not choose it, or within 5 %, for a
// cheaper transform.
func TestQuick(t *testing.T) {
	size := scope{data: writeData(t), columns: 256, maps: 6}
	size.quick()
	size.points = 50
	var out strings.Builder
	tables, err := run(&out, func(string) {}, size)
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 4*6 {
		t.Fatalf("%d tables, want six for each of four data sets", len(tables))
	}
	for _, table := range tables {
		where := table.data + ", " + table.name()
		for _, l := range table.lines {
			if l.columns < 1 || l.columns > size.columns || !(l.micros > 0) {
				t.Errorf("%s: %+v", where, l)
			}
			if r := l.ratio(); l.exact() && !(l.measured < 1e-12) || !l.exact() && !(r > 0.5 && r < 2) {
				t.Errorf("%s, %s: measured error %v, predicted %v: want a ratio between 0.5 and 2", where, l.name, l.measured, l.predicted)
			}
		}
		plan := table.lines[0]
		if !strings.HasPrefix(plan.name, "plan: ") || strings.HasSuffix(plan.name, " ") || strings.ContainsAny(plan.name, "\n\t") {
			t.Errorf("%s: the plan is %q", where, plan.name)
		}
		if want := table.plan.RMSE(); !(math.Abs(plan.predicted-want) <= 0.01*want) {
			t.Errorf("%s: error %v from variances, but the plan's RMSE is %v", where, plan.predicted, want)
		}
		if g := table.gain(); !(g <= cheaper) && !table.passedOver() {
			t.Errorf("%s: the plan's error %v is %v of that of %s", where, plan.predicted, g, table.best().name)
		}
		if table.wins() && !(table.same > 0 && table.same <= plan.columns) {
			t.Errorf("%s: %d columns for a larger error than that of the plan with %d", where, table.same, plan.columns)
		}
	}
	checkOutput(t, out.String(), tables)
}

// checkOutput checks that each table is in the output, line by line, and sentences after them.
func checkOutput(t *testing.T, out string, tables []table) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	next := func() string {
		if len(lines) == 0 {
			t.Fatalf("the output is too short:\n%s", out)
		}
		line := lines[0]
		lines = lines[1:]
		return line
	}
	for _, table := range tables {
		for !strings.HasPrefix(next(), table.name()+" (") {
		}
		if head := strings.Fields(next()); strings.Join(head, " ") != "columns predicted measured ratio µs map" {
			t.Errorf("%s: head %q", table.name(), head)
		}
		for _, l := range table.lines {
			got := next()
			fields := strings.Fields(got)
			if fields[0] != fmt.Sprint(l.columns) || fields[1] != digits(l.predicted) || fields[2] != digits(l.measured) || !strings.HasSuffix(got, "  "+l.name) {
				t.Errorf("%s on %s: line %q of %+v", table.name(), table.data, got, l)
			}
		}
		if table.wins() {
			if got, want := next(), fmt.Sprintf("takes %d columns.", table.same); !strings.HasSuffix(got, want) {
				t.Errorf("%s on %s: %q, want a line that ends in %q", table.name(), table.data, got, want)
			}
		}
	}
	if got, want := strings.Join(strings.Fields(strings.Join(lines, " ")), " "), strings.Join(words(tables), " "); got != want {
		t.Errorf("after the tables:\n%s\nwant\n%s", got, want)
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("a line of %d letters: %s", n, line)
		}
	}
	for _, s := range words(tables) {
		if !strings.HasSuffix(s, ".") || strings.Contains(s, "Inf") || strings.Contains(s, "NaN") {
			t.Errorf("sentence %q", s)
		}
	}
}

func TestExactDegree(t *testing.T) {
	for _, c := range []struct{ d, below, columns, n, taken int }{
		{64, math.MaxInt, 512, 1, 65},
		{16, 3, 512, 2, 153},
		{16, math.MaxInt, 1024, 3, 969},
		{16, 3, 1024, 2, 153},
		{64, 3, 64, 0, 0},
	} {
		if n, taken := exactDegree(c.d, c.below, c.columns); n != c.n || taken != c.taken {
			t.Errorf("exactDegree(%d, %d, %d) = %d, %d, want %d, %d", c.d, c.below, c.columns, n, taken, c.n, c.taken)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	if _, err := load(scope{data: t.TempDir(), points: 100}); err == nil {
		t.Error("no error for files that are not there")
	}
}

func TestPatches(t *testing.T) {
	var image sets.Image
	image[1][13][14] = 75 // green, in the first row and the second column of the patch
	x := patches([]sets.Image{image})
	for j := range 75 {
		want := -1.0
		if j == 25+1 {
			want = 74
		}
		if got := x.At(0, j); got != want {
			t.Errorf("number %d is %v, want %v", j, got, want)
		}
	}
}

// On letter, stratified radii have less variance than random ones, and Sobol frequencies less than both.
func TestDesigns(t *testing.T) {
	var out strings.Builder
	all, err := designs(&out, func(string) {}, scope{maps: 4, points: 300}, []int{1024})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || strings.Count(out.String(), "| letter |") != 2 {
		t.Fatalf("%v:\n%s", all, &out)
	}
	for _, r := range all {
		if !(r.stratified < 0.9 && r.sobol < 0.65) {
			t.Errorf("%+v", r)
		}
	}
}
