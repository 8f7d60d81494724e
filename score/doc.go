// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package score tells what a model is worth on rows that it did not see: [Split] holds some back, [Rows] takes them
from a matrix, and the other functions compare predictions for these with what they are.

	train, test := score.Split(n, 0.2, classes, 1) // a fifth of each class; 1 is the seed
	model, err := ridge.Fit(phi, score.Rows(x, train), score.Rows(y, train), nil)
	…
	fmt.Println(score.RMSE(predicted, score.Rows(y, test)))

Of a classifier: [Accuracy] is the share of right answers, [LogLoss] judges probabilities, [AUC] how well scores rank two classes,
however rare one of them is, and [Calibration] whether 80 % means 80 of 100. Of a regression: [RMSE] is in units of the
target, [NLL] judges error bars, [Coverage] and [IntervalScore] intervals.

Results have the same bits on every machine. A number that is NaN, or a probability or deviation that is none, makes the result
NaN. Shapes that differ panic with mat.ErrShape, no rows with mat.ErrZeroLength, and other arguments out of range with a text
that names them.
*/
package score
