// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

func ExampleNewDataDependent() {
	// Points on two half circles, one inside the other.
	const n = 60
	x := mat.NewDense(2*n, 2, nil)
	for i := range n {
		sin, cos := math.Sincos(math.Pi * float64(i) / (n - 1))
		x.SetRow(i, []float64{cos, sin})
		x.SetRow(n+i, []float64{0.5 * cos, 0.5 * sin})
	}
	base, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 200, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	phi, err := featuremap.NewDataDependent(base, x, &featuremap.DataDependentOptions{Alpha: 1000, Neighbors: 4})
	if err != nil {
		log.Fatal(err)
	}
	// The cosine of the angle between the features of point i and the features of the left end of the outer arc. Below,
	// i is the top of this arc, and the left end of the inner arc, which is nearer.
	cosine := func(m featuremap.FeatureMap, i int) float64 {
		a, b := m.TransformVec(nil, x.RawRowView(n-1)), m.TransformVec(nil, x.RawRowView(i))
		return floats.Dot(a, b) / (floats.Norm(a, 2) * floats.Norm(b, 2))
	}
	fmt.Println("          base map  data-dependent")
	fmt.Printf("same arc  %8.2f  %14.2f\n", cosine(base, n/2), cosine(phi, n/2))
	fmt.Printf("other     %8.2f  %14.2f\n", cosine(base, 2*n-1), cosine(phi, 2*n-1))
	// Output:
	//           base map  data-dependent
	// same arc      0.31            0.57
	// other         0.88            0.22
}
