// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package ridge fits linear models on features: kernel ridge regression, classification by its scores, and the
Gaussian process whose mean it is. For n rows and D features it takes n·D² operations and D² memory, instead of
the n³ and n² of a kernel method.

# A first program

	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 2}, x, 1000, featuremap.NewSampler(1)) // x: n×3 points
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil) // y: n×1 targets
	if err != nil {
		log.Fatal(err)
	}
	mean, sd := m.Predict(point) // for each target; sd is the standard deviation of a new observation there
	fmt.Println(mean, sd)

Two deviations of a new observation cover about 95 % of them. That of the function alone, of [Model.Posterior], is right for a
function drawn from the process; of others, such as Friedman's with one length for all columns, two cover 78 to 96 %. [Model.Interval]
has intervals that are calibrated by rows which are left out. Package learn learns a kernel.

For classification [Labels] makes a target for each class; the largest prediction names the class. Package logistic has
probabilities. The example of this package is a whole program.

# The model

Targets are y = ⟨φ(x), w⟩ + c + noise, for a map φ: R^d → R^D. Ridge regression takes the weights that minimize
‖y − Φw − c‖² + λ‖w‖². They are also the mean of a Gaussian process with the kernel ⟨φ(x), φ(y)⟩·σ²/λ, which is the
map's kernel up to the error of the map. [Model.PredictTo] returns the mean of its posterior, [Model.StdDevTo] the
deviation of a new observation, [Posterior.VarianceTo] the variance of the function, [Posterior.Joint] the covariance of given points, and [Posterior.Sample] draws a [Function] from it. [Model.GradientVec] and
[Posterior.VarianceGradientVec] return gradients by the point.

The variance σ² of the noise is the likeliest one. So is λ, among those of a path, unless one is given: by the
evidence, the density of the targets with all weights integrated out, as long as it predicts rows that are left out about
as well as another λ does: see [Criterion]. The evidence compares maps as well, so that it chooses a length scale: see
[Model.LogEvidence]. docs/theory/lambda.md has the formulas. The exact process of a kernel as it is written has all rows for landmarks
(featuremap.NewNystrom with as many features), Lambda 1 and the NoiseVariance, and no intercept.

This package does not choose between random features and landmarks (featuremap.NewNystrom), and nothing known before labels
tells which predict better: fit both on some of the rows, with few columns, and compare the errors on others.

Several targets share a map. Each has a λ and a noise of its own; the scores of [Labels], which are compared, share λ: see
[Options].SharedLambda. The intercept c has a flat prior.

# Rows that do not fit in memory

An [Accumulator] holds the sums ΦᵀΦ, ΦᵀY and YᵀY. Rows go through the map into these sums in blocks, so that neither
the features nor, unless the caller holds them, the rows are ever in memory together, except for 4,096 rows, which it keeps
to choose λ by: see [Accumulator.KeepRows]. [Accumulator.Fit] makes a [Model] of the rows so far, and changes nothing:
add more rows, and fit again. The function [Fit] does it all for rows in memory.

[Accumulator.Merge] adds up the sums of two: of rows that are in several places, or of folds of a cross-validation. On
one machine Add alone keeps all cores busy. Sums travel by [Accumulator.WriteTo] and [ReadAccumulator], and
docs/guide/cluster.md fits a billion rows so.

[FitBatches] fits rows that are read as often as it takes, from a file or a generator: see [Batch]. It leaves out all of
them to choose λ, and has the bits of Fit by FeatureSide. [FitIterative] never forms ΦᵀΦ, for more features than that allows, and [FitPasses] does so with rows
on many machines.

# Weights

A row of weight w counts as w rows, and with 0 it is left out: [Options].Weights, [Accumulator.AddWeighted], and those of a [Batch].
To choose λ a row is left out with all its weight, and n is the sum of weights. Measurements with known errors are no rows of such weights:
[Options].NoiseVariance takes the variances of the errors.

# Costs

For n rows, D features and T targets:

	adding rows      n·D²/2 multiply-adds, and the transform of the rows
	a fit            D³/6 multiply-adds for each λ that is tried, of the path's 13 six at least, of several targets all, and T·D² more; for rows that are left
	                 out their transform once more, 13·(T+16)·D a row, and about 1500·D² for each λ that may be the best
	a prediction     T·D multiply-adds, and the transform of the row
	a variance       D²/2 multiply-adds besides for each different λ
	few rows         of up to D/2 rows Fit takes n²·D/2 and n³/3 for each λ, and a variance n·D + n²/2: see [Side]
	a gradient       some two transforms of the row; that of a variance D² multiply-adds besides
	memory           D²/2 numbers for the sums, as many for each different λ of a model (see [Model.MeanOnly]), blocks of 144 rows, and up
	                 to 4096·D for those that are left out, and 13·T·D for the λ

# Rows of float32

[Accumulator32] fits features of float32 ([featuremap.Float32]) in less than two thirds of the time, with sums of float32 within 144 rows,
and [Model.Float32] predicts in float32 with what was fitted in float64. docs/theory/lambda.md has the errors.

# One set of bits

A model has the same bits however its rows came in batches, on any number of goroutines and on every architecture,
where the features have: see package featuremap. Merge is the exception: its sums depend on how rows were split, in the
last digits. And of more than 4,096 rows Fit leaves out all, and an Accumulator those that it has kept, so that they may
choose neighboring λ.

# Conventions

They are those of package featuremap. Rows are samples; the destination comes first, and an empty one is sized. What
returns an error returns it for wrong shapes and empty matrices too: it names the parameter and the sizes, or the row, the
column and the value. What returns none panics with mat.ErrShape on shapes, with mat.ErrZeroLength on no rows, and with a text where a model has
no posterior or a map no derivative. A NaN
in a row to be predicted stays in that row.
*/
package ridge
