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

// The number of features for an error of 0.1 with probability at most 0.05, by Hoeffding's bound for one value of any
// stationary kernel of mass 1.
func ExampleFourierBound() {
	b, err := featuremap.FourierBound{Kernel: featuremap.Gaussian{LengthScale: 1}}.Tail()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Features(0.1, 0.05))
	// Output:
	// 1476 <nil>
}

// A bound on the probability of an error, read in three ways. It holds for every kernel of mass 1, so it asks for more
// features than most kernels need. PredictedRMSE tells what to expect.
func ExampleTailBound() {
	b, err := featuremap.FourierBound{Kernel: featuremap.Gaussian{LengthScale: 1}}.Tail()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("an error of 0.1 with 2000 features: probability %.3f at most\n", b.Prob(0.1, 2000))
	n, err := b.Features(0.1, 0.01)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("features for a probability of 0.01:", n)
	e, err := b.Error(2000, 0.01)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the error that 2000 features exceed with probability 0.01 at most: %.3f\n", e)
	// Output:
	// an error of 0.1 with 2000 features: probability 0.013 at most
	// features for a probability of 0.01: 2120
	// the error that 2000 features exceed with probability 0.01 at most: 0.103
}

// The number of draws of a skeleton for an error of 0.1 with probability at most 0.05, for any points.
func ExampleHoeffdingBound() {
	sk := featuremap.NewSkeleton(2)
	sk.Unit(series.ExpDual(1), sk.Input(featuremap.Circle{}, 0), sk.Input(featuremap.Circle{}, 1))
	b, err := featuremap.HoeffdingBound{C: sk.Bound()}.Tail()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Features(0.1, 0.05))
	// Output:
	// 738 <nil>
}

// The number of draws for exp(⟨x, y⟩): for one value, and for all values at once.
func ExampleMaclaurinBound() {
	b := featuremap.MaclaurinBound{Kernel: featuremap.ExpDot{LengthScale: 1}, Radius: 1}
	one, err := b.Tail() // one value, of points with ‖x‖₁ ≤ 1
	if err != nil {
		log.Fatal(err)
	}
	b.In = 2
	all, err := b.Tail() // all points of R² with ‖x‖₁ ≤ 1
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(one.Features(0.5, 0.1))
	fmt.Println(all.Features(0.5, 0.1))
	// Output:
	// 384 <nil>
	// 16406 <nil>
}

// The number of features for an error of at most 0.1 at any two points of the plane that are at most 6 apart. For the
// Gaussian kernel the bound is sharper.
func ExampleFourierBound_set() {
	for _, k := range []featuremap.Kernel{featuremap.Gaussian{LengthScale: 1}, featuremap.Matern{Nu: 2.5, LengthScale: 1}} {
		b, err := featuremap.FourierBound{Kernel: k, In: 2, Diameter: 6}.Tail()
		if err != nil {
			log.Fatal(err)
		}
		n, err := b.Features(0.1, 0.01)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(k, n)
	}
	// Output:
	// Gaussian{LengthScale: 1} 28352
	// Matern{Nu: 2.5, LengthScale: 1} 41458
}

// A bound on the mean of ‖K̂ − K‖, the error of the kernel matrix of 60 points in the spectral norm, with 1600
// features.
func ExampleGramBound() {
	x := mat.NewDense(60, 3, nil)
	featuremap.NewSampler(1).FillNormal(x.RawMatrix().Data)
	var k mat.SymDense
	featuremap.Gram(&k, featuremap.Gaussian{LengthScale: 1}, x)
	var eigen mat.EigenSym
	if !eigen.Factorize(&k, false) {
		log.Fatal("no eigenvalues")
	}
	bound := featuremap.GramBound{Points: 60, Norm: floats.Max(eigen.Values(nil))}
	mean, err := bound.Mean(1600)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("‖K‖ = %.1f, mean of the error at most %.2f\n", bound.Norm, mean)
	// Output:
	// ‖K‖ = 14.8, mean of the error at most 3.38
}

// The root mean square error at any point, with 900 draws, of the estimate of a function of norm 3 in the kernel's
// space.
func ExampleLearningBound_FunctionError() {
	e, err := featuremap.LearningBound{Norm: 3, Draws: 900}.FunctionError() // C is 1: Fourier pairs of a kernel of mass 1
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", e)
	// Output:
	// 0.100
}

// The most that learning with features loses, compared with the best function of norm 3. With as many draws as
// examples, the examples cause most of the loss.
func ExampleLearningBound() {
	for _, draws := range []int{100, 10_000, 1_000_000} {
		excess, err := featuremap.LearningBound{Lipschitz: 1, Norm: 3, Examples: 10_000, Draws: draws}.Excess(0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%7d draws: %.3f\n", draws, excess)
	}
	// Output:
	// 100 draws: 0.385
	//   10000 draws: 0.115
	// 1000000 draws: 0.088
}

// The largest error over an interval for exp(K/4), with K a Gaussian kernel by cosines with random phases. Each feature
// is a product of such cosines.
func ExampleCompositionalBound() {
	b, err := featuremap.CompositionalBound{
		Series:          series.Exp{Rate: 0.25},
		In:              1,
		Radius:          1,                      // [−1, 1]
		FeatureMax:      math.Sqrt2,             // √2·cos(ωx + b)
		FeatureGradient: 2 / math.Sqrt(math.Pi), // √2·E|ω|
		KernelMax:       1,                      // exp(−x²/2)
		KernelGradient:  math.Exp(-0.5),
	}.Tail()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Features(0.5, 0.1))
	// Output:
	// 2064 <nil>
}
