// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"bytes"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/seed-0f95ebc1/featuremap"
)

// Embeddings of float32 stay float32.
func ExampleFloat32() {
	m, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 1024, featuremap.NewSampler(1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var in32 *featuremap.Map32
	if in32, err = featuremap.Float32(m); err != nil {
		fmt.Println(err)
		return
	}
	x := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{0, 0, 1, 0.5}}
	z := blas32.General{Rows: 2, Cols: 1024, Stride: 1024, Data: make([]float32, 2*1024)}
	in32.TransformTo(z, x)
	var estimate float64
	for j := range 1024 {
		estimate += float64(z.Data[j]) * float64(z.Data[1024+j])
	}
	fmt.Printf("kernel %.2f, estimate %.2f\n", in32.Kernel().Eval([]float64{0, 0}, []float64{1, 0.5}), estimate)
	// Output: kernel 0.54, estimate 0.50
}

// A map in float32 is saved as the map in float64 that it was made from.
func ExampleMap32_Float64() {
	m, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 1024, featuremap.NewSampler(1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	in32, err := featuremap.Float32(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := featuremap.Encode(&file, in32.Float64()); err != nil {
		fmt.Println(err)
		return
	}
	decoded, err := featuremap.Decode(&file, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	read, err := featuremap.Float32(decoded)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float32{1, 0.5}
	fmt.Println(slices.Equal(read.TransformVec(nil, x), in32.TransformVec(nil, x)))
	// Output: true
}
