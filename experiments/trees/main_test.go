// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

func quiet(string) {}

// writeSet writes a set of n rows and its mask, with row i a test row of split i mod 10, as gzipped files of a folder of data.
func writeSet(t *testing.T, folder, name string, n int) {
	t.Helper()
	var rows, mask bytes.Buffer
	for i := range n {
		v := float64(i) / float64(n)
		rows.WriteString(number(v) + "," + number(math.Mod(7*v, 1)) + "," + number(math.Sin(6*v)) + "\n")
		bits := slices.Repeat([]string{"0"}, folds)
		bits[i%folds] = "1"
		mask.WriteString(strings.Join(bits, ",") + "\n")
	}
	if err := os.MkdirAll(filepath.Join(folder, "uci"), 0o777); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]*bytes.Buffer{name + ".csv.gz": &rows, name + ".mask.csv.gz": &mask} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(text.Bytes())
		z.Close()
		if err := os.WriteFile(filepath.Join(folder, "uci", file), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A set goes through the whole program: learn's predictions are kept, a peer's are compared, and the kept ones are a
// peer of the next run.
func TestRun(t *testing.T) {
	data, peers, out := t.TempDir(), t.TempDir(), t.TempDir()
	writeSet(t, data, "yacht", 120)
	size := scope{data: data, only: "yacht", splits: "0,3", rows: 60, peers: peers, out: out}
	s := sources[slices.Index(names(), "yacht")]
	all, mask, err := s.load(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range []int{0, 3} {
		task, err := newTask(all, mask, "yacht", split, size.rows)
		if err != nil {
			t.Fatal(err)
		}
		if task.train.Len() != 60 || task.test.Len() != 12 {
			t.Fatalf("%d rows to train on, %d test rows", task.train.Len(), task.test.Len())
		}
		p := &predictions{seconds: 1, rows: slices.Repeat([][]float64{{0}}, 12)}
		if err := task.write(peers, "Zero", p); err != nil {
			t.Fatal(err)
		}
		if split == 0 {
			if err := task.write(peers, "Half", p); err != nil {
				t.Fatal(err)
			}
		}
	}
	var first, second strings.Builder
	if _, err := run(&first, quiet, size); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| yacht | 60 × 2 | 24 | **", "| Zero | 1 | 0.500 |", "Left out: Half of yacht"} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, &first)
		}
	}
	size.baseline, size.resume = out, true
	lines, err := run(&second, quiet, size)
	if err != nil {
		t.Fatal(err)
	}
	if l := lines[0]; !slices.Equal(l.peers(), []string{"Zero", before}) || l.z(before) != 0 || l.ratio(before) != 1 || !(l.z("Zero") > 2) {
		t.Errorf("%v:\n%s", l, &second)
	}
	if got := records(lines); len(got) != 4 || got[2][1] != "Zero" {
		t.Errorf("figures %v", got)
	}
	size.rows = 50
	if _, err := run(&second, quiet, size); err == nil || !strings.Contains(err.Error(), "other rows") {
		t.Errorf("predictions of other rows: %v", err)
	}
}

func TestChoices(t *testing.T) {
	if got, err := numbers("0,9,4"); err != nil || !slices.Equal(got, []int{0, 9, 4}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "10", "-1", "0,0", "x"} {
		if got, err := numbers(text); err == nil {
			t.Errorf("splits %q are %v", text, got)
		}
	}
	if got, err := choose("wine,a9a"); err != nil || len(got) != 2 || got[1].name != "a9a" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := choose("wine,beer"); err == nil {
		t.Errorf("beer is %v", got)
	}
}

func TestMask(t *testing.T) {
	read := func(text string) ([][folds]bool, error) {
		rows, err := parse(strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		return parseMask(rows, 2)
	}
	mask, err := read("0,1,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0,1.0\n")
	if err != nil || mask[0] != [folds]bool{1: true} || mask[1] != [folds]bool{9: true} {
		t.Errorf("%v, %v", mask, err)
	}
	row := "0,1,0,0,0,0,0,0,0,0\n"
	for _, text := range []string{"", row, row + row + row, "0,1\n0,1\n", row + "0,1,0,0,0,0,0,0,0,2\n", row + "0,1,0,0,0,0,0,0,0,x\n", row + "0\n"} {
		if mask, err := read(text); err == nil {
			t.Errorf("%q is the mask %v", text, mask)
		}
	}
	var sizes [folds]int
	for i := range 10_000 {
		sizes[fold(i)]++
	}
	if slices.Min(sizes[:]) < 900 || slices.Max(sizes[:]) > 1100 {
		t.Errorf("tenths of 10,000 rows have %v", sizes)
	}
}

func TestThin(t *testing.T) {
	rows := []int{1, 2, 4, 5, 7, 8, 9}
	if got := thin(rows, 3); !slices.Equal(got, []int{1, 4, 7}) {
		t.Errorf("three of %v are %v", rows, got)
	}
	if got := thin(rows, 7); !slices.Equal(got, rows) {
		t.Errorf("seven of %v are %v", rows, got)
	}
}

// Class 1 is not among the training rows, so it need not be predicted.
func TestRenumber(t *testing.T) {
	train := &sets.Set{X: mat.NewDense(3, 1, nil), Class: []int{2, 0, 2}, Classes: 3}
	test := &sets.Set{X: mat.NewDense(3, 1, []float64{5, 6, 7}), Class: []int{1, 2, 0}, Classes: 3}
	test = renumber(train, test)
	if !slices.Equal(train.Class, []int{1, 0, 1}) || !slices.Equal(test.Class, []int{1, 0}) || test.X.At(0, 0) != 6 || train.Classes != 2 || test.Classes != 2 {
		t.Errorf("%+v, %+v", train, test)
	}
}

func TestParsePredictions(t *testing.T) {
	target := &task{key: "ab", test: &sets.Set{X: mat.NewDense(2, 1, nil), Target: mat.NewDense(2, 1, nil)}}
	classes := &task{key: "ab", test: &sets.Set{X: mat.NewDense(2, 1, nil), Class: []int{0, 1}, Classes: 3}}
	for _, c := range []struct {
		of         *task
		text, want string // "": it is read
	}{
		{target, "# ab 1.5\n1\n2\n", ""},
		{target, "# ab 1.5\n1,2\n2,3\n", ""},
		{classes, "# ab 1.5\n1,0,0\n.2,.3,.5\n", ""},
		{target, "# ac 1.5\n1\n2\n", "other rows"},
		{target, "1\n2\n", "first line"},
		{target, "# ab x\n1\n2\n", "invalid syntax"},
		{target, "# ab 1\n1\n", "1 × 1 predictions of 2"},
		{target, "# ab 1\n1,2,3,4\n1,2,3,4\n", "2 × 4 predictions of 2"},
		{target, "# ab 1\n1\nnan\n", "prediction 2 is NaN"},
		{classes, "# ab 1\n1,0\n.5,.5\n", "2 × 2 predictions of 2"},
		{target, "# ab 1\n", "no rows"},
	} {
		p, err := c.of.parse(bufio.NewReader(strings.NewReader(c.text)))
		if c.want == "" {
			if err != nil || p.seconds != 1.5 || len(p.rows) != 2 {
				t.Errorf("%q: %+v, %v", c.text, p, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
