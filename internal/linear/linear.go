// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package linear is what package ridge lends to packages of other linear models, and its users need not see. Package ridge
// sets the functions when it is initialised, so what calls them imports it.
package linear

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// Factor returns the factor U of ΦᵀΦ + λI = UᵀU of a *ridge.Model, which has one for all targets, and the mean φ̄ that its features are taken
// less. Neither may be changed.
var Factor func(model any) (u *tiled.Factor, mean []float64)

// Raw returns the map of raw features r(x) of a map, and the factor U of φ(x) = U⁻ᵀr(x); nil if the map has none.
var Raw func(phi featuremap.FeatureMap) (raw featuremap.FeatureMap, u *tiled.Factor)

// A Kept is a map whose features are in memory, of the rows that its points number. Package ridge takes it as Landmarks if it has raw
// features.
type Kept interface {
	// KeptRaw is as Landmarks.Raw; raw is nil where there are no raw features.
	KeptRaw() (raw featuremap.FeatureMap, u *mat.TriDense)
}

// Landmarks is what featuremap.Landmarks has, and a featuremap.Logarithms of them.
type Landmarks interface {
	Raw() (raw featuremap.FeatureMap, u *mat.TriDense)
	DiagonalTo(dst []float64, x mat.Matrix)
	RemainderTo(dst []float64, x mat.Matrix, features *mat.Dense)
}

// LandmarksOf returns a map as one of landmarks, or nil if it is none. A caller's type that embeds one is none.
func LandmarksOf(phi featuremap.FeatureMap) Landmarks {
	switch phi := phi.(type) {
	case *featuremap.Landmarks:
		return phi
	case *featuremap.Logarithms:
		if LandmarksOf(phi.Base()) != nil {
			return phi
		}
	}
	return nil
}

// Unjudged sets *ridge.Options so that a fit saves what it takes to leave rows out of the model that was chosen, whose LeaveOneOut
// is NaN. λ and the weights are the same.
var Unjudged func(options any)

// SetNoise sets the variance of the noise of each target of a *ridge.Model, which no other goroutine has yet, to what is measured: error
// bars are those of it, and λ and predictions stay.
var SetNoise func(model any, noise []float64)

// NotJudging sets *logistic.Options so that some rows, by their numbers in x, are fitted, but judge no λ where it is chosen. Package
// logistic sets it.
var NotJudging func(options any, rows []bool)

// MostPasses sets *logistic.Options so that each descent ends after so many passes, with what it has come to, however much the loss can
// still fall. λ is chosen among those that are tried until a descent has ended so, or all have taken four times as many passes. Package
// logistic sets it.
var MostPasses func(options any, passes int)

// EachLambda sets *ridge.Options so that each target has the λ that is given for it, as if the Criterion had taken it.
var EachLambda func(options any, lambda []float64)

// Release gives back the memory of a *ridge.Accumulator for the next rows, until some are added.
var Release func(accumulator any)

// A Predictor computes linear functions of features, as ridge.Model does.
type Predictor interface {
	PredictTo(dst *mat.Dense, x mat.Matrix)
	PredictVec(dst, x []float64) []float64
}

// NewPredictor returns the functions ⟨φ(x), w⟩ + c, for weights that are those of each function in turn.
var NewPredictor func(phi featuremap.FeatureMap, weights, intercept []float64) Predictor

// FitLogistic fits a *logistic.Model as logistic.Fit does, for a number of classes and *logistic.Options, from a
// *ridge.Model of the labels of about the same rows and weights: it makes no sums. The weights to begin with are those of from, a
// *logistic.Model, or of start if that is nil. Package logistic sets it.
var FitLogistic func(phi featuremap.FeatureMap, x mat.Matrix, classes []int, count int, opts, start, from any) (any, error)
