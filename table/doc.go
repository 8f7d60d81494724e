// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Package table turns records of mixed columns, such as those of a CSV file, into rows of numbers. Columns may be numbers, categories and
dates. An [Encoder] is fitted to records, supplies a kernel that suits its numbers, and is saved together with the model.

	records, err := csv.NewReader(file).ReadAll()
	header, records := records[0], records[1:]
	e, err := table.Fit(header, records, &table.Options{Target: "sold"})
	x, err := e.Encode(records)
	y, err := e.Targets(records)
	report, err := learn.Regression(x, y, &learn.Options{Kernel: e.Kernel()})
	m := table.Model{Encoder: e, Ridge: report.Model} // m.WriteTo saves both

# What a column becomes

	number      itself
	category    one-hot: a number for each value in the records of Fit, 1 for the row's own value and 0 for others;
	            an unseen value is 0 in all of them
	date        days since 1970, sine and cosine of the time of the year, sine and cosine of the time of the week, and, if
	            any date has a time of the day, sine and cosine of that, fractions of seconds included

A category of more than 256 values has a number for each of the 255 most frequent ones (of ties the first in order), and one for all others, unseen values included.

A date is what its clock shows: 18:00+02:00 and 18:00 without a zone are both 18:00 of their day. If the instant matters more than
the local time, convert all dates to one zone first.

# Kinds and missing values

A column is a number or a date if all its fields are, missing ones aside. If most are, or if texts contain digits or look like keys, Fit
does not guess but returns an error. Options.Kinds then decides, as it does for numbers that are codes. Encoder.String shows what was
taken for what. Texts are UTF-8.

A missing number or date is an error, with its row and column, unless Options.Missing lists its text. It is then replaced by the mean,
or by 0 for a sine or cosine; and if it was missing in a record of Fit, too, one more number is 1 where the field is missing and 0
elsewhere. Missing categories are a category of their own, whatever their texts.

# Predictions and kernels

Predictions for records unlike those of Fit are guesses whose error bars are mostly too small: Encoder.Unseen names the columns in which a
record is unlike them. Where a number is missing, the error is larger than its bar says, since a model has the same noise for all rows.

Numbers are not rescaled: the length scales are in Encoder.Kernel. All columns count alike in it, as do the times within a date, whatever their
unit or number of values. Package learn starts from this kernel, and also tries one length scale for all numbers of a
category. Targets do not influence the numbers of a row, so Fit may be given the rows of the test set.
*/
package table
