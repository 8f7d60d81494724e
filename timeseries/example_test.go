// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package timeseries_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
	"github.com/seed-0f95ebc1/featuremap/timeseries"
)

// waves returns n series of 100 values: noisy sines, squares and saws, of any phase and of periods from 15 to 25.
func waves(rnd *rand.Rand, n int) (x *mat.Dense, classes []int) {
	x, classes = mat.NewDense(n, 100, nil), make([]int, n)
	for i := range n {
		classes[i] = i % 3
		phase, period := rnd.Float64(), 15+10*rnd.Float64()
		for p := range 100 {
			_, t := math.Modf(float64(p)/period + phase) // from 0 to 1 in each period
			wave := []float64{math.Sin(2 * math.Pi * t), math.Copysign(1, t-0.5), 2*t - 1}[classes[i]]
			x.Set(i, p, wave+0.7*rnd.NormFloat64())
		}
	}
	return x, classes
}

// Which wave is it? A logistic regression on MiniRocket's features decides.
func Example() {
	rnd := rand.New(rand.NewPCG(1, 2))
	x, classes := waves(rnd, 120)
	m, err := timeseries.NewMiniRocket(x, 1008, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	model, err := logistic.Fit(m, x, classes, nil)
	if err != nil {
		log.Fatal(err)
	}
	unseen, truth := waves(rnd, 300)
	class, p := model.Predict(unseen.RawRowView(0))
	fmt.Printf("accuracy %.2f; class %d has probability %.2f\n", score.Accuracy(model.Classify(unseen), truth), class, p[class])
	// Output: accuracy 0.96; class 0 has probability 0.87
}
