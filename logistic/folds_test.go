// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

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
		odds, _ := s.odds.Numbers()
		for k, v := range odds {
			if !(math.Abs(v-want[k]) <= 1e-3) {
				t.Fatalf("%T: odds %d = %v, want %v", phi, k, v, want[k])
			}
		}
	}
}
