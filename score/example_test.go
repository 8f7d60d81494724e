// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package score_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// A regression is judged by a fifth of the rows, which it has not seen. Its error equals the noise, 0.2, and its
// intervals of 90 % contain nine of ten targets.
func Example() {
	const n = 1000
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		y.Set(i, 0, math.Sin(x.At(i, 0))*x.At(i, 1)+0.2*s.Normal())
	}
	train, test := score.Split(n, 0.2, nil, 1)
	xTrain, yTrain := score.Rows(x, train), score.Rows(y, train)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1.5}, xTrain, 200, s)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, xTrain, yTrain, nil)
	if err != nil {
		log.Fatal(err)
	}
	xTest, truth := score.Rows(x, test), score.Rows(y, test)
	var mean, sd, lo, hi mat.Dense
	m.PredictTo(&mean, xTest)
	m.StdDevTo(&sd, xTest)
	m.IntervalTo(&lo, &hi, xTest, 0.9)
	fmt.Printf("error %.2f, negative log likelihood %.2f, coverage %.2f, interval score %.2f\n",
		score.RMSE(&mean, truth)[0], score.NLL(&mean, &sd, truth)[0], score.Coverage(&lo, &hi, truth)[0], score.IntervalScore(&lo, &hi, truth, 0.9)[0])
	// Output:
	// error 0.21, negative log likelihood -0.15, coverage 0.89, interval score 0.89
}

// A test for a rare disease says yes too often, but ranks well.
func ExampleAUC() {
	probability := []float64{0.1, 0.2, 0.3, 0.6, 0.7, 0.9}
	ill := []bool{false, false, false, false, true, true}
	fmt.Println(score.AUC(probability, ill))
	// Output:
	// 1
}

// Probabilities of three classes, and the classes that came true.
func ExampleLogLoss() {
	p := mat.NewDense(4, 3, []float64{
		0.8, 0.1, 0.1,
		0.2, 0.7, 0.1,
		0.3, 0.3, 0.4,
		0.6, 0.2, 0.2,
	})
	classes := []int{0, 1, 2, 1}
	fmt.Printf("accuracy %.2f, log loss %.2f\n", score.Accuracy([]int{0, 1, 2, 0}, classes), score.LogLoss(p, classes))
	for _, b := range score.Calibration(p, classes, 2) {
		fmt.Printf("%.1f to %.1f: %d rows, confidence %.2f, right %.2f\n", b.Low, b.High, b.Rows, b.Confidence, b.Accuracy)
	}
	// Output:
	// accuracy 0.75, log loss 0.78
	// 0.0 to 0.5: 1 rows, confidence 0.40, right 1.00
	// 0.5 to 1.0: 3 rows, confidence 0.70, right 0.67
}
