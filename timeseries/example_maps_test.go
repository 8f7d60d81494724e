// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/timeseries"
)

// Two channels: does the second one follow the first, or not?
func ExampleOptions() {
	s := featuremap.NewSampler(1)
	const length = 60
	x, classes := mat.NewDense(50, 2*length, nil), make([]int, 50)
	for i := range classes {
		row := x.RawRowView(i)
		s.FillNormal(row)
		if classes[i] = i % 2; classes[i] == 1 {
			for p := range length {
				row[length+p] = 0.8*row[p] + 0.6*row[length+p]
			}
		}
	}
	m, err := timeseries.NewMiniRocket(x.Slice(0, 30, 0, 2*length), 840, s, &timeseries.Options{Channels: 2})
	if err != nil {
		log.Fatal(err)
	}
	model, err := logistic.Fit(m, x.Slice(0, 30, 0, 2*length), classes[:30], nil)
	if err != nil {
		log.Fatal(err)
	}
	right := 0
	for i := 30; i < 50; i++ {
		if class, _ := model.Predict(x.RawRowView(i)); class == classes[i] {
			right++
		}
	}
	fmt.Println(m)
	fmt.Printf("%d of 20\n", right)
	// Output:
	// MiniRocket of series of 60 values in each of 2 channels: 840 features, 6 dilations
	// 20 of 20
}

// Both maps together, for a regression: the number of beats in a noisy series.
func ExampleNewHydra() {
	s := featuremap.NewSampler(1)
	const n, length = 150, 16
	x, y := mat.NewDense(n, length, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		s.FillNormal(x.RawRowView(i))
		beats := s.IntN(4)
		for range beats {
			x.RawRowView(i)[s.IntN(length)] += 6
		}
		y.Set(i, 0, float64(beats))
	}
	known := x.Slice(0, 120, 0, length)
	rocket, err := timeseries.NewMiniRocket(known, 252, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	hydra, err := timeseries.NewHydra(known, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	_, a := rocket.Dims()
	_, b := hydra.Dims()
	k := featuremap.Sum(featuremap.FromMap(rocket), featuremap.FromMap(hydra))
	plan, err := featuremap.NewPlan(k, nil, a+b, &featuremap.PlanOptions{In: length})
	if err != nil {
		log.Fatal(err)
	}
	both, err := plan.Draw(s)
	if err != nil {
		log.Fatal(err)
	}
	model, err := ridge.Fit(both, known, y.Slice(0, 120, 0, 1), nil)
	if err != nil {
		log.Fatal(err)
	}
	var predicted mat.Dense
	model.PredictTo(&predicted, x.Slice(120, n, 0, length))
	var squares float64
	for i := range n - 120 {
		squares += math.Pow(predicted.At(i, 0)-y.At(120+i, 0), 2)
	}
	fmt.Printf("RMSE %.1f beats\n", math.Sqrt(squares/(n-120)))
	// Output:
	// RMSE 0.5 beats
}
