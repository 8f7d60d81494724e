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
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// ARD standardizes columns of different units, with their standard deviations as length scales. The map takes points as
// they are, new ones too.
func ExampleARD_standardize() {
	x := mat.NewDense(4, 2, []float64{ // age in years, income in euros a year
		25, 31_000,
		47, 58_000,
		38, 120_000,
		61, 44_000,
	})
	deviations := make([]float64, 2)
	for j := range deviations {
		deviations[j] = stat.StdDev(mat.Col(nil, j, x), nil)
	}
	k := featuremap.ARD(deviations, featuremap.Gaussian{LengthScale: 1})
	fmt.Printf("deviations %.1f\n", deviations)
	fmt.Printf("%.3f\n", k.Eval(x.RawRowView(0), x.RawRowView(1)))
	// Without ARD only the second coordinate matters.
	fmt.Printf("%.3f\n", featuremap.Gaussian{LengthScale: 1}.Eval(x.RawRowView(0), x.RawRowView(1)))
	// Output:
	// deviations [15.2 39407.1]
	// 0.276
	// 0.000
}

// Use a sum for a function that is a sum, here of a trend and of independent effects of the hour and the temperature.
// Each term gets its own features. Those of ⟨x, y⟩ are exact: the coordinates.
func ExampleSum() {
	k := featuremap.Sum(
		featuremap.Linear{},
		featuremap.Select([]int{0}, featuremap.Periodic{Period: 24, LengthScale: 1}),
		featuremap.Select([]int{1}, featuremap.Gaussian{LengthScale: 10}),
	)
	s := featuremap.NewSampler(1)
	x := mat.NewDense(100, 2, nil) // hour and temperature
	for i := range 100 {
		x.SetRow(i, []float64{24 * s.Float64(), 15 + 8*s.Normal()})
	}
	plan, err := featuremap.NewPlan(k, x, 300, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan)
	// Output:
	// Sum(Linear{}, Select([]int{0}, Periodic{Period: 24, LengthScale: 1}), Select([]int{1}, Gaussian{LengthScale: 10})): R^2 → R^61
	//   columns   error     nearest   features
	//   0 to 1    0         0         exact, of Linear{}
	//   2 to 30   0         0         exact, of Select([]int{0}, Periodic{Period: 24, LengthScale: 1})
	//   31 to 60  rounding  rounding  Taylor polynomial of degree 29, of points less their mean, weighted by an exponential, up to norm 32.5, of Select([]int{1}, Gaussian{LengthScale: 10})
	//   or 43     rounding  rounding  Fourier series, for [-49.34, 81.38]
	//   or 268    0.0017    0.00024   Fourier, Orthogonal frequencies in pairs, stratified radii
	//   predicted root mean square error: that of rounding
}

// Use a product for coordinates whose effects depend on each other: the kernel is near 1 only for points that are near
// in both. A product of stationary kernels is stationary, with one random frequency for each feature.
func ExampleProduct() {
	k := featuremap.Product(
		featuremap.Select([]int{0}, featuremap.Periodic{Period: 24, LengthScale: 1}),
		featuremap.Select([]int{1}, featuremap.Gaussian{LengthScale: 10}),
	)
	noon, midnight := []float64{12, 25}, []float64{24, 25}
	fmt.Printf("%.3f\n", k.Eval(noon, []float64{36, 25})) // the next day at noon
	fmt.Printf("%.3f\n", k.Eval(noon, midnight))
	_, err := featuremap.NewFourier(k, 2, 1000, featuremap.NewSampler(1), nil)
	fmt.Println(err)
	// Output:
	// 1.000
	// 0.135
	// <nil>
}

// A series of a kernel is a kernel: here exp(k − 1), and the square of k. Both are stationary because k is, so they
// have Fourier features.
func ExampleCompose() {
	k := featuremap.Gaussian{LengthScale: 1}
	x, y := []float64{0, 0}, []float64{1, 1}
	for _, f := range []series.Series{series.ExpDual(1), series.Coefficients{0, 0, 1}} {
		composed := featuremap.Compose(f, k)
		phi, err := featuremap.NewFourier(composed, 2, 4000, featuremap.NewSampler(1), nil)
		if err != nil {
			log.Fatal(err)
		}
		estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
		fmt.Printf("kernel %.3f, estimate %.3f\n", composed.Eval(x, y), estimate)
	}
	// Output:
	// kernel 0.531, estimate 0.546
	// kernel 0.135, estimate 0.153
}

