// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	lent "github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// Landmarks do not judge λ, where there are more other rows, and rows at their places are told from others, as lists or not.
func TestLandmarkRows(t *testing.T) {
	s := featuremap.NewSampler(2)
	x, _ := letters(t, 40, 500, 2, s)
	dense := mat.DenseCopyOf(x)
	for _, points := range []mat.Matrix{x, dense} {
		for features, want := range map[int]int{10: 10, 19: 19, 20: 0, 40: 0} {
			phi, err := newMap(drawn, featuremap.Gaussian{LengthScale: 4}, points, features, s)
			if err != nil {
				t.Fatal(err)
			}
			is, count := landmarkRowsOf(drawn, phi, points), 0
			for i, v := range is {
				if v {
					count++
					row := mat.Row(nil, i, dense)
					if l := phi.(*featuremap.Nystrom).Landmarks(); !slices.ContainsFunc(numbers(features), func(j int) bool { return slices.Equal(l.RawRowView(j), row) }) {
						t.Errorf("%T, %d features: row %d is no landmark", points, features, i)
					}
				}
			}
			if count != want || (is == nil) != (want == 0) {
				t.Errorf("%T, %d features: %d landmarks, want %d", points, features, count, want)
			}
		}
	}
	phi, err := newMap(planned, featuremap.Gaussian{LengthScale: 4}, dense, 10, s)
	if err != nil || landmarkRowsOf(drawn, phi, dense) != nil {
		t.Error("random features have landmarks", err)
	}
	phi, err = newMap(drawn, featuremap.SymLog(slices.Repeat([]float64{2}, 500), featuremap.Gaussian{LengthScale: 4}), dense, 10, s)
	if err != nil || len(landmarkRowsOf(drawn, phi, dense)) != 40 {
		t.Error("landmarks behind logarithms are none", err)
	}
	if landmarkRowsOf(clustered, phi, dense) != nil {
		t.Error("rows in the middle of clusters do not judge")
	}
}

// With a length so short that landmarks see little of other rows, those that judge λ ask for much more than fresh rows do.
func TestLandmarksDoNotJudge(t *testing.T) {
	const n, width, classes, features = 900, 600, 3, 150
	s := featuremap.NewSampler(5)
	x, class := letters(t, n, width, classes, s)
	fresh, truth := letters(t, n, width, classes, s)
	phi, err := newMap(drawn, featuremap.Gaussian{LengthScale: 2}, x, features, s)
	if err != nil {
		t.Fatal(err)
	}
	var losses []float64
	for _, rows := range [][]bool{nil, landmarkRowsOf(drawn, phi, x)} {
		o := new(logistic.Options)
		lent.Of(o).NotJudging = rows
		m, err := logistic.Fit(phi, x, class, o)
		if err != nil {
			t.Fatal(err)
		}
		var p mat.Dense
		m.ProbabilityTo(&p, fresh)
		losses = append(losses, score.LogLoss(&p, truth))
		t.Log(m.Lambda(), losses, score.Accuracy(m.Classify(fresh), truth))
	}
	if losses[1] > 0.95*losses[0] {
		t.Errorf("log loss %v, by landmarks too %v", losses[1], losses[0])
	}
}
