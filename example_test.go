// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Learn a function of five coordinates from 1000 noisy values, and predict 1000 others: by a linear model of the
// coordinates, and by the same linear model of 200 random features of a Gaussian kernel. The function is from Friedman
// (1991). With this noise no model can have an R² above 0.96.
func Example() {
	const n, train = 2000, 1000
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(n, 5, nil), mat.NewDense(n, 1, nil)
	data := x.RawMatrix().Data
	for i := range data {
		data[i] = s.Float64() // uniform in [0, 1)
	}
	for i := range n {
		v := x.RawRowView(i)
		f := 10*math.Sin(math.Pi*v[0]*v[1]) + 20*math.Pow(v[2]-0.5, 2) + 10*v[3] + 5*v[4]
		y.Set(i, 0, f+s.Normal())
	}
	for _, k := range []featuremap.Kernel{featuremap.Linear{}, featuremap.Gaussian{LengthScale: 1}} {
		phi, err := featuremap.New(k, x.Slice(0, train, 0, 5), 200, s) // a map for such points, of at most 200 features
		if err != nil {
			log.Fatal(err)
		}
		model, err := ridge.Fit(phi, x.Slice(0, train, 0, 5), y.Slice(0, train, 0, 1), nil)
		if err != nil {
			log.Fatal(err)
		}
		var predicted mat.Dense
		model.PredictTo(&predicted, x.Slice(train, n, 0, 5))
		r2 := stat.RSquaredFrom(mat.Col(nil, 0, &predicted), mat.Col(nil, 0, y.Slice(train, n, 0, 1)), nil)
		_, features := phi.Dims()
		fmt.Printf("%-24v %3d features, R² = %.2f\n", k, features, r2)
	}
	// Output:
	// Linear{}                   5 features, R² = 0.70
	// Gaussian{LengthScale: 1} 200 features, R² = 0.95
}
