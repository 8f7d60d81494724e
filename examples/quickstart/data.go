// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/dataset"
)

// data is the digits, split at random into four fifths to train on and one fifth to
// test.
type data struct {
	trainX, testX *mat.Dense // a row a digit, pixels from 0 to 1
	trainY        *mat.Dense // a column a class: 1 in the digit's own, 0 elsewhere
	testClass     []int
}

// load returns the digits, in an order drawn from s.
func load(s *featuremap.Sampler) (*data, error) {
	x, class, err := dataset.Digits()
	if err != nil {
		return nil, err
	}
	x.Scale(1./16, x)
	n, d := x.Dims()
	// Fisher and Yates's shuffle.
	order := make([]int, n)
	for i := range order {
		j := s.IntN(i + 1)
		order[i], order[j] = order[j], i
	}
	train := n * 4 / 5
	digits := &data{
		trainX: mat.NewDense(train, d, nil),
		trainY: mat.NewDense(train, 10, nil),
		testX:  mat.NewDense(n-train, d, nil),
	}
	for i, from := range order {
		if i < train {
			digits.trainX.SetRow(i, x.RawRowView(from))
			digits.trainY.Set(i, class[from], 1)
		} else {
			digits.testX.SetRow(i-train, x.RawRowView(from))
			digits.testClass = append(digits.testClass, class[from])
		}
	}
	return digits, nil
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
