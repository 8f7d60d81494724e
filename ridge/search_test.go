// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// climbed returns the peak that climb finds as a search does, from place 0 and a section of n on, and the places it has looked at.
func climbed(t *testing.T, values []float64) (peak, looked int) {
	t.Helper()
	n := len(values)
	known := map[int]bool{0: true, n - section(n): true}
	if err := climb(0, n-section(n), n, func(next, best int) (bool, error) {
		if known[next] || !known[best] || next < 0 || next >= n {
			t.Fatalf("n = %d: place %d beside %d", n, next, best)
		}
		known[next] = true
		return values[next] > values[best], nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range known {
		if values[i] > values[peak] {
			peak = i
		}
	}
	return peak, len(known)
}

// A single peak is found wherever it is and however steep its sides are, by the fewest places that suffice: with k in addition to the first
// F − 1 others, of the Fibonacci number F of index k + 2.
func TestClimb(t *testing.T) {
	for n := 3; n < 100; n++ {
		most := 2
		for a, b := 1, 2; b-1 < n-1; a, b = b, a+b {
			most++
		}
		if n > 34 {
			most++ // rounded sections are not always Fibonacci's
		}
		for want := range n {
			for _, steep := range []float64{1e-3, 1, 1e3} {
				values := make([]float64, n)
				for i := range values {
					values[i] = -math.Abs(float64(i - want))
					if i < want {
						values[i] *= steep
					}
				}
				if got, looked := climbed(t, values); got != want || looked > most {
					t.Errorf("n = %d: peak %d, want %d; %d places, want %d", n, got, want, looked, most)
				}
			}
		}
	}
}

// problem returns the equations of n rows in the plane, 520 features and some targets, and the rows.
func problem(t *testing.T, n, targets int, noise float64, seed uint64) (*normal.Equations, *leftOut) {
	t.Helper()
	const in, features = 2, 520
	s := featuremap.NewSampler(seed)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, in, features, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y := mat.NewDense(n, in, nil), mat.NewDense(n, targets, nil)
	s.FillNormal(x.RawMatrix().Data)
	y.Apply(func(i, k int, _ float64) float64 {
		return math.Sin(2*x.At(i, 0)+float64(k)) + x.At(i, 1) + noise*s.Normal()
	}, y)
	a, err := NewAccumulator(phi, targets)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add(x, y); err != nil {
		t.Fatal(err)
	}
	e := normal.NewEquations(a.sums, true)
	return e, newLeftOut(&choice{Facts: &e.Facts, equations: e, groups: groups(a.spans, true, false, true)}, a, newMemoryRows(x, y, nil), float64(n))
}

// A search takes the λ that all λ of the path give, and solves 6 of 13, or for GuardedEvidence up to 10: of few rows, and of more than a
// search goes by.
func TestSearch(t *testing.T) {
	type rows struct {
		n, targets int
		noise      float64
	}
	problems := []rows{{40, 1, 0.1}, {300, 2, 0.01}}
	if testkit.Long() {
		problems = slices.Repeat([]rows{{40, 1, 0.1}, {250, 2, 0.01}, {300, 1, 0.3}, {900, 1, 1}, {5000, 1, 0.1}}, 2)
	}
	for seed, c := range problems {
		e, l := problem(t, c.n, c.targets, c.noise, uint64(seed))
		for criterion := GuardedEvidence; criterion <= LeaveOneOut; criterion++ {
			name := fmt.Sprintf("%+v, %v", c, criterion)
			p := newPath(&choice{Facts: &e.Facts, equations: e, criterion: criterion, left: l, groups: l.groups}, e.Path())
			got, err := p.best()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			most := 6
			switch {
			case criterion == GuardedEvidence:
				most = 10
			case criterion == LeaveOneOut && c.n > 256:
				most = 8 // the neighbors of what few rows lead to
			}
			if solved := len(p.known()); solved > most {
				t.Errorf("%s: %d λ solved", name, solved)
			}
			l.few, p.found = someRows{}, make([]*candidate, len(p.found))
			want, err := p.bestOfAll()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got, want := got[0], want[0]; got.Lambda != want.Lambda || math.Float64bits(got.Evidence[0]) != math.Float64bits(want.Evidence[0]) {
				t.Errorf("%s: λ = %v, of all %v", name, got.Lambda, want.Lambda)
			}
		}
	}
}

// The order of a path and what it has twice do not matter; all λ are solved where one cannot be, where the criterion is level, and
// where what a search sees has two peaks.
func TestSearchOfAnyPath(t *testing.T) {
	e, l := problem(t, 200, 1, 0.1, 50)
	solved := func(name string, c *choice, lambdas []float64) (float64, int) {
		t.Helper()
		l.few = someRows{}
		p := newPath(c, lambdas)
		best, err := p.best()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return best[0].Lambda, len(p.known())
	}
	for criterion := GuardedEvidence; criterion <= LeaveOneOut; criterion++ {
		c := &choice{Facts: &e.Facts, equations: e, criterion: criterion, left: l, groups: l.groups}
		path := e.Path()
		want, count := solved("in order", c, path)
		backwards := slices.Concat(path[5:], path)
		slices.Reverse(backwards)
		if got, again := solved("backwards", c, backwards); got != want || again != count {
			t.Errorf("%v: λ = %v by %d, in order %v by %d", criterion, got, again, want, count)
		}
		if got, all := solved("with 0", c, append(path, 0)); got != want || all != 13 {
			t.Errorf("%v: λ = %v by %d beside 0, want %v by all", criterion, got, all, want)
		}
		if _, all := solved("five", c, path[3:8]); all != 5 {
			t.Errorf("%v: %d of 5 solved", criterion, all)
		}
		if _, err := newPath(c, []float64{0, 1e-300, 2e-300, 3e-300, 4e-300, 5e-300}).best(); err == nil {
			t.Errorf("%v: no error without a λ that can be solved", criterion)
		}
	}
	level, rows := problem(t, 200, 1, 0, 51)
	level.Variances[0] = 0
	rows.inverse[0] = 0 // as of a constant target: no errors
	l = rows
	if got, all := solved("level", &choice{Facts: &level.Facts, equations: level, criterion: LeaveOneOut, left: l, groups: l.groups}, level.Path()); got != level.Path()[12] || all != 13 {
		t.Errorf("a level criterion: λ = %v by %d, want the largest by all", got, all)
	}
	candidates := make([]*candidate, 4)
	for i, v := range []float64{1, 3, 2, 2.5} {
		candidates[i] = &candidate{groups: []standing{{sum: v}}}
	}
	value := func(a *candidate) float64 { return a.groups[0].sum }
	if onePeak(candidates, value) || !onePeak(candidates[:3], value) || !onePeak(candidates[:2], value) || !onePeak(candidates[1:3], value) {
		t.Error("peaks are counted wrongly")
	}
	candidates[2].groups[0].sum = math.NaN()
	if onePeak(candidates[:3], value) {
		t.Error("NaN is below a peak")
	}
}

// A row of weight w has w times the leverage and w times the error, in units of the mean weight.
func TestScoreOfWeights(t *testing.T) {
	e, l := problem(t, 100, 1, 0.1, 7)
	l.share = 0.25
	y := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{3}}
	for _, w := range []float64{1, 2, 0.5} {
		products := make([]float64, 1+probeRows)
		products[0] = 1 // the prediction
		for i := range probeRows {
			products[1+i] = 0.3
		}
		scores := make([]rowScore, 1)
		l.score(scores, &part{y: y, weights: []float64{w}}, 0, products)
		got := scores[0]
		h := w * (0.09 + 1/e.Weight)
		bound := 0.25 * w * 4 * l.inverse[0]
		if want := bound / ((1 - h) * (1 - h)); math.Abs(got.error/want-1) > 1e-12 || math.Abs(got.bound/bound-1) > 1e-12 {
			t.Errorf("weight %v: %v, want %v and %v", w, got, want, bound)
		}
	}
}
