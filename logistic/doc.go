// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package logistic fits multinomial logistic regression on features: classification with probabilities, and with sets of classes
that contain the right one with a given probability.

	phi, err := featuremap.New(featuremap.Gaussian{LengthScale: 2}, x, 1000, featuremap.NewSampler(1)) // x: n×3 points
	if err != nil {
		log.Fatal(err)
	}
	m, err := logistic.Fit(phi, x, classes, nil) // classes: n numbers from 0
	if err != nil {
		log.Fatal(err)
	}
	class, p := m.Predict(point)              // the most probable class, and the probability of each
	fmt.Println(class, p, m.Classify(points)) // the classes of rows

# The model

The probability of class c at x is exp(f_c(x))/Σ exp(f_k(x)), where f_c(x) = ⟨φ(x), w_c⟩ + b_c is linear in the features. [Fit] minimizes the
log loss −Σ log p(yᵢ | xᵢ) plus λ/2·‖W‖². It chooses λ by the log loss of held-out rows; docs/theory/classes.md describes the search.

With a rare class, Options.Balanced weights all classes alike. Ridge regression on ridge.Labels is faster, but makes more errors, and
its scores are not probabilities.

# Prediction sets

With Options.PredictionSets, [Model.PredictionSet] returns the classes that a point may have at a level. Five folds are left out in turn, with
exact copies of a row in one fold, and calibrate the sets (cross-conformal prediction: Vovk 2015, "Cross-conformal predictors").

The level holds on average over new rows drawn like the fitted ones: not for each class, not at each x, and not for rows of another time or
of new groups. No theorem guarantees it, since λ, and often features, depend on all rows. On digits, letter and nursery, sets of 90 % cover
89.6 to 92.1 %. A set may be empty where the model is more accurate than the level asks. Fit refuses to calibrate with fewer than 32 rows of
positive weight, with a class that has no two different rows, and with weights whose sum is less than 19 times the largest.

# Costs

For n rows, D features and K classes, a fit takes n·D²/2 multiply-adds for a start by ridge regression (over at most about 6·D rows where
there are more than 24·D), and 2·n·D·K for each of about 5 to 60 passes. Choosing λ takes about 50 passes over a third of a sample of at most 7,500 rows
and about 50 over most of it. Features take 8·D bytes a row if they are kept between passes, and are computed again in each pass otherwise: see
Options.Memory. [FitBatches] reads rows from a file or a generator, several times.

# Bits

A model has the same bits however its rows were batched, on any number of goroutines, with features kept or not, and on
every architecture, if the features have the same bits: see package featuremap. The order of the rows matters.
*/
package logistic
