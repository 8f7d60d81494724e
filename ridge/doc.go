// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package ridge fits linear models on features: kernel ridge regression, and the Gaussian process whose mean it is, at
n·D² operations and D² memory in place of n³ and n².

# A first program

	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 2}, 3, 1000, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := ridge.Fit(phi, x, y, nil) // x: n×3 points; y: n×1 targets
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.PredictVec(nil, point))             // the function at a point, for each target
	fmt.Println(m.VarianceVec(nil, point), m.Noise()) // how well it is known there; what targets scatter besides

# The model

Targets are y = ⟨φ(x), w⟩ + c + noise, for a map φ: R^d → R^D. Ridge regression takes the weights that minimise
‖y − Φw − c‖² + λ‖w‖². They are also the mean of a Gaussian process: with weights drawn from N(0, σ²/λ) beforehand, a
function has the kernel ⟨φ(x), φ(y)⟩·σ²/λ, which is the map's kernel up to the error of the map, and given the rows it is
normal with the mean that [Model.PredictTo] and the variance that [Model.VarianceTo] returns. [Model.Sample] draws a
function from that posterior. The intercept c has a flat prior.

The variance σ² of the noise is the likeliest one. So is λ, among those of a path, unless one is given: by the evidence,
the density of the targets with all weights integrated out. It needs no rows held back, and models of different maps can
be compared by it too, so that it chooses a length scale: see [Model.LogEvidence].

Several targets share a map and λ, and each has a noise of its own. For classification [Labels] makes a target for each
class.

# How it goes

An [Accumulator] holds the sums ΦᵀΦ, ΦᵀY and YᵀY. Rows go through the map into these sums in blocks, so that neither the
features nor, unless the caller holds them, the rows are ever in memory together. [Accumulator.Fit] makes a [Model] of
the rows so far, and changes nothing: add more rows, and fit again. The function [Fit] does it all for rows in memory.

[Accumulator.Merge] adds up the sums of two. Take it for rows that are in several places, or that come in several
goroutines, or for folds of a cross-validation; on one machine Add alone keeps all cores busy. Sums travel by
[Accumulator.WriteTo] and [Accumulator.ReadFrom].

# Costs

For n rows, D features and T targets:

	adding rows      n·D²/2 multiply-adds, and the transform of the rows
	a fit            D³/6 multiply-adds for each λ of the path, 13 by default, and T·D² more
	a prediction     T·D multiply-adds, and the transform of the row
	a variance       D²/2 multiply-adds besides
	memory           D²/2 numbers for the sums, as many for a model (see [Model.MeanOnly]), blocks of 144 rows

# One set of bits

Each sum is one chain of fused multiply-adds in the order of the rows, and each number of a fit, a prediction, a variance
and a sample has one fixed order of operations. So a model has the same bits however its rows came in batches, on any
number of goroutines and on every architecture, where the features have: see package featuremap. Merge is the exception:
its sums are those of its parts, and depend on how rows were split, in the last digits.

# Conventions

They are those of package featuremap. Rows are samples; the destination comes first, and an empty one is sized. Wrong
shapes panic with mat.ErrShape, no rows with mat.ErrZeroLength. What comes from configuration or data returns an error:
it names the parameter, or the row and the column, and the value. A NaN in a row to be predicted stays in that row.

# References

  - C. E. Rasmussen, C. K. I. Williams, Gaussian processes for machine learning, 2006.
  - D. J. C. MacKay, Bayesian interpolation, 1992.
  - A. Rahimi, B. Recht, Random features for large-scale kernel machines, 2007.
*/
package ridge
