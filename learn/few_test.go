// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
)

// Intervals are those of the literature, and take the place of standard errors where there are few rows: Wilson's of 6 of 6 and 5 of 10, and
// √(10/χ²) for the quantiles 20.483 and 3.247 of ten degrees of freedom.
func TestIntervalsOfScores(t *testing.T) {
	near := func(lo, hi, wantLo, wantHi float64) {
		t.Helper()
		if !(math.Abs(lo/wantLo-1) < 0.01 && math.Abs(hi/wantHi-1) < 0.01) {
			t.Errorf("%v to %v, want %v to %v", lo, hi, wantLo, wantHi)
		}
	}
	lo, hi := intervalOfShare(1, 6)
	near(lo, hi, 0.6097, 1)
	lo, hi = intervalOfShare(0.5, 10)
	near(lo, hi, 0.2366, 0.7634)
	lo, hi = intervalOfRMSE(2, 10)
	near(lo, hi, 2*math.Sqrt(10/20.483), 2*math.Sqrt(10/3.247))
	lo, hi = intervalOfRMSE(2, 1)
	near(lo, hi, 2/math.Sqrt(5.0239), 2/math.Sqrt(0.000982069)) // for one degree of freedom
	for _, c := range []struct {
		rows, right int
		want        string
	}{
		{6, 6, "accuracy 100.00 % (95 % interval 61 to 100) on 6 "},
		{30, 30, "accuracy 100.00 % (95 % interval 88.6 to 100.0) on 30 "}, // 30/(30 + 1.96²)
		{100, 4, "accuracy 4.00 % (95 % interval 1.6 to 9.8) on 100 "},
		{100, 5, "accuracy 5.00 % ± 0.00 on 100 "},
	} {
		if s := (ClassificationScore{Rows: c.rows, Accuracy: float64(c.right) / float64(c.rows), AUC: math.NaN()}).String(); !strings.Contains(s, c.want) {
			t.Errorf("%q, want %q", s, c.want)
		}
	}
	for rows, want := range map[int]string{1: "RMSE 2 (95 % interval 0.892 to 63.8, if errors are normal) on 1 ", 10: "RMSE 2 (95 % interval 1.4 to 3.52, if errors are normal) on 10 ", 30: "RMSE 2 ± 0.5 on 30 test rows ("} {
		s := RegressionScore{Rows: rows, RMSE: []float64{2}, RMSEError: []float64{0.5}, Baseline: []float64{3}, NLL: []float64{1}, Coverage: []float64{0.9},
			Width: []float64{6}, GaussianCoverage: []float64{0.9}, GaussianWidth: []float64{6}}
		if s := s.String(); !strings.Contains(s, want) {
			t.Errorf("%q, want %q", s, want)
		}
	}
}

// A row that has most of the squared error is told, since the standard error of the RMSE is then far too small.
func TestScoreOfOneRow(t *testing.T) {
	predicted, y := make([]float64, 40), make([]float64, 40)
	for i := range y {
		y[i] = 1
	}
	for _, c := range []struct{ error, share float64 }{{1, 1. / 40}, {4, 16. / 55}, {5, 25. / 64}} {
		y[7] = c.error
		share := worstShare(predicted, y)
		if math.Abs(share-c.share) > 1e-15 {
			t.Errorf("an error of %v: a share of %v, want %v", c.error, share, c.share)
		}
		s := RegressionScore{Rows: 40, RMSE: []float64{2}, RMSEError: []float64{0.5}, Baseline: []float64{3}, NLL: []float64{1}, Coverage: []float64{0.9},
			Width: []float64{6}, GaussianCoverage: []float64{0.9}, GaussianWidth: []float64{6}, worst: []float64{share}}
		if told := strings.Contains(s.String(), "\none test row has 39 % of the squared error"); told != (c.error == 5) {
			t.Errorf("an error of %v: %s", c.error, s)
		}
	}
	if share := worstShare(y, y); share != 0 {
		t.Errorf("a share of %v of no error", share)
	}
}

// Of few rows of chance no class is nearly sure: a log loss of at most 3 on other rows, where half of them at the bound of probabilities have
// ½·log 14 = 1.3, and .9 in the mean, where frequencies have .69.
func TestChance(t *testing.T) {
	if !testkit.Long() {
		fewFeatures(t)
	}
	var sum float64
	tables := 0
	for _, n := range []int{8, 12} {
		for d := 1; d <= 2; d++ {
			s := featuremap.NewSampler(uint64(10*n + d))
			x, classes := mat.NewDense(n, d, nil), make([]int, n)
			s.FillNormal(x.RawMatrix().Data)
			for i := range classes {
				if classes[i] = s.IntN(2); i < 4 {
					classes[i] = i % 2
				}
			}
			r, err := Classification(x, classes, nil)
			if err != nil {
				t.Fatal(err)
			}
			var loss float64
			point := make([]float64, d)
			for range 200 {
				s.FillNormal(point)
				loss -= math.Log(r.Model.ProbabilityVec(nil, point)[s.IntN(2)]) / 200
			}
			if !(loss <= 3) {
				t.Errorf("%d rows of %d columns: log loss %v", n, d, loss)
			}
			sum += loss
			tables++
		}
	}
	if mean := sum / float64(tables); !(mean <= 0.9) {
		t.Errorf("mean log loss %v", mean)
	}
}

