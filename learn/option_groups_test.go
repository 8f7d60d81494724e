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
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// subjects returns fifteen rows each of some subjects, who are at places of their own and differ in level.
func subjects(count int, s *featuremap.Sampler) (x, y *mat.Dense, group []int) {
	const of = 15
	x, y = mat.NewDense(count*of, 3, nil), mat.NewDense(count*of, 1, nil)
	for g := range count {
		level, at := s.Normal(), [3]float64{s.Normal(), s.Normal(), s.Normal()}
		for i := range of {
			row := g*of + i
			for j := range at {
				x.Set(row, j, at[j]+0.2*s.Normal())
			}
			y.Set(row, 0, math.Sin(2*x.At(row, 0))+level+0.2*s.Normal())
			group = append(group, g)
		}
	}
	return x, y, group
}

// With Groups, groups are held back whole, λ is large enough for new ones, and intervals cover these; without they do not.
func TestGroups(t *testing.T) {
	var rates, errors [2][]float64
	const fresh = 40
	fits, features := 4, 100
	if !testkit.Long() {
		fewFeatures(t)
		fits, features = 1, 50
		noBank(t) // fits with Groups have none
	}
	s := featuremap.NewSampler(3)
	for fit := range fits {
		x, y, group := subjects(30, s)
		newX, newY, _ := subjects(fresh, s)
		for k, groups := range [][]int{group, nil} {
			if k == 1 && fit > 0 && !(testkit.Long() && fit < 2) {
				break
			}
			r, err := Regression(x, y, &Options{Groups: groups, Features: features})
			if err != nil {
				t.Fatal(err)
			}
			var lo, hi, p mat.Dense
			r.Model.IntervalTo(&lo, &hi, newX, 0.9)
			r.Model.PredictTo(&p, newX)
			in, square := 0.0, 0.0
			for i := range 15 * fresh {
				v := newY.At(i, 0)
				if lo.At(i, 0) <= v && v <= hi.At(i, 0) {
					in++
				}
				square += (v - p.At(i, 0)) * (v - p.At(i, 0))
			}
			rates[k], errors[k] = append(rates[k], in/(15*fresh)), append(errors[k], math.Sqrt(square/(15*fresh)))
		}
	}
	// Rows of a group are in or out together: 40 new groups and 27 old ones make √(.09/40 + .09/27) = .075 a fit, .037 in the mean of 4. Without Groups .54 are covered.
	limit := 3 * 0.075 / math.Sqrt(float64(fits))
	if got := stat.Mean(rates[0], nil); !(math.Abs(got-0.9) < limit) {
		t.Errorf("%.3f of new groups are covered: %.3f", got, rates[0])
	}
	if got := stat.Mean(rates[1], nil); !(got < 0.75) {
		t.Errorf("%.3f are covered without Groups", got)
	}
	if a, b := stat.Mean(errors[0][:len(errors[1])], nil), stat.Mean(errors[1], nil); !(a < b) {
		t.Errorf("an error of %.3f on new groups, %.3f without Groups", a, b)
	}
}

// Groups are held back and judged whole.
func TestGroupsAreWhole(t *testing.T) {
	group := make([]int, 300)
	for i := range group {
		group[i] = i * i % 37
	}
	x := mat.NewDense(300, 1, nil)
	for i := range 300 {
		x.Set(i, 0, float64(i))
	}
	s, err := newStudy(x, &Options{Groups: group})
	if err != nil {
		t.Fatal(err)
	}
	s.y = x
	if err := s.hold(nil); err != nil {
		t.Fatal(err)
	}
	apart := func(name string, a, b []int) {
		if len(a) == 0 || len(b) == 0 {
			t.Errorf("%s: %d and %d rows", name, len(a), len(b))
		}
		for _, i := range b {
			if slices.ContainsFunc(a, func(j int) bool { return group[i] == group[j] }) {
				t.Errorf("%s: group %d is on both sides", name, group[i])
			}
		}
	}
	apart("held back", s.rest, s.held)
	if n := len(s.held); n < 30 || n > 60 {
		t.Errorf("%d of 300 rows are held back", n)
	}
	for _, f := range s.folds() {
		apart("a fold", f.fit, f.check)
	}
}

// Rows of a group stand for one error: the standard error of the score is that of as many rows as groups, a report of few groups has an
// interval, and one row of each makes intervals longer or shorter.
func TestGroupsScore(t *testing.T) {
	s := featuremap.NewSampler(4)
	const groups, of = 40, 6
	var few, fewTruth, all, allTruth []float64
	var group []int
	for g := range groups {
		p, y := s.Normal(), 2*s.Normal()
		few, fewTruth = append(few, p), append(fewTruth, y)
		for range of {
			all, allTruth, group = append(all, p), append(allTruth, y), append(group, 100-g)
		}
	}
	want := errorOfRMSE(few, fewTruth, 2, nil)
	if got := errorOfRMSE(all, allTruth, 2, group); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("a standard error of %v, of copies in groups %v", want, got)
	}
	if got := errorOfRMSE(all, allTruth, 2, nil); math.Abs(got/want*math.Sqrt((groups*of-1)/(groups-1.))-1) > 1e-12 {
		t.Errorf("a standard error of %v, of copies %v", want, got)
	}
	if got := errorOfRMSE(all[:of], allTruth[:of], 2, group[:of]); got != 0 {
		t.Errorf("one group: %v", got)
	}
	x, y, group := subjects(30, s)
	study, err := newStudy(x, &Options{Groups: group})
	if err != nil {
		t.Fatal(err)
	}
	list := numbers(450)[30:390] // of 24 groups
	counts := make([]int, 15)
	for range 100 {
		study.sampler.Uint64()
		some := study.oneOfEach(list)
		if len(some) != 24 {
			t.Fatalf("%d rows of 24 groups", len(some))
		}
		for g, i := range some {
			if i/15 != g+2 {
				t.Fatalf("row %d for group %d", i, g+2)
			}
			counts[i%15]++
		}
	}
	for k, n := range counts { // each place has 160 of 2,400, and a standard deviation of 12.2
		if math.Abs(float64(n)-160) > 5*12.2 {
			t.Errorf("%d times row %d of its group", n, k)
		}
	}
	fewFeatures(t)
	r, err := Regression(x, y, &Options{Groups: group, Features: 50})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Score.String(); !strings.Contains(text, "if errors are normal) on 45 test rows of 3 groups (") {
		t.Error(text)
	}
}

// Few rows in groups do not tell their own noise: as without groups, validation fits set the least of it.
func TestGroupsOfFewRows(t *testing.T) {
	fewFeatures(t)
	const fits, fresh = 12, 200
	s := featuremap.NewSampler(9)
	var covered float64
	for range fits {
		x, y := waves(13, s)
		newX, newY := waves(fresh, s)
		r, err := Regression(x, y, &Options{Groups: numbers(13), Features: 48})
		if err != nil {
			t.Fatal(err)
		}
		var lo, hi mat.Dense
		r.Model.IntervalTo(&lo, &hi, newX, 0.9)
		for i := range fresh {
			if v := newY.At(i, 0); lo.At(i, 0) <= v && v <= hi.At(i, 0) {
				covered++
			}
		}
	}
	// Fits of 13 rows cover .91 ± .1 of new rows, so that the mean of 12 has a standard error of .03.
	if covered /= fits * fresh; !(covered > 0.82) {
		t.Errorf("%.3f of new rows are covered", covered)
	}
}
