// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package logistic fits multinomial logistic regression on features: classification with probabilities.

# A first program

	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 2}, 3, 1000, featuremap.NewSampler(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := logistic.Fit(phi, x, classes, nil) // x: n×3 points; classes: n numbers from 0 on
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.ProbabilityVec(nil, point)) // of each class
	fmt.Println(m.Classify(points))

# The model

A label is a draw: at x it is class c with probability p(c | x). The model takes the logarithms of these probabilities, up to a
common constant, to be linear functions of the features, f_c(x) = ⟨φ(x), w_c⟩ + b_c, so that p(c | x) is
exp(f_c(x))/Σ exp(f_k(x)). [Fit] takes the weights under which the labels of the rows are likeliest, that is, of the least
log loss −Σ log p(yᵢ | xᵢ), with a penalty λ/2·‖W‖² that keeps weights small where rows do not tell. Ridge regression on labels
(package ridge) makes its scores ±1 by least squares: it costs less, makes more errors, and its scores are no probabilities.

Where a class is rare, Options.Balanced has all classes count alike, by weights and never by repeating rows. Weights of rows
are those of their losses.

# The default λ

λ is chosen by the log loss of rows that are held back. It is no matter of taste: a tenth or ten times the best λ costs a tenth of the
log loss and more. Ridge regression's λ, chosen by leaving rows out, says where to begin: at 4·(1/K)(1 − 1/K) times that for K classes, or at a
thousandth of the mean square of a feature, summed over the rows, if that is more. Each further λ is a quarter of the one before, or four times,
as long as the log loss falls by half a per cent; a parabola through the last three places λ between them.

Of more than 3000 rows the sample has about 7500, of fewer all. It has three folds. The path is walked twice: by fits of one fold of
many rows, or of two of few, that end early, and from two steps above the best place once more, by fits of two folds that go on, because
a small λ shows late, and by many rows, what it is worth. Each fold takes its turn where the rows held back lose less than 100 in all,
as 1000 rows do at a log loss of .1. The sample is drawn with a fixed seed, with more than its share of a rare class, and weights that
make up for it. The λ of the sample's fits is that of all rows: it says how weights are distributed before there are rows. Of weighted
rows, numbers are effective ones, (Σw)²/Σw², but for the size of the sample.

Of many rows the fit of the sample at the best place of the path is where the descent over all of them begins, and the fits of the sample end
where the loss can still fall by 3 % in the first walk and 1 % in the second, of what it is or of .15 of the mean loss of the rows held
back, if that is more: a loss near 0 of the rows fitted is no reason to fit them to many digits.

On eight sets of 400 to 16,000 rows, with 60 to 1024 features, 26 cases in all, among them labels without any noise, the log loss of other
rows was in the median 1.00 times that of the best of a path around the choice with steps of four, and at most 1.08 times. By ridge
regression's λ alone it was in the median 1.04 times, and at most 11.9 times, of 35 cases. See docs/fitting.md for them, and for what the
choice costs.

# Costs

For n rows, D features and K classes the sums of ridge regression take n·D²/2 multiply-adds, its choice of λ some factorisations
of D³/6, and each pass of the descent 2·n·D·K, of which there are some 15 to 60: see [Fit]. Of more than 24·D rows the sums are of some 6·D,
drawn with more than its share of a rare class and weights that make up for it: they find a start and coordinates, not the result.
The choice of λ takes some 30 passes over a third of the
sample and some 50 over two thirds, or of few rows up to 250 over two thirds. Features take 8·D bytes a row if
they are kept between passes, and are computed again in each otherwise: see Options.Memory. [FitBatches] reads rows from a file
or a generator.

Landmarks (featuremap.NewLandmarks) are not solved for row by row: passes take kernel values, and the factor is applied to
weights and gradients.

# One set of bits

A model has the same bits however its rows came in batches, on any number of goroutines, with features kept or not, and on
every architecture, where the features have: see package featuremap. The order of the rows matters.
*/
package logistic
