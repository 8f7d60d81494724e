// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"errors"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A map that is planned for the beginning of a stream does not suit the rest. A map that is planned with the range of
// all rows does.
func ExampleBeyondError() {
	const n = 1000
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, float64(i)/20)
		y.Set(i, 0, math.Sin(float64(i)/20))
	}
	k := featuremap.Gaussian{LengthScale: 1}
	for _, points := range []*mat.Dense{mat.DenseCopyOf(x.Slice(0, n/10, 0, 1)), mat.NewDense(2, 1, []float64{0, 50})} {
		plan, err := featuremap.NewPlan(k, points, 80, nil)
		if err != nil {
			log.Fatal(err)
		}
		phi, err := plan.Draw(featuremap.NewSampler(1))
		if err != nil {
			log.Fatal(err)
		}
		_, err = ridge.Fit(phi, x, y, nil)
		var beyond *ridge.BeyondError
		if errors.As(err, &beyond) {
			fmt.Printf("%d of %d rows are outside\n", beyond.Rows, beyond.Of)
		} else {
			fmt.Println(err)
		}
	}
	// Output:
	// 876 of 1000 rows are outside
	// <nil>
}
