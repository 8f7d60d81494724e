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

// The table shows the exact kernel and the features, with errors as predicted. Accuracy for all letters on
// features is higher than for some of them by the exact kernel.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	shown := 0
	if err := run(&out, func(string) { shown++ }, []int{500}, []int{512}); err != nil {
		t.Fatal(err)
	}
	exact := regexp.MustCompile(`(?m)^exact kernel +500 +([0-9.]+)% +[0-9.]+ +[0-9.]+$`).FindSubmatch(out.Bytes())
	row := regexp.MustCompile(`(?m)^ 512 features +16000 +([0-9.]+) +([0-9.]+) +([0-9.]+)% +[0-9.]+ +[0-9.]+$`).FindSubmatch(out.Bytes())
	if exact == nil || row == nil {
		t.Fatalf("no table:\n%s", &out)
	}
	number := func(b []byte) float64 {
		v, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	predicted, measured := number(row[1]), number(row[2])
	// One map's error is over many correlated pairs: a deviation of a sixth is no surprise.
	if ratio := measured / predicted; !(ratio > 0.8 && ratio < 1.2) {
		t.Errorf("measured %v, predicted %v", measured, predicted)
	}
	// Over ten seeds 512 features are right for 87.0 to 88.6 %.
	if accuracy := number(row[3]); !(accuracy > 86 && accuracy > number(exact[1])) {
		t.Errorf("accuracy %v %%, the exact kernel on 500 letters has %s %%", accuracy, exact[1])
	}
	if shown != 2 {
		t.Errorf("progress shown %d times, want 2: once before each row", shown)
	}
}
