// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// small is a scope for tests.
var small = scope{features: 100, splits: 1, train: 180, exact: 80}

func quiet(string) {}

// Without a folder the program uses letters and Friedman's function, whose length scales are learned: the error falls
// by a third at least, because five of 20 columns matter.
func TestRun(t *testing.T) {
	var out strings.Builder
	results, err := run(&out, quiet, small, nil, fmt.Errorf("no Python"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !(r.error > 0 && r.seconds > 0 && r.evidence < 0) || math.IsNaN(r.nll) != (r.set == "letter") {
			t.Errorf("%+v", r)
		}
	}
	all := gains(results)
	if len(all) != 2 || all[0].given.set != "letter" || all[1].given.set != "Friedman" {
		t.Fatalf("gains %+v", all)
	}
	for _, g := range all {
		if !(g.learned.evidence >= g.given.evidence && g.learned.seconds > g.given.seconds) {
			t.Errorf("%+v", g)
		}
	}
	// The noise is 1, and the standard deviation of the function 4.9.
	f := all[1]
	if !(f.learned.error > 0.9 && f.learned.error < 0.67*f.given.error && f.learned.nll < f.given.nll-0.2) {
		t.Errorf("Friedman's function: %+v", f)
	}
	for _, want := range []string{title, "## letter\n\n180 training rows, 180 test rows; coordinates: 16", "| given |", "| one length |", "| lengths |",
		"| result |", "| Friedman |", "Left out: no Python.", "Left out: cal_housing, cpu_act, which"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, &out)
		}
	}
	if want := fmt.Sprintf("| Friedman | %.3f | %.4f |", f.learned.error/f.given.error, f.learned.nll-f.given.nll); !strings.Contains(out.String(), want) {
		t.Errorf("the output has no %q", want)
	}
	table := records(results)
	if got := strings.Join(table[1][:2], ","); len(table) != len(results)+1 || got != "letter,given" || table[1][4] != "" {
		t.Errorf("%d records, the first is %q", len(table), table[1])
	}
}

// Friedman's function has the mean 14.4 (by integration: 10·.524 + 20/12 + 5 + 2.5) and the deviation √(4.9² + 1).
func TestFriedman(t *testing.T) {
	s := friedman(20_000)
	var sum, squares float64
	for i := range s.Len() {
		v := s.Target.At(i, 0)
		sum += v / 20_000
		squares += v * v / 20_000
	}
	// Standard errors are 5/√20000 = .035 and less.
	if deviation := math.Sqrt(squares - sum*sum); !(math.Abs(sum-14.4) < 0.15 && math.Abs(deviation-5) < 0.15) {
		t.Errorf("mean %v and deviation %v", sum, deviation)
	}
}

// The likelihood is that of normal predictions; a folder without files is refused.
func TestLikelihood(t *testing.T) {
	s := &split{train: friedman(2), test: &sets.Set{X: mat.NewDense(2, 1, nil), Target: mat.NewDense(2, 1, []float64{1, 2})}}
	got := s.nll(mat.NewDense(2, 1, []float64{1, 0}), mat.NewDense(2, 1, []float64{1, 4}))
	// ½log(2π) each, ½log 4 and ½·2²/4 for the second.
	if want := 0.5*math.Log(2*math.Pi) + 0.25*math.Log(4) + 0.25; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	size := small
	size.data = t.TempDir()
	var out strings.Builder
	if _, err := run(&out, quiet, size, nil, nil); err == nil || !strings.Contains(err.Error(), "cal_housing") {
		t.Errorf("an empty folder: %v", err)
	}
}

// scikit-learn's Gaussian process predicts a linear function of one of two columns up to its noise.
func TestExact(t *testing.T) {
	python, err := peer.Find("")
	if err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("scikit-learn takes two seconds to start")
	}
	set := &sets.Set{X: mat.NewDense(100, 2, nil), Target: mat.NewDense(100, 1, nil)}
	by := featuremap.NewSampler(1)
	for i := range 100 {
		set.X.Set(i, 0, by.Normal())
		set.X.Set(i, 1, by.Normal())
		set.Target.Set(i, 0, 3*set.X.At(i, 0)+0.1*by.Normal())
	}
	s, err := newSplit(set, 1, small)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.exact(python, 80)
	if err != nil {
		t.Fatal(err)
	}
	// The noise is .1, with the likelihood −log(.1) − ½log(2πe) = .88 at best.
	if !(f.error > 0.05 && f.error < 0.2 && f.nll > -1.2 && f.nll < 0 && f.seconds > 0 && math.IsNaN(f.evidence)) {
		t.Errorf("%+v", f)
	}
}
