// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "math"

// A function is a function on the unit cube with a known maximum.
type function struct {
	name    string
	columns int
	maximum float64 // to six digits
	value   func(x []float64) float64
}

var functions = []function{{"Branin", 2, -0.397887, branin}, {"Camel", 2, 1.031628, camel}, {"Hartmann", 6, 3.32237, hartmann}}

// branin returns Branin's function times −1, with [−5, 10]×[0, 15] mapped to the unit square. It has three maxima, and
// a valley of about −300 in a corner (Branin 1972; the numbers are from Dixon and Szegő, Towards global optimization 2,
// 1978).
func branin(x []float64) float64 {
	a, b := 15*x[0]-5, 15*x[1]
	c := b - 5.1/(4*math.Pi*math.Pi)*a*a + 5/math.Pi*a - 6
	return -(c*c + 10*(1-1/(8*math.Pi))*math.Cos(a) + 10)
}

// camel is the six-hump camel of Dixon and Szegő times −1, with columns from −3 to 3 and from −2 to 2.
func camel(x []float64) float64 {
	a, b := 6*x[0]-3, 4*x[1]-2
	return -((4-2.1*a*a+a*a*a*a/3)*a*a + a*b + (4*b*b-4)*b*b)
}

// hartmann returns Hartmann's function of six variables, times −1: Σ αᵢ·exp(−Σ Aᵢⱼ(xⱼ − Pᵢⱼ)²). Its second peak is .119
// lower (Hartmann 1973; the numbers are from Dixon and Szegő).
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
