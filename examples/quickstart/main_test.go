// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"regexp"
	"strconv"
	"testing"
)

// The table has the exact kernel and both designs, errors as predicted and an
// accuracy near the exact one's.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	shown := 0
	if err := run(&out, func(string) { shown++ }, []int{512}); err != nil {
		t.Fatal(err)
	}
	exact := regexp.MustCompile(`(?m)^exact kernel +([0-9.]+)%`).FindSubmatch(out.Bytes())
	rows := regexp.MustCompile(`(?m)^ +512  (Independent|Orthogonal) +([0-9.]+) +([0-9.]+) +([0-9.]+)%`).FindAllSubmatch(out.Bytes(), -1)
	if exact == nil || len(rows) != 2 {
		t.Fatalf("no table:\n%s", &out)
	}
	number := func(b []byte) float64 {
		v, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	best := number(exact[1])
	if best < 98 {
		t.Errorf("accuracy of the exact kernel = %v %%", best)
	}
	for _, row := range rows {
		predicted, measured, accuracy := number(row[2]), number(row[3]), number(row[4])
		// One map's error is that of many correlated pairs: a sixth of it is no surprise.
		if ratio := measured / predicted; !(ratio > 0.8 && ratio < 1.2) {
			t.Errorf("%s: measured %v, predicted %v", row[1], measured, predicted)
		}
		if !(accuracy >= best-2) {
			t.Errorf("%s: accuracy %v %%, the exact kernel has %v %%", row[1], accuracy, best)
		}
	}
	if shown != 3 {
		t.Errorf("progress shown %d times, want 3: once before each row", shown)
	}
}
