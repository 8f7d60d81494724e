// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package pairs predicts and measures the error of feature maps over all pairs of some rows.
package pairs

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// Rows is the number of rows, evenly spread, over whose pairs errors are predicted and measured: as
// many as NewPlan takes.
const Rows = 300

// Spread returns a number of rows, evenly spread, or all if there are fewer.
func Spread(x *mat.Dense, most int) *mat.Dense {
	n, d := x.Dims()
	m := min(n, most)
	rows := mat.NewDense(m, d, nil)
	for i := range m {
		rows.SetRow(i, x.RawRowView(i*n/m))
	}
	return rows
}

// Predicted returns the root mean square error that exact variances, and biases, predict for a map or a plan. It is NaN
// if this is not a Variancer.
func Predicted(m interface{ Kernel() featuremap.Kernel }, rows *mat.Dense) float64 {
	variance, ok := m.(featuremap.Variancer)
	if !ok {
		return math.NaN()
	}
	n, _ := rows.Dims()
	return math.Sqrt(mean(n, func(i, j int) float64 {
		v := variance.Variance(rows.RawRowView(i), rows.RawRowView(j))
		if b, ok := m.(interface {
			Bias(x, y []float64) float64
		}); ok {
			bias := b.Bias(rows.RawRowView(i), rows.RawRowView(j))
			v += bias * bias
		}
		return v
	}))
}

// SquaredError returns the mean squared error of a map. The exact kernel of the rows is given.
func SquaredError(m featuremap.FeatureMap, rows *mat.Dense, exact *mat.SymDense) float64 {
	var z mat.Dense
	m.TransformTo(&z, rows)
	n, _ := rows.Dims()
	return mean(n, func(i, j int) float64 {
		e := floats.Dot(z.RawRowView(i), z.RawRowView(j)) - exact.At(i, j)
		return e * e
	})
}

// Root returns the root of the mean of the squared errors of several maps, and its standard error,
// which is NaN for one map.
func Root(squares []float64) (root, doubt float64) {
	mean, deviation := stat.MeanStdDev(squares, nil)
	root = math.Sqrt(mean)
	// The relative error of a root is half the relative error of its square.
	return root, stat.StdErr(deviation, float64(len(squares))) / (2 * root)
}

// mean returns the mean of f over pairs of different numbers below n.
func mean(n int, f func(i, j int) float64) float64 {
	sums := make([]float64, n) // over pairs with smaller numbers, so that the mean does not depend on the goroutines
	parallel.Run(parallel.Func(func(i, _ int) {
		for j := range i {
			sums[i] += f(i, j)
		}
	}), n, 1)
	return floats.Sum(sums) / float64(n*(n-1)/2)
}
