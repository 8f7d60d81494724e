// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A trap is rows to learn from where there is little to learn, or much to overfit.
type trap struct {
	name     string
	n, d     int
	doubled  bool // each column is there twice
	function func(x []float64) float64
}

var traps = []trap{
	{"noise", 300, 5, false, func([]float64) float64 { return 0 }},
	{"noise in few rows", 100, 20, false, func([]float64) float64 { return 0 }},
	{"100 rows of 20 columns", 100, 20, false, additive},
	{"100 rows of 20 columns, linear", 100, 20, false, func(x []float64) float64 { return 2*x[0] - x[1] + x[2] }},
	{"100 rows of 20 columns that all matter", 100, 20, false, func(x []float64) float64 {
		var sum float64
		for _, v := range x {
			sum += v
		}
		return 2 * math.Sin(sum/3)
	}},
	{"doubled columns", 200, 8, true, additive},
}

// additive is a function of the first three columns.
func additive(x []float64) float64 { return 2*math.Sin(x[0]) + x[1]*x[1] - x[2] }

// draw returns n rows.
func (c *trap) draw(n int, rnd *rand.Rand) (x, y *mat.Dense) {
	x, y = mat.NewDense(n, c.d, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			if row[j] = rnd.NormFloat64(); c.doubled && j >= c.d/2 {
				row[j] = row[j-c.d/2]
			}
		}
		y.Set(i, 0, c.function(row)+rnd.NormFloat64())
	}
	return x, y
}

// ratio returns the root mean square error on new rows of the learned kernel over that of the given one, of the median length.
func (c *trap) ratio(t *testing.T, seed uint64) float64 {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 3))
	x, y := c.draw(c.n, rnd)
	newX, newY := c.draw(1000, rnd)
	s := featuremap.NewSampler(seed)
	length, err := featuremap.MedianLengthScale(x, s)
	if err != nil {
		t.Fatal(err)
	}
	given := featuremap.Gaussian{LengthScale: length}
	learned, err := learnKernel(given, x, y, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	error := func(k featuremap.Kernel) float64 {
		phi, err := featuremap.NewFourier(k, c.d, 300, featuremap.NewSampler(seed+1000), nil)
		if err != nil {
			t.Fatal(err)
		}
		model, err := ridge.Fit(phi, x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		var p mat.Dense
		model.PredictTo(&p, newX)
		p.Sub(&p, newY)
		return mat.Norm(&p, 2)
	}
	return error(learned.Kernel) / error(given)
}

// On new rows the learned kernel is no worse than 1.05 times the given one, in the median of five sets of rows; without the choice
// among stages by their parameters the median of three of these is up to 1.11. Without -long there is one set of some.
func TestOverfitting(t *testing.T) {
	for i, c := range traps {
		seeds := 5
		if !testkit.Long() {
			if seeds = 1; i != 1 && i != 3 {
				continue
			}
		}
		var last []float64
		for seed := range seeds {
			last = append(last, c.ratio(t, uint64(seed+1)))
		}
		slices.Sort(last)
		t.Logf("%s: %.3f", c.name, last)
		if median := last[len(last)/2]; !(median <= 1.05) {
			t.Errorf("%s: the error on new rows is %v times that of the given kernel", c.name, median)
		}
	}
}

// A search for a matrix ends early where it would be left out anyway, and nowhere else. The gains are those of refits after 10, 20, … of 120
// steps, on the first split of four UCI sets.
func TestHopeless(t *testing.T) {
	one := &table{x: newGeneral(1, 1, 1), y: newGeneral(1, 1, 1)}
	one.targets = newUnits(one.y)
	one.targets.unit[0] = 1
	l := &learner{noise: []float64{1}, stages: []Stage{{}}, fresh: &model{table: one}}
	for _, c := range []struct {
		name  string
		price int
		gains []float64
		end   int // after so many refits; 0: not before it is large enough
	}{
		{"sml", 231, []float64{127.5, 166.6, 223.8, 240.3}, 0},
		{"wine", 55, []float64{40, 46.9, 47.3, 59.2}, 0},
		{"stock", 55, []float64{5.8, 9.1, 10.7}, 2},
		{"bike", 136, []float64{57.7, 71.9, 85.3, 92.8, 92.9}, 0}, // 7.5 in 10 steps, and 70 steps are left
		{"bike, of twice the price", 272, []float64{57.7, 71.9, 85.3}, 2},
	} {
		for k := range c.gains {
			left := 120 - 10*(k+1)
			if got := l.hopeless(c.gains[:k+1], c.price, left); got != (c.end == k+1) {
				t.Errorf("%s: hopeless after %v: %v", c.name, c.gains[:k+1], got)
			}
			if c.end == k+1 {
				break
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(300, 12, nil), mat.NewDense(300, 1, nil)
	for i := range 300 {
		for j := range 12 {
			x.Set(i, j, r.NormFloat64())
		}
		y.Set(i, 0, math.Sin(2*x.At(i, 0))+x.At(i, 1)+r.NormFloat64())
	}
	steps := 0
	learned := must(Kernel(featuremap.Gaussian{LengthScale: 1}, x, y, &KernelOptions{Features: 64, Progress: func(stage string, step int, _ float64) error {
		if stage == "matrix" {
			steps = max(steps, step)
		}
		return nil
	}}))
	if s := learned.Stages[3]; s.Skipped == "" || steps > 30 {
		t.Errorf("a matrix after %d steps: %q", steps, s.Skipped)
	}
}

// Of few rows no more than one row a parameter is learned; a stage of more evidence that has too many parameters is left out, and
// says so. Stages of many rows are compared on rows that none has learned from.
func TestStagesLeftOut(t *testing.T) {
	c := traps[1]
	x, y := c.draw(c.n, rand.New(rand.NewPCG(2, 3)))
	learned, err := Kernel(featuremap.Gaussian{LengthScale: 6}, x, y, &KernelOptions{Seed: 2, Features: 64})
	if err != nil {
		t.Fatal(err)
	}
	last := learned.Stages[3]
	if want := "210 parameters: more than the 100 rows"; last.Skipped != want {
		t.Errorf("matrix: %q, want %q", last.Skipped, want)
	}
	if s := learned.Stages[2]; !strings.Contains(s.Skipped, "19 further parameters") && !strings.Contains(s.Skipped, "20 further parameters") ||
		s.Kernel != nil || !math.IsInf(s.LogEvidence, -1) {
		t.Errorf("lengths of noise: %+v", s)
	}
	o, _ := (&KernelOptions{Rows: 100}).withDefaults()
	for _, n := range []int{2, 100, 101, 149, 150, 1000} {
		l := learner{options: o}
		from, compared := l.rows(n)
		shared := 0
		for _, i := range from {
			if _, ok := slices.BinarySearch(compared, i); ok {
				shared++
			}
		}
		want := min(n, 100)
		if l.unseen {
			want = 0
		}
		if l.unseen != (n >= 150) || shared != want || len(compared) != n-100+want && n > 100 {
			t.Errorf("%d rows: learned from %d, compared on %d, %d in both, unseen %t", n, len(from), len(compared), shared, l.unseen)
		}
	}
}
