// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Rows of float32 come in batches, such as embeddings from another program. They are neither copied to float64 nor
// kept.
func ExampleAccumulator32_Add() {
	s := featuremap.NewSampler(1)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 200, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	in32, err := featuremap.Float32(phi)
	if err != nil {
		log.Fatal(err)
	}
	a, err := ridge.NewAccumulator32(in32, 1)
	if err != nil {
		log.Fatal(err)
	}
	const rows = 100
	for range 20 {
		x := blas32.General{Rows: rows, Cols: 2, Stride: 2, Data: make([]float32, rows*2)}
		y := mat.NewDense(rows, 1, nil)
		for i := range rows {
			row := x.Data[2*i:][:2]
			row[0], row[1] = float32(2*s.Float64()), float32(2*s.Float64())
			y.Set(i, 0, math.Sin(3*float64(row[0]))*float64(row[1])+0.1*s.Normal())
		}
		if err := a.Add(x, y); err != nil {
			log.Fatal(err)
		}
	}
	fitted, err := a.Fit(nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := fitted.Float32()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows, noise of deviation %.2f\n", a.Rows(), math.Sqrt(m.NoiseVariance()[0]))
	fmt.Printf("f(.5, 1) = %.2f, which is sin 1.5 = %.2f\n", m.PredictVec(nil, []float32{0.5, 1})[0], math.Sin(1.5))
	// Output:
	// 2000 rows, noise of deviation 0.10
	// f(.5, 1) = 0.99, which is sin 1.5 = 1.00
}

// A model that was fitted in float64, with its variances, also serves rows of float32.
func ExampleModel_Float32() {
	x, y := noisySine(200, 0.1)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 50, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	in32, err := m.Float32()
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Posterior()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("float64: %.4f ± %.4f\n", m.PredictVec(nil, []float64{2})[0], math.Sqrt(p.VarianceVec(nil, []float64{2})[0]))
	fmt.Printf("float32: %.4f\n", in32.PredictVec(nil, []float32{2})[0])
	// Output:
	// float64: 0.8707 ± 0.0163
	// float32: 0.8707
}

// A model in float32 is saved in float64, with its map. It predicts the same bits after reading.
func ExampleModel32_Float64() {
	x, y := noisySine(200, 0.1)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 50, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	in32, err := m.Float32()
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := in32.Float64().WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	saved, err := ridge.ReadModel(&file, nil)
	if err != nil {
		log.Fatal(err)
	}
	read, err := saved.Float32()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.PredictVec(nil, []float32{2})[0] == in32.PredictVec(nil, []float32{2})[0])
	// Output: true
}

// Predictions for a batch, written to memory that is there.
func ExampleModel32_PredictTo() {
	x, y := noisySine(200, 0.1)
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 50, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	in32, err := m.Float32()
	if err != nil {
		log.Fatal(err)
	}
	rows := blas32.General{Rows: 3, Cols: 1, Stride: 1, Data: []float32{1, 2, 3}}
	p := blas32.General{Rows: 3, Cols: 1, Stride: 1, Data: make([]float32, 3)}
	in32.PredictTo(p, rows)
	fmt.Printf("%.2f\n", p.Data)
	// Output:
	// [0.85 0.87 0.11]
}

// An accumulator without rows, for two targets.
func ExampleNewAccumulator32() {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 3, 100, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	in32, err := featuremap.Float32(phi)
	if err != nil {
		log.Fatal(err)
	}
	a, err := ridge.NewAccumulator32(in32, 2)
	fmt.Println(a.Rows(), err)
	_, err = ridge.NewAccumulator32(in32, 0)
	fmt.Println(err)
	// Output:
	// 0 <nil>
	// ridge: targets = 0: must be at least 1
}

// Sums from another process are read for the map that they belong to, and then merged or fitted.
func ExampleReadAccumulator32() {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 1, 20, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	in32, err := featuremap.Float32(phi)
	if err != nil {
		log.Fatal(err)
	}
	a, err := ridge.NewAccumulator32(in32, 1)
	if err != nil {
		log.Fatal(err)
	}
	x := blas32.General{Rows: 3, Cols: 1, Stride: 1, Data: []float32{0, 1, 2}}
	if err := a.Add(x, mat.NewDense(3, 1, []float64{1, 2, 3})); err != nil {
		log.Fatal(err)
	}
	var wire bytes.Buffer
	if _, err := a.WriteTo(&wire); err != nil {
		log.Fatal(err)
	}
	received, err := ridge.ReadAccumulator32(&wire, in32)
	if err != nil {
		log.Fatal(err)
	}
	if err := received.Merge(a); err != nil {
		log.Fatal(err)
	}
	fmt.Println(received.Rows())
	// Output:
	// 6
}
