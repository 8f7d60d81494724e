// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"errors"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

func ExampleNew() {
	// A trend and a smooth part: ⟨x, y⟩ is exact, and a product of stationary kernels has one frequency for each
	// feature.
	k := featuremap.Sum(
		featuremap.Linear{},
		featuremap.Product(featuremap.Gaussian{LengthScale: 1}, featuremap.Matern{Nu: 1.5, LengthScale: 3}),
	)
	s := featuremap.NewSampler(1)
	rows := mat.NewDense(1000, 3, nil)
	s.FillNormal(rows.RawMatrix().Data)
	phi, err := featuremap.New(k, rows, 500, s)
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float64{0.5, 0, 1}, []float64{0, 0.5, 0.5}
	fx, fy := phi.TransformVec(nil, x), phi.TransformVec(nil, y)
	fmt.Println("first columns", fx[:3])
	fmt.Printf("kernel   %.3f\n", k.Eval(x, y))
	fmt.Printf("estimate %.3f ± %.3f\n", floats.Dot(fx, fy), math.Sqrt(phi.(featuremap.Variancer).Variance(x, y)))
	// Output:
	// first columns [0.5 0 1]
	// kernel   1.125
	// estimate 1.123 ± 0.004
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
	plan, err := featuremap.NewPlan(k, x, 5000, &featuremap.PlanOptions{RMSE: 0.02})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan) // error is over all pairs, nearest over each point and the one nearest to it
	// Output:
	// Gaussian{LengthScale: 1}: R^3 → R^20
	//   columns  error   nearest  features
	//   0 to 19  0.0097  0.029    Taylor polynomial of degree 3, of points less their mean, weighted by an exponential, up to norm 1.79
	//   or 19    0.065   0.17     Fourier series, for [-2, 2] × [-2, 2] × [-1, 1.99]
	//   or 18    0.1     0.0014   Fourier, Orthogonal frequencies in pairs, stratified radii
	//   predicted root mean square error 0.00966, give or take 11 %; all of it is bias
}

// Errors of New name the refused parameter, and errors.Is tells their kinds apart.
func ExampleNew_error() {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	_, err := featuremap.New(featuremap.Matern{Nu: 1.5}, x, 100, featuremap.NewSampler(1))
	fmt.Println(err)
	// A layer of steps on another kernel is a kernel, but has no random features.
	deep := featuremap.Compose(series.StepDual{}, featuremap.Gaussian{LengthScale: 1})
	_, err = featuremap.New(deep, x, 100, featuremap.NewSampler(1))
	fmt.Println(errors.Is(err, featuremap.ErrNoMap))
	// Output:
	// featuremap: Matern LengthScale = 0: must be positive and finite
	// true
}

// A plan knows the error before any weight is drawn. Each Draw gives another map of the same kind.
func ExamplePlan() {
	s := featuremap.NewSampler(1)
	x := mat.NewDense(100, 4, nil)
	s.FillNormal(x.RawMatrix().Data)
	k := featuremap.Matern{Nu: 1.5, LengthScale: 2}
	plan, err := featuremap.NewPlan(k, x, 400, nil)
	if err != nil {
		log.Fatal(err)
	}
	var exact, z, estimate mat.Dense
	featuremap.CrossGram(&exact, k, x, x)
	sum, maps := 0.0, 10
	for range maps {
		phi, err := plan.Draw(s)
		if err != nil {
			log.Fatal(err)
		}
		phi.TransformTo(&z, x)
		estimate.Mul(&z, z.T())
		estimate.Sub(&estimate, &exact)
		sum += math.Pow(mat.Norm(&estimate, 2), 2) // the sum of squares; errors of k(x, x) are 0
	}
	fmt.Printf("predicted %.3f, measured %.3f\n", plan.RMSE(), math.Sqrt(sum/float64(maps*100*99)))
	// Output:
	// predicted 0.024, measured 0.024
}

// The standard deviation of a kernel value at two points, before the map is drawn.
func ExamplePlan_Variance() {
	plan, err := featuremap.NewPlan(featuremap.Gaussian{LengthScale: 1}, nil, 1000, &featuremap.PlanOptions{In: 2})
	if err != nil {
		log.Fatal(err)
	}
	x := []float64{0, 0}
	for _, y := range [][]float64{{0, 0}, {0.5, 0.5}, {3, 4}} {
		fmt.Printf("k = %.4f ± %.4f\n", plan.Kernel().Eval(x, y), math.Sqrt(plan.Variance(x, y)))
	}
	// Output:
	// k = 1.0000 ± 0.0000
	// k = 0.7788 ± 0.0057
	// k = 0.0000 ± 0.0290
}

// The same kernel and number of features, with and without points. Points near their mean have far better features than
// Fourier features. Plans without points take Fourier features, which are not tied to any points.
func ExamplePlanOptions() {
	x := mat.NewDense(200, 3, nil)
	featuremap.NewSampler(1).FillNormal(x.RawMatrix().Data)
	k := featuremap.Gaussian{LengthScale: 3}
	for _, points := range []mat.Matrix{nil, x} {
		plan, err := featuremap.NewPlan(k, points, 500, &featuremap.PlanOptions{In: 3})
		if err != nil {
			log.Fatal(err)
		}
		e, err := featuremap.PredictedRMSE(plan, x, 5000, featuremap.NewSampler(2))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("error %.1g\n", e)
	}
	// Output:
	// error 0.01
	// error 1e-12
}

// How many features an error takes, if it is more than the limit.
func ExampleTooFewError() {
	x := mat.NewDense(100, 10, nil)
	featuremap.NewSampler(1).FillNormal(x.RawMatrix().Data)
	_, err := featuremap.NewPlan(featuremap.Matern{Nu: 0.5, LengthScale: 3}, x, 100, &featuremap.PlanOptions{RMSE: 0.02})
	var few *featuremap.TooFewError
	if errors.As(err, &few) {
		fmt.Printf("%d features are not enough, %d are\n", few.Out, few.Need)
	}
	// Output:
	// 100 features are not enough, 1630 are
}

// The error to expect from a map over pairs of rows like yours. No features are computed.
func ExamplePredictedRMSE() {
	x := mat.NewDense(1000, 8, nil)
	featuremap.NewSampler(1).FillNormal(x.RawMatrix().Data)
	for _, features := range []int{256, 1024, 4096} {
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 4}, 8, features, featuremap.NewSampler(1), nil)
		if err != nil {
			log.Fatal(err)
		}
		e, err := featuremap.PredictedRMSE(phi, x, 2000, featuremap.NewSampler(2))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%4d features: %.4f\n", features, e)
	}
	// Output:
	// 256 features: 0.0383
	// 1024 features: 0.0192
	// 4096 features: 0.0096
}
