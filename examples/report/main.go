// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Report shows a saved model on the rows of a CSV file, as one HTML page: its score next to a baseline, its errors, the columns that matter,
// the curves of its prediction, and what was tried to find it. The page has no scripts, and loads nothing.
//
// The model is a file that examples/table wrote. The CSV file has the same columns, with the target, and best of all rows that the model was
// not fitted on. For the rows that it was fitted on, -folds 5 fits it again without each fifth of them.
//
//	go run ./examples/table -target sold -model sales.featuremap -report sales.txt examples/table/sales.csv
//	go -C examples/report run . -model ../../sales.featuremap -report ../../sales.txt -folds 5 -out ../../sales.html ../table/sales.csv
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
)

// A job is what flags say.
type job struct {
	model  string // file
	report string // file that examples/table wrote with -report, or ""
	out    string // file
	file   string // of the rows
	folds  int    // 0: the model predicts the rows as it is
	csvfile.Format
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("report: ")
	var j job
	flag.StringVar(&j.model, "model", "", "`file` of the model, which examples/table wrote")
	flag.StringVar(&j.report, "report", "", "`file` that examples/table wrote with -report: what was tried")
	flag.StringVar(&j.out, "out", "report.html", "`file` to write the page to")
	flag.IntVar(&j.folds, "folds", 0, "fit the model again without each of so many parts of the rows, and predict that part: for the rows that the model was fitted on")
	j.Flags(flag.CommandLine)
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Report shows a saved model on the rows of a CSV file, as one HTML page.\n\n    report -model FILE [flags] FILE.csv\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || j.model == "" {
		flag.Usage()
		os.Exit(2)
	}
	j.file = flag.Arg(0)
	if err := j.run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run writes the page, and to w what is left out of the file of rows.
func (j *job) run(w io.Writer) error {
	s, err := j.load(w)
	if err != nil {
		return err
	}
	if err := s.predict(j.folds); err != nil {
		return err
	}
	t, err := j.tried()
	if err != nil {
		return err
	}
	page, err := s.page(t, j.folds)
	if err != nil {
		return err
	}
	if err := os.WriteFile(j.out, page, 0o666); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %d rows, %d kB\n", j.out, len(s.records), (len(page)+999)/1000)
	return err
}
