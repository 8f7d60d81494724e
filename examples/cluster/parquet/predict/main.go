// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Predict writes the predictions of a saved model for the rows of a Parquet file of any length, on all cores and in fixed
// memory. The model is a ridge.Model, or a table.Model of examples/table. The predictions have the bits of those of
// examples/batches/predict, which is for CSV files.
//
//	go run ./predict -model M -in rows.parquet -out predictions.parquet -columns a,b,c -write mean,interval
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/examples/batches/pipeline"
	"github.com/seed-0f95ebc1/featuremap/examples/cluster/parquet/numbers"
	"github.com/seed-0f95ebc1/featuremap/table"
)

const usage = `Predict writes predictions of a model for the rows of a Parquet file.

The columns that the model takes are integers, floats or decimals. For each target there is a column of the output for what is to be written, in this order:
mean, sd, lo and hi.

A model of examples/table takes its columns by their names, and texts, booleans, dates, times of day and timestamps too, as a CSV file has
them. Timestamps are what a clock of UTC shows. A null is a missing value. A model of classes writes the most probable class and its probability.

`

func main() {
	columns := flag.String("columns", "", "`names` of the columns that the model takes, with commas between; none: all that are integers, floats or decimals, in the order of the file")
	pipeline.Main(usage, "`file` of rows", "`file` of predictions, which is there once all rows are predicted", func(c pipeline.Command) error {
		return run(c, *columns)
	})
}

// run predicts the rows of one file and writes the predictions to another.
func run(c pipeline.Command, columns string) error {
	if c.In == "" || c.Out == "" {
		return errors.New("-in or -out is missing")
	}
	m, o, err := c.Open()
	if err != nil {
		return err
	}
	f, err := os.Open(c.In)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return pipeline.Whole(c.Out, func(w io.Writer) error { return predict(w, f, info.Size(), columns, m, o) })
}

// A block is the numbers or values of some rows, and then what is written of them.
type block[T any] struct {
	x    []T
	out  []float64
	rows int
	row  int // the number of the first one
}

// predict writes predictions for the rows of a Parquet file of size bytes to w.
func predict(w io.Writer, file io.ReaderAt, size int64, columns string, m *table.Model, o pipeline.Options) error {
	p, err := pipeline.NewPredictor(m, o)
	if err != nil {
		return err
	}
	f, err := numbers.Open(file, size)
	if err != nil {
		return err
	}
	if p.Encoder != nil {
		return predictCells(w, f, columns, p)
	}
	names := f.Numeric()
	if columns != "" {
		names = strings.Split(columns, ",")
	}
	from, err := f.Rows(names)
	if err != nil {
		return err
	}
	if len(names) != p.In {
		return fmt.Errorf("%d columns, %q: the model takes %d", len(names), names, p.In)
	}
	return stream(w, from, p.In, p, func() func(*block[float64]) error {
		own := *p
		return func(b *block[float64]) error {
			b.out = own.Predict(nil, b.x)
			return nil
		}
	})
}

// stream writes predictions for rows of some columns to w.
func stream[T any](w io.Writer, from *numbers.Of[T], columns int, p *pipeline.Predictor, worker func() func(*block[T]) error) error {
	var to *numbers.Writer
	if names := p.Names(); p.Classes != nil {
		to = numbers.NewClassWriter(w, names[0], names[1], p.Classes)
	} else {
		to = numbers.NewWriter(w, names, p.Float32)
	}
	err := pipeline.Stream(p.Progress,
		func(do func(*block[T]) bool) error {
			for row := 0; ; {
				x := make([]T, max(pipeline.BlockBytes/8/max(p.In, columns), 1)*columns)
				n, err := from.Read(x)
				if err == io.EOF {
					return nil
				}
				if err != nil || !do(&block[T]{x: x[:n*columns], rows: n, row: row}) {
					return err
				}
				row += n
			}
		},
		worker,
		func(b *block[T]) (int, error) { return b.rows, to.Write(b.out) })
	if err != nil {
		return err
	}
	return to.Close()
}
