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

func ExampleSkeleton() {
	// Two layers over three angles and a category: a unit for the angles, and one for this unit and the category.
	sk := featuremap.NewSkeleton(4)
	var angles []featuremap.Node
	for c := range 3 {
		angles = append(angles, sk.Input(featuremap.Circle{}, c))
	}
	season := sk.Input(featuremap.Categories{N: 4}, 3)
	first := sk.Unit(series.ReLUDual{}, angles...)
	sk.WeightedUnit(series.ExpDual(2), []float64{3, 1}, first, season)
	fmt.Print(sk)

	k, err := sk.Kernel()
	if err != nil {
		log.Fatal(err)
	}
	phi, err := featuremap.NewCompositional(sk, 20_000, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
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
	//    c: 1 × series.ReLUDual{} of the mean of 3 a
	//    d: 1 × series.Exp{Rate: 2, Shift: -2} of the weighted mean of 0.25 b + 0.75 c
	// kernel   0.5377
	// estimate 0.5428 ± 0.0045
	// 20000 draws, 395 distinct features, 788 columns
	// column 0 reads [2] and stands for 1413 draws
}

func ExampleSkeleton_Image() {
	// A small convolutional kernel for images of 8×8 pixels whose values are angles.
	sk := featuremap.NewSkeleton(64)
	sk.Image(8, 8, 1, featuremap.Circle{}).
		Conv(series.ExpDual(0.5), 3, 1).
		Conv(series.ReLUDual{}, 2, 2).
		Dense(series.ReLUDual{})
	fmt.Print(sk)
	// Output:
	// skeleton of 64 columns: 110 nodes, depth 3, complexity 0.5
	//    a: 64 × Circle{} of a column
	//    b: 36 × series.Exp{Rate: 0.5, Shift: -0.5} of the mean of 9 a
	//    c: 9 × series.ReLUDual{} of the mean of 4 b
	//    d: 1 × series.ReLUDual{} of the mean of 9 c
}

// cosines draws random Fourier features of the Gaussian kernel in two coordinates.
type cosines struct{}

func (cosines) Draw(s *featuremap.Sampler) (func(x []float64) float64, error) {
	w0, w1, b := s.Normal(), s.Normal(), 2*math.Pi*s.Float64()
	return func(x []float64) float64 { return math.Sqrt2 * math.Cos(w0*x[0]+w1*x[1]+b) }, nil
}

func ExampleBlackBox() {
	// Kar and Karnick's compositional kernels: f of a kernel of which only random features are known, here cosines of
	// random projections.
	box := featuremap.BlackBox{Of: featuremap.Gaussian{LengthScale: 1}, Draw: cosines{}, Bound: math.Sqrt2}
	sk := featuremap.NewSkeleton(2)
	sk.Input(featuremap.Compose(series.Coefficients{0.2, 0.5, 0.3}, box))
	phi, err := featuremap.NewCompositional(sk, 20_000, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{0.1, 1}, []float64{0.3, 0.5}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel   %.3f\n", phi.Kernel().Eval(x, y))
	fmt.Printf("estimate %.3f\n", estimate)
	// Output:
	// kernel   0.857
	// estimate 0.851
}

// A kernel of a category and a number: the output is the product of the two inputs. New does the same for the Product
// of the two kernels.
func ExampleNewCompositional() {
	sk := featuremap.NewSkeleton(2)
	sk.Product(
		sk.Input(featuremap.Categories{N: 3}, 0),
		sk.Input(featuremap.Gaussian{LengthScale: 1}, 1),
	)
	phi, err := featuremap.NewCompositional(sk, 5000, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	x := []float64{2, 0.5}
	for _, y := range [][]float64{{2, 1}, {1, 1}} {
		estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
		fmt.Printf("kernel %.3f, estimate %.3f ± %.3f\n", phi.Kernel().Eval(x, y), estimate, math.Sqrt(phi.Variance(x, y)))
	}
	// Output:
	// kernel 0.882, estimate 0.880 ± 0.002
	// kernel 0.000, estimate -0.007 ± 0.010
}

// Categories are numbers from 0. Times a kernel of the other columns they give each category its own function.
func ExampleCategories() {
	k := featuremap.Product(
		featuremap.Select([]int{0}, featuremap.Categories{N: 3}),
		featuremap.Select([]int{1}, featuremap.Gaussian{LengthScale: 1}),
	)
	fmt.Printf("%.3f\n", k.Eval([]float64{2, 0.5}, []float64{2, 1}))
	fmt.Printf("%.3f\n", k.Eval([]float64{2, 0.5}, []float64{1, 1}))

	rows := mat.NewDense(3, 1, []float64{0, 1, 2})
	phi, err := featuremap.New(featuremap.Categories{N: 3}, rows, 10, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(phi.TransformVec(nil, []float64{2})) // alone they have exact features
	// Output:
	// 0.882
	// 0.000
	// [0 0 1]
}

// An angle in radians has two exact features, its cosine and its sine.
func ExampleCircle() {
	rows := mat.NewDense(3, 1, []float64{0, 1, 2})
	phi, err := featuremap.New(featuremap.Circle{}, rows, 10, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", phi.TransformVec(nil, []float64{math.Pi / 3}))
	// Output:
	// [0.500 0.866]
}

// Kernels of signs: a unit over three coordinates that are −1 or +1 has all their products as features, with larger
// weights for the lower ones.
func ExampleBinary() {
	sk := featuremap.NewSkeleton(3)
	var signs []featuremap.Node
	for c := range 3 {
		signs = append(signs, sk.Input(featuremap.Binary{}, c))
	}
	sk.Unit(series.ExpDual(3), signs...)
	phi, err := featuremap.NewCompositional(sk, 10_000, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	_, columns := phi.Dims()
	for i := range columns {
		fmt.Println(phi.Count(i), "draws of the product of", phi.Support(i))
	}
	fmt.Println(phi.Validate(mat.NewDense(1, 3, []float64{1, -1, 0})))
	// Output:
	// 1845 draws of the product of []
	// 1337 draws of the product of [1]
	// 1074 draws of the product of [0 1]
	// 1361 draws of the product of [0]
	// 1073 draws of the product of [1 2]
	// 835 draws of the product of [0 1 2]
	// 1407 draws of the product of [2]
	// 1068 draws of the product of [0 2]
	// featuremap: row 0, column 2: 0 is not −1 or +1
}

// The kernel ⟨x, y⟩ of unit vectors by random features. The bound √(d/2) on a feature is the least possible.
func ExampleSphere() {
	x, y := []float64{0.6, 0.8, 0, 0}, []float64{0.5, 0.5, 0.5, 0.5}
	sk := featuremap.NewSkeleton(4)
	sk.Input(featuremap.Sphere{})
	phi, err := featuremap.NewCompositional(sk, 1000, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("bound %.2f, error %.3f\n", sk.Bound(), math.Sqrt(phi.Variance(x, y)))
	// Output:
	// bound 1.41, error 0.016
}

// One input for each window of 3×3 pixels, and a layer over the windows.
func ExampleSkeleton_Patches() {
	sk := featuremap.NewSkeleton(64)
	patches := sk.Patches(8, 8, 1, 3, 1, featuremap.Gaussian{LengthScale: 2})
	fmt.Println(patches.Dims())
	patches.Dense(series.ExpDual(1))
	fmt.Print(sk)
	// Output:
	// 6 6 1
	// skeleton of 64 columns: 37 nodes, depth 1, complexity 1
	//    a: 36 × Gaussian{LengthScale: 2} of 9 columns
	//    b: 1 × series.Exp{Rate: 1, Shift: -1} of the mean of 36 a
}

// The exact kernel of a skeleton is a Kernel like others.
func ExampleSkeleton_Kernel() {
	sk := featuremap.NewSkeleton(2)
	sk.Unit(series.ReLUDual{}, sk.Input(featuremap.Circle{}, 0), sk.Input(featuremap.Circle{}, 1))
	k, err := sk.Kernel()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", featuremap.Scale(2, k).Eval([]float64{0, 1}, []float64{0.5, 1}))
	// Output:
	// 1.8867
}

// Your own layer over the nodes of a grid: here over the four corners of an image.
func ExampleGrid_At() {
	sk := featuremap.NewSkeleton(16)
	image := sk.Image(4, 4, 1, featuremap.Circle{})
	sk.Unit(series.ReLUDual{}, image.At(0, 0, 0), image.At(0, 3, 0), image.At(3, 0, 0), image.At(3, 3, 0))
	fmt.Print(sk)
	// Output:
	// skeleton of 16 columns: 5 nodes, depth 1, complexity 1
	//    a: 4 × Circle{} of a column
	//    b: 1 × series.ReLUDual{} of the mean of 4 a
}
