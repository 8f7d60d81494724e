// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/learn"
)

// From rows to a regression, in one call. The second of two columns has another unit, and does not matter. (The report
// prints as a table: fmt.Println(report).)
func ExampleRegression() {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(120, 2, nil), mat.NewDense(120, 1, nil)
	for i := range 120 {
		x.SetRow(i, []float64{6 * s.Float64(), 1000 * s.Float64()})
		y.Set(i, 0, math.Sin(x.At(i, 0))+0.1*s.Normal())
	}
	report, err := learn.Regression(x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	var score learn.RegressionScore = report.Score
	fmt.Printf("%d test rows: RMSE %.2f, predicting the mean %.2f\n", score.Rows, score.RMSE[0], score.Baseline[0])
	point := []float64{math.Pi / 2, 500}
	fmt.Printf("predicted %.1f, true 1\n", report.Model.PredictVec(nil, point)[0])
	// Output:
	// 12 test rows: RMSE 0.12, predicting the mean 0.67
	// predicted 1.0, true 1
}

// From rows to a classifier, with the last fifth of the rows as the test set, and how its kernel was chosen.
func ExampleClassification() {
	s := featuremap.NewSampler(1)
	x, classes := mat.NewDense(150, 2, nil), make([]int, 150)
	var held []int
	for i := range 150 {
		if s.FillNormal(x.RawRowView(i)); math.Hypot(x.At(i, 0), x.At(i, 1)) > 1.2 {
			classes[i] = 1
		}
		if i >= 120 {
			held = append(held, i)
		}
	}
	opts := &learn.Options{TestRows: held, Features: 64, Progress: func(step string) error { return nil }}
	var report *learn.ClassificationReport
	report, err := learn.Classification(x, classes, opts)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report.Choices {
		var choice learn.Choice = c
		if choice.Step == "kernel" && choice.Taken {
			fmt.Println("kernel:", choice.Name)
		}
	}
	var score learn.ClassificationScore = report.Score
	fmt.Printf("accuracy %.2f, of the most frequent class %.2f\n", score.Accuracy, score.Majority)
	fmt.Printf("class 1 at the origin: %.2f\n", report.Model.ProbabilityVec(nil, []float64{0, 0})[1])
	// Output:
	// kernel: one length
	// accuracy 1.00, of the most frequent class 0.37
	// class 1 at the origin: 0.00
}
