// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap"
)

func ExampleSkeleton() {
	// Two layers drawn by hand, over three angles and a category: a unit for the angles, and one
	// for it and the category.
	sk := featuremap.NewSkeleton(4)
	var angles []featuremap.Node
	for c := range 3 {
		angles = append(angles, sk.Input(featuremap.Circle{}, c))
	}
	season := sk.Input(featuremap.Categories{N: 4}, 3)
	first := sk.Unit(featuremap.ReLUDual{}, angles...)
	sk.WeightedUnit(featuremap.ExpDual(2), []float64{3, 1}, first, season)
	fmt.Print(sk)

	k, err := sk.Kernel()
	if err != nil {
		fmt.Println(err)
		return
	}
	phi, err := featuremap.NewCompositional(sk, 20_000, featuremap.NewSampler(1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := []float64{0.1, 1, -2, 3}, []float64{0.3, 0.5, -2.5, 2}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	_, columns := phi.Dims()
	fmt.Printf("kernel   %.4f\n", k.Eval(x, y))
	fmt.Printf("estimate %.4f ± %.4f\n", estimate, math.Sqrt(phi.Variance(x, y)))
	fmt.Println(phi.Draws(), "draws,", phi.Distinct(), "distinct features,", columns, "columns")
	fmt.Println("column 0 reads", phi.Support(0), "and stands for", phi.Count(0), "draws")
	// Output:
	// skeleton of 4 columns: 6 nodes, depth 2, complexity 2
	//    a: 3 × Circle{} of a column
	//    b: 1 × Categories{N: 4} of a column
	//    c: 1 × ReLUDual{} of the mean of 3 a
	//    d: 1 × Exp{Rate: 2, Shift: -2} of the weighted mean of 0.25 b + 0.75 c
	// kernel   0.5377
	// estimate 0.5428 ± 0.0045
	// 20000 draws, 395 distinct features, 788 columns
	// column 0 reads [2] and stands for 1413 draws
}

func ExampleSkeleton_Image() {
	// A small convolutional kernel of images with 8×8 pixels, their values angles.
	sk := featuremap.NewSkeleton(64)
	sk.Image(8, 8, 1, featuremap.Circle{}).
		Conv(featuremap.ExpDual(0.5), 3, 1).
		Conv(featuremap.ReLUDual{}, 2, 2).
		Dense(featuremap.ReLUDual{})
	fmt.Print(sk)
	// Output:
	// skeleton of 64 columns: 110 nodes, depth 3, complexity 0.5
	//    a: 64 × Circle{} of a column
	//    b: 36 × Exp{Rate: 0.5, Shift: -0.5} of the mean of 9 a
	//    c: 9 × ReLUDual{} of the mean of 4 b
	//    d: 1 × ReLUDual{} of the mean of 9 c
}

func ExampleBlackBox() {
	// Kar and Karnick's compositional kernels: f of a kernel of which only random features are
	// known, here cosines of random projections.
	base := featuremap.Gaussian{LengthScale: 1}
	box := featuremap.BlackBox{
		Of: base,
		Draw: featuremap.DrawFunc(func(s *featuremap.Sampler) (func(x []float64) float64, error) {
			w0, w1, b := s.Normal(), s.Normal(), 2*math.Pi*s.Float64()
			return func(x []float64) float64 { return math.Sqrt2 * math.Cos(w0*x[0]+w1*x[1]+b) }, nil
		}),
		Bound: math.Sqrt2,
	}
	sk := featuremap.NewSkeleton(2)
	sk.Input(featuremap.Compose(featuremap.Coefficients{0.2, 0.5, 0.3}, box))
	phi, err := featuremap.NewCompositional(sk, 20_000, featuremap.NewSampler(1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := []float64{0.1, 1}, []float64{0.3, 0.5}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel   %.3f\n", phi.Kernel().Eval(x, y))
	fmt.Printf("estimate %.3f\n", estimate)
	// Output:
	// kernel   0.857
	// estimate 0.851
}
