// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package series_test

import (
	"errors"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A kernel by the coefficients of its series: 1 + 2t + 3t² with t = ⟨x, y⟩. Coefficients must not be negative.
func ExampleCoefficients() {
	x := []float64{0.5, 0.5} // t = ½
	fmt.Println(featuremap.Dot(series.Coefficients{1, 2, 3}).Eval(x, x))
	_, err := featuremap.NewMaclaurin(featuremap.Dot(series.Coefficients{1, -2}), 2, 10, featuremap.NewSampler(1), nil)
	fmt.Println(errors.Is(err, featuremap.ErrNotPSD), err)
	// Output:
	// 2.75
	// true featuremap: not positive semi-definite: Coefficients a[1] = -2 is negative
}

// The dual of an exponential activation is a series Exp. Like all duals it is 1 at ρ = 1.
func ExampleExpDual() {
	f := series.ExpDual(2)
	fmt.Printf("%+v\n", f)
	fmt.Printf("f(1) = %.3f, f(0) = %.3f\n", f.Eval(1), f.Eval(0))
	// Output:
	// {Rate:2 Shift:-2}
	// f(1) = 1.000, f(0) = 0.135
}

// Two layers of ReLUs: the dual of the dual, for the inner product of unit vectors.
func ExampleReLUDual() {
	k := featuremap.Compose(series.ReLUDual{}, featuremap.Dot(series.ReLUDual{}))
	x := []float64{1, 0}
	for _, y := range [][]float64{{1, 0}, {0.6, 0.8}, {0, 1}, {-1, 0}} {
		fmt.Printf("%.3f\n", k.Eval(x, y))
	}
	// Output:
	// 1.000
	// 0.733
	// 0.494
	// 0.318
}

// The degrees of the step function's series have no finite mean, so New has no features for it as a layer on another
// kernel. ArcCosine of order 0 has neurons as features.
func ExampleStepDual() {
	g := featuremap.Gaussian{LengthScale: 1}
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	_, err := featuremap.New(featuremap.Compose(series.StepDual{}, g), x, 100, featuremap.NewSampler(1))
	fmt.Println(errors.Is(err, featuremap.ErrNoMap))
	_, err = featuremap.New(featuremap.ArcCosine{Order: 0}, x, 100, featuremap.NewSampler(1))
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// Duals of other activations, at a correlation of one half.
func ExampleErfDual() {
	for _, f := range []series.Series{
		series.ErfDual{},
		series.SineDual{Rate: 1},
		series.CosineDual{Rate: 1},
		series.HermiteDual{N: 2},
		series.StepDual{},
	} {
		fmt.Printf("%T: f(½) = %.4f\n", f, f.Eval(0.5))
	}
	// Output:
	// series.ErfDual: f(½) = 0.4657
	// series.SineDual: f(½) = 0.4434
	// series.CosineDual: f(½) = 0.7308
	// series.HermiteDual: f(½) = 0.2500
	// series.StepDual: f(½) = 0.6667
}

func ExampleSeries() {
	// The kernel of an infinitely wide layer of rectified linear units, and the share of its power series in the first
	// degrees.
	var f series.Series = series.ReLUDual{}
	fmt.Printf("f(0.5) = %.4f\n", f.Eval(0.5))
	sum := 0.0
	for n := range 7 {
		sum += f.Coeff(n)
		fmt.Printf("a[%d] = %.4f, together %.4f\n", n, f.Coeff(n), sum)
	}
	// Output:
	// f(0.5) = 0.6090
	// a[0] = 0.3183, together 0.3183
	// a[1] = 0.5000, together 0.8183
	// a[2] = 0.1592, together 0.9775
	// a[3] = 0.0000, together 0.9775
	// a[4] = 0.0133, together 0.9907
	// a[5] = 0.0000, together 0.9907
	// a[6] = 0.0040, together 0.9947
}

// The series 1/(1 − t/2) for any kernel with values up to 1, such as a Gaussian kernel.
func ExampleGeometric() {
	k := featuremap.Compose(series.Geometric{Ratio: 0.5}, featuremap.Gaussian{LengthScale: 1})
	fmt.Printf("%.3f %.3f\n", k.Eval([]float64{0}, []float64{0}), k.Eval([]float64{0}, []float64{2}))
	// Output:
	// 2.000 1.073
}

// A law for points of norm 2. The law for unit vectors draws high degrees too rarely for them.
func ExampleOptimalLaw() {
	x := []float64{2, 0}
	for _, norm := range []float64{1, 2} {
		phi, err := featuremap.NewMaclaurin(featuremap.ExpDot{LengthScale: 2}, 2, 500, featuremap.NewSampler(1),
			&featuremap.MaclaurinOptions{Law: series.OptimalLaw{Norm: norm}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("Norm %v: standard deviation %.3f\n", norm, math.Sqrt(phi.Variance(x, x)))
	}
	// Output:
	// Norm 1: standard deviation 0.183
	// Norm 2: standard deviation 0.044
}

func ExampleTruncatedLaw() {
	// The degrees of exp(⟨x, y⟩) that leave an error of at most 0.01 for points of norm 1.
	k := featuremap.ExpDot{LengthScale: 1}
	law := series.TruncatedLaw{Law: series.OptimalLaw{}, Error: 0.01, Norm: 1}
	phi, err := featuremap.NewMaclaurin(k, 2, 100, featuremap.NewSampler(1), &featuremap.MaclaurinOptions{Law: law})
	if err != nil {
		log.Fatal(err)
	}
	x := []float64{0.6, 0.8}
	fmt.Println("highest degree", phi.Degrees()[99])
	fmt.Printf("bias %.4f of %.4f\n", phi.Bias(x, x), k.Eval(x, x))
	// Output:
	// highest degree 4
	// bias -0.0099 of 2.7183
}

// A residual layer: the mean of its input and of a layer of ReLUs on the input.
func ExampleHermiteDual() {
	sk := featuremap.NewSkeleton(2)
	in := sk.Unit(series.ExpDual(1), sk.Input(featuremap.Circle{}, 0), sk.Input(featuremap.Circle{}, 1))
	sk.Unit(series.HermiteDual{N: 1}, in, sk.Unit(series.ReLUDual{}, in))
	fmt.Print(sk)
	// Output:
	// skeleton of 2 columns: 5 nodes, depth 3, complexity 1
	//    a: 2 × Circle{} of a column
	//    b: 1 × series.Exp{Rate: 1, Shift: -1} of the mean of 2 a
	//    c: 1 × series.ReLUDual{} of the mean of 1 b
	//    d: 1 × series.HermiteDual{N: 1} of the mean of 1 b + 1 c
}
