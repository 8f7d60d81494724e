// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Standard deviations for exp(⟨x, y⟩) with the same number of features: the paper's law of degrees and random signs,
// and the other options.
func ExampleMaclaurinOptions() {
	x, y := make([]float64, 32), make([]float64, 32)
	for i := range x {
		x[i], y[i] = math.Sqrt(1./32), math.Sqrt(1./32) // unit vectors
	}
	x[0], y[1] = -x[0], -y[1]
	law := series.OptimalLaw{Norm: 1}
	for _, opts := range []featuremap.MaclaurinOptions{
		{},
		{Law: law},
		{Law: law, ExactDegree: 1},
		{Law: law, ExactDegree: 1, Sketch: featuremap.TensorSRHT},
		{Law: law, ExactDegree: 2, Sketch: featuremap.TensorSRHT},
	} {
		phi, err := featuremap.NewMaclaurin(featuremap.ExpDot{LengthScale: 1}, 32, 1024, featuremap.NewSampler(1), &opts)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.4f\n", math.Sqrt(phi.Variance(x, y)))
	}
	// Output:
	// 0.1640
	// 0.1319
	// 0.0696
	// 0.0587
	// 0.0433
}

// evenly is a law of your own: the degrees 0 to n, all with the same probability.
type evenly struct{ n int }

func (l evenly) Prob(_ series.Series, n int) float64 {
	if n > l.n {
		return 0
	}
	return 1 / float64(l.n+1)
}

func ExampleMaclaurinOptions_law() {
	phi, err := featuremap.NewMaclaurin(featuremap.ExpDot{LengthScale: 1}, 2, 1000, featuremap.NewSampler(1),
		&featuremap.MaclaurinOptions{Law: evenly{3}})
	if err != nil {
		log.Fatal(err)
	}
	columns := make([]int, 4)
	for _, degree := range phi.Degrees() {
		columns[degree]++
	}
	fmt.Println("columns by degree", columns)
	x := []float64{0.6, 0.8}
	fmt.Printf("bias %.3f\n", phi.Bias(x, x)) // minus what degrees 4, 5, … would add
	// Output:
	// columns by degree [266 256 246 232]
	// bias -0.052
}

func ExampleNewMaclaurin() {
	// Ten coordinates and all their products of up to three, with 600 features.
	k := featuremap.Polynomial{Degree: 3, Gamma: 1, Offset: 1}
	phi, err := featuremap.NewMaclaurin(k, 10, 600, featuremap.NewSampler(1),
		&featuremap.MaclaurinOptions{Law: series.OptimalLaw{Norm: 1}, ExactDegree: 1})
	if err != nil {
		log.Fatal(err)
	}
	x := []float64{0.6, 0, 0.4, 0, 0.2, 0.4, 0, 0.5, 0, 0.2}
	y := []float64{0.5, 0.3, 0.5, 0, 0, 0.5, 0.3, 0.2, 0, 0}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel   %.3f\n", k.Eval(x, y))
	fmt.Printf("estimate %.3f ± %.3f\n", estimate, math.Sqrt(phi.Variance(x, y)))
	fmt.Println("degrees ", phi.Degrees()[:14], "…")
	// Output:
	// kernel   5.832
	// estimate 6.076 ± 0.328
	// degrees  [0 1 1 1 1 1 1 1 1 1 1 2 2 2] …
}

func ExampleNewNeurons() {
	// A random layer of ReLUs and the kernel of infinitely many.
	k := featuremap.ArcCosine{Order: 1}
	phi, err := featuremap.NewNeurons(k, 3, 2000, featuremap.NewSampler(3), nil)
	if err != nil {
		log.Fatal(err)
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
	// Orthogonal directions, with exact features for ½⟨x, y⟩.
	k := featuremap.ArcCosine{Order: 1}
	phi, err := featuremap.NewNeurons(k, 3, 2000, featuremap.NewSampler(3), &featuremap.NeuronsOptions{Orthogonal: true})
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{1, 2, 0}, []float64{2, 0, 1}
	estimate := floats.Dot(phi.TransformVec(nil, x), phi.TransformVec(nil, y))
	fmt.Printf("kernel   %.3f\n", k.Eval(x, y))
	fmt.Printf("estimate %.3f ± %.3f\n", estimate, math.Sqrt(phi.Variance(x, y)))
	// Output:
	// kernel   2.721
	// estimate 2.713 ± 0.019
}
