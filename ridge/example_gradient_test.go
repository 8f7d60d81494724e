// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"log"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// The largest value of a noisy function, by steps along the gradient of the fit, and how the uncertainty changes there.
func ExampleModel_GradientVec() {
	x, y := noisySine(400, 0.01)
	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 1}, 1, 60, featuremap.NewSampler(2))
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
	outside := []float64{7}
	fmt.Printf("beyond the data the variance rises: %v\n", m.VarianceGradientVec(nil, outside, 0)[0] > 0)
	// Output:
	// the largest value is at 1.6
	// beyond the data the variance rises: true
}
