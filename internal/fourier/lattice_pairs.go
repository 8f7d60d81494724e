// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import "github.com/seed-0f95ebc1/featuremap/internal/arith"

// LatticePairs are pairs with the differences of their points along each axis and the values of the kernel. Far pairs
// also have the components of both points.
type LatticePairs struct {
	Differences     [][]float64
	Squares, Values []float64
	Ends            [][2][]float64
}

// AtMost returns every k-th pair, with k such that there are at most most.
func (p LatticePairs) AtMost(most int) (some LatticePairs) {
	if len(p.Values) <= most {
		return p
	}
	step := (len(p.Values)-1)/most + 1
	for k := 0; k < len(p.Values); k += step {
		if p.Ends != nil {
			some.Ends = append(some.Ends, p.Ends[k])
		}
		some.Differences = append(some.Differences, p.Differences[k])
		some.Squares, some.Values = append(some.Squares, p.Squares[k]), append(some.Values, p.Values[k])
	}
	return some
}

// MeanSquare returns the mean square of the kernel, times the squared weights.
func (p LatticePairs) MeanSquare() (mean float64) {
	for k, v := range p.Values {
		mean += p.Squares[k] * arith.Square(v) / float64(len(p.Values))
	}
	return mean
}

// SquaredErrors returns the mean squared errors of a recipe with its first 1, 2, … groups.
func (r *Lattice) SquaredErrors(pairs LatticePairs) []float64 {
	table := NewCosineTable(r)
	errors := make([]float64, len(r.Groups))
	for k, delta := range pairs.Differences {
		weight, value, mass := pairs.Squares[k]/float64(len(pairs.Values)), pairs.Values[k], r.Mass
		if pairs.Ends != nil {
			mass *= r.fade(pairs.Ends[k][0]) * r.fade(pairs.Ends[k][1])
		}
		for n, sum := range r.sums(delta, table) {
			errors[n] += weight * arith.Square(mass*sum-value)
		}
	}
	return errors
}
