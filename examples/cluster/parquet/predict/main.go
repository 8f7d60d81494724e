// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Predict writes the predictions of a saved ridge.Model for the rows of a Parquet file of any length, on all cores and in
// fixed memory. The predictions have the bits of those of examples/batches/predict, which is for CSV files.
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
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Predict writes predictions of a model for the rows of a Parquet file.

The columns that the model takes are integers or floats. For each target there is a column of the output for what is to be written, in this order:
mean, sd, lo and hi.

`

func main() {
	columns := flag.String("columns", "", "`names` of the columns that the model takes, with commas between; none: all that are integers or floats, in the order of the file")
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

// A block is the numbers of some rows, and then what is written of them.
type block struct {
	x, out []float64
	rows   int
}

// predict writes predictions for the rows of a Parquet file of size bytes to w.
func predict(w io.Writer, file io.ReaderAt, size int64, columns string, m *ridge.Model, o pipeline.Options) error {
	p, err := pipeline.NewPredictor(m, o)
	if err != nil {
		return err
	}
	f, err := numbers.Open(file, size)
	if err != nil {
		return err
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
	to := numbers.NewWriter(w, p.Names(), o.Float32)
	err = pipeline.Stream(o.Progress,
		func(do func(*block) bool) error {
			for {
				x := make([]float64, max(pipeline.BlockBytes/8/p.In, 1)*p.In)
				n, err := from.Read(x)
				if err == io.EOF {
					return nil
				}
				if err != nil || !do(&block{x: x[:n*p.In], rows: n}) {
					return err
				}
			}
		},
		func() func(*block) error {
			own := *p
			return func(b *block) error {
				b.out = own.Predict(nil, b.x)
				b.x = nil
				return nil
			}
		},
		func(b *block) (int, error) { return b.rows, to.Write(b.out) })
	if err != nil {
		return err
	}
	return to.Close()
}
