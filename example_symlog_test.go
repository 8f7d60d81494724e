// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Amounts of money have a heavy tail: half of these are between 10,000 and 160,000, and the largest above ten million.
// No single length scale suits all of them, so SymLog makes the features from their logarithms. The map takes the
// amounts.
func ExampleSymLog() {
	const n = 1000
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(2*n, 1, nil), mat.NewDense(2*n, 1, nil)
	for i := range 2 * n {
		t := s.Normal()
		x.Set(i, 0, 40_000*math.Exp(2*t))
		y.Set(i, 0, math.Sin(2*t)+0.1*s.Normal())
	}
	fit := func(name string, phi featuremap.FeatureMap) {
		m, err := ridge.Fit(phi, x.Slice(0, n, 0, 1), y.Slice(0, n, 0, 1), nil)
		if err != nil {
			log.Fatal(err)
		}
		var e mat.Dense
		m.PredictTo(&e, x.Slice(n, 2*n, 0, 1))
		e.Sub(&e, y.Slice(n, 2*n, 0, 1))
		fmt.Printf("%-10s error %.2f\n", name, mat.Norm(&e, 2)/math.Sqrt(n))
	}
	train := x.Slice(0, n, 0, 1)
	nystrom := func(k featuremap.Kernel) featuremap.FeatureMap {
		phi, err := featuremap.NewNystrom(k, train, 20, s, nil)
		if err != nil {
			log.Fatal(err)
		}
		return phi
	}
	length, err := featuremap.MedianLengthScale(train, s)
	if err != nil {
		log.Fatal(err)
	}
	fit("as it is", nystrom(featuremap.Gaussian{LengthScale: length}))
	fit("logarithms", nystrom(featuremap.SymLog([]float64{5000}, featuremap.Gaussian{LengthScale: 10_000})))
	// Output:
	// as it is   error 0.31
	// logarithms error 0.12
}
