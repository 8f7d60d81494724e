// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic_test

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Ten digits: their probabilities for a picture, and the log loss on held-out rows.
func Example() {
	x, classes, err := dataset.Digits()
	if err != nil {
		log.Fatal(err)
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 30}, x, 300, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := logistic.Fit(phi, x.Slice(0, 1200, 0, 64), classes[:1200], nil)
	if err != nil {
		log.Fatal(err)
	}
	held := x.Slice(1200, 1797, 0, 64)
	var p mat.Dense
	m.ProbabilityTo(&p, held)
	wrong, loss := 0, 0.0
	for i, c := range m.Classify(held) {
		if c != classes[1200+i] {
			wrong++
		}
		loss -= math.Log(p.At(i, classes[1200+i]))
	}
	fmt.Printf("%.0f %% wrong, log loss %.1f\n", 100*float64(wrong)/597, loss/597)
	first := m.ProbabilityVec(nil, x.RawRowView(1200))
	fmt.Printf("the first is a %d with probability %.1f\n", floats.MaxIdx(first), floats.Max(first))
	w, b := m.Weights(), m.Intercept()
	features, count := w.Dims()
	fmt.Println(features, "features,", count, "classes,", len(b), "intercepts, λ > 0:", m.Lambda() > 0, "loss < .2:", m.Loss() < 0.2, m.Map() == phi)
	// Output:
	// 4 % wrong, log loss 0.2
	// the first is a 7 with probability 1.0
	// 300 features, 10 classes, 10 intercepts, λ > 0: true loss < .2: true true
}

// A rare class, one row in a hundred. Balanced makes classes count alike, and the area under the ROC curve tells how
// well the rare rows are found.
func ExampleOptions() {
	x, classes, err := dataset.Digits()
	if err != nil {
		log.Fatal(err)
	}
	var rows []float64
	var rare []int
	for i := range 1200 {
		if classes[i] == 8 && i%10 != 0 { // most eights are missing
			continue
		}
		c := 0
		if classes[i] == 8 {
			c = 1
		}
		rows, rare = append(rows, x.RawRowView(i)...), append(rare, c)
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 30}, x, 300, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := logistic.Fit(phi, mat.NewDense(len(rare), 64, rows), rare, &logistic.Options{Balanced: true})
	if err != nil {
		log.Fatal(err)
	}
	var p mat.Dense
	m.ProbabilityTo(&p, x.Slice(1200, 1797, 0, 64))
	scores, eight := mat.Col(nil, 1, &p), make([]bool, 597)
	for i := range eight {
		eight[i] = classes[1200+i] == 8
	}
	stat.SortWeightedLabeled(scores, eight, nil)
	found, alarms, _ := stat.ROC(nil, scores, eight, nil)
	fmt.Printf("area under the curve %.2f\n", integrate.Trapezoidal(alarms, found))
	// Output:
	// area under the curve 0.97
}

// Rows that come in batches, as from a file, and a model that is saved and read.
func ExampleFitBatches() {
	x, classes, err := dataset.Digits()
	if err != nil {
		log.Fatal(err)
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 30}, x, 200, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	rows := func(yield func(ridge.Batch, error) bool) {
		for lo := 0; lo < 1200; lo += 300 {
			y := mat.NewDense(300, 1, nil)
			for i := range 300 {
				y.Set(i, 0, float64(classes[lo+i]))
			}
			if !yield(ridge.Batch{X: x.Slice(lo, lo+300, 0, 64), Y: y}, nil) {
				return
			}
		}
	}
	m, err := logistic.FitBatches(phi, rows, 10, nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	read, err := logistic.ReadModel(&file, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Classify(x.Slice(1200, 1210, 0, 64)), classes[1200:1210])
	// Output:
	// [7 7 3 5 1 0 0 2 2 7] [7 7 3 5 1 0 0 2 2 7]
}

// The digits that a picture may show: nine of ten sets, or 99 of 100, contain the right one. Every third row is a test
// row. (The last third is written by other people, whom the fit has not seen: there only four of five sets contain the
// right digit at a level of 90 %.)
func ExampleModel_PredictionSet() {
	x, classes, err := dataset.Digits()
	if err != nil {
		log.Fatal(err)
	}
	var rows, held []float64
	var of, right []int
	for i, c := range classes {
		if i%3 == 0 {
			held, right = append(held, x.RawRowView(i)...), append(right, c)
		} else {
			rows, of = append(rows, x.RawRowView(i)...), append(of, c)
		}
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 30}, x, 300, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := logistic.Fit(phi, mat.NewDense(len(of), 64, rows), of, &logistic.Options{PredictionSets: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, level := range []float64{0.9, 0.99} {
		covered, size := 0, 0
		for i, c := range right {
			set := m.PredictionSet(held[64*i:][:64], level)
			if slices.Contains(set, c) {
				covered++
			}
			size += len(set)
		}
		fmt.Printf("level %v: %.0f %% of %d sets have the digit, of a mean size of %.1f\n", level, 100*float64(covered)/float64(len(right)), len(right), float64(size)/float64(len(right)))
	}
	// Output:
	// level 0.9: 91 % of 599 sets have the digit, of a mean size of 0.9
	// level 0.99: 99 % of 599 sets have the digit, of a mean size of 1.0
}
