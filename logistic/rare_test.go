// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/internal/testkit"
	. "github.com/seed-0f95ebc1/featuremap/logistic"
)

// One class of pendigits against the others, thinned to 3 rows in 1000 of those to train on: the area under the curve of
// Balanced and the defaults, on the test rows.
func TestRareClasses(t *testing.T) {
	x, classes, err := dataset.Pendigits()
	if err != nil {
		t.Fatal(err)
	}
	features, some := 256, []int{6}
	if testkit.Long() {
		features, some = 1024, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	}
	phi := must(featuremap.NewFourier(featuremap.Gaussian{LengthScale: 100}, 16, features, featuremap.NewSampler(1), &featuremap.FourierOptions{Design: featuremap.Orthogonal}))
	var mean float64
	for _, class := range some {
		area := rareArea(phi, x, classes, class)
		t.Logf("class %d: %.4f", class, area)
		if !(area >= 0.98) {
			t.Errorf("class %d: area under the curve %v", class, area)
		}
		mean += area / float64(len(some))
	}
	t.Logf("mean %.4f", mean)
	if !(mean >= 0.995) {
		t.Errorf("mean area under the curve %v", mean)
	}
}

// rareArea returns the area under the curve for one class, of which 22 rows are left to train on: 3 in 1000 of 7494.
func rareArea(phi featuremap.FeatureMap, x *mat.Dense, classes []int, class int) float64 {
	const train, left = 7494, 22
	members := 0
	for _, c := range classes[:train] {
		if c == class {
			members++
		}
	}
	var rows []float64
	var rare []int
	seen := 0
	for i, c := range classes[:train] {
		k := 0
		if c == class {
			k = 1
			seen++
			if seen*left/members == (seen-1)*left/members { // evenly spread
				continue
			}
		}
		rows, rare = append(rows, x.RawRowView(i)...), append(rare, k)
	}
	m := must(Fit(phi, mat.NewDense(len(rare), 16, rows), rare, &Options{Balanced: true}))
	var p mat.Dense
	m.ProbabilityTo(&p, x.Slice(train, len(classes), 0, 16))
	scores, positive := mat.Col(nil, 1, &p), make([]bool, len(classes)-train)
	for i := range positive {
		positive[i] = classes[train+i] == class
	}
	stat.SortWeightedLabeled(scores, positive, nil)
	found, alarms, _ := stat.ROC(nil, scores, positive, nil)
	return integrate.Trapezoidal(alarms, found)
}
