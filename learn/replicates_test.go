// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	"github.com/seed-0f95ebc1/featuremap/learn"
)

// Rows at few points, such as those of a table of categories, have the noise of the targets at each: intervals for new rows there cover about what
// they say. The seeds are some for which points that were left out, which tell nothing of the noise, took it for a hundredth or less.
func TestReplicates(t *testing.T) {
	type table struct {
		rows, points, targets int
		weight                float64 // of every other row, of the others twice that; 0: all have 1
		seed                  uint64
	}
	tables := []table{{60, 2, 1, 0, 1}, {60, 5, 2, 0, 1}, {60, 5, 1, 100, 1}}
	if testkit.Long() {
		tables = append(tables, table{60, 5, 1, 0, 1}, table{500, 10, 1, 0, 1})
	}
	for _, c := range tables {
		r := rand.New(rand.NewPCG(c.seed, 1))
		means := make([]float64, c.points)
		for k := range means {
			means[k] = 5 * r.NormFloat64()
		}
		x, y := mat.NewDense(c.rows, 1, nil), mat.NewDense(c.rows, c.targets, nil)
		for i := range c.rows {
			k := r.IntN(c.points)
			x.Set(i, 0, float64(k))
			for target := range c.targets {
				y.Set(i, target, means[k]+10*r.NormFloat64())
			}
		}
		var weights []float64
		for i := range c.rows {
			if c.weight > 0 {
				weights = append(weights, c.weight*float64(1+i%2))
			}
		}
		report, err := learn.Regression(x, y, &learn.Options{Seed: c.seed, Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		normal := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
		for target := range c.targets {
			var deviation, covered float64
			for k, mean := range means {
				_, sd := report.Model.Predict([]float64{float64(k)})
				lo, hi := report.Model.Interval([]float64{float64(k)}, 0.9)
				deviation += sd[target] / float64(c.points)
				covered += (normal((hi[target]-mean)/10) - normal((lo[target]-mean)/10)) / float64(c.points)
			}
			if !(deviation > 7.5 && deviation < 14 && covered > 0.8) {
				t.Errorf("%+v, target %d: noise 10, error bars ±%.3g, intervals of 90 %% cover %.3f", c, target, deviation, covered)
			}
		}
	}
}

// Rows that are copies, targets included, count as one row with their weight; with a caller's test rows the report counts those that are
// copies of training rows. Rows at the same point with other targets are rows on their own.
func TestCopiesOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const n = 120
	const together, counted = "copies of rows, targets included, which count as one row with their weight: 90", "12 of 12 test rows are copies of training rows, targets included: for new rows the score is too good"
	last := make([]int, 12)
	for k := range last {
		last[k] = n - 12 + k
	}
	for _, c := range []struct {
		distinct int
		same     bool // targets of copies
		held     []int
		want     string
	}{{30, true, nil, together}, {30, true, last, counted}, {30, false, nil, ""}, {n, true, nil, ""}} {
		x, y, classes := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil), make([]int, n)
		for i := range n {
			x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
			y.Set(i, 0, r.NormFloat64())
			classes[i] = i % 3 % 2
			if i >= c.distinct {
				x.SetRow(i, x.RawRowView(i-c.distinct))
				if c.same {
					y.Set(i, 0, y.At(i-c.distinct, 0))
					classes[i] = classes[i-c.distinct]
				} else if i == n-1 {
					classes[i] = 1 - classes[i-c.distinct]
				}
			}
		}
		o := &learn.Options{Features: 30, TestRows: c.held}
		regression, err := learn.Regression(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		classification, err := learn.Classification(x, classes, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{regression.String(), classification.String()} {
			if got := strings.Contains(text, together); got != (c.want == together) {
				t.Errorf("%+v: %q is there: %v\n%s", c, together, got, text)
			}
			if got := strings.Contains(text, counted); c.same && got != (c.want == counted) {
				t.Errorf("%+v: %q is there: %v\n%s", c, counted, got, text)
			}
		}
	}
}
