// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// The differences 1, 3, 2 have the mean 2, and its standard error is 1/√3.
func TestBetter(t *testing.T) {
	a, b := []float64{1, 0, 5}, []float64{2, 3, 7}
	if got := better(a, b); !near(got, 2*math.Sqrt(3)) || better(b, a) != -got {
		t.Errorf("better by %v, and %v", got, better(b, a))
	}
	if got := better(a, a); got != 0 {
		t.Errorf("better than itself by %v", got)
	}
}

func TestCut(t *testing.T) {
	for in, want := range map[float64]float64{.1: .5, .5: .5, .8: .8, 1: 1, 3: 2, math.Inf(1): 2, 0: .5} {
		if got := cut(in); got != want {
			t.Errorf("the ratio %v is cut to %v, want %v", in, got, want)
		}
	}
}

func TestRecord(t *testing.T) {
	var one, two record
	for _, z := range []float64{2.5, 1.5, 1, 0, -1, -1.5, -3, math.Inf(-1)} {
		one.add(z, 1)
		two.add(z, 2)
	}
	if one != (record{2, 3, 3}) || two != (record{1, 5, 2}) || one.String() != "2/3/3" {
		t.Errorf("by one %v, by two %v", one, two)
	}
}

// Two splits of a regression: the error and the intervals are over all rows, and those of classes
// too.
func TestScores(t *testing.T) {
	set := func(y ...float64) *task {
		test := &sets.Set{X: mat.NewDense(len(y), 1, nil), Target: mat.NewDense(len(y), 1, y)}
		return &task{train: test, test: test}
	}
	l := &line{scores: make(map[string]*score), splits: 2}
	l.add(ours, set(0, 10), &predictions{2, [][]float64{{1, 1}, {12, 1}}}) // errors of 1 and 2 deviations
	l.add(ours, set(5), &predictions{4, [][]float64{{5, 1}}})
	l.add(conformal, set(0, 10, 5), &predictions{1, [][]float64{{0, -1, 1}, {0, 11, 13}, {0, 0, 4}}}) // outside by 1 and 1
	if s := l.scores[conformal]; s.covered != 1 || s.length != 8 || s.missed != 48 || slices.Contains(l.peers(), conformal) {
		t.Errorf("intervals: %+v", s)
	}
	var table strings.Builder
	if writeIntervals(&table, []*line{l}); !strings.Contains(table.String(), "The medians of the ratios are") {
		t.Errorf("intervals: %s", &table)
	}
	l.add("peer", set(0, 10), &predictions{1, [][]float64{{3}, {14}}})
	l.add("half", set(5), &predictions{1, [][]float64{{5}}})
	if s := l.scores[ours]; !near(l.error(ours), math.Sqrt(5./3)) || s.covered != 2 || !s.sure || s.seconds != 6 {
		t.Errorf("%v, %+v", l.error(ours), s)
	}
	l.add("peer", set(5), &predictions{2, [][]float64{{10}}})
	if notes := l.drop(); len(notes) != 1 || !strings.Contains(notes[0], "half") || !slices.Equal(l.peers(), []string{"peer"}) {
		t.Errorf("%q, %v", notes, l.peers())
	}
	if s := l.scores["peer"]; !near(l.ratio("peer"), math.Sqrt(5./50)) || s.sure || l.best() != ours || !(l.z("peer") > 0) || l.worst() != l.z("peer") {
		t.Errorf("ratio %v, z %v, %+v", l.ratio("peer"), l.z("peer"), s)
	}
	c := &line{classes: true, scores: make(map[string]*score), splits: 1}
	of := &task{test: &sets.Set{X: mat.NewDense(3, 1, nil), Class: []int{0, 1, 1}, Classes: 2}}
	c.add(ours, of, &predictions{1, [][]float64{{.5, .5}, {.75, .25}, {1, 0}}})
	if want := -(math.Log(.5) + math.Log(.25) + math.Log(least)) / 3; !near(c.error(ours), want) || c.scores[ours].wrong != 2 {
		t.Errorf("log loss %v, want %v; %d wrong", c.error(ours), want, c.scores[ours].wrong)
	}
}

// Ratios of 1/4, which is cut, 1 and 2; one peer has not seen the third.
func TestSummarize(t *testing.T) {
	var lines []*line
	for i, mine := range []float64{1, 4, 8} {
		l := &line{set: "abc"[i : i+1], classes: true, splits: 1, scores: map[string]*score{
			ours:   {losses: []float64{mine, mine}, seconds: 8},
			"peer": {losses: []float64{4, 4}, seconds: 2},
		}}
		if i < 2 {
			l.scores["other"] = l.scores["peer"]
		}
		lines = append(lines, l)
	}
	s := summarize(lines, "peer")
	if s.sets != 3 || !near(s.geometric, 1) || s.median != 1 || s.one != (record{1, 1, 1}) || s.two != s.one || !near(s.seconds, 4) {
		t.Errorf("%+v", s)
	}
	if s := summarize(lines, "other"); s.sets != 2 || !near(s.geometric, math.Sqrt(.5)) || !near(s.median, .625) {
		t.Errorf("%+v", s)
	}
	var out strings.Builder
	write(&out, lines)
	text := out.String()
	if lost, won := strings.Index(text, "| c |"), strings.Index(text, "| a |"); lost < 0 || won < lost {
		t.Errorf("the set that is lost is not the first:\n%s", text)
	}
}
