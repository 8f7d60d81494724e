// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package logistic fits multinomial logistic regression on features: classification with probabilities.

# A first program

	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 2}, x, 1000, featuremap.NewSampler(1)) // x: n×3 points
	if err != nil {
		log.Fatal(err)
	}
	m, err := logistic.Fit(phi, x, classes, nil) // classes: n numbers from 0 on
	if err != nil {
		log.Fatal(err)
	}
	class, p := m.Predict(point)         // the likeliest class, and the probability of each
	fmt.Println(class, p, m.Classify(points)) // the classes of rows

# The model

A label is a draw: at x it is class c with probability p(c | x). The model takes the logarithms of these probabilities, up to a
common constant, to be linear functions of the features, f_c(x) = ⟨φ(x), w_c⟩ + b_c, so that p(c | x) is
exp(f_c(x))/Σ exp(f_k(x)). [Fit] takes the weights under which the labels of the rows are likeliest, that is, of the least
log loss −Σ log p(yᵢ | xᵢ), with a penalty λ/2·‖W‖² that keeps weights small where rows do not tell. Ridge regression on labels
(package ridge) makes its scores ±1 by least squares: it costs less, makes more errors, and its scores are no probabilities.

Where a class is rare, Options.Balanced has all classes count alike, by weights and never by repeating rows. Weights of rows
are those of their losses.

# Sets

With Options.PredictionSets, [Model.PredictionSet] returns the classes that a point may have. Rows are dealt out to five folds at random, always in the
same way, each class evenly, and exact copies of a row into one. Each fold is left out of a fit at the same λ, from where the fit of all rows has
ended, and the odds against the class of each of its rows are kept: their quantile at a level is the odds up to which a class is in a set (cross-conformal prediction: Vovk,
Cross-conformal predictors, 2015). Of rows with weights w it is the least one up to which rows have level·(Σw + max w) of the weight. Of more than 4096 rows
some hundred are kept, and sets cover up to (1 − level)/36 more. Weights are those given, with Balanced too: sets cover rows as they come. A fit refuses
to calibrate sets by fewer than 32 rows of positive weight, with a class that has no two different ones, and by weights whose sum is less than 19 times the largest.

The level holds over all new rows that come as the fitted ones did: not for each class, not at each x, not for rows of another time or of new groups. It
is no theorem: folds are fitted on fewer rows than the model, which makes sets larger, and λ, and often features, are chosen by all rows. On digits,
letter and nursery sets of 90 % cover 89.6 to 92.1 %. A model that is right about 98 rows in 100 would cover 98 with one class a row, so that
sets of 90 % are empty for some.

# The default λ

λ is chosen by the log loss of rows that are held back, by the balanced one with Options.Balanced. It is no matter of taste: a tenth or
ten times the best λ costs a tenth of the log loss and more.

The path begins where weights are next to nothing, at the sum of the squares of all features less their mean, and each further λ is a
quarter of the one before. A fit begins where the fit of the λ before has ended, times its best scale. Losses are walked down to the λ of
the least, over a rise of up to a tenth for four λ in turn, and a parabola through its neighbors' losses lies between them. Where two
λ in turn change the loss by less than .5 %, or where it is 2 % more than the frequencies of the classes have, there is nothing to be found.

Of more than 6000 rows the sample has about 7500, of fewer about 3000. It is cut in six parts, each with its share of each class. Two are
held back and the four others are fitted, of many rows two of these at first. What rows lose in all says how sure a choice is: 100 are
enough, as 1000 rows lose at a log loss of .1. With less, two others are held back in turn, and two more; with 200 one part is enough, and
five are fitted. The path is then walked once more, from one λ above the best, by fits of many rows, or from its beginning, by several.
The sample is drawn with a fixed seed, with more than its share of a rare class, and weights that make up for it. The λ of the sample's fits is that of all rows:
it says how weights are distributed before there are rows. Of weighted rows, numbers are effective ones, (Σw)²/Σw², except for the size of the sample.

The fits of the sample end where the loss can still fall by a tenth, and in the second walk by a fiftieth, of what it is or of .15 of the
mean loss of the rows held back, if that is more: a loss near 0 of the rows fitted is no reason to fit them to many digits. Of a thousand rows it is 3 %, of fewer in proportion less.
The mean of these fits at the best λ is where the descent over all rows begins.

On forty sets of 20 to 60,000 rows (letters, digits, pictures, mail, the census, rare classes, stripes, texts, hundreds of classes, labels
by chance and without noise) the log loss of other rows was in the median 1.004 times the least of a path of λ, and at most 1.12 times except
for one: 8000 rows of nursery, whose labels have no noise, had 1.36 times of .004. On twenty more that took no part in finding the rule it was 1.004 times too, and at
most 1.04. With Balanced the area under the curve was at most .001 below the best of the path. See docs/guide/classes.md for what the choice costs.

# Costs

For n rows, D features and K classes the sums of ridge regression take n·D²/2 multiply-adds, its choice of λ some factorizations
of D³/6, and each pass of the descent 2·n·D·K, of which there are about 5 to 60: see [Fit]. Of more than 24·D rows the sums are of about 6·D,
drawn with more than its share of a rare class and weights that make up for it: they find a start and coordinates, not the result.
The choice of λ takes about 50 passes over a third of the
sample and about 50 over two thirds or more, or of few rows 100 to 500 over two thirds. Features take 8·D bytes a row if
they are kept between passes, and are computed again in each otherwise: see Options.Memory. [FitBatches] reads rows from a file
or a generator.

Landmarks (featuremap.NewNystrom) are not solved for row by row: passes take kernel values, and the factor is applied to
weights and gradients.

# One set of bits

A model has the same bits however its rows came in batches, on any number of goroutines, with features kept or not, and on
every architecture, where the features have: see package featuremap. The order of the rows matters.
*/
package logistic
