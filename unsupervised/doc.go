// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package unsupervised analyzes rows without targets: it finds the directions in which they vary, groups them, and
// tests whether two samples have the same distribution. It works on the features of a map φ, and so with the kernel
// k(x, y) = ⟨φ(x), φ(y)⟩, in time that is linear in the number of rows:
//
//   - [FitPCA] is kernel principal component analysis.
//   - [FitKMeans] is kernel k-means.
//   - [MeanEmbedding] is the mean of the features of a sample. The distance of two of them is the maximum mean
//     discrepancy (MMD), and [TwoSample] tests with it whether two distributions are equal.
//
// The same rows, seed and map give the same bits on any number of goroutines and on any machine.
package unsupervised
