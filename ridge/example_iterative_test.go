// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"errors"
	"fmt"
	"iter"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// waves returns rows in batches of 100, and a map of them.
func waves(features int) (featuremap.FeatureMap, iter.Seq2[ridge.Batch, error]) {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(1000, 2, nil), mat.NewDense(1000, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range 1000 {
		y.Set(i, 0, math.Sin(2*x.At(i, 0))*x.At(i, 1)+s.Normal()/10)
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, features, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	return phi, func(yield func(ridge.Batch, error) bool) {
		for lo := 0; lo < 1000; lo += 100 {
			if !yield(ridge.Batch{X: x.Slice(lo, lo+100, 0, 2), Y: y.Slice(lo, lo+100, 0, 1)}, nil) {
				return
			}
		}
	}
}

// A fit with conjugate gradients, for more features than a direct fit has memory for: no D×D matrix is formed.
func ExampleFitIterative() {
	phi, rows := waves(400)
	m, err := ridge.FitIterative(phi, rows, &ridge.IterativeOptions{Lambda: 1e-2, Tolerance: 1e-8})
	if err != nil {
		log.Fatal(err)
	}
	direct, err := ridge.FitBatches(phi, rows, &ridge.Options{Lambda: 1e-2})
	if err != nil {
		log.Fatal(err)
	}
	point := []float64{0.5, 2}
	fmt.Println("residual below 1e-8:", m.Residual() < 1e-8, "in passes:", m.Passes() > 0)
	fmt.Println("as the direct fit:", math.Abs(m.PredictVec(nil, point)[0]-direct.PredictVec(nil, point)[0]) < 1e-6)
	// Output:
	// residual below 1e-8: true in passes: true
	// as the direct fit: true
}

// A fit that was stopped continues from the solution so far.
func ExampleInterruptedError() {
	phi, rows := waves(200)
	options := ridge.IterativeOptions{Lambda: 1e-2, Tolerance: 1e-8, Progress: func(pass int, residual float64) error {
		if residual < 1e-3 {
			return errors.New("enough for today")
		}
		return nil
	}}
	_, err := ridge.FitIterative(phi, rows, &options)
	var interrupted *ridge.InterruptedError
	if !errors.As(err, &interrupted) {
		log.Fatal(err)
	}
	fmt.Println(err)
	m, err := ridge.FitIterative(phi, rows, &ridge.IterativeOptions{Start: interrupted.Model, Tolerance: 1e-8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("residual below 1e-8:", m.Residual() < 1e-8)
	// Output:
	// ridge: interrupted by Progress: enough for today
	// residual below 1e-8: true
}