// Different kernels for different columns. The third column does not matter.
func ExampleSelect() {
	k := featuremap.Select([]int{0, 1}, featuremap.Gaussian{LengthScale: 1})
	x := []float64{1, 2, 300}
	fmt.Printf("%.3f\n", k.Eval(x, []float64{1, 2, -5}))
	fmt.Printf("%.3f\n", k.Eval(x, []float64{1, 3, 300}))
	// Output:
	// 1.000
	// 0.607
}

// A kernel of linear functions of the points: here of the difference of two sensors, so a change that both share does
// not matter.
func ExampleProject() {
	difference := mat.NewDense(1, 2, []float64{1, -1})
	k := featuremap.Project(difference, featuremap.Gaussian{LengthScale: 1})
	fmt.Printf("%.3f\n", k.Eval([]float64{20.5, 20}, []float64{31.5, 31}))
	fmt.Printf("%.3f\n", k.Eval([]float64{20.5, 20}, []float64{20.5, 22}))
	// Output:
	// 1.000
	// 0.135
}

// The kernel xᵀAy of a positive semi-definite matrix A is the linear kernel after a root L with LᵀL = A. It has an
// exact feature for each row of L.
func ExampleProject_linear() {
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(2, []float64{2, 1, 1, 2})) {
		log.Fatal("not positive definite")
	}
	var root mat.TriDense
	factor.UTo(&root)
	k := featuremap.Project(&root, featuremap.Linear{})
	rows := mat.NewDense(2, 2, []float64{1, 0, 0.6, 0.8})
	phi, err := featuremap.New(k, rows, 100, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	_, features := phi.Dims()
	x, y := []float64{1, 1}, []float64{0, 2}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("%d features: kernel %.3f, estimate %.3f\n", features, k.Eval(x, y), estimate)
	// Output:
	// 2 features: kernel 6.000, estimate 6.000
}

func ExampleARD() {
	// The second coordinate matters a tenth as much as the first.
	k := featuremap.ARD([]float64{1, 10}, featuremap.Matern{Nu: 1.5, LengthScale: 1})
	fmt.Printf("%.3f\n", k.Eval([]float64{1, 0}, []float64{0, 0}))
	fmt.Printf("%.3f\n", k.Eval([]float64{0, 10}, []float64{0, 0}))
	// Output:
	// 0.483
	// 0.483
}

func ExampleScale() {
	// A cubic kernel added to a linear one.
	k := featuremap.Sum(featuremap.Linear{}, featuremap.Scale(0.1, featuremap.Polynomial{Degree: 3, Gamma: 1}))
	phi, err := featuremap.NewMaclaurin(k, 2, 1000, featuremap.NewSampler(1), &featuremap.MaclaurinOptions{ExactDegree: 1})
	if err != nil {
		log.Fatal(err)
	}
	x := []float64{1, 2}
	fmt.Println(k.Eval(x, x), phi.Degrees()[:4])
	// Output:
	// 17.5 [1 1 3 3]
}

func ExampleWeight() {
	// A kernel that fades with the distance from the origin.
	fade := func(x []float64) float64 { return math.Exp(-floats.Dot(x, x)) }
	k := featuremap.Weight(featuremap.WeightFunc(fade), featuremap.Gaussian{LengthScale: 1})
	s := featuremap.NewSampler(1)
	rows := mat.NewDense(200, 2, nil)
	s.FillNormal(rows.RawMatrix().Data)
	phi, err := featuremap.New(k, rows, 1000, s)
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{0.5, 0}, []float64{0, 0.5}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel %.3f, estimate %.3f\n", k.Eval(x, y), estimate)
	// Output:
	// kernel 0.472, estimate 0.472
}

func ExampleFromMap() {
	// Your own map added to a kernel: here the squares of the coordinates.
	k := featuremap.Sum(featuremap.FromMap(squaresMap{}), featuremap.Gaussian{LengthScale: 2})
	rows := mat.NewDense(2, 2, []float64{1, 0, 0.6, 0.8})
	phi, err := featuremap.New(k, rows, 100, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
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
