// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// The slope of a function of features, f(x) = ⟨φ(x), g⟩. Here g is φ(y), so f is k(x, y) as a function of x. For the
// Gaussian kernel the slope is (y − x)·k(x, y), up to the error of the map.
func ExampleDerivative() {
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 1}, 2, 20_000, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	var d featuremap.Differentiable
	if d, err = featuremap.Derivative(phi); err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(1, 2, []float64{0, 0})
	g := mat.NewDense(1, 20_000, phi.TransformVec(nil, []float64{1, 1}))
	var gradient mat.Dense
	d.PullbackTo(&gradient, x, g)
	fmt.Printf("%.1f\n", gradient.RawRowView(0)) // exp(−1) = 0.37 times (1, 1)
	// Output:
	// [0.4 0.4]
}

// bell is the weight 1/(1 + ‖x‖²).
type bell struct{}

func (bell) Weight(x []float64) float64 {
	sum := 1.0
	for _, v := range x {
		sum += v * v
	}
	return 1 / sum
}

// GradientTo sets dst to −2x/(1 + ‖x‖²)².
func (b bell) GradientTo(dst, x []float64) {
	w := b.Weight(x)
	for i, v := range x {
		dst[i] = -2 * v * w * w
	}
}

// A weighted kernel has a derivative if the weight has a gradient. Here the features are the weight itself.
func ExampleWeightGradienter() {
	var w featuremap.WeightGradienter = bell{}
	rows := mat.NewDense(2, 2, []float64{1, 0, 0.6, 0.8})
	phi, err := featuremap.New(featuremap.Weight(w, featuremap.Constant{Value: 1}), rows, 1, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	d, err := featuremap.Derivative(phi)
	if err != nil {
		log.Fatal(err)
	}
	var gradient mat.Dense
	d.PullbackTo(&gradient, mat.NewDense(1, 2, []float64{1, 0}), mat.NewDense(1, 1, []float64{1}))
	fmt.Printf("%.2f\n", gradient.RawRowView(0))
	// Output:
	// [-0.50 0.00]
}
