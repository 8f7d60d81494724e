// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sample

import "math"

// Smooth functions of the distance are interpolated between distances whose logarithms are logStep apart. There are
// MostLogs of these on either side of 1.
const (
	logStep  = 0.02
	MostLogs = 2048
)

// AtLog returns one of these distances.
func AtLog(i int) float64 { return math.Exp(logStep * float64(i-MostLogs)) }

// AroundLog returns the first of the four of these distances around a given distance, and their weights in a cubic. ok
// is false if there are no such four.
func AroundLog(distance float64) (first int, weights [4]float64, ok bool) {
	u := math.Log(distance) / logStep
	if !(math.Abs(u) <= MostLogs-3) {
		return 0, weights, false
	}
	i := math.Floor(u)
	return int(i) - 1 + MostLogs, CubicWeights(u - i), true
}

// Interpolated returns a smooth function of the distance, interpolated from its values at the distances of AtLog,
// to about 1e-6.
func Interpolated(at func(distance float64) float64) func(distance float64) float64 {
	var values [2 * MostLogs]float64
	var known [2 * MostLogs]bool
	return func(distance float64) (sum float64) {
		first, weights, ok := AroundLog(distance)
		if !ok {
			return at(distance)
		}
		for k, w := range weights {
			i := first + k
			if !known[i] {
				values[i], known[i] = at(AtLog(i)), true
			}
			sum += float64(w * values[i])
		}
		return sum
	}
}

// CubicWeights returns the weights of cubic interpolation at t, 0 ≤ t ≤ 1: for a polynomial of degree at most 3, the
// weighted sum of its values at −1, 0, 1 and 2 is its value at t.
func CubicWeights(t float64) [4]float64 {
	return [...]float64{-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2, -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6}
}
