// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package score evaluates models on a test set, that is, on rows that they were not trained on. [Split] chooses the rows, [Rows] takes
them from a matrix, and the other functions compare predictions with the truth.

	train, test := score.Split(n, 0.2, classes, 1) // a fifth of each class; 1 is the seed
	model, err := ridge.Fit(phi, score.Rows(x, train), score.Rows(y, train), nil)
	…
	fmt.Println(score.RMSE(predicted, score.Rows(y, test)))

For classifiers, [Accuracy] is the share of right answers, [LogLoss] judges probabilities, [AUC] judges how well scores rank two
classes, however rare one of them is, and [Calibration] tells whether 80 % means 80 of 100. For regression, [RMSE] is the typical error
in units of the target, [NLL] judges error bars; [Coverage] and [IntervalScore] judge intervals.

Results have the same bits on every machine. NaN, impossible probabilities and negative standard deviations make the result NaN
([Calibration] omits such rows). The functions panic with mat.ErrShape if shapes differ, with mat.ErrZeroLength if there are no rows, and with a text that
names the argument if it is out of range.
*/
package score
