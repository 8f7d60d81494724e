// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// levels are from next to 0 to next to 1, with some at which a quantile goes from one of ten rows to the next.
var levels = []float64{1e-9, 1. / 11, 0.1, 2. / 11, 0.3, 0.5, 0.8, 0.9, 10. / 11, 0.95, 0.99, 0.999, 1 - 1e-9}

// The quantile of m rows is the k-th smallest, k = ⌈(m + 1)·level⌉ with the level in decimals, and +Inf if there are too few.
func TestSetQuantile(t *testing.T) {
	s := featuremap.NewSampler(1)
	for _, m := range []int{1, 9, 10, 32, 99, 999, mostOdds} {
		odds := make([]float64, m)
		s.FillNormal(odds)
		sets, sorted := newSets(odds, nil), slices.Sorted(slices.Values(odds))
		if sets.below != nil {
			t.Errorf("%d rows that weigh alike have weights", m)
		}
		for percent := 1; percent < 1000; percent++ {
			k := ((m+1)*percent + 999) / 1000
			want := math.Inf(1)
			if k <= m {
				want = sorted[k-1]
			}
			if got := sets.quantile(float64(percent) / 1000); got != want {
				t.Errorf("%d rows, level .%03d: %v, want the %d-th, %v", m, percent, got, k, want)
			}
		}
		for _, level := range levels {
			k, _ := new(big.Rat).Mul(big.NewRat(int64(m+1), 1), new(big.Rat).SetFloat64(level)).Float64()
			want := math.Inf(1)
			if i := int(math.Ceil(k * (1 - 1e-14))); i <= m {
				want = sorted[i-1]
			}
			if got := sets.quantile(level); got != want {
				t.Errorf("%d rows, level %v: %v, want %v", m, level, got, want)
			}
		}
	}
}

// The quantile of rows with weights has level·(Σw + max w) of the weight up to it, and less before it.
func TestSetQuantileOfWeights(t *testing.T) {
	s := featuremap.NewSampler(2)
	const m = 200
	odds, weights := make([]float64, m), make([]float64, m)
	s.FillNormal(odds)
	for i := range weights {
		weights[i] = float64(1+s.IntN(4)) / 4
	}
	odds[7], weights[0] = odds[9], 1 // equal odds of two rows, and a largest weight of 1
	total := floats.Sum(weights)
	sets := newSets(odds, weights)
	upTo := func(q float64, equal bool) (sum float64) {
		for i, v := range odds {
			if v < q || v == q && equal {
				sum += weights[i]
			}
		}
		return sum
	}
	for level := 0.001; level < 1; level += 0.001 {
		q, need := sets.quantile(level), level*(total+1)
		if math.IsInf(q, 1) {
			if upTo(q, true) >= need*(1+1e-9) {
				t.Errorf("level %v: infinite", level)
			}
		} else if upTo(q, true) < need*(1-1e-9) || upTo(q, false) >= need*(1+1e-9) {
			t.Errorf("level %v: %v up to %v, %v before, of %v that it needs", level, upTo(q, true), q, upTo(q, false), need)
		}
	}
}

// Of many rows knots are kept: fewer than 1000, among them the largest and, up to a 64th of the rows above it, the quantile of all, never a smaller one.
func TestSetKnots(t *testing.T) {
	s := featuremap.NewSampler(3)
	for _, m := range []int{mostOdds + 1, 20_000, 100_000} {
		odds := make([]float64, m)
		for i := range odds {
			odds[i] = float64(i + 1) // the rank
		}
		for i := range odds {
			j := s.IntN(i + 1)
			odds[i], odds[j] = odds[j], odds[i]
		}
		for _, weights := range [][]float64{nil, ones(m)} {
			sets := newSets(odds, weights)
			if n := len(sets.odds); n > 1000 || n < 200 || sets.odds[n-1] != float64(m) || sets.rows != m || sets.total != float64(m+1) {
				t.Errorf("%d rows: %d knots up to %v, of a weight of %v", m, n, sets.odds[n-1], sets.total)
			}
			if err := sets.validate(); err != nil {
				t.Errorf("%d rows: %v", m, err)
			}
			for _, level := range levels {
				k := math.Ceil(level * float64(m+1) * (1 - 1e-14))
				if k > float64(m) {
					k = math.Inf(1)
				}
				if got := sets.quantile(level); !(got >= k && (got <= k+1+(float64(m)-k)/knotSlope*1.02 || got == k)) {
					t.Errorf("%d rows, level %v: row %v, want %v or somewhat more", m, level, got, k)
				}
			}
		}
	}
}

