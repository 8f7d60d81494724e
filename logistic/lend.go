// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What package learn takes from here.

package logistic

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

func init() {
	linear.MostPasses = func(options any, passes int) { options.(*Options).mostPasses = passes }
	linear.NotJudging = func(options any, rows []bool) { options.(*Options).notJudging = rows }
	linear.FitLogistic = func(phi featuremap.FeatureMap, x mat.Matrix, classes []int, count int, opts, start, from any) (any, error) {
		t, err := newTraining(phi, opts.(*Options))
		if err != nil {
			return nil, err
		}
		t.begun, t.x = start.(*ridge.Model), x
		if m, ok := from.(*Model); ok && m != nil {
			t.from = m
		}
		t.read = func(add func(x, y mat.Matrix, weights []float64) error) error {
			return add(x, &classColumn{classes}, t.Weights)
		}
		return t.fit(count)
	}
}
