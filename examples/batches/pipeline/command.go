// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package pipeline is what programs share that write predictions for the rows of a file of any length: their flags,
// blocks of rows that are predicted on all cores and written in order, and files that exist only once they are whole.
package pipeline

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A Command is what a user asks for.
type Command struct {
	Model, In, Out string // names of files
	Write          string // what to write, with commas between
	Options
}

// Main parses the flags that all programs have, with the given meanings of -in and -out, and runs the program.
func Main(usage, in, out string, run func(Command) error) {
	log.SetFlags(0)
	log.SetPrefix("predict: ")
	c := Command{Options: Options{Progress: os.Stderr}}
	flag.StringVar(&c.Model, "model", "", "`file` of the model, by WriteTo of ridge.Model or table.Model")
	flag.StringVar(&c.In, "in", "", in)
	flag.StringVar(&c.Out, "out", "", out)
	flag.StringVar(&c.Write, "write", "mean", "`what` to write: mean, sd (of a new observation) and interval, with commas between; of a model of classes always the class and its probability")
	flag.Float64Var(&c.Level, "level", 0.9, "`probability` of intervals")
	flag.BoolVar(&c.Float32, "float32", false, "predict in float32, the mean alone")
	quiet := flag.Bool("quiet", false, "without progress on the standard error")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 || c.Model == "" {
		flag.Usage()
		os.Exit(2)
	}
	if *quiet {
		c.Progress = nil
	}
	if err := run(c); err != nil {
		log.Fatal(err)
	}
}

// Open returns the model and the options.
func (c Command) Open() (*table.Model, Options, error) {
	o := c.Options
	o.Write = c.Write
	for _, what := range strings.Split(c.Write, ",") {
		switch what {
		case "mean":
			o.Mean = true
		case "sd":
			o.SD = true
		case "interval":
			o.Interval = true
		default:
			return nil, o, fmt.Errorf("-write: %q: must be mean, sd or interval", what)
		}
	}
	m, err := ReadTable(c.Model)
	return m, o, err
}

// tableModel is how the files of table.Model begin.
const tableModel = "featuremap table model,"

// ReadTable reads a model from a file of table.Model, or of ridge.Model, which then has no Encoder: its rows are numbers.
func ReadTable(name string) (*table.Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, b := new(table.Model), bufio.NewReader(f)
	if head, _ := b.Peek(len(tableModel)); string(head) == tableModel {
		m, err = table.ReadModel(b, nil)
	} else {
		m.Ridge, err = ridge.ReadModel(b, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// ReadModel reads a model of numbers from a file.
func ReadModel(name string) (*ridge.Model, error) {
	m, err := ReadTable(name)
	if err != nil {
		return nil, err
	}
	if m.Encoder != nil {
		return nil, fmt.Errorf("%s: the model is of a table: must be of rows of numbers", name)
	}
	return m.Ridge, nil
}

// Whole writes a file that exists only once all of it is written.
func Whole(name string, write func(io.Writer) error) error {
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
