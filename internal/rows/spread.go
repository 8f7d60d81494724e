// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Spread describes the distribution of a column's values.
type Spread struct {
	Deviation float64 // the standard deviation, with n in the denominator, not n − 1; NaN if a value is not finite
	Farthest  float64 // a bound on the distance of a value from the mean, in standard deviations; 0 if the column is constant
	Two       bool    // there are at most two values
}

// Spreads returns the spreads of the columns of a, over the rows of index, or over all rows if index is nil. It reads
// these rows twice. No square overflows: values are mapped to [−1, 1] by the smallest and the largest.
func Spreads(a mat.Matrix, index []int) []Spread {
	var reader Reader
	reader.Reset(a)
	n, row := reader.N, func(k int) []float64 { return reader.Row(k) }
	if index != nil {
		n, row = len(index), func(k int) []float64 { return reader.Row(index[k]) }
	}
	c := make([]Spread, reader.Cols)
	least, most := make([]float64, reader.Cols), make([]float64, reader.Cols)
	for k := range n {
		for j, v := range row(k) {
			if k == 0 {
				least[j], most[j], c[j].Two = v, v, true
			}
			least[j], most[j] = min(least[j], v), max(most[j], v)
		}
	}
	sums, squares := make([]float64, reader.Cols), make([]float64, reader.Cols)
	for k := range n {
		for j, v := range row(k) {
			c[j].Two = c[j].Two && (v == least[j] || v == most[j])
			if radius := 0.5*most[j] - 0.5*least[j]; radius != 0 {
				u := (v - (0.5*most[j] + 0.5*least[j])) / radius // from −1 to 1
				sums[j] += u
				squares[j] = math.FMA(u, u, squares[j])
			}
		}
	}
	for j := range c {
		mean := sums[j] / float64(n)
		deviation := math.Sqrt(max(squares[j]/float64(n)-float64(mean*mean), 0))
		c[j].Deviation = deviation * (0.5*most[j] - 0.5*least[j])
		if c[j].Deviation > 0 {
			c[j].Farthest = (1 + math.Abs(mean)) / deviation
		}
	}
	return c
}
