// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const (
	classes = 26
	train   = 16000 // of the 20000 letters, as Frey and Slate split them
)

// data is the letters, in columns of mean 0 and variance 1 over those to train on.
type data struct {
	trainX, testX *mat.Dense // one row a letter
	trainY        *mat.Dense // one column a class: 1 in the letter's own, −1 elsewhere
	testClass     []int
}

// load returns the letters.
func load() (*data, error) {
	x, class, err := dataset.Letter()
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	column := make([]float64, n)
	for j := range d {
		mat.Col(column, j, x)
		mean, variance := stat.PopMeanVariance(column[:train], nil)
		floats.AddConst(-mean, column)
		floats.Scale(1/math.Sqrt(variance), column)
		x.SetCol(j, column)
	}
	y, err := ridge.Labels(class[:train], classes)
	if err != nil {
		return nil, err
	}
	return &data{
		trainX:    x.Slice(0, train, 0, d).(*mat.Dense),
		testX:     x.Slice(train, n, 0, d).(*mat.Dense),
		trainY:    y,
		testClass: class[train:],
	}, nil
}

// accuracy returns the share of test points whose own class has the largest score.
func (d *data) accuracy(scores *mat.Dense) float64 {
	right := 0
	for i, class := range d.testClass {
		if floats.MaxIdx(scores.RawRowView(i)) == class {
			right++
		}
	}
	return float64(right) / float64(len(d.testClass))
}
