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
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// To find out whether Nyström or random features predict better, compare validation fits: fit both on some of the rows
// with few columns, and compare the errors on other rows.
func ExampleNewNystrom() {
	const n, d, columns = 1000, 8, 64
	s := featuremap.NewSampler(1)
	x, y := helix(n, d, s)
	held, target := helix(n, d, s)
	k := featuremap.Gaussian{LengthScale: 1}
	pilot := func(name string, phi featuremap.FeatureMap, err error) {
		if err != nil {
			log.Fatal(err)
		}
		m, err := ridge.Fit(phi, x, y, nil)
		if err != nil {
			log.Fatal(err)
		}
		var e mat.Dense
		m.PredictTo(&e, held)
		e.Sub(&e, target)
		fmt.Printf("%-15s error %.2f\n", name, mat.Norm(&e, 2)/math.Sqrt(n))
	}
	random, err := featuremap.New(k, x, columns, s)
	pilot("random features", random, err)
	for _, how := range []featuremap.LandmarkChoice{featuremap.KMeans, featuremap.RandomRows} {
		phi, err := featuremap.NewNystrom(k, x, columns, s, &featuremap.NystromOptions{Landmarks: how})
		pilot(how.String(), phi, err)
	}
	// Output:
	// random features error 0.30
	// KMeans          error 0.26
	// RandomRows      error 0.27
}

// helix draws points near a curve, and the sine of the position on it with noise of standard deviation 0.1.
func helix(n, d int, s *featuremap.Sampler) (x, y *mat.Dense) {
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range n {
		t := 10 * s.Float64()
		row := x.RawRowView(i)
		floats.Scale(0.1, row)
		row[0], row[1], row[2] = row[0]+math.Cos(t), row[1]+math.Sin(t), row[2]+t/3
		y.Set(i, 0, math.Sin(3*t)+0.1*s.Normal())
	}
	return x, y
}

// The error of the kernel with landmarks is known at all pairs of points.
func ExampleNystrom_bias() {
	s := featuremap.NewSampler(1)
	x, _ := helix(500, 3, s)
	k := featuremap.Gaussian{LengthScale: 1}
	m, err := featuremap.NewNystrom(k, x, 40, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m)
	for _, at := range [][]float64{{1.5, 0, 0}, {3, 0, 0}} {
		f := m.TransformVec(nil, at)
		fmt.Printf("⟨φ(x), φ(x)⟩ = %.2f at x = %v, bias %.2f\n", floats.Dot(f, f), at, m.Bias(at, at))
	}
	// Output:
	// Gaussian{LengthScale: 1}: R^3 → R^40, 40 landmarks
	// ⟨φ(x), φ(x)⟩ = 0.92 at x = [1.5 0 0], bias -0.08
	// ⟨φ(x), φ(x)⟩ = 0.07 at x = [3 0 0], bias -0.93
}