// Odds are those of probabilities, and tell apart what is sure to rounding.
func TestAgainst(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		class  int
		want   float64
	}{
		{[]float64{0, 0}, 0, 0},
		{[]float64{3, 1}, 0, -2},
		{[]float64{3, 1}, 1, 2},
		{[]float64{1, 1, 1}, 2, math.Ln2},
		{[]float64{5, 5 + math.Log(3), 5 + math.Log(6)}, 1, math.Log(7. / 3)},
		{[]float64{2000, 0, 0}, 0, math.Ln2 - 2000}, // p = 1, and 1 − p = 0
		{[]float64{-2000, 0, 0}, 0, math.Ln2 + 2000},
		{[]float64{100, 0, -700}, 0, -100},
	} {
		if got := against(c.scores, c.class); !(math.Abs(got-c.want) <= 1e-14*(1+math.Abs(c.want))) {
			t.Errorf("class %d of %v: %v, want %v", c.class, c.scores, got, c.want)
		}
	}
}

// Folds have each class's rows, to one, where rows are different, and copies together; the same ones each time, and none of rows without weight.
func TestFolds(t *testing.T) {
	phi, x, _ := halves(t)
	classes := make([]int, 900)
	for i := range classes {
		classes[i] = min(i%100/30, 3) // sorted in part
	}
	fold := func(x *mat.Dense, weights []float64) []int8 {
		d := newTestDescent(t, phi, x, classes, &Options{PredictionSets: true, Lambda: 1, Weights: weights})
		if err := d.dealFolds(); err != nil {
			t.Fatal(err)
		}
		return d.folds
	}
	folds := fold(x, nil)
	if !slices.Equal(folds, fold(x, nil)) {
		t.Error("folds differ from time to time")
	}
	var ofClass [4][foldCount]int
	var ofAll [foldCount]int
	for i, f := range folds {
		ofClass[classes[i]][f]++
		ofAll[f]++
	}
	if ofAll != [foldCount]int{180, 180, 180, 180, 180} || ofClass[0] != [foldCount]int{54, 54, 54, 54, 54} || ofClass[3] != [foldCount]int{18, 18, 18, 18, 18} {
		t.Errorf("folds of %v rows, by class %v", ofAll, ofClass)
	}
	if slices.Equal(folds[:100], folds[100:200]) {
		t.Error("folds are not drawn")
	}
	copied, weights := mat.DenseCopyOf(x), ones(900)
	for i := range 300 {
		copied.SetRow(600+i, copied.RawRowView(i))
		weights[300+i] = float64(i % 2)
	}
	copied.Set(600, 1, 0)
	copied.Set(0, 1, math.Copysign(0, -1))
	folds = fold(copied, weights)
	for i := range 300 {
		if folds[600+i] != folds[i] {
			t.Errorf("copies %d and %d are in folds %d and %d", i, 600+i, folds[i], folds[600+i])
		}
		if has := folds[300+i] != noFold; has != (i%2 == 1) {
			t.Errorf("row %d of weight %v is in fold %d", 300+i, weights[300+i], folds[300+i])
		}
	}
}

// The odds of a row are those of a fit of the other folds alone, to its tolerance, of landmarks too.
func TestCalibrate(t *testing.T) {
	fourier, x, classes := halves(t)
	landmarks, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 20, featuremap.NewSampler(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, phi := range []featuremap.FeatureMap{fourier, landmarks} {
		o := &Options{PredictionSets: true, Lambda: 1, Tolerance: 1e-8}
		d := newTestDescent(t, phi, x, classes, o)
		if err := d.dealFolds(); err != nil {
			t.Fatal(err)
		}
		if err := d.begin(d.training.begun); err != nil {
			t.Fatal(err)
		}
		if err := d.run(); err != nil {
			t.Fatal(err)
		}
		d.settled()
		s, err := d.calibrate()
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for fold := range int8(foldCount) {
			o := &Options{Lambda: 1, Tolerance: 1e-8, Weights: ones(900)}
			for i, f := range d.folds {
				if f == fold {
					o.Weights[i] = 0
				}
			}
			m, err := Fit(phi, x, classes, o)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range d.folds {
				if f == fold {
					want = append(want, against(m.scores.PredictVec(nil, x.RawRowView(i)), classes[i]))
				}
			}
		}
		slices.Sort(want)
		for k, v := range s.odds {
			if !(math.Abs(v-want[k]) <= 1e-3) {
				t.Fatalf("%T: odds %d = %v, want %v", phi, k, v, want[k])
			}
		}
	}
}
