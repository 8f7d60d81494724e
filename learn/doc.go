// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package learn goes from rows to a scored model in one call. It learns the kernel, chooses the features and λ, scores the model on test
rows, and calibrates its intervals. You need not scale the columns or set an option.

	report, err := learn.Regression(x, y, nil) // x: a row for each observation; y: a column for each target
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)                         // the choices, and the score on test rows
	mean, sd := report.Model.Predict(point)     // of a new observation
	lo, hi := report.Model.Interval(point, 0.9) // contains about 90 % of new observations

[Classification] takes classes from 0 and returns a model with probabilities. [Kernel] learns only length scales and noise, by the log marginal
likelihood, for a map and a model of your own. Wrap a known period in [Fixed] to keep it.

Training takes 10 to 20 seconds on one core for 1,000 rows (more with ten classes or more), and 1 to 3 minutes for 10,000. The result depends on the rows and
Options alone, with the same bits on every machine.

docs/guide/learn.md describes each step, and docs/theory/learning.md how a kernel is learned.
*/
package learn
