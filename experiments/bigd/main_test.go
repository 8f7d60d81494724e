// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap"
)

func quiet(string) {}

// Direct and iterative fits have similar errors, more features have smaller errors, and the memory of the larger
// iterative fit is less than ΦᵀΦ takes.
func TestRun(t *testing.T) {
	size := scope{least: 128, most: 512, direct: 512, train: 800, test: 400}
	var out strings.Builder
	results, err := run(&out, quiet, size)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 8 {
		t.Fatalf("%d results", len(results))
	}
	for i, r := range results {
		if (r.passes == 0) != (r.fit == "direct") || !(r.seconds > 0 && r.memory > 0 && r.lambda > 0 && r.wrong < 0.6) {
			t.Errorf("%+v", r)
		}
		if i%2 == 1 && !(r.wrong < results[i-1].wrong+0.05) {
			t.Errorf("%s, %d features: %v wrong, %v of the direct fit", r.set, r.features, r.wrong, results[i-1].wrong)
		}
		if i%4 >= 2 && !(r.wrong < results[i-2].wrong) {
			t.Errorf("%s: %v wrong with %d features, %v with fewer", r.set, r.wrong, r.features, results[i-2].wrong)
		}
	}
	for _, want := range []string{title, "## pendigits\n\n800 training rows, 400 test rows; coordinates: 16, standardized; 10 classes; length scale 3.87.",
		"## letter", "| 512 | iterative |", "| features | fit | wrong |", "Left out: mnist"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, &out)
		}
	}
	if table := records(results); len(table) != 9 || strings.Join(table[1][:3], ",") != "pendigits,128,direct" {
		t.Errorf("%v", table)
	}
}

// Images of a folder are learned without a direct fit.
func TestImages(t *testing.T) {
	folder := t.TempDir()
	s := featuremap.NewSampler(1)
	for part, n := range map[string]int{"train": 300, "t10k": 100} {
		images, labels := []byte{0, 0, 8, 3, 0, 0, byte(n >> 8), byte(n), 0, 0, 0, 4, 0, 0, 0, 4}, []byte{0, 0, 8, 1, 0, 0, byte(n >> 8), byte(n)}
		for range n {
			class := s.IntN(4)
			for k := range 16 { // a row of the image is bright
				v := s.IntN(100)
				if k/4 == class {
					v += 150
				}
				images = append(images, byte(v))
			}
			labels = append(labels, byte(class))
		}
		for name, data := range map[string][]byte{"-images-idx3-ubyte": images, "-labels-idx1-ubyte": labels} {
			if err := os.WriteFile(filepath.Join(folder, part+name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	size := scope{data: folder, least: 64, most: 64}
	p, err := sources[2].problem(size)
	if err != nil {
		t.Fatal(err)
	}
	results, err := p.measure(quiet, size)
	if err != nil || len(results) != 1 || results[0].fit != "iterative" || results[0].wrong > 0.05 {
		t.Errorf("%+v, %v", results, err)
	}
	size.data, size.train, size.test = t.TempDir(), 300, 100
	var out strings.Builder
	if _, err := run(&out, quiet, size); err != nil || !strings.Contains(out.String(), "Left out: mnist: ") {
		t.Errorf("an empty folder was read: %v, %s", err, &out)
	}
}

// The heap grows by what is allocated.
func TestLargestHeap(t *testing.T) {
	var kept []byte
	if got := largestHeap(func() { kept = make([]byte, 50_000_000) }); !(got > 49 && got < 60) {
		t.Errorf("%v MB for 50", got)
	}
	runtime.KeepAlive(kept)
}
