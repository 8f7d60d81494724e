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

// The Gaussian kernel is near 1 within a length scale and near 0 beyond three. Take for ℓ a distance within which the
// function hardly changes, or start with MedianLengthScale.
func ExampleGaussian() {
	k := featuremap.Gaussian{LengthScale: 2}
	for _, distance := range []float64{0, 1, 2, 4, 6} {
		fmt.Printf("at distance %v: %.3f\n", distance, k.Eval([]float64{0}, []float64{distance}))
	}
	// Output:
	// at distance 0: 1.000
	// at distance 1: 0.882
	// at distance 2: 0.607
	// at distance 4: 0.135
	// at distance 6: 0.011
}

// Nu says how smooth the functions are. Near distance 0 the kernel of rough functions falls at once, and the kernel of
// smooth functions only with the square of the distance.
func ExampleMatern() {
	x, y := []float64{0}, []float64{0.1}
	for _, nu := range []float64{0.5, 1.5, 2.5} {
		k := featuremap.Matern{Nu: nu, LengthScale: 1}
		fmt.Printf("%v falls by %.3f\n", k, 1-k.Eval(x, y))
	}
	fmt.Printf("Gaussian, of any order, by %.3f\n", 1-featuremap.Gaussian{LengthScale: 1}.Eval(x, y))
	// Output:
	// Matern{Nu: 0.5, LengthScale: 1} falls by 0.095
	// Matern{Nu: 1.5, LengthScale: 1} falls by 0.013
	// Matern{Nu: 2.5, LengthScale: 1} falls by 0.008
	// Gaussian, of any order, by 0.005
}

// A RationalQuadratic falls like a Gaussian kernel within a length scale, and beyond like a power of the distance,
// −2·Alpha. Use it for functions that vary on short and on long distances.
func ExampleRationalQuadratic() {
	k := featuremap.RationalQuadratic{Alpha: 1, LengthScale: 1}
	g := featuremap.Gaussian{LengthScale: 1}
	x := []float64{0, 0}
	for _, distance := range []float64{0.5, 2, 5, 20} {
		y := []float64{distance, 0}
		fmt.Printf("at distance %3v: %.4f, Gaussian %.4f\n", distance, k.Eval(x, y), g.Eval(x, y))
	}
	// Output:
	// at distance 0.5: 0.8889, Gaussian 0.8825
	// at distance   2: 0.3333, Gaussian 0.1353
	// at distance   5: 0.0741, Gaussian 0.0000
	// at distance  20: 0.0050, Gaussian 0.0000
}

// A Laplacian is a product over the coordinates, and not a function of the Euclidean distance. The kernel exp(−‖x −
// y‖/ℓ) of the Euclidean distance is a Matern.
func ExampleLaplacian() {
	x, along, across := []float64{0, 0}, []float64{math.Sqrt2, 0}, []float64{1, 1} // both at distance √2 from x
	for _, k := range []featuremap.Kernel{
		featuremap.Laplacian{LengthScale: 1},
		featuremap.Matern{Nu: 0.5, LengthScale: 1},
	} {
		fmt.Printf("%v: along an axis %.3f, across %.3f\n", k, k.Eval(x, along), k.Eval(x, across))
	}
	// Output:
	// Laplacian{LengthScale: 1}: along an axis 0.243, across 0.135
	// Matern{Nu: 0.5, LengthScale: 1}: along an axis 0.243, across 0.243
}

// A Cauchy kernel has heavy tails: points whose coordinates differ by ten length scales are still a little similar.
func ExampleCauchy() {
	k := featuremap.Cauchy{LengthScale: 1}
	for _, distance := range []float64{1, 3, 10} {
		fmt.Printf("at distance %v: %.4f\n", distance, k.Eval([]float64{0}, []float64{distance}))
	}
	// Output:
	// at distance 1: 0.5000
	// at distance 3: 0.1000
	// at distance 10: 0.0099
}

// A weekly pattern, and one that changes in the course of a year: its product with a Gaussian kernel.
func ExamplePeriodic() {
	week := featuremap.Periodic{Period: 7, LengthScale: 1}
	k := featuremap.Product(week, featuremap.Gaussian{LengthScale: 365})
	today := []float64{0}
	for _, day := range []float64{3, 7, 10, 371} {
		fmt.Printf("%3v days on: %.3f, and if it changes %.3f\n", day, week.Eval(today, []float64{day}), k.Eval(today, []float64{day}))
	}
	// Output:
	// 3 days on: 0.149, and if it changes 0.149
	//   7 days on: 1.000, and if it changes 1.000
	//  10 days on: 0.149, and if it changes 0.149
	// 371 days on: 1.000, and if it changes 0.597
}

