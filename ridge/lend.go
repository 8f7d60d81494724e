// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// What packages of other linear models share with this one.
func init() {
	linear.Factor = func(model any) (*tiled.Factor, []float64) {
		m := model.(*Model)
		return m.ridges[0].factor, m.mean
	}
	linear.Raw = func(phi featuremap.FeatureMap) (featuremap.FeatureMap, *tiled.Factor) {
		if r := rawsOf(phi); r != nil {
			return r.phi, r.u
		}
		return nil, nil
	}
	linear.Unjudged = func(options any) { options.(*Options).unjudged = true }
	linear.SetNoise = func(model any, noise []float64) { copy(model.(*Model).noise, noise) }
	linear.EachLambda = func(options any, lambda []float64) {
		o := options.(*Options)
		o.each, o.Path = lambda, slices.Clone(lambda)
	}
	linear.Release = func(accumulator any) { accumulator.(*Accumulator).release() }
	linear.NewPredictor = func(phi featuremap.FeatureMap, weights, intercept []float64) linear.Predictor {
		return newModel(phi, numbers{weights: weights, intercept: intercept, noise: make([]float64, len(intercept))})
	}
}
