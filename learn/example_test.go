// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/learn"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

// Kernel learns that the targets depend on the first of two columns only, and that their noise has variance .01.
func ExampleKernel() {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(400, 2, nil), mat.NewDense(400, 1, nil)
	for i := range 400 {
		x.Set(i, 0, 6*s.Float64())
		x.Set(i, 1, 6*s.Float64())
		y.Set(i, 0, math.Sin(x.At(i, 0))+0.1*s.Normal())
	}
	opts := &learn.KernelOptions{
		LengthScales: learn.PerColumn, // not learn.Matrix; learn.Isotropic is one length, learn.AllLengthScales all of these
		Features:     64,
		Progress:     func(stage string, step int, evidence float64) error { return nil },
	}
	var learned *learn.Learned
	learned, err := learn.Kernel(featuremap.Gaussian{LengthScale: 1}, x, y, opts)
	if err != nil {
		log.Fatal(err)
	}
	var stages []learn.Stage = learned.Stages
	for _, stage := range stages {
		fmt.Printf("%-10s %5.2f\n", stage.Name, stage.LogEvidence)
	}
	var scales learn.LengthScales = opts.LengthScales
	fmt.Printf("%v: noise %.3f\n", scales, learned.NoiseVariance[0])

	// Output:
	// given       0.63
	// one length  0.69
	// lengths     0.79
	// PerColumn: noise 0.011
}

// The period of twelve months is known and stays; the factor by which the season fades is learned.
func ExampleFixed() {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(200, 1, nil), mat.NewDense(200, 1, nil)
	for i := range 200 {
		month := float64(i)
		x.Set(i, 0, month)
		y.Set(i, 0, math.Exp(-month/100)*math.Sin(2*math.Pi*month/12)+0.1*s.Normal())
	}
	season := learn.Fixed{Kernel: featuremap.Periodic{Period: 12, LengthScale: 2}}
	k := featuremap.Product(season, featuremap.Gaussian{LengthScale: 5})
	learned, err := learn.Kernel(k, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	factors := learned.Kernel.(featuremap.Expression).Parts()[0].(featuremap.Expression).Parts() // of a Product in a Scale
	fmt.Printf("%v times a Gaussian of %.0f months\n", factors[0], factors[1].(featuremap.Gaussian).LengthScale)
	// Output:
	// Periodic{Period: 12, LengthScale: 2} times a Gaussian of 186 months
}

// From rows to a model, step by step: learn the kernel, plan a map for it, and fit a ridge regression on its features.
// The targets depend on one of three columns.
func Example() {
	s := featuremap.NewSampler(1)
	draw := func(n int) (x, y *mat.Dense) {
		x, y = mat.NewDense(n, 3, nil), mat.NewDense(n, 1, nil)
		for i := range n {
			s.FillNormal(x.RawRowView(i))
			y.Set(i, 0, math.Sin(3*x.At(i, 1))+0.1*s.Normal())
		}
		return x, y
	}
	x, y := draw(300)
	test, truth := draw(300)
	start := featuremap.Gaussian{LengthScale: 1.7} // the root of three, the number of columns
	learned, err := learn.Kernel(start, x, y, &learn.KernelOptions{LengthScales: learn.PerColumn})
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range []featuremap.Kernel{start, learned.Kernel} {
		plan, err := featuremap.NewPlan(k, x, 300, nil)
		if err != nil {
			log.Fatal(err)
		}
		phi, err := plan.Draw(s)
		if err != nil {
			log.Fatal(err)
		}
		m, err := ridge.Fit(phi, x, y, nil)
		if err != nil {
			log.Fatal(err)
		}
		var p mat.Dense
		m.PredictTo(&p, test)
		fmt.Printf("error on other rows %.2f\n", score.RMSE(&p, truth)[0])
	}
	// Output:
	// error on other rows 0.33
	// error on other rows 0.11
}
