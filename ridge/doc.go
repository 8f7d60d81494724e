// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package ridge fits regressions and Gaussian processes on features, with error bars and calibrated intervals. For n rows and D
features a fit takes n·D² operations and D² memory, where the exact kernel method takes n³ and n².

	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 2}, x, 1000, featuremap.NewSampler(1)) // x: n×3 points
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil) // y: n×1 targets
	if err != nil {
		log.Fatal(err)
	}
	mean, sd := m.Predict(point) // for each target; sd is the standard deviation of a new observation

Two standard deviations contain about 95 % of new observations if the noise is normal and the same everywhere; [Model.Interval] assumes
neither. Package learn learns the kernel, too. For classes, [Labels] makes a target of each class; package logistic has probabilities.

# The model

Targets are y = ⟨φ(x), w⟩ + c + noise, for a map φ: R^d → R^D. Ridge regression minimizes ‖y − Φw − c‖² + λ‖w‖². The result is
also the posterior mean of a Gaussian process with the kernel ⟨φ(x), φ(y)⟩·σ²/λ. For the exact process of a kernel as written, use
featuremap.NewNystrom with as many features as rows, Lambda 1, the NoiseVariance, and no intercept.

  - [Model.PredictTo] returns the posterior mean, and [Model.StdDevTo] the standard deviation of new observations.
  - [Model.Posterior] is the distribution of the function, without noise: variances, covariances of given points, and samples.
  - [Model.LogEvidence] is the log marginal likelihood, which compares kernels and length scales.
  - [Model.GradientVec] is the gradient at a point.

The noise variance σ² is the likeliest one. λ is chosen from a path by the log marginal likelihood, as long as leave-one-out errors do not
contradict it: see [Criterion]. Each target has its own λ and noise, except for Labels, which share λ. The intercept c has a flat prior.
docs/theory/lambda.md has the formulas.

# Rows that do not fit in memory

An [Accumulator] holds the sums ΦᵀΦ, ΦᵀY and YᵀY, and keeps up to 4,096 rows to choose λ by. Add rows, Fit, add more, and fit again.
Rows are read once. [Accumulator.Merge] adds the sums of other machines, and [MergeInOrder] does so reproducibly.

[FitBatches] reads its rows several times, and returns the bits of Fit with FeatureSide. [FitIterative] never forms ΦᵀΦ, for tens of
thousands of features, and [FitPasses] does the same with rows on many machines. See docs/guide/streams.md and docs/guide/cluster.md.

# Weights and known noise

A row of weight w counts as w rows, and one of weight 0 is left out: [Options].Weights, [Accumulator.AddWeighted], [Batch]. Known errors of
measurement are not weights: give their variances as [Options].NoiseVariance.

# Costs

For n rows, D features and T targets, in multiply-adds:

	adding rows      n·D²/2, and the transform of the rows
	a fit            D³/6 for each λ that is tried: at least 6 of 13, all for several targets
	leave-one-out    13·(T+16)·D for each row left out, and about 1,500·D² for each λ that may be the best
	n ≤ D/2 rows     n²·D/2, and n³/3 for each λ: see Side
	a prediction     T·D, and the transform of the row
	a variance       D²/2 for each different λ, or n·D + n²/2 with n ≤ D/2 rows
	memory           D²/2 numbers for the sums, as many for each different λ of a model, and up to 4,096·D for the rows left out

[Model.MeanOnly] drops what only variances need. [Accumulator32] fits rows of float32 in less than two thirds of the time, and
[Model.Float32] predicts in float32.

# Bits

A model has the same bits however its rows were batched, on any number of goroutines and on every architecture, if the
features have the same bits: see package featuremap. Merge is the exception: its sums depend, in the last digits, on how rows were
split. With more than 4,096 rows Fit leaves out each in turn and an Accumulator only those that it kept, so the two may choose neighboring λ.

# Conventions

The conventions are those of package featuremap. A function that returns an error returns it for wrong shapes and empty matrices too, and names the
parameter and the sizes, or the row, the column and the value. A function that returns none panics with mat.ErrShape, or with a text where
the model has no posterior or the map no derivative. A NaN in a row to be predicted stays in that row.
*/
package ridge
