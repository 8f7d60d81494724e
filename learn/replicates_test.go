// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Rows at few points, such as those of a table of categories, have the noise of the targets at each: intervals for new rows there cover about what
// they say. The seeds are some for which points that were left out, which tell nothing of the noise, took it for a hundredth or less.
func TestReplicates(t *testing.T) {
	testkit.OnlyLong(t)
	type table struct {
		rows, points, targets int
		weight                float64 // of every other row, of the others twice that; 0: all have 1
		seed                  uint64
	}
	for _, c := range []table{{60, 2, 1, 0, 1}, {60, 5, 2, 0, 1}, {60, 5, 1, 100, 1}, {60, 5, 1, 0, 1}, {500, 10, 1, 0, 1}} {
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
		report, err := Regression(x, y, &Options{Seed: c.seed, Weights: weights})
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

// Training rows that are copies, targets included, count as one row with their weight, and the report counts a caller's test rows that are
// copies of these. Rows at the same point with other targets, at few points, or of a class of few points, are rows on their own.
func TestCopiesOfRows(t *testing.T) {
	fewFeatures(t)
	noBank(t)
	r := rand.New(rand.NewPCG(5, 1))
	const n = 160
	const merged, counted = "copies of rows, targets included, which count as one row with their weight: ", "12 of 12 test rows are copies of training rows, targets included: for new rows the score is too good"
	last := make([]int, 12)
	for k := range last {
		last[k] = n - 12 + k
	}
	for _, c := range []struct {
		distinct      int
		same          bool // targets of copies
		rare          bool // one class is at two points
		held          []int
		merged, class string // the numbers of copies; "": none are merged
		counted       bool
	}{
		{60, true, false, nil, "100 ", "100 ", false},
		{60, true, false, last, "88 ", "88 ", true},
		{60, true, true, last, "88 ", "84 ", true},
		{60, false, false, nil, "", "99 ", false}, // one class differs
		{n, true, false, nil, "", "", false},
		{30, true, false, last, "118 ", "118 ", true},
		{12, true, false, last, "", "", true}, // 12 or 13 times
	} {
		x, y, classes := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil), make([]int, n)
		for i := range n {
			x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
			y.Set(i, 0, r.NormFloat64())
			if classes[i] = i % 3 % 2; c.rare && i%60 < 2 {
				classes[i] = 2
			}
			if i >= c.distinct {
				x.SetRow(i, x.RawRowView(i-c.distinct))
				if c.same {
					y.Set(i, 0, y.At(i-c.distinct, 0))
				} else if i == n-1 {
					classes[i] = 1 - classes[i-c.distinct]
				}
			}
		}
		o := &Options{Features: 30, TestRows: c.held}
		regression, err := Regression(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		classification, err := Classification(x, classes, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []struct{ text, merged string }{{regression.String(), c.merged}, {classification.String(), c.class}} {
			if strings.Contains(of.text, merged) != (of.merged != "") || !strings.Contains(of.text, of.merged) {
				t.Errorf("%+v: want %q merged:\n%s", c, of.merged, of.text)
			}
			if got := strings.Contains(of.text, counted); c.same && got != c.counted && (c.held != nil || c.merged != "") {
				t.Errorf("%+v: %q is there: %v\n%s", c, counted, got, of.text)
			}
		}
	}
}

// Kernel learns the same from rows that are there four times as from one of each.
func TestKernelOfCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	const n, times = 60, 4
	x, y := mat.NewDense(n*times, 2, nil), mat.NewDense(n*times, 1, nil)
	for i := range n * times {
		if i < n {
			x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
			y.Set(i, 0, math.Sin(x.At(i, 0))+0.5*r.NormFloat64())
		} else {
			x.SetRow(i, x.RawRowView(i%n))
			y.Set(i, 0, y.At(i%n, 0))
		}
	}
	o := &KernelOptions{Features: 64}
	once := must(Kernel(featuremap.Gaussian{LengthScale: 1}, x.Slice(0, n, 0, 2), y.Slice(0, n, 0, 1), o))
	got := must(Kernel(featuremap.Gaussian{LengthScale: 1}, x, y, o))
	if got.LogEvidence != once.LogEvidence || got.NoiseVariance[0] != once.NoiseVariance[0] || !(got.NoiseVariance[0] > 0.1) {
		t.Errorf("log evidence %v, noise %v, of one of each %v and %v", got.LogEvidence, got.NoiseVariance, once.LogEvidence, once.NoiseVariance)
	}
	y.Apply(func(i, _ int, v float64) float64 { return v + 0.5*r.NormFloat64() }, y) // no copies, but measured again
	if again := must(Kernel(featuremap.Gaussian{LengthScale: 1}, x, y, o)); again.LogEvidence == once.LogEvidence || !(again.NoiseVariance[0] > 0.15) {
		t.Errorf("rows that were measured again: log evidence %v, noise %v", again.LogEvidence, again.NoiseVariance)
	}
}

// Ten articles, one column each, that have six rows of an exact price are no copies: new rows are of these articles.
func TestFewArticles(t *testing.T) {
	const articles, times = 10, 6
	r := rand.New(rand.NewPCG(3, 1))
	x, y := mat.NewDense(articles*times, articles, nil), mat.NewDense(articles*times, 1, nil)
	for i := range articles * times {
		x.Set(i, i%articles, 1)
		if y.Set(i, 0, r.NormFloat64()); i >= articles {
			y.Set(i, 0, y.At(i%articles, 0))
		}
	}
	report := must(Regression(x, y, nil))
	for i := range articles {
		if got := report.Model.PredictVec(nil, x.RawRowView(i))[0]; !(math.Abs(got-y.At(i, 0)) < 0.1) {
			t.Errorf("article %d: %v, its price is %v", i, got, y.At(i, 0))
		}
	}
}
