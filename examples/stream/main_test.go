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

// The fit learns the function, knows how well, and takes little memory.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 23_456, 400); err != nil {
		t.Fatal(err)
	}
	number := func(pattern string) float64 {
		m := regexp.MustCompile(pattern).FindSubmatch(out.Bytes())
		if m == nil {
			t.Fatalf("no %s in:\n%s", pattern, &out)
		}
		v, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if rows := number(`(?m)^ +(\d+) +\d+ +\d+\n\n`); rows != 23456 {
		t.Errorf("%v rows, want 23456", rows)
	}
	if heap := number(`heap (\d+) MB`); heap > 300 {
		t.Errorf("heap of %v MB", heap)
	}
	// The targets have a standard deviation of 0.99, noise included: each of 32 waves has a variance of
	// (1 − e⁻⁴)/32.
	rmse, says := number(`error ([0-9.]+)`), number(`model says ([0-9.]+)`)
	if !(rmse < 0.4) || !(rmse/says > 0.9 && rmse/says < 1.1) {
		t.Errorf("error %v, the model says %v", rmse, says)
	}
	// The standard deviation of the share is 0.3 % if errors are normal; those of too few features are nearly.
	if inside := number(`([0-9.]+) % of the targets`); !(inside > 94 && inside < 97) {
		t.Errorf("%v %% within two standard deviations", inside)
	}
}
