// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// A quarter of 5 rows is two rows, and of 2 rows one: those with the largest values, the first of
// equal ones.
func TestQuarter(t *testing.T) {
	var q quarter
	q.add([]bool{true, false, false, false, true}, []float64{3, 1, 2, 2, 0})
	if q != (quarter{2, 1}) {
		t.Errorf("%+v", q)
	}
	q.add([]bool{false, true}, []float64{3, 5})
	if q != (quarter{3, 2}) || !near(q.rate(), 2./3) {
		t.Errorf("%+v, rate %v", q, q.rate())
	}
}

// Columns are divided by their standard deviation over the training rows, here 1 and 10, and a constant one
// does not count.
func TestDistances(t *testing.T) {
	train := mat.NewDense(3, 3, []float64{-1, 10, 7, 0, 20, 7, 1, 30, 7})
	if got := distances(train, mat.NewDense(2, 3, []float64{3, 60, 9, 0, 20, 7})); !slices.Equal(got, []float64{5, 0}) {
		t.Errorf("%v", got)
	}
}

// Intervals of two splits: the quarters of each are counted, and the table lists their shares and the mean of the
// sets.
func TestQuarters(t *testing.T) {
	l := &line{set: "lines", scores: make(map[string]*score), splits: 2}
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 9})
	of := &task{train: &sets.Set{X: x}, test: &sets.Set{X: x, Target: mat.NewDense(4, 1, []float64{0, 0, 0, 5})}}
	rows := [][]float64{{0, -1, 1}, {0, -2, 3}, {0, 1, 2}, {0, -1, 1}} // the last two are missed, of which the last is the farthest
	for range 2 {
		l.add(ours, of, &predictions{1, rows})
	}
	s := l.scores[ours]
	if s.covered != 4 || s.longest != (quarter{2, 2}) || s.farthest != (quarter{2, 0}) {
		t.Errorf("%d covered, %+v, %+v", s.covered, s.longest, s.farthest)
	}
	var out strings.Builder
	writeQuarters(&out, []*line{l})
	for _, want := range []string{"| lines | 2 | 50.0 % | 100.0 % | 0.0 % |\n", "| mean |  | 50.0 % | 100.0 % | 0.0 % |\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &out)
		}
	}
}
