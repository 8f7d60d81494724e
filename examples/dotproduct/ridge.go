// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// fitKernel fits classes by kernel ridge regression, and returns the scores
// k(others, train)·(K + λI)⁻¹y of other points.
func fitKernel(k featuremap.Kernel, train, others points, lambda float64) (*mat.VecDense, error) {
	var gram mat.SymDense
	var cross mat.Dense
	featuremap.Gram(&gram, k, train.x)
	featuremap.CrossGram(&cross, k, others.x, train.x)
	return fit(&gram, train.y, &cross, lambda)
}

// fitFeatures fits classes by ridge regression on the features Z of the training
// points, and returns the scores Z'·(ZᵀZ + λI)⁻¹Zᵀy of other points.
func fitFeatures(m featuremap.FeatureMap, train, others points, lambda float64) (*mat.VecDense, error) {
	var z, zOthers mat.Dense
	m.TransformTo(&z, train.x)
	m.TransformTo(&zOthers, others.x)
	// ZᵀZ, of so many rows at a time as stay in the cache: that halves the time.
	const block = 128
	n, out := z.Dims()
	moment := mat.NewSymDense(out, nil)
	for i := 0; i < n; i += block {
		moment.SymRankK(moment, 1, z.Slice(i, min(i+block, n), 0, out).T())
	}
	var zy mat.VecDense
	zy.MulVec(z.T(), train.y)
	return fit(moment, &zy, &zOthers, lambda)
}

// fit adds λ to a's diagonal and returns c·a⁻¹b.
func fit(a *mat.SymDense, b *mat.VecDense, c *mat.Dense, lambda float64) (*mat.VecDense, error) {
	n := a.SymmetricDim()
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return nil, fmt.Errorf("the %d×%d system is not positive definite", n, n)
	}
	var w, scores mat.VecDense
	if err := chol.SolveVecTo(&w, b); err != nil {
		return nil, err
	}
	scores.MulVec(c, &w)
	return &scores, nil
}

// chooseRidge returns the λ, of four from k(x, x)/1000 to k(x, x), with which the
// exact kernel fitted to one half of the training points has the least squared error
// on the other.
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
