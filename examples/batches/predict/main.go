// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Predict writes the predictions of a saved ridge.Model for the rows of a CSV file of any length, on all cores and in
// fixed memory: means, and optionally standard deviations and intervals of new observations.
//
//	go run ./examples/batches/predict -model M -in rows.csv -out predictions.csv -write mean,interval
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const usage = `Predict writes predictions of a model for the rows of a CSV file.

Rows are lines of numbers, as many as the model takes. A first line that is none is taken for names. For each target there is a column of the
output for what is to be written, in this order: mean, sd, lo and hi.

`

func main() {
	log.SetFlags(0)
	log.SetPrefix("predict: ")
	o := options{progress: os.Stderr}
	model := flag.String("model", "", "`file` of the model, by ridge.Model.WriteTo")
	in := flag.String("in", "", "`file` of rows; none: the standard input")
	out := flag.String("out", "", "`file` of predictions, which is there once all rows are predicted; none: the standard output")
	write := flag.String("write", "mean", "`what` to write: mean, sd (of a new observation) and interval, with commas between")
	flag.Float64Var(&o.level, "level", 0.9, "`probability` of intervals")
	flag.BoolVar(&o.single, "float32", false, "predict in float32, the mean alone")
	quiet := flag.Bool("quiet", false, "without progress on the standard error")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 || *model == "" {
		flag.Usage()
		os.Exit(2)
	}
	if *quiet {
		o.progress = nil
	}
	if err := run(*model, *in, *out, *write, o); err != nil {
		log.Fatal(err)
	}
}

// run predicts the rows of one file, or of the standard input, and writes the predictions to another, or to the
// standard output.
func run(model, in, out, write string, o options) error {
	for _, what := range strings.Split(write, ",") {
		switch what {
		case "mean":
			o.mean = true
		case "sd":
			o.sd = true
		case "interval":
			o.interval = true
		default:
			return fmt.Errorf("-write: %q: must be mean, sd or interval", what)
		}
	}
	m, err := readModel(model)
	if err != nil {
		return err
	}
	from := os.Stdin
	if in != "" {
		if from, err = os.Open(in); err != nil {
			return err
		}
		defer from.Close()
	}
	if out == "" {
		return predict(os.Stdout, from, m, o)
	}
	return whole(out, func(w io.Writer) error { return predict(w, from, m, o) })
}

// readModel reads a model.
func readModel(name string) (*ridge.Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := ridge.ReadModel(bufio.NewReader(f), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// whole writes a file that exists only once all of it is written.
func whole(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // unless it has been renamed
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// A meter reports progress, once a second at most.
type meter struct {
	to    io.Writer // nil: no reports
	begun time.Time
	last  time.Time
}

func (m *meter) report(rows int, last bool) {
	now := time.Now()
	if m.to == nil || !last && now.Sub(m.last) < time.Second {
		return
	}
	m.last = now
	seconds := now.Sub(m.begun).Seconds()
	fmt.Fprintf(m.to, "%d rows in %.0f s, %.2f µs a row\n", rows, seconds, 1e6*seconds/float64(max(rows, 1)))
}
