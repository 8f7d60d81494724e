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

Lambda is chosen by the log loss of rows held back. Ridge regression on the labels of all rows, which chooses its λ by leaving rows out,
says where to begin: at (1/K)(1 − 1/K) times that for K classes, or four times, or at a thousandth of the mean square of a feature summed
over the rows if that is more. From there each λ is a quarter of the one before, or four times, as long as the log loss falls by
half a per cent, and a parabola through the last three places λ between them. The sample has about 7500 rows, of which a third is fitted and
the rest is held back; of fewer than 3000 all, of which two thirds are fitted. Its rows are drawn with a fixed seed, of a rare class more than its
share, with weights that make up for that. Where what is lost on the rows held back is less than 100, as of 1000 rows at a log loss of .1,
each third takes its turn. The λ of a fit of m rows is multiplied by √(n/m) for n rows.

On 38 cases (letters, pendigits, digits, satellite, spambase, nursery, a9a, coil20, a hundred classes in two and ten dimensions, noise;
300 to 9000 rows, 120 to 1024 features) the log loss on other rows was in the median MEDIAN times that of the best λ on a path
with steps of 4, and at most WORST times; see docs/experiments/lambda.md. In all it takes between a tenth and as long again as a fit with a given λ.

# Costs

For n rows, D features and K classes the sums of ridge regression take n·D²/2 multiply-adds, its choice of λ some factorisations
of D³/6, and each pass of the descent 2·n·D·K, of which there are some 15 to 60: see [Fit]. Features take 8·D bytes a row if
they are kept between passes, and are computed again in each otherwise: see Options.Memory. [FitBatches] reads rows from a file
or a generator.

Landmarks (featuremap.NewLandmarks) are not solved for row by row: passes take kernel values, and the factor is applied to
weights and gradients.

# One set of bits

A model has the same bits however its rows came in batches, on any number of goroutines, with features kept or not, and on
every architecture, where the features have: see package featuremap. The order of the rows matters.
*/
package logistic
