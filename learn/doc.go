// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package learn goes from rows to a model: it learns the kernel, chooses features of it, fits them, and scores the model on rows that
it did not see.

	report, err := learn.Regression(x, y, nil) // x: n×d numbers, y: n×T targets; Classification takes the classes
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)                     // what was taken in each step, and the score
	lo, hi := report.Model.Interval(point, 0.9) // Predict has the mean and its deviation; of Classification a class and the probabilities of all

# From rows to a model

Regression and Classification take these steps, and String of the report has a line for each: what was taken, of how many, by which figure, and the next best.

  - A tenth of the rows, or Options.TestRows, is held back for the score, and takes part in no choice.
  - A kernel is learned by evidence: one length, one for each category, lengths of columns, a matrix. (Regression takes for a category columns of one length in
    Options.Kernel, as package table has it, or else a run of columns of 0 and 1 that add up to at most 1 in each row.) Small fits to some rows, judged by others, compare these, multiples
    of their lengths, columns as they are, over their deviations and, where tails are heavy, in logarithms, and landmarks with random features.
  - A bank of some fifty kernels is compared by leaving out each of up to 1,000 different rows, with its copies: Gaussian, Matérn and ℓ1 Laplacian, in the metrics
    that evidence has found and in the one of the derivatives of a first fit. The model's kernel is the weighted sum of the best of each shape
    that leaves rows out best; for classes the one with the least log loss on other rows, of that, the best five and the one above.
  - Features are doubled from √n·log n on, while rows that are left out gain more than one standard error and a hundredth of their squared error,
    up to 4096 and a number of operations, n·D² of 10¹². Up to 2,048 different rows are all landmarks. λ is the one that leaves rows out best.
  - The fit is scored, and then repeated on all rows, which are left out one at a time to calibrate the model's Interval.

Seconds of a core: about 10 for 1,000 rows, 60 for 10,000 of 20 columns. The result is that of Options.Seed, with the same bits on every machine.
docs/guide/learn.md has each step, and memory. Sparse rows, fewer than 40 rows, and a kernel that is no function of x − y or has something Fixed in it
have no bank; with Options.TestRows pilots choose between the bank's sum and what they had before, by rows that come last.

# Learning a kernel

Kernel learns length scales, scales and the noise, by the evidence of a Gaussian process.

	learned, err := learn.Kernel(featuremap.Gaussian{LengthScale: 1}, x, y, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(learned.Kernel) // goes to featuremap.NewPlan and featuremap.NewNystrom

# What is learned

A kernel is taken apart into a sum of terms, through Sum, Scale, ARD, Project and Select. Of a stationary term, such as
Gaussian, Matern, RationalQuadratic, Cauchy, Laplacian, or a Product of such, the scale and the linear map in front of it are
learned: first one factor of its length scales, then a factor for each column, then a matrix (in terms of 2 to 25 columns). Of
Linear, Constant and all other terms only the scale in front is. What stays as it is: Nu and Alpha, the LengthScale of Periodic, whose
period the map in front moves, weights, means and scales of a SpectralMixture except for the linear map in front of
it, the parameters within a Product, Compose or Weight, degrees and offsets of polynomials. A kernel with
none of this but a scale has its scale and the noise learned. A period or a length that is known stays exactly as it is in a Fixed:

	season := learn.Fixed{Kernel: featuremap.Periodic{Period: 12, LengthScale: 1}}
	k := featuremap.Sum(season, featuremap.Product(season, featuremap.Gaussian{LengthScale: 48}), featuremap.Gaussian{LengthScale: 24})

Where there is a Constant term it is the intercept, with a prior; otherwise there is one of flat prior, as in package ridge.

# How

Features of fixed base frequencies, cos and sin of ω·Ax, are a Gaussian process whose evidence has a gradient by A and by the scales in closed
form, which an L-BFGS climbs on up to 4000 rows. That of one length begins at the most evident of lengths from four times the median distance of
two rows down to that of neighbors, a thousandth of it at least. A stage begins where the one before has ended, that of lengths of columns where
the evidence is largest: there, or with lengths in proportion to the deviations of the columns, or with those eight times as long for columns
over which neither the mean of a target nor that of its square varies by more than chance, or with short ones for columns over which targets of
neighboring rows are alike by more than chance. A step changes no logarithm by more than 1, and λ is at least 1e-10 for each row. One gradient
takes 3/2·n·D² multiply-adds. Lists (mat.RowNonZeroDoer) have one length.

The stages and the kernel that was given are then compared with fresh frequencies, 1000 features: on up to 8000 rows that no stage
has learned from, if there are half as many of those as were learned from. Where there are not, on all rows, and a stage must gain
more log evidence than it has further parameters, or it is left out: this keeps the result from overfitting, as does that a matrix is
not learned from fewer rows than it has parameters, and that the search for one is compared so every ten steps and ends before the
evidence falls. A stage is taken if it has more evidence than the best before it, and if rows that are left out of its fit are no less
likely by more than one standard error, or as labels no more of them wrong: evidence is no measure of wrong labels. Lengths of columns are not taken of labels with fewer than 50 rows a column. The
result never has less evidence than the kernel that was given. Where noise depends on the point a matrix may still predict worse, by a tenth,
of 1000 rows: Regression and Classification compare stages on rows held back.

Several targets share a kernel, and each has a noise of its own. The evidence of a target without noise has no bound: one label that
a single column decides would have the kernel made for it, at the cost of the others. So in the evidence the noise of a target is
taken to be (σ² + .05·σ̄²)/1.05, with σ̄² the mean of all targets', in the units of their deviations. For one target that is σ².

Columns that do not matter get large length scales: beyond a thousand times the median of the others they could be left out.
*/
package learn
