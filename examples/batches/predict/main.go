// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Predict writes the predictions of a saved model for the rows of a CSV file of any length, on all cores and in fixed
// memory: means, and optionally standard deviations and intervals of new observations. The model is a ridge.Model, or a
// table.Model of examples/table. For Parquet files there is examples/cluster/parquet.
//
//	go run ./examples/batches/predict -model M -in rows.csv -out predictions.csv -write mean,interval
package main

import (
	"flag"
	"io"
	"os"

	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
)

const usage = `Predict writes predictions of a model for the rows of a CSV file.

Rows are lines of numbers, as many as the model takes. A first line that is none is taken for names, unless -header=false. For each target
there is a column of the output for what is to be written, in this order: mean, sd, lo and hi.

A model of examples/table takes its columns by their names, in any order and with others between; with -header=false, these are the numbers
of the columns. A model of classes writes the most probable class and its probability.

Lines without any value, such as an empty one or ,, are left out: the output has no line for them.

The output is UTF-8, with the same character between fields as the input, and has a line of names if the input has one.

`

func main() {
	var f csvfile.Format
	f.Flags(flag.CommandLine)
	pipeline.Main(usage, "`file` of rows; none: the standard input",
		"`file` of predictions, which is there once all rows are predicted; none: the standard output",
		func(c pipeline.Command) error { return run(c, f) })
}

// run predicts the rows of one file, or of the standard input, and writes the predictions to another, or to the
// standard output.
func run(c pipeline.Command, f csvfile.Format) error {
	m, o, err := c.Open()
	if err != nil {
		return err
	}
	from := os.Stdin
	if c.In != "" {
		if from, err = os.Open(c.In); err != nil {
			return err
		}
		defer from.Close()
	}
	if c.Out == "" {
		return predict(os.Stdout, from, m, f, o)
	}
	return pipeline.Whole(c.Out, func(w io.Writer) error { return predict(w, from, m, f, o) })
}
