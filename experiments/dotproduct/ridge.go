// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/exact"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// fitKernel fits classes by kernel ridge regression, and returns the scores
// k(others, train)·(K + λI)⁻¹y of other points.
func fitKernel(k featuremap.Kernel, train, others points, lambda float64) (*mat.VecDense, error) {
	var gram mat.SymDense
	featuremap.Gram(&gram, k, train.x)
	alpha, err := exact.Solve(&gram, sets.Order(gram.SymmetricDim()), lambda, train.y.RawVector().Data)
	if err != nil {
		return nil, err
	}
	var scores mat.VecDense
	var cross mat.Dense
	featuremap.CrossGram(&cross, k, others.x, train.x)
	scores.MulVec(&cross, mat.NewVecDense(len(alpha), alpha))
	return &scores, nil
}

// fitFeatures fits classes by ridge regression on the features of the training points, without an
// intercept, like the kernel, and returns the scores of other points.
func fitFeatures(phi featuremap.FeatureMap, train, others points, lambda float64) (*mat.VecDense, error) {
	m, err := ridge.Fit(phi, train.x, train.y, &ridge.Options{Lambda: lambda, NoIntercept: true})
	if err != nil {
		return nil, err
	}
	var scores mat.Dense
	m.PredictTo(&scores, others.x)
	return mat.VecDenseCopyOf(scores.ColView(0)), nil
}

// chooseRidge returns the λ, of four from k(x, x)/1000 to k(x, x), for which the exact kernel,
// fitted to one half of the training points, has the least squared error on the other half.
func chooseRidge(k featuremap.Kernel, train points) (float64, error) {
	n := train.y.Len()
	half, other := train.slice(0, n/2), train.slice(n/2, n)
	x := train.x.RawRowView(0)
	least, best := math.Inf(1), 0.0
	for _, share := range []float64{0.001, 0.01, 0.1, 1} {
		lambda := share * k.Eval(x, x)
		scores, err := fitKernel(k, half, other, lambda)
		if err != nil {
			return 0, err
		}
		scores.SubVec(scores, other.y)
		if loss := mat.Norm(scores, 2); loss < least {
			least, best = loss, lambda
		}
	}
	return best, nil
}
