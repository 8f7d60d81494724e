// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// Sixty rows with 5,000 features are solved in 60×60 numbers, on the rows' side. The other side, with 5,000×5,000
// numbers, has the same model.
func ExampleSide() {
	s := featuremap.NewSampler(1)
	x, y := mat.NewDense(60, 2, nil), mat.NewDense(60, 1, nil)
	s.FillNormal(x.RawMatrix().Data)
	for i := range 60 {
		y.Set(i, 0, x.At(i, 0)*x.At(i, 1)+s.Normal()/10)
	}
	phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2}, 2, 5000, s, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	mean, sd := m.Predict([]float64{1, -0.5})
	fmt.Printf("%v: %.2f ± %.2f\n", m.Side(), mean[0], sd[0])
	fmt.Println(ridge.AutoSide, "takes", ridge.RowSide, "for up to one row for two features, and otherwise", ridge.FeatureSide)
	// Output:
	// RowSide: -0.55 ± 0.10
	// AutoSide takes RowSide for up to one row for two features, and otherwise FeatureSide
}
