// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package learn learns kernels from data: length scales, scales and the noise, by the evidence of a Gaussian process.

	learned, err := learn.Kernel(featuremap.Gaussian{LengthScale: 1}, x, y, featuremap.NewSampler(1), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(learned.Kernel) // goes to featuremap.NewPlan and featuremap.NewLandmarks

# What is learned

A kernel is taken apart into a sum of terms, through Sum, Scale, ARD, Project and Select. Of a stationary term, such as
Gaussian, Matern, RationalQuadratic, Cauchy, Laplacian, or a Product of such, the scale and the linear map in front of it are
learned: first one factor of its length scales, then a factor for each column, then a matrix (in terms of up to 25 columns). Of
Linear, Constant and all other terms only the scale in front is. What stays as it is: Nu and Alpha, the ratio of period and
length scale and LengthScale of Periodic, weights, means and scales of a SpectralMixture but for the linear map in front of
it, the parameters within a Product, Compose or Weight, degrees and offsets of polynomials, and all of Quadratic. A kernel with
none of this but a scale has its scale and the noise learned.

Where there is a Constant term it is the intercept, with a prior; otherwise there is one of flat prior, as in package ridge.

# How

Features of fixed base frequencies, cos and sin of ω·Ax, are a Gaussian process whose evidence has a gradient by A and by the
scales in closed form, which an L-BFGS climbs on up to 4000 rows. A stage begins where the one before has ended. One gradient takes
3/2·n·D² multiply-adds, and the memory is that of the features of the rows.

The stages and the kernel that was given are then compared with fresh frequencies, 1000 features: on up to 8000 rows that no stage
has learned from, if there are half as many of those as were learned from. Where there are not, on all rows, and a stage must gain
more log evidence than it has further parameters, or it is left out: this keeps the result from overfitting, as does that a matrix is
not learned from fewer rows than it has parameters, and that the search for one is compared so every ten steps and ends before the
evidence falls. The result never has less evidence than the kernel that was given.

Columns that do not matter get large length scales: beyond a thousand times the median of the others they could be left out.
*/
package learn
