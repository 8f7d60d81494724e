// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Table goes from a CSV file to a scored model, and saves it.
//
// The first line of the file has the names of the columns; each further line is a record of numbers, categories and
// dates. The flag -target names the column to predict: numbers by regression, categories by classification. With
// -report, a file keeps what is printed, for the page of examples/report. docs/guide/tables.md describes what columns
// become.
//
//	go run ./examples/table -target sold -model sales.featuremap examples/table/sales.csv
//	go run ./examples/table -target sold -predict examples/table/sales.csv -predictions predicted.csv examples/table/sales.csv
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
	"github.com/seed-0f95ebc1/featuremap/learn"
	"github.com/seed-0f95ebc1/featuremap/table"
)

// A job is the values of the flags.
type job struct {
	file        string
	time, group string
	predict     string  // file of records to predict, or ""
	predictions string  // file to write them to, or ""
	level       float64 // of their intervals
	fresh       *fresh  // the records to predict, or nil
	score       string  // on held-out rows, in a line, when the model is fitted
	csvfile.Format
	table.Options
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("table: ")
	j := new(job)
	flag.StringVar(&j.Target, "target", "", "`name` of the column to predict")
	model := flag.String("model", "", "`file` to save the model to, for examples/serve or a program of your own")
	report := flag.String("report", "", "`file` to write to what is printed, for the page of examples/report")
	ignored := flag.String("ignore", "", "`names` of columns to leave out, such as keys, between commas; names with commas in quotes")
	categories := flag.String("category", "", "`names` of columns whose numbers are categories, between commas; a target of such is of classes")
	flag.StringVar(&j.time, "time", "", "`name` of a column of dates or numbers: the last tenth of the rows by it are the test rows, instead of a random tenth")
	flag.StringVar(&j.group, "group", "", "`name` of a column, which is left out: the test rows are whole groups of rows with the same value, and error bars of a number are for new groups")
	layouts := flag.String("layouts", "", "`layouts` of dates, as Go's package time writes 2 January 2006, between commas, such as 02.01.2006; by default 2006-01-02")
	j.Flags(flag.CommandLine)
	missing := flag.String("missing", ",NA,N/A,n/a", "`texts` of fields without a value, between commas")
	flag.StringVar(&j.predict, "predict", "", "`file` of more records, of the same form, to predict; the target may be missing")
	flag.StringVar(&j.predictions, "predictions", "", "`file` to write these to, with columns for what is predicted: predicted, lo and hi of a number; predicted and probability of a class")
	flag.Float64Var(&j.level, "level", 0.9, "share of new rows that are to be between lo and hi")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Table goes from a CSV file to a scored model.\n\n    table -target NAME [flags] FILE.csv\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || j.Target == "" {
		flag.Usage()
		os.Exit(2)
	}
	j.file = flag.Arg(0)
	err := j.set(*ignored, *categories, *layouts, *missing)
	var m *table.Model
	var printed strings.Builder
	if err == nil {
		m, err = j.run(io.MultiWriter(os.Stdout, &printed))
	}
	if err == nil && *report != "" {
		err = write(*report, func(w io.Writer) error { return j.report(w, printed.String()) })
	}
	if err == nil && *model != "" {
		err = save(*model, m)
	}
	if err == nil && j.fresh != nil {
		err = write(j.predictions, func(w io.Writer) error { return j.fresh.write(w, m, j.Comma, j.level) })
	}
	if err != nil {
		log.Fatal(strings.TrimPrefix(err.Error(), "table: ")) // which log writes, too
	}
}

// inFlags returns an error of package table with flags instead of options.
func inFlags(err error) error {
	return errors.New(strings.NewReplacer(
		"Set Options.Kinds to Ignored, or to Category if it is not a key", "Name the column in -ignore, or in -category if it is not a key",
		"set Options.Kinds to Category or Ignored", "name the column in -category or -ignore",
		"set its Options.Kinds to Ignored", "name it in -ignore",
		"set Options.Kinds to Category", "name the column in -category",
		"set Options.Kinds to Number or Date", "take one of these layouts out of -layouts",
		"set Options.Kinds", "name the column in -category or -ignore",
		"which Options.Kinds can say", "see -category",
		"Options.Missing", "-missing",
		"Options.Layouts", "-layouts",
	).Replace(err.Error()))
}

