// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Samples from the posterior include what landmarks miss of the kernel: in a gap between the rows, and far from them,
// they scatter as the error bars say.
func ExamplePosterior_Joint() {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(20, 1, nil), mat.NewDense(20, 1, nil)
	for i := range 20 {
		at := 0.4 * float64(i)
		if i >= 10 {
			at += 4
		}
		x.Set(i, 0, at)
		y.Set(i, 0, math.Sin(at))
	}
	phi, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 1}, x, 20, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, &ridge.Options{NoiseVariance: []float64{1e-4}})
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Posterior()
	if err != nil {
		log.Fatal(err)
	}
	places := mat.NewDense(3, 1, []float64{2.2, 5.8, 30})
	const functions = 500
	var squares [3]float64
	mean, covariance := p.Joint(places, 0)
	for range functions {
		f, err := p.Sample(s)
		if err != nil {
			log.Fatal(err)
		}
		var values mat.Dense
		f.EvalTo(&values, places)
		for i, v := range mean {
			squares[i] += math.Pow(values.At(i, 0)-v, 2) / functions
		}
	}
	for i, v := range squares {
		fmt.Printf("at %4.1f a deviation of %.2f, of the functions %.2f\n", places.At(i, 0), math.Sqrt(covariance.At(i, i)), math.Sqrt(v))
	}
	// Output:
	// at  2.2 a deviation of 0.01, of the functions 0.01
	// at  5.8 a deviation of 0.77, of the functions 0.72
	// at 30.0 a deviation of 0.87, of the functions 0.87
}
