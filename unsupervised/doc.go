// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package unsupervised answers questions about rows that have no targets: which directions they vary in, which groups they
// form, and whether two samples are of the same distribution. It answers them by the features of a map φ, and so for a kernel
// k(x, y) = ⟨φ(x), φ(y)⟩, in time that is linear in the number of rows:
//
//   - FitPCA is principal component analysis with a kernel,
//   - FitKMeans is k-means with a kernel,
//   - a MeanEmbedding is the mean of the features of a sample. The distance of two is the maximum mean discrepancy, and
//     TwoSample is the test of equal distributions that goes with it.
//
// Results have one set of bits: the same rows, seed and map give the same result on any number of goroutines and on any
// machine.
package unsupervised