// Two components that another program fitted to monthly values. Like GPyTorch it gives frequencies in cycles. Here all
// frequencies are in radians, so means and scales are multiplied by 2π.
func ExampleSpectralMixture() {
	means := mat.NewDense(2, 1, []float64{0, 1. / 12})  // a trend, and a cycle of 12 months
	scales := mat.NewDense(2, 1, []float64{0.01, 5e-4}) // each wanders off in the course of years
	means.Scale(2*math.Pi, means)
	scales.Scale(2*math.Pi, scales)
	k := featuremap.SpectralMixture{Weights: []float64{1, 0.5}, Means: means, Scales: scales}
	phi, err := featuremap.NewFourier(k, 1, 2000, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	now := phi.TransformVec(nil, []float64{0})
	for _, months := range []float64{6, 12, 24} {
		y := []float64{months}
		fmt.Printf("%2v months on: kernel %.2f, estimate %.2f\n", months, k.Eval([]float64{0}, y), floats.Dot(now, phi.TransformVec(nil, y)))
	}
	// Output:
	// 6 months on: kernel 0.43, estimate 0.46
	// 12 months on: kernel 1.25, estimate 1.24
	// 24 months on: kernel 0.82, estimate 0.81
}

// An intercept as a feature: a Constant added to a kernel has one column, which is exact. Its value is the prior
// variance of the intercept. (Package ridge fits an intercept itself, without a prior.)
func ExampleConstant() {
	k := featuremap.Sum(featuremap.Constant{Value: 4}, featuremap.Gaussian{LengthScale: 1})
	plan, err := featuremap.NewPlan(k, nil, 101, &featuremap.PlanOptions{In: 3})
	if err != nil {
		log.Fatal(err)
	}
	phi, err := plan.Draw(featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range [][]float64{{0, 0, 0}, {1, 2, 3}} {
		fmt.Println(phi.TransformVec(nil, x)[0])
	}
	// Output:
	// 2
	// 2
}

// The kernel between new points and the points of a training set, with a row for each new point.
func ExampleCrossGram() {
	seen := mat.NewDense(3, 1, []float64{0, 1, 2})
	unseen := mat.NewDense(2, 1, []float64{0.5, 10})
	var k mat.Dense
	featuremap.CrossGram(&k, featuremap.Gaussian{LengthScale: 1}, unseen, seen)
	fmt.Printf("%.3f\n", mat.Formatted(&k))
	// Output:
	// ⎡0.882  0.882  0.325⎤
	// ⎣0.000  0.000  0.000⎦
}

// The kernel of a wide layer of ReLUs takes points of any norm, and grows with both norms.
func ExampleArcCosine() {
	k := featuremap.ArcCosine{Order: 1}
	x, y := []float64{1, 0}, []float64{1, 1}
	fmt.Printf("%.4f\n", k.Eval(x, y))
	fmt.Printf("%.4f\n", k.Eval([]float64{10, 0}, y))
	fmt.Printf("%.4f\n", k.Eval(x, x)) // ‖x‖²
	// Output:
	// 1.0683
	// 10.6831
	// 1.0000
}

func ExampleRBF() {
	k := featuremap.RBF(0.125) // exp(−‖x−y‖²/8)
	fmt.Printf("%g\n", k.LengthScale)
	fmt.Printf("%.4f\n", k.Eval([]float64{2, 0}, []float64{0, 0}))
	// Output:
	// 2
	// 0.6065
}

func ExampleMedianLengthScale() {
	x := mat.NewDense(3, 1, []float64{0, 1, 3}) // distances 1, 2 and 3
	l, err := featuremap.MedianLengthScale(x, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	k := featuremap.Gaussian{LengthScale: l}
	fmt.Printf("%.4f\n", k.Eval([]float64{0}, []float64{2})) // 1/e
	// Output:
	// 0.3679
}

// Columns of different units: ARD divides each by its standard deviation.
func ExampleStdDevs() {
	x := mat.NewDense(4, 2, []float64{
		1, 1000,
		3, 1000,
		1, 5000,
		3, 5000,
	})
	fmt.Println(featuremap.ARD(featuremap.StdDevs(x), featuremap.Gaussian{LengthScale: 1}))
	// Output:
	// ARD([]float64{1, 2000}, Gaussian{LengthScale: 1})
}

func ExampleGram() {
	x := mat.NewDense(3, 2, []float64{
		0, 0,
		1, 0,
		0, 1,
	})
	var k mat.SymDense
	featuremap.Gram(&k, featuremap.RBF(0.5), x)
	fmt.Printf("%.3f\n", mat.Formatted(&k))
	// Output:
	// ⎡1.000  0.607  0.607⎤
	// ⎢0.607  1.000  0.368⎥
	// ⎣0.607  0.368  1.000⎦
}
