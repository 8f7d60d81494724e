// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// coding makes points of a copy of a set's numbers. It does not depend on the classes.
type coding struct {
	name  string
	apply func(x *mat.Dense) *mat.Dense
}

var (
	asIs         = coding{"as they are; all divided by the largest norm", longest}
	logarithm    = coding{"log(1 + v); all divided by the largest norm", func(x *mat.Dense) *mat.Dense { return longest(logarithms(x)) }}
	logarithmOne = coding{"log(1 + v); each row scaled to norm 1", func(x *mat.Dense) *mat.Dense { return norm1(logarithms(x)) }}
	ranged       = coding{"columns scaled to [0, 1]; all divided by the largest norm", func(x *mat.Dense) *mat.Dense { return longest(ranges(x)) }}
	rangedOne    = coding{"columns scaled to [0, 1]; each row scaled to norm 1", func(x *mat.Dense) *mat.Dense { return norm1(ranges(x)) }}
	standard     = coding{"columns standardized; all divided by the largest norm", func(x *mat.Dense) *mat.Dense { return longest(standardized(x)) }}
	standardOne  = coding{"columns standardized; each row scaled to norm 1", func(x *mat.Dense) *mat.Dense { return norm1(standardized(x)) }}
	oneHot       = coding{"a column of 0 and 1 for each category; all divided by the largest norm", func(x *mat.Dense) *mat.Dense { return longest(indicators(x)) }}
)

// longest divides all rows by the largest norm of one.
func longest(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	most := 0.0
	for i := range n {
		most = max(most, floats.Norm(x.RawRowView(i), 2))
	}
	x.Scale(1/most, x)
	return x
}

// norm1 gives each row the norm 1, except for rows of zeros.
func norm1(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	for i := range n {
		if row := x.RawRowView(i); floats.Norm(row, 2) > 0 {
			floats.Scale(1/floats.Norm(row, 2), row)
		}
	}
	return x
}

func logarithms(x *mat.Dense) *mat.Dense {
	x.Apply(func(_, _ int, v float64) float64 { return math.Log1p(v) }, x)
	return x
}

func standardized(x *mat.Dense) *mat.Dense {
	sets.Standardize(x)
	return x
}

// ranges scales columns, none of them constant, to [0, 1].
func ranges(x *mat.Dense) *mat.Dense {
	_, d := x.Dims()
	for j := range d {
		column := mat.Col(nil, j, x)
		least, most := slices.Min(column), slices.Max(column)
		for i, v := range column {
			x.Set(i, j, (v-least)/(most-least))
		}
	}
	return x
}

// indicators returns, for columns of the numbers of categories, a column for each category.
func indicators(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	offsets, columns := make([]int, d), 0
	for j := range d {
		offsets[j] = columns
		columns += int(slices.Max(mat.Col(nil, j, x))) + 1
	}
	z := mat.NewDense(n, columns, nil)
	for i := range n {
		for j := range d {
			z.Set(i, offsets[j]+int(x.At(i, j)), 1)
		}
	}
	return z
}
