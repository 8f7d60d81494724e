// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"net/http"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/table"
)

// classNames returns the names of the classes of a model: those of its encoder, or else their numbers.
func classNames(m *table.Model) (names []string) {
	if m.Encoder != nil && m.Encoder.ClassNames() != nil {
		return m.Encoder.ClassNames()
	}
	for c := range m.Logistic.Intercept() {
		names = append(names, strconv.Itoa(c))
	}
	return names
}

// classify returns the probabilities of the classes of rows, in float64.
func (m *loaded) classify(x *batch, asks question) (*answer, error) {
	if asks != (question{}) {
		return nil, refuse(http.StatusBadRequest, "a model of classes has probabilities, and no deviations or intervals")
	}
	var p mat.Dense
	m.logistic.ProbabilityTo(&p, x.wide)
	a := &answer{Probabilities: rowsOf(&p)}
	for i, row := range a.Probabilities {
		best := 0
		for c, v := range row {
			if !(v >= 0) {
				return nil, refuse(http.StatusUnprocessableEntity, "the model has a probability of %v for row %d: must be a number", v, i)
			}
			if v > row[best] {
				best = c
			}
		}
		a.Classes = append(a.Classes, m.classes[best])
	}
	return a, nil
}

// selfTestClasses is selfTest for a model of classes.
func (m *loaded) selfTestClasses() error {
	in, _ := m.Map().Dims()
	a, err := m.classify(&batch{wide: mat.NewDense(2, in, nil)}, question{})
	if err != nil {
		return err
	}
	alone := m.logistic.ProbabilityVec(nil, make([]float64, in))
	var sum float64
	for _, v := range alone {
		sum += v
	}
	for i, row := range a.Probabilities {
		if !sameBits(row, alone) || !(math.Abs(sum-1) < 1e-9) || len(row) != len(m.classes) {
			return fmt.Errorf("row %d of a batch has the probabilities %v, alone %v", i, row, alone)
		}
	}
	return nil
}
