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
	"github.com/seed-0f95ebc1/featuremap/series"
)

// The linear kernel is exact: its features are the coordinates.
func ExampleLinear() {
	rows := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	phi, err := featuremap.New(featuremap.Linear{}, rows, 100, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(phi.TransformVec(nil, []float64{1, 2, 3}))
	// Output:
	// [1 2 3]
}

// If all monomials fit, they are the features, and there is no error. Of degree 2 in two coordinates there are six.
// Gamma has no default: 0 is refused.
func ExamplePolynomial() {
	x := mat.NewDense(3, 2, []float64{2, 3, 1, -1, 0, 2})
	k := featuremap.Polynomial{Degree: 2, Gamma: 1, Offset: 1} // (⟨x, y⟩ + 1)²
	phi, err := featuremap.New(k, x, 100, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", phi.TransformVec(nil, []float64{2, 3})) // 1, √2·x₁, √2·x₂, x₁², √2·x₁x₂, x₂²
	_, err = featuremap.New(featuremap.Polynomial{Degree: 2, Offset: 1}, x, 100, featuremap.NewSampler(1))
	fmt.Println(err)
	// Output:
	// [1.000 2.828 4.243 4.000 8.485 9.000]
	// featuremap: Polynomial Gamma = 0: must be positive and finite
}

// The norms for which exp(⟨x, y⟩) is useful: a plan predicts the error of 1024 features for points in random directions
// of R⁶⁴. The error grows as exp(‖x‖²/ℓ²), while most kernel values are about 1.
func ExampleExpDot() {
	s := featuremap.NewSampler(1)
	x := mat.NewDense(50, 64, nil)
	for _, squared := range []float64{1, 1.5, 2, 3, 4, 8} {
		for i := range 50 {
			row := x.RawRowView(i)
			s.FillNormal(row)
			floats.Scale(math.Sqrt(squared)/floats.Norm(row, 2), row)
		}
		plan, err := featuremap.NewPlan(featuremap.ExpDot{LengthScale: 1}, x, 1024, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("‖x‖² = %v: error %.2g\n", squared, plan.RMSE())
	}
	// Output:
	// ‖x‖² = 1: error 0.013
	// ‖x‖² = 1.5: error 0.031
	// ‖x‖² = 2: error 0.053
	// ‖x‖² = 3: error 0.13
	// ‖x‖² = 4: error 0.21
	// ‖x‖² = 8: error 1.1
}

// Vovk's infinite polynomial contains products of coordinates of every degree, with larger weights than ExpDot, for
// points within the ball of radius 1/√γ.
func ExampleDot_infinitePolynomial() {
	k := featuremap.Dot(series.Geometric{Ratio: 0.5})
	fmt.Printf("%.3f\n", k.Eval([]float64{1, 0}, []float64{0.6, 0.8}))
	fmt.Println(k.Eval([]float64{2, 0}, []float64{1, 0})) // γ⟨x, y⟩ = 1
	// Output:
	// 1.429
	// +Inf
}

// An infinitely wide layer of ReLUs on unit vectors, by the series of its activation.
func ExampleDot() {
	k := featuremap.Dot(series.ReLUDual{})
	phi, err := featuremap.NewMaclaurin(k, 2, 2000, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{1, 0}, []float64{0.6, 0.8}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel %.3f, estimate %.3f\n", k.Eval(x, y), estimate)
	fmt.Printf("neurons %.3f\n", featuremap.ArcCosine{Order: 1}.Eval(x, y)) // the same on unit vectors
	// Output:
	// kernel 0.678, estimate 0.644
	// neurons 0.678
}

// vovk is Vovk's real polynomial kernel, 1 + t + … + tⁿ⁻¹ with t = ⟨x, y⟩. Your own dot product kernel needs Eval and a
// series.
type vovk struct{ n int }

func (k vovk) Eval(x, y []float64) float64 { return k.Series().Eval(floats.Dot(x, y)) }

func (k vovk) Series() series.Series {
	a := make(series.Coefficients, k.n)
	for i := range a {
		a[i] = 1
	}
	return a
}

func ExampleDotProduct() {
	rows := mat.NewDense(2, 3, []float64{0.6, 0, 0.8, 0, 0.6, 0.8})
	phi, err := featuremap.New(vovk{5}, rows, 1000, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{0.6, 0, 0.8}, []float64{0, 0.6, 0.8}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	_, features := phi.Dims()
	fmt.Printf("kernel %.3f, estimate %.3f by %d features\n", vovk{5}.Eval(x, y), estimate, features)
	// Output:
	// kernel 2.480, estimate 2.480 by 35 features
}
