// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
)

func quiet(string) {}

// For an embedded set there is a line with scores of both sides, if there is a scikit-learn, and learn's score is
// better than chance.
func TestRun(t *testing.T) {
	size := scope{seed: 1, only: "nursery,cpu_act", rows: 80, test: 100}
	python, missing := peer.Find("")
	var out strings.Builder
	lines, err := run(&out, quiet, size, python, missing)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || lines[0].rows != 80 || lines[0].columns != 8 || len(lines[0].learn.losses) != 100 {
		t.Fatalf("%+v", lines)
	}
	l := lines[0]
	if m, _ := mean(l.learn.losses); !(m < 0.3) || !(l.learn.seconds > 0) {
		t.Errorf("%v of the classes are wrong", m)
	}
	if python != nil {
		if m, _ := mean(l.best().losses); !(m < 0.4) || !(l.gridSeconds > 0) {
			t.Errorf("%v of the classes of scikit-learn are wrong", m)
		}
	}
	for _, want := range []string{title, "| nursery | 80 × 8 |", "Left out: cpu_act"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, &out)
		}
	}
	if out.Reset(); python != nil {
		size.only = "cpu_act" // which is not in the program
		if _, err := run(&out, quiet, size, nil, errors.New("no Python")); err != nil || !strings.Contains(out.String(), "Left out: no Python.") {
			t.Errorf("%v:\n%s", err, &out)
		}
	}
}

// The difference is over rows: if only the first has four of a hundred right, it is two standard errors.
func TestBetter(t *testing.T) {
	var a, b contender
	truth := make([]float64, 100)
	wrong := make([]float64, 100)
	copy(wrong, []float64{1, 2, 3, 4})
	a.set(truth, truth, true)
	b.set(wrong, truth, true)
	if got := better(&a, &b); !(math.Abs(got-2.03) < 0.01) || better(&b, &a) != -got {
		t.Errorf("better by %v", got)
	}
	if got := b.text(true); got != "96.00 ± 1.97 %" {
		t.Errorf("score %q", got)
	}
}
