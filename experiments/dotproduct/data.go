// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
)

// points are messages and their classes, 1 for spam and −1 for other mail.
type points struct {
	x *mat.Dense // a row a message: log(1 + v) of its numbers, scaled to norm 1
	y *mat.VecDense
}

// load returns Spambase in the split of "The elements of statistical learning", each part in random
// order.
func load(s *featuremap.Sampler) (train, test points, err error) {
	x, class, flag, err := dataset.Spambase()
	if err != nil {
		return points{}, points{}, err
	}
	// Frequencies and lengths are skewed: most are 0, and a few very large.
	x.Apply(func(_, _ int, v float64) float64 { return math.Log1p(v) }, x)
	var part [2][]int
	for i := range class {
		row := x.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
		part[flag[i]] = append(part[flag[i]], i)
	}
	pick := func(rows []int) points {
		// Fisher and Yates's shuffle.
		for i := range rows {
			j := s.IntN(i + 1)
			rows[i], rows[j] = rows[j], rows[i]
		}
		_, d := x.Dims()
		p := points{mat.NewDense(len(rows), d, nil), mat.NewVecDense(len(rows), nil)}
		for i, from := range rows {
			p.x.SetRow(i, x.RawRowView(from))
			p.y.SetVec(i, float64(2*class[from]-1))
		}
		return p
	}
	return pick(part[0]), pick(part[1]), nil
}

// slice returns the points from i to j−1.
func (p points) slice(i, j int) points {
	_, d := p.x.Dims()
	return points{p.x.Slice(i, j, 0, d).(*mat.Dense), p.y.SliceVec(i, j).(*mat.VecDense)}
}

// accuracy returns the share of points whose score has the sign of their class.
func (p points) accuracy(scores *mat.VecDense) float64 {
	right := 0
	for i := range scores.Len() {
		if scores.AtVec(i)*p.y.AtVec(i) > 0 {
			right++
		}
	}
	return float64(right) / float64(scores.Len())
}
