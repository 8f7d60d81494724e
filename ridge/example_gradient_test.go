// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Find the largest value of a noisy function by steps along the gradient of the fit, and see how the uncertainty
// changes there.
func ExampleModel_GradientVec() {
	x, y := noisySine(400, 0.01)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, x, 60, featuremap.NewSampler(2))
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	point, gradient := []float64{0.5}, make([]float64, 1)
	for range 100 {
		point[0] += 0.5 * m.GradientVec(gradient, point, 0)[0]
	}
	fmt.Printf("the largest value is at %.1f\n", point[0])
	p, err := m.Posterior()
	if err != nil {
		log.Fatal(err)
	}
	outside := []float64{7}
	fmt.Printf("beyond the data the variance rises: %v\n", p.VarianceGradientVec(nil, outside, 0)[0] > 0)
	// Output:
	// the largest value is at 1.6
	// beyond the data the variance rises: true
}

// The next experiment of Bayesian optimization is where the mean plus twice the standard deviation is largest. Small
// steps along its gradient find it. All points are landmarks, so this is the exact Gaussian process.
func ExamplePosterior_VarianceGradientVec() {
	x := mat.NewDense(5, 1, []float64{0, 0.2, 0.4, 0.8, 1})
	y := mat.NewDense(5, 1, []float64{0, 0.5, 0.8, 0.9, 0.7})
	phi, err := featuremap.NewNystrom(featuremap.Gaussian{LengthScale: 0.3}, x, 5, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, &ridge.Options{Criterion: ridge.Evidence})
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Posterior()
	if err != nil {
		log.Fatal(err)
	}
	point, gradient := []float64{0.5}, make([]float64, 1)
	for step := 0.1; step > 1e-4; step *= 0.95 {
		m.GradientVec(gradient, point, 0)
		deviation := math.Sqrt(p.VarianceVec(nil, point)[0])
		floats.AddScaled(gradient, 1/deviation, p.VarianceGradientVec(nil, point, 0)) // of twice the deviation
		norm := floats.Norm(gradient, 2)
		for j, v := range gradient {
			point[j] = min(max(point[j]+step*v/norm, 0), 1)
		}
	}
	fmt.Printf("the next point is %.2f\n", point[0])
	// Output:
	// the next point is 0.63
}
