// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Folds judge by different rows, each fits all that it does not judge by, and every class is fitted. There are as many as it takes to
// judge by 2,500 rows, or by a thousand of targets, up to four, and one with TestRows.
func TestFolds(t *testing.T) {
	for _, test := range []struct {
		rows, rare int // rows, and rows of class 1
		held       bool
		want       int
	}{
		{rows: 4, rare: 1, want: 1}, {rows: 10, rare: 1, want: 4}, {rows: 40, rare: 2, want: 4}, {rows: 1500, rare: 7, want: 4},
		{rows: 2000, rare: 900, want: 4}, {rows: 5000, rare: 5, want: 3}, {rows: 6000, rare: 6, want: 3}, {rows: 10_000, rare: 6, want: 2}, {rows: 100, rare: 30, held: true, want: 1},
	} {
		s := &study{rows: test.rows, columns: 2, x: mat.NewDense(test.rows, 2, nil), count: 2, sampler: featuremap.NewSampler(1), report: new(report)}
		s.all = numbers(test.rows)
		for i := range test.rows {
			s.classes = append(s.classes, 0)
			if i < test.rare {
				s.classes[i] = 1
			}
		}
		if test.held {
			s.TestRows = numbers(test.rows)[test.rows-20:]
		}
		if err := s.hold(s.classes); err != nil {
			t.Fatal(err)
		}
		folds := s.folds()
		if len(folds) != test.want {
			t.Errorf("%d rows: %d folds, want %d", test.rows, len(folds), test.want)
		}
		judged := make(map[int]bool)
		for k, f := range folds {
			both := slices.Sorted(slices.Values(slices.Concat(f.fit, f.check)))
			if !slices.Equal(both, s.rest) {
				t.Errorf("%d rows: fold %d has %d and %d of %d rows", test.rows, k, len(f.fit), len(f.check), len(s.rest))
			}
			if n := float64(len(f.check)); math.Abs(n-0.2*float64(len(s.rest))) > 2 {
				t.Errorf("%d rows: fold %d judges by %v of %d rows", test.rows, k, n, len(s.rest))
			}
			seen := make(map[int]bool)
			for _, i := range f.fit {
				seen[s.classes[i]] = true
			}
			if len(seen) != 2 {
				t.Errorf("%d rows: fold %d fits %d classes", test.rows, k, len(seen))
			}
			for _, i := range f.check {
				if judged[i] {
					t.Errorf("%d rows: two folds judge by row %d", test.rows, i)
				}
				judged[i] = true
			}
		}
	}
}

// Of what folds have learned the evidence is the mean, a stage that one of them has left out counts as the one before, and the kernel is
// that of the fold of the most evidence.
func TestStagesOf(t *testing.T) {
	k := func(length float64) featuremap.Kernel { return featuremap.Gaussian{LengthScale: length} }
	out := func(name string) Stage { return Stage{Name: name, LogEvidence: noEvidence, Skipped: "dear"} }
	all := []*Learned{
		{Stages: []Stage{{Name: "given", Kernel: k(1), LogEvidence: -2}, {Name: "one length", Kernel: k(2), LogEvidence: -1}, out("lengths"), out("matrix")}},
		{Stages: []Stage{{Name: "given", Kernel: k(1), LogEvidence: -3}, out("one length"), {Name: "lengths", Kernel: k(3), LogEvidence: 1}, out("matrix")}},
	}
	stages := stagesOf(all)
	for i, want := range []struct {
		evidence float64
		kernels  []featuremap.Kernel
		best     int
	}{
		{-2.5, []featuremap.Kernel{k(1), k(1)}, 0},
		{-2, []featuremap.Kernel{k(2), k(1)}, 0},
		{0, []featuremap.Kernel{k(2), k(3)}, 1},
		{noEvidence, []featuremap.Kernel{k(2), k(3)}, -1},
	} {
		g := stages[i]
		if g.LogEvidence != want.evidence || !slices.Equal(g.kernels, want.kernels) || g.best != want.best || (g.Skipped == "") != (want.best >= 0) {
			t.Errorf("stage %d: %+v, want %+v", i, g, want)
		}
	}
}

// A boundary that has no noise is told by long lengths and little λ: rows within balls around the origin, in six columns. With
// lengths up to 1.4 times those that were learned twice as many rows are wrong.
func TestNoiselessBoundary(t *testing.T) {
	testkit.OnlyLong(t)
	fewFeatures(t)
	noBank(t)
	s := featuremap.NewSampler(5)
	balls := func(n int) (*mat.Dense, []int) {
		x, classes := mat.NewDense(n, 6, nil), make([]int, n)
		for i := range n {
			row := x.RawRowView(i)
			s.FillNormal(row)
			var square float64
			for _, v := range row {
				square += v * v
			}
			for _, limit := range []float64{3.45, 5.35, 7.84} { // quarters of χ² with six degrees of freedom
				if square > limit {
					classes[i]++
				}
			}
		}
		return x, classes
	}
	x, classes := balls(600)
	test, truth := balls(2000)
	got, err := Classification(x, classes, &Options{Features: 128, TestRows: numbers(600)[540:]}) // one fold, to save time
	if err != nil {
		t.Fatal(err)
	}
	var wrong float64
	for i, c := range got.Model.Classify(test) {
		if c != truth[i] {
			wrong += 1 / 2000.
		}
	}
	var lengths []string
	for _, c := range got.Choices {
		if c.Step == "length" && c.Taken {
			lengths = append(lengths, c.Name)
		}
	}
	t.Logf("%.1f %% wrong, length %s, score %v", 100*wrong, strings.Join(lengths, ", "), got.Score)
	if !(wrong < 0.07) {
		t.Errorf("%.1f %% wrong, length %s", 100*wrong, strings.Join(lengths, ", "))
	}
}
