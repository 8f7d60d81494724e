// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

func ExampleNew() {
	// A trend and a smooth part: ⟨x, y⟩ is exact, and a product of stationary kernels has one
	// frequency for each feature.
	k := featuremap.Sum(
		featuremap.Linear{},
		featuremap.Product(featuremap.Gaussian{LengthScale: 1}, featuremap.Matern{Nu: 1.5, LengthScale: 3}),
	)
	phi, err := featuremap.New(k, 3, 500, featuremap.NewSampler(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := []float64{0.5, 0, 1}, []float64{0, 0.5, 0.5}
	fx, fy := phi.TransformVec(nil, x), phi.TransformVec(nil, y)
	fmt.Println("first columns", fx[:3])
	fmt.Printf("kernel   %.3f\n", k.Eval(x, y))
	fmt.Printf("estimate %.3f ± %.3f\n", floats.Dot(fx, fy), math.Sqrt(phi.(featuremap.Variancer).Variance(x, y)))
	// Output:
	// first columns [0.5 0 1]
	// kernel   1.125
	// estimate 1.120 ± 0.020
}

func ExampleNewPlan() {
	// Points on a helix.
	const n = 100
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		sin, cos := math.Sincos(float64(i) / 10)
		x.SetRow(i, []float64{cos, sin, float64(i) / n})
	}
	k := featuremap.Gaussian{LengthScale: 1}
	// The least number of features, at most 5000, with an error of 0.02 over pairs of points.
	plan, err := featuremap.NewPlan(k, 3, 5000, &featuremap.PlanOptions{Points: x, RMSE: 0.02})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan) // where error is over all pairs, and nearest over each point and the next
	// Output:
	// Gaussian{LengthScale: 1}: R^3 → R^26
	//   columns  error  nearest  features
	//   0 to 25  0.016  0.032    Maclaurin, law by the data, RademacherSketch, Complex, ExactDegree = 3, of points less their mean, weighted by an exponential
	//   or 26    0.12   0.0016   Fourier, Orthogonal frequencies in pairs
	//   predicted root mean square error 0.0156, give or take 8 %
}

func ExampleFromMap() {
	// A map of one's own beside a kernel: here the squares of the coordinates.
	k := featuremap.Sum(featuremap.FromMap(squaresMap{}), featuremap.Gaussian{LengthScale: 2})
	phi, err := featuremap.New(k, 2, 100, featuremap.NewSampler(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(phi.TransformVec(nil, []float64{3, -2})[:2])
	// Output:
	// [9 4]
}

// squaresMap is the map (x₁², x₂²).
type squaresMap struct{}

func (squaresMap) Dims() (in, out int)         { return 2, 2 }
func (m squaresMap) Kernel() featuremap.Kernel { return featuremap.FromMap(m) }

func (m squaresMap) TransformTo(dst *mat.Dense, x mat.Matrix) {
	dst.Apply(func(_, _ int, v float64) float64 { return v * v }, x)
}

func (m squaresMap) TransformVec(dst, x []float64) []float64 {
	if dst == nil {
		dst = make([]float64, 2)
	}
	return floats.MulTo(dst, x, x)
}

func ExampleNewNeurons() {
	// A random layer of ReLUs and the kernel of infinitely many.
	k := featuremap.ArcCosine{Order: 1}
	phi, err := featuremap.NewNeurons(k, 3, 2000, featuremap.NewSampler(3), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := []float64{1, 2, 0}, []float64{2, 0, 1}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel   %.3f\n", k.Eval(x, y))
	fmt.Printf("estimate %.3f ± %.3f\n", estimate, math.Sqrt(phi.Variance(x, y)))
	// Output:
	// kernel   2.721
	// estimate 2.893 ± 0.161
}

func ExampleNeuronsOptions() {
	// Orthogonal directions, and ½⟨x, y⟩ by exact features.
	k := featuremap.ArcCosine{Order: 1}
	phi, err := featuremap.NewNeurons(k, 3, 2000, featuremap.NewSampler(3), &featuremap.NeuronsOptions{Design: featuremap.Orthogonal})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := []float64{1, 2, 0}, []float64{2, 0, 1}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel   %.3f\n", k.Eval(x, y))
	fmt.Printf("estimate %.3f ± %.3f\n", estimate, math.Sqrt(phi.Variance(x, y)))
	// Output:
	// kernel   2.721
	// estimate 2.713 ± 0.019
}

func ExampleWeight() {
	// A kernel that fades with the distance from the origin.
	fade := func(x []float64) float64 { return math.Exp(-floats.Dot(x, x)) }
	k := featuremap.Weight(featuremap.WeightFunc(fade), featuremap.Gaussian{LengthScale: 1})
	phi, err := featuremap.New(k, 2, 1000, featuremap.NewSampler(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := []float64{0.5, 0}, []float64{0, 0.5}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel %.3f, estimate %.3f\n", k.Eval(x, y), estimate)
	// Output:
	// kernel 0.472, estimate 0.470
}
