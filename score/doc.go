// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package score tells what a model is worth on rows that it did not see: [Split] holds some back, and the other functions compare
predictions for these with what they are.

	rest, held := score.Split(n, 0.2, classes, featuremap.NewSampler(1)) // a fifth of each class
	// fit on the rows rest, predict the rows held
	fmt.Println(score.Accuracy(predicted, classes), score.LogLoss(probabilities, classes))

Of a classifier: [Accuracy] is the share of right answers, [LogLoss] judges probabilities, [AUC] how well scores rank two classes,
however rare one of them is, and [Calibration] whether 80 per cent means 80 of 100. Of a regression: [RMSE] is in units of the
target, [NLL] and [Coverage] judge error bars too.

Results have the same bits on every machine. A number that is NaN, or a probability or variance that is none, makes the result
NaN. Lengths that differ panic with mat.ErrShape, no rows with mat.ErrZeroLength, and other arguments out of range with a text
that names them.
*/
package score
