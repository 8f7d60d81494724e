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

// A regression is judged by a fifth of the rows, which it has not seen: its error is that of the noise, 0.2, and nine in ten targets lie
// in its intervals of 90 per cent.
func Example() {
	const n = 1000
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		y.Set(i, 0, math.Sin(x.At(i, 0))*x.At(i, 1)+0.2*s.Normal())
	}
	rest, held := score.Split(n, 0.2, nil, s)
	weights := make([]float64, n) // 0 for the rows held back
	for _, i := range rest {
		weights[i] = 1
	}
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1.5}, x, 200, s)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, &ridge.Options{Weights: weights})
	if err != nil {
		log.Fatal(err)
	}
	var mean, variance, truth []float64
	for _, i := range held {
		row := x.RawRowView(i)
		predicted, sd := m.Predict(row)
		mean = append(mean, predicted[0])
		variance = append(variance, sd[0]*sd[0])
		truth = append(truth, y.At(i, 0))
	}
	fmt.Printf("error %.2f, negative log likelihood %.2f, coverage %.2f\n",
		score.RMSE(mean, truth), score.NLL(mean, variance, truth), score.Coverage(mean, variance, truth, 0.9))
	// Output:
	// error 0.21, negative log likelihood -0.17, coverage 0.91
}

// A test for a rare disease says yes too often, but ranks well.
func ExampleAUC() {
	probability := []float64{0.1, 0.2, 0.3, 0.6, 0.7, 0.9}
	ill := []bool{false, false, false, false, true, true}
	fmt.Println(score.AUC(probability, ill))
	// Output:
	// 1
}

// Probabilities of three classes, and what came of it.
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
