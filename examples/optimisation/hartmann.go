// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "math"

// maximum is that of hartmann, to five digits, at (.2017, .1500, .4769, .2753, .3117, .6573).
const maximum = 3.32237

// hartmann returns Hartmann's function of a point of the unit cube in six dimensions, times −1: Σ αᵢ·exp(−Σ Aᵢⱼ(xⱼ − Pᵢⱼ)²)
// (Hartmann 1973; the numbers are those of Dixon and Szegő, Towards global optimisation 2, 1978).
func hartmann(x []float64) float64 {
	var value float64
	for i, scale := range [...]float64{1, 1.2, 3, 3.2} {
		var sum float64
		for j, v := range x {
			v -= peaks[i][j]
			sum += steepness[i][j] * v * v
		}
		value += scale * math.Exp(-sum)
	}
	return value
}

var steepness = [4][6]float64{
	{10, 3, 17, 3.5, 1.7, 8},
	{0.05, 10, 17, 0.1, 8, 14},
	{3, 3.5, 1.7, 10, 17, 8},
	{17, 8, 0.05, 10, 0.1, 14},
}

var peaks = [4][6]float64{
	{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
	{0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
	{0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
	{0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381},
}
