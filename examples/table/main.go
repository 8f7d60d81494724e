// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Table goes from a CSV file to a scored model, and saves it.
//
// The file has a line of names, and then a record a line: numbers, categories, dates. The column named by -target is predicted:
// numbers by regression, categories by classification. See docs/tasks/csv.md for what columns become.
//
//	go run ./examples/table -target sold -model sales.featuremap examples/table/sales.csv
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
	"strings"
	"unicode/utf8"

	"github.com/seed-0f95ebc1/featuremap/columns"
	"github.com/seed-0f95ebc1/featuremap/learn"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("table: ")
	target := flag.String("target", "", "`name` of the column to predict")
	model := flag.String("model", "", "`file` to save the model to, for a program of your own, or of a regression for examples/serve")
	ignored := flag.String("ignore", "", "`names` of columns to leave out, such as keys, between commas")
	categories := flag.String("category", "", "`names` of columns whose numbers are categories, between commas; a target of such is of classes")
	layouts := flag.String("layouts", "", "`layouts` of dates, as Go's package time writes 2 January 2006, between commas, such as 02.01.2006; by default 2006-01-02")
	comma := flag.String("comma", ",", "what is between fields")
	encoding := flag.String("encoding", "utf-8", "of the file: utf-8, latin1 or windows-1252")
	missing := flag.String("missing", ",NA,N/A,n/a", "`texts` of fields without a value, between commas")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Table goes from a CSV file to a scored model.\n\n    table -target NAME [flags] FILE.csv\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *target == "" || utf8.RuneCountInString(*comma) != 1 {
		flag.Usage()
		os.Exit(2)
	}
	o := &columns.Options{Target: *target, Missing: strings.Split(*missing, ","), Kinds: make(map[string]columns.Kind)}
	for names, kind := range map[*string]columns.Kind{ignored: columns.Ignored, categories: columns.Category} {
		for name := range strings.SplitSeq(*names, ",") {
			if name != "" {
				o.Kinds[name] = kind
			}
		}
	}
	if *layouts != "" {
		o.Layouts = strings.Split(*layouts, ",")
	}
	separator, _ := utf8.DecodeRuneInString(*comma)
	m, err := run(os.Stdout, flag.Arg(0), *encoding, separator, o)
	if err == nil && *model != "" {
		err = save(*model, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run learns from the records of a file, and writes what it took the columns for and the report.
func run(w io.Writer, file, encoding string, comma rune, o *columns.Options) (*columns.Model, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := decoded(f, encoding)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(text)
	r.Comma = comma
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 {
		return nil, fmt.Errorf("%s has %d lines: must have one of names, and records", file, len(records))
	}
	e, err := columns.Fit(records[0], records[1:], o)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%v\n", e)
	x, err := e.Encode(records[1:])
	if err != nil {
		return nil, err
	}
	var report *learn.Report
	options := &learn.Options{Kernel: e.Kernel()}
	if names := e.ClassNames(); names != nil {
		classes, err := e.Classes(records[1:])
		if err != nil {
			return nil, err
		}
		report, err = learn.Classification(x, classes, options)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(w, "%v\n\nclasses: %s\n", report, strings.Join(names, ", "))
	} else {
		y, err := e.Targets(records[1:])
		if err != nil {
			return nil, err
		}
		if n := fewValues(y.RawMatrix().Data); n > 0 {
			fmt.Fprintf(w, "The target has %d values: if they are classes, -category %s.\n\n", n, o.Target)
		}
		report, err = learn.Regression(x, y, options)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(w, "%v\n", report)
	}
	return &columns.Model{Encoder: e, Ridge: report.Ridge, Logistic: report.Logistic}, nil
}

// fewValues returns the number of different values if these may be classes, two or up to ten whole numbers, and otherwise 0.
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

// save writes a model to a file, which is whole or not there.
func save(file string, m *columns.Model) error {
	f, err := os.Create(file + ".tmp")
	if err != nil {
		return err
	}
	_, err = m.WriteTo(f)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(file+".tmp", file)
	}
	if err != nil {
		os.Remove(file + ".tmp")
	}
	return err
}