// 90 % intervals of 5 to 8 rows cover at least 85 % of noise and lines: they cover about 91 %, and 24 fits tell it to about 3. So do
// those of each of three targets of other noise and size, .90 to .945, where the noise of the fit covers .75 to .81.
func TestIntervalsOfFewRows(t *testing.T) {
	fewFeatures(t)
	counts := []int{3}
	if testkit.Long() {
		counts = []int{1, 3}
	}
	for _, targets := range counts {
		inside, total := make([]int, targets), make([]int, targets)
		for seed := range uint64(24) {
			s := featuremap.NewSampler(100 + seed)
			n := 5 + int(seed)%4
			x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, targets, nil)
			s.FillNormal(x.RawMatrix().Data)
			target := func(k int, v float64) float64 {
				return math.Pow(1000, float64(k)) * (float64(seed%2)*v + float64(0.3*float64(1+k))*s.Normal())
			}
			for k := range targets {
				for i := range n {
					y.Set(i, k, target(k, x.At(i, 0)))
				}
			}
			r, err := Regression(x, y, &Options{Features: 16})
			if err != nil {
				t.Fatal(err)
			}
			for range 25 {
				point := []float64{s.Normal()}
				mean, sd := r.Model.Predict(point)
				for k := range targets {
					if e := mean[k] - target(k, point[0]); math.Abs(e) <= 1.645*sd[k] {
						inside[k]++
					}
					total[k]++
				}
			}
		}
		for k, n := range inside {
			if share := float64(n) / float64(total[k]); !(share >= 0.85) {
				t.Errorf("target %d of %d: 90 %% intervals cover %v", k, targets, share)
			}
		}
	}
}

// A constant target among few rows has no noise, and the others theirs.
func TestConstantOfFewRows(t *testing.T) {
	fewFeatures(t)
	x, y := rowsFor(1, 10, 1, 3)
	for i := range 10 {
		y.Set(i, 1, 5)
	}
	r, err := Regression(x, y, &Options{Features: 16})
	if err != nil {
		t.Fatal(err)
	}
	if noise := r.Model.NoiseVariance(); noise[1] != 0 || !(noise[0] > 0 && noise[2] > noise[0]) {
		t.Errorf("noise %v", noise)
	}
}

// The unit of the weights does not matter, to the last bit, even where few rows take the noise as known; and uneven weights, from which
// intervals of 90 % would have no ends, give those of rows of equal weight and a line in the report.
func TestUnitOfWeights(t *testing.T) {
	fewFeatures(t)
	for _, n := range []int{12, 30, 60} {
		s := featuremap.NewSampler(uint64(n))
		x, y := waves(n, s)
		fit := func(weight func(i int) float64) *RegressionReport {
			o := &Options{Features: 48}
			if weight != nil {
				o.Weights = make([]float64, n)
				for i := range o.Weights {
					o.Weights[i] = weight(i)
				}
			}
			r, err := Regression(x, y, o)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		bits := func(r *RegressionReport) string {
			mean, sd := r.Model.Predict(x.RawRowView(0))
			lo, hi := r.Model.Interval(x.RawRowView(1), 0.9)
			return fmt.Sprint(mean, sd, lo, hi, r.Model.Lambda(), r.Score)
		}
		want := bits(fit(nil))
		units := []float64{3, 1e-100, 1e100}
		if testkit.Long() {
			units = append(units, 1, 1000)
		}
		for _, unit := range units {
			if got := bits(fit(func(int) float64 { return unit })); got != want {
				t.Errorf("%d rows of weight %v: %s, want %s", n, unit, got, want)
			}
		}
		uneven := fit(func(i int) float64 { return float64(1 + i%2*9) })
		if twice := fit(func(i int) float64 { return float64(2 + i%2*18) }); bits(twice) != bits(uneven) {
			t.Errorf("%d rows: twice the weights give another model", n)
		}
		heavy := fit(func(i int) float64 { return float64(1 + 100*(1-min(i, 1))) })
		lo, hi := heavy.Model.Interval(x.RawRowView(1), 0.9)
		if math.IsInf(lo[0], -1) || math.IsInf(hi[0], 1) || strings.Contains(heavy.String(), "intervals by rows of equal weight: the weights add up to ") != (n > 19) {
			t.Errorf("%d rows, one of which is heavy: %v to %v\n%v", n, lo, hi, heavy)
		}
	}
}
