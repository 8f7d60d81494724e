// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package table makes rows of numbers from records of mixed columns, such as those of a CSV file: numbers, categories and dates. An
Encoder is fitted on records, has a kernel that suits its numbers, and is saved with the model.

	records, err := csv.NewReader(file).ReadAll()
	header, records := records[0], records[1:]
	e, err := table.Fit(header, records, &table.Options{Target: "sold"})
	x, err := e.Encode(records)
	y, err := e.Targets(records)
	report, err := learn.Regression(x, y, &learn.Options{Kernel: e.Kernel()})
	m := table.Model{Encoder: e, Ridge: report.Model} // m.WriteTo saves both

# What a column becomes

	number      itself
	category    a number for each of its values in the records fitted, 1 for its own and 0 else; a value that was not there is 0 in all
	date        days since 1970, the sine and cosine of the time of the year, those of the time of the week, and if
	            any date has a time of the day, those of it, fractions of seconds included

A date is what its clock shows: 18:00+02:00 is 18:00 of its day, for the days too, as 18:00 without a zone is. Where the instant matters
more than the hour at the place, make all of one zone first.

A category of more than 256 values has a number for each of the 255 most frequent, and one for all others, those of later records included.

The kind of a column is that of its fields, those that are missing left aside: numbers or dates if all are. Where most are, or have digits in
them, or are keys, Fit does not guess but returns an error, and Options.Kinds decides, also for numbers that are codes. String says
what was taken for what. Texts are UTF-8.

A missing number or date is refused, with its row and column, unless Options.Missing lists its text: then it is the mean, or 0 for a sine,
and if the records fitted had one missing too, a further number is 1 for what is missing and 0 else. A missing category is a category.

What a model says of records unlike those fitted is a guess, with error bars that are mostly too small: Unseen names the columns that make a record
so. And where a number is missing, the error is larger than its bar says, since the noise of a model is the same for all rows.

Numbers are not divided by anything: Kernel has the lengths. Each column counts alike in it, and so does each of the times of a
date, whatever its unit or number of values; package learn goes on from there, and tries one length for all numbers
of a category too. Fitting looks at no targets, so that it may see the rows that are held back for a score.
*/
package table
