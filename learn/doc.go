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
	fmt.Println(report)                     // all that was tried, and the score
	mean, sd := report.Model.Predict(point) // of Classification a class and the probabilities of all

# From rows to a model

Regression and Classification take these steps. Each is in the report with what it was chosen from.

  - Rows are held back for the score: a tenth, of each class its share, or Options.TestRows. They take part in no choice.
  - Columns are divided by their standard deviations, inside the kernel, or taken as they are, if a pilot fit says so, as it does of
    pixels; constant ones are left out. So do not scale the data. (Gaussian kernels do not depend on a mean.)
  - A kernel is learned from up to 10,000 of the other rows: see below.
  - Pilot fits on these rows, of 512 features, are judged by up to 4,000 of the others: they choose between the kernels that were learned
    and the one given, multiples of its lengths, between landmarks and random features, and λ of a logistic regression. The most
    evident kernel, its lengths, landmarks of k-means and the λ that package logistic has by itself are taken unless another has less
    loss by more than one standard error of the difference. (For classes a kernel with lengths of columns is not taken in doubt if it
    has fewer than 50 rows a column.) A pilot that has lost more in some fifths than another in all ends there, and has no
    score; so do those of columns and of many features with 3 times the loss of the best in the first fifth, by 1.5 standard errors.
  - Landmarks that are rows at random do not judge the λ of a logistic regression: what they lose, held back, says nothing of fresh
    rows. A descent of a pilot ends after 150 passes, and one of the last fits after 300, and λ goes no further down than the first
    that ends so: of rows that can be told apart without error the loss falls on and on.
  - Where columns have values beyond 8 standard deviations, of counts and sums of money, all this is done once more with these in
    logarithms (see featuremap.SymLog), which are taken if they have less loss by more than one standard error. A kernel that is
    given has columns as they are, unless it is a function of x − y with nothing Fixed in it.
  - Sparse rows (mat.RowNonZeroDoer, such as sparse.Rows) are not copied. They have one length, which pilots choose, from the median
    distance on, and as landmarks some rows; √n·log n features; no column is divided, left out, or tried in logarithms.
  - A fifth of the rows judges, and the others are fitted. Where a fifth is fewer than 1,000 rows, or 2,500 of classes, this is done again with other fifths,
    up to four, each with a kernel of its own: few rows tell little.
  - Of n rows, fewer than 40, the noise of a target is that of rows that judged, if it is more, times a factor for their number. λ of a logistic regression grows until no row has a class of more probability than (n + 1)/(n + 2),
    or, where pilots were no better than the frequencies of classes by one standard error, than the largest of these and a tenth.
  - The model has √n·log n features, or as many as columns if there are more, from 256 to 4096. With more columns than pilots had
    features, longer lengths and the linear kernel, their limit, are compared once more, with as many features as the model's: a
    sum over columns of categories needs them all. It is fitted, scored on the rows held back, and then fitted on all rows.

For n rows, D features and K classes the fit takes n·D² operations, most of the time for many rows, and a classification some
hundred passes of 4·n·D·K besides; learning and pilots take 10 to 30 seconds of a core for each fold, twice that with logarithms.
A regression of 10⁵ rows of 20 columns takes 125 seconds of CPU time, a classification of the same in three classes 116. Memory is
some 3·D² numbers, up to 240 MB for rows that are copied, and for classes the features of all rows if they fit into a quarter of what
is free, and 32 numbers for each class and feature. Where rows of pilots times classes are more than a million, a quarter of the
classes or fewer choose kernel, features and λ, and the last fits take few passes: docs/choosing.md has times and memory.

The result is that of Options.Seed, with the same bits on every machine.

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
