// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"math"
	"testing"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// The sample predicts the leave-one-out errors of all rows: within a factor of 1.35, as the errors of its rows differ by chance, and from one λ to the next, where they do so alike, within
// 10 %. The sample itself has 1.6 times as much and more.
func TestSampleLevels(t *testing.T) {
	testkit.OnlyLong(t)
	t.Parallel()
	c := newDefaultCase(t, "", 2500, 8, 600, 1.5, 0.1, 903, friedman)
	f := newIteration(c.phi, newRowsFrom(c.rows(), c.phi), &IterativeOptions{Passes: 100})
	f.mostFew = 0
	if err := f.firstPass(); err != nil {
		t.Fatal(err)
	}
	if err := f.begin(); err != nil {
		t.Fatal(err)
	}
	p := f.pilot
	p.all, p.features = f.all.weight, float64(f.out)
	var trials []*trial
	for _, l := range []float64{1e-7, 1e-6, 1e-5, 1e-4} {
		trials = append(trials, p.try(l*f.scale, true))
	}
	group := []int{0}
	got := p.standings(trials, group, p.scales)
	var before float64
	for i, u := range trials {
		if i == 0 { // below which nothing is known
			continue
		}
		m, err := Fit(c.phi, c.x, c.y, &Options{Path: []float64{u.lambda}, Intervals: &IntervalOptions{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		rows := float64(p.rows)
		want, sample := m.leftOut[0]*p.scales[0], u.standing(group, p.scales).sum/rows
		t.Logf("λ = %.3g: %.4g, of the sample %.4g, all rows %.4g", u.lambda, got[i].sum/rows, sample, want)
		ratio := math.Log(got[i].sum / rows / want)
		if !(math.Abs(ratio) < math.Log(1.35)) || !(sample > 1.6*want) {
			t.Errorf("λ = %v: an error of %v, of the sample %v, all rows %v", u.lambda, got[i].sum/rows, sample, want)
		}
		if i > 1 && !(math.Abs(ratio-before) < 0.1) {
			t.Errorf("λ = %v: the error changes by a factor of e^%v too much", u.lambda, ratio-before)
		}
		before = ratio
	}
}

// What falls in proportion is told exactly, and nearly where single falls go up and down around it; one step tells nothing.
func TestFallLeft(t *testing.T) {
	for _, swing := range []float64{0, 0.5} {
		objectives := []float64{1}
		for k := range 30 {
			objectives = append(objectives, math.Pow(0.8, float64(k+1)))
			if left := fallLeft(objectives, 0); k == 0 && !math.IsInf(left, 1) {
				t.Errorf("after one step %v is left", left)
			}
		}
		rest := objectives[len(objectives)-1]
		if swing > 0 { // the last fall is small, as of one good direction
			objectives[len(objectives)-2] = rest + 1e-4*rest
			if left := fallLeft(objectives, 0); !(left > 0.5*rest && left < 2*rest) {
				t.Errorf("after a small fall %v is left, by proportion %v", left, rest)
			}
			continue
		}
		if left := fallLeft(objectives, 0); !(math.Abs(left/rest-1) < 1e-9) {
			t.Errorf("%v is left, by proportion %v", left, rest)
		}
		if left := fallLeft(append(objectives, rest), 1e-12); left == 0 {
			t.Error("one step that gains nothing ends a fall")
		}
	}
	if left := fallLeft([]float64{1}, 0); left != 0 {
		t.Errorf("before a step %v is left", left)
	}
	if left := fallLeft([]float64{1, 0.9, 0.7}, 0); !math.IsInf(left, 1) {
		t.Errorf("of growing falls %v is left", left)
	}
}
