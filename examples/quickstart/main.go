// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Quickstart learns a function of two variables from 500 noisy observations. It fits a model, scores it on test rows,
// saves it and reads it again, and predicts a new point with an error bar and an interval. It is the first program of
// README.md.
//
//	go run ./examples/quickstart
package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/learn"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

func main() {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(500, 2, nil), mat.NewDense(500, 1, nil) // x: a row for each observation; y: a column for each target
	for i := range 500 {
		a, b := rng.Float64(), rng.Float64()
		x.SetRow(i, []float64{a, b})
		y.Set(i, 0, math.Sin(6*a)*b+0.1*rng.NormFloat64())
	}
	report := must(learn.Regression(x, y, nil))
	fmt.Println(report.Score) // on held-out test rows

	var file bytes.Buffer
	must(report.Model.WriteTo(&file))
	model := must(ridge.ReadModel(&file, nil)) // elsewhere, with the same bits

	point := []float64{0.3, 0.9}
	mean, sd := model.Predict(point) // sd: of a new observation
	lo, hi := model.Interval(point, 0.9)
	fmt.Printf("%.2f ± %.2f, 90 %% within %.2f … %.2f (true: %.2f)\n", mean[0], sd[0], lo[0], hi[0], math.Sin(6*0.3)*0.9)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
