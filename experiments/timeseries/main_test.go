// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func quiet(string) {}

// small is a scope for tests.
var small = scope{seeds: 1, features: 168}

// Without a folder there are pulses, which all maps usually classify correctly.
func TestRun(t *testing.T) {
	var out strings.Builder
	results, err := run(&out, quiet, small)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 1 || !math.IsNaN(results[0].published) {
		t.Fatalf("results %+v", results)
	}
	for kind, name := range kinds {
		if r := results[0]; !(r.accuracy[kind] >= 0.8 && r.accuracy[kind] <= 1) || !(r.seconds[kind] > 0) {
			t.Errorf("%s: accuracy %v in %v s", name, r.accuracy[kind], r.seconds[kind])
		}
	}
	for _, want := range []string{title, "Sets: 1; seeds: 1; features of MiniRocket: 168.", "| pulses | 60 | 15 |", "| mean |  |  |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, &out)
		}
	}
}

// written writes a file of a folder, gzipped.
func written(t *testing.T, folder, name, text string) {
	t.Helper()
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	fmt.Fprint(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// lines returns a file of the rows of x.
func lines(x *mat.Dense, classes []string) string {
	var b strings.Builder
	for i, c := range classes {
		b.WriteString(c)
		for _, v := range x.RawRowView(i) {
			fmt.Fprintf(&b, "\t%v", v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Sets are read from a folder or its folder ucr, with published accuracies, and classes of any names.
func TestFolder(t *testing.T) {
	folder := t.TempDir()
	ucr := filepath.Join(folder, "ucr")
	if err := os.Mkdir(ucr, 0o755); err != nil {
		t.Fatal(err)
	}
	p := pulses()
	names := []string{"-1", "1"}
	var train, test []string
	for _, c := range p.classes {
		train = append(train, names[c])
	}
	for _, c := range p.want {
		test = append(test, names[c])
	}
	test[0] = "other" // no model can predict it
	written(t, ucr, "Pulses_TRAIN.tsv.gz", lines(p.train, train))
	written(t, ucr, "Pulses_TEST.tsv.gz", lines(p.test, test))
	if err := os.WriteFile(filepath.Join(ucr, "anchors.csv"), []byte("set,minirocket\nPulses,0.9876\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{folder, ucr} {
		size := small
		size.data, size.sets = data, 1
		results, err := run(new(strings.Builder), quiet, size)
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0]; r.published != 0.9876 || r.set != "Pulses" || !(r.accuracy[0] > 0.8 && r.accuracy[0] < 1) {
			t.Errorf("%+v", r)
		}
		if all := records(results); len(all) != 2 || len(all[0]) != len(all[1]) {
			t.Errorf("records %q", all)
		}
	}
	for want, text := range map[string]string{
		"series of other lengths must be cut, or resampled": "1\t2\tNaN\n",
		"TEST.tsv.gz:2: 1 values, not 2":                    "1\t2\t3\n1\t2\n",
		"no series":                                         "",
		"series of 15 values to train on, and of 2 to test": "1\t2\t3\n",
	} {
		written(t, ucr, "Pulses_TEST.tsv.gz", text)
		size := small
		size.data = folder
		if _, err := run(new(strings.Builder), quiet, size); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	size := small
	size.data = t.TempDir()
	if _, err := run(new(strings.Builder), quiet, size); err == nil || !strings.Contains(err.Error(), "none in its folder ucr") {
		t.Errorf("an empty folder: %v", err)
	}
}
