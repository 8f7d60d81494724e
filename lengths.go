// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// First guesses of length scales.

// StdDevs returns the standard deviations of the columns of x, n×d, for ARD. It divides by n, not n − 1. A constant
// column gets 1, because ARD divides by these numbers. A column with an element that is not finite gets NaN, which
// constructors refuse. The result has the same bits on every machine. StdDevs panics with mat.ErrZeroLength if n is 0.
func StdDevs(x mat.Matrix) []float64 {
	n, d := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	deviations := make([]float64, d)
	for j, c := range rows.Spreads(x, nil) {
		if deviations[j] = c.Deviation; c.Deviation == 0 {
			deviations[j] = 1
		}
	}
	return deviations
}

// MedianLengthScale returns the median distance between two rows of x, divided by √2: the usual first guess. A Gaussian
// kernel with this length scale is 1/e at the median distance. Use it for columns in the same unit; otherwise see ARD.
//
// MedianLengthScale uses all pairs if there are at most 10,000, and otherwise 10,000 pairs of different rows drawn from
// s (NewSampler(0) if s is nil). For distances with one mode that leaves a relative error of about 1 %. If half of the
// distances are small and half are large, the median may be either.
//
// It calls s.Split once. Like weights, the result has the same bits on every machine. It returns an error, and leaves s
// as it was, if x is nil, has fewer than two rows or an element that is not finite, or if s is the zero value. For most
// pairs the squared distance must be positive and finite.
func MedianLengthScale(x mat.Matrix, s *Sampler) (float64, error) {
	const most = 10_000
	if check.IsNil(x) {
		return 0, errors.New("featuremap: x = nil")
	}
	s, err := givenSampler(s)
	if err != nil {
		return 0, err
	}
	n, _ := x.Dims()
	if n < 2 {
		return 0, fmt.Errorf("featuremap: x has %d rows: must have at least 2", n)
	}
	if err := check.Finite("x", x, 0); err != nil {
		return 0, err
	}
	before := *s
	child := s.Split()
	rows := pairsOf(x)
	var distances []float64
	add := func(i, j int) {
		a, b := rows(i, j)
		distances = append(distances, math.Sqrt(arith.SquaredDistance(a, b, 1)))
	}
	if n <= 141 { // 141·140/2 = 9,870
		for i := range n {
			for j := range i {
				add(i, j)
			}
		}
	} else {
		for range most {
			i, j := child.IntN(n), child.IntN(n-1)
			if j >= i {
				j++
			}
			add(i, j)
		}
	}
	m := len(distances)
	sort.Float64s(distances)
	median := (distances[(m-1)/2] + distances[m/2]) / 2 / math.Sqrt2
	if !(median > 0 && median <= math.MaxFloat64) {
		*s = before
		return 0, fmt.Errorf("featuremap: x: the median distance of two rows is %v: must be positive and finite", median)
	}
	return median, nil
}