// set takes the flags that are lists.
func (j *job) set(ignored, categories, layouts, missing string) error {
	j.Kinds = make(map[string]table.Kind)
	for _, of := range []struct {
		names string
		kind  table.Kind
	}{{ignored, table.Ignored}, {categories, table.Category}} {
		list, err := listOf(of.names)
		if err != nil {
			return err
		}
		for _, name := range list {
			if kind, both := j.Kinds[name]; both && kind != of.kind {
				return fmt.Errorf("column %q is in -ignore and in -category: must be in one of them", name)
			}
			j.Kinds[name] = of.kind
		}
	}
	if j.group != "" {
		j.Kinds[j.group] = table.Ignored
	}
	var err error
	if j.Layouts, err = listOf(layouts); err != nil {
		return err
	}
	j.Missing = strings.Split(missing, ",")
	return nil
}

// listOf splits a text at commas, except commas in quotes; it returns nil for an empty text.
func listOf(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	r := csv.NewReader(strings.NewReader(text))
	r.TrimLeadingSpace = true
	list, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list, nil
}

// run learns from the records of the file, and writes the kinds of the columns and the report.
func (j *job) run(w io.Writer) (*table.Model, error) {
	if err := j.validatePredict(); err != nil {
		return nil, err
	}
	header, records, err := j.read(w)
	if err != nil {
		return nil, err
	}
	e, err := table.Fit(header, records, &j.Options)
	if err != nil {
		return nil, inFlags(err)
	}
	fmt.Fprintf(w, "%v\n", e)
	if j.predict != "" {
		if j.fresh, err = j.readFresh(w, e); err != nil {
			return nil, err
		}
	}
	options := &learn.Options{Kernel: e.Kernel()}
	if options.TestRows, err = j.hold(w, e, records); err != nil {
		return nil, err
	}
	x, err := e.Encode(records)
	if err != nil {
		return nil, err
	}
	m := &table.Model{Encoder: e}
	if names := e.ClassNames(); names != nil {
		classes, err := e.Classes(records)
		if err != nil {
			return nil, err
		}
		if err := j.validateHeld(classes, options.TestRows, names); err != nil {
			return nil, err
		}
		report, err := learn.Classification(x, classes, options)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(w, "%v\n\nclasses: %s\n", report, strings.Join(names, ", "))
		m.Logistic, j.score = report.Model, report.Score.String()
	} else {
		y, err := e.Targets(records)
		if err != nil {
			return nil, err
		}
		if n := fewValues(y.RawMatrix().Data); n > 1 {
			fmt.Fprintf(w, "The target has %d values: if they are classes, -category %s.\n\n", n, j.Target)
		}
		options.Groups = j.groupNumbers(w, e, records, options.TestRows)
		report, err := learn.Regression(x, y, options)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(w, "%v\n", report)
		m.Ridge, j.score = report.Model, report.Score.String()
	}
	return m, nil
}

// report writes what was printed to a file. Its first lines name the CSV file, so that a reader knows the training
// rows, and the score.
func (j *job) report(w io.Writer, printed string) error {
	sum, err := csvfile.Sum(j.file)
	if err != nil {
		return err
	}
	score := strings.ReplaceAll(strings.TrimSpace(j.score), "\n", "; ")
	_, err = fmt.Fprintf(w, "fitted on %s, SHA-256 %s\nscore on held-out rows: %s\n\n%s", filepath.Base(j.file), sum, score, printed)
	return err
}

// fewValues returns the number of different values if these may be classes (two, or up to ten whole numbers), and
// otherwise 0.
func fewValues(v []float64) int {
	seen, whole := make(map[float64]bool), true
	for _, u := range v {
		seen[u] = true
		if whole = whole && u == math.Trunc(u); len(seen) > 10 {
			return 0
		}
	}
	if !whole && len(seen) > 2 {
		return 0
	}
	return len(seen)
}

// save writes a model to a file.
func save(file string, m *table.Model) error {
	return write(file, func(w io.Writer) error {
		_, err := m.WriteTo(w)
		return err
	})
}

// write writes a file completely, or not at all.
func write(file string, to func(w io.Writer) error) error {
	f, err := os.Create(file + ".tmp")
	if err != nil {
		return err
	}
	if err = errors.Join(to(f), f.Close()); err == nil {
		err = os.Rename(file+".tmp", file)
	}
	if err != nil {
		os.Remove(file + ".tmp")
	}
	return err
}
