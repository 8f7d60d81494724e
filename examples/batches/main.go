// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Batches fits models to a file that is larger than memory. It reads the file batch by batch, as often as needed;
// neither the rows nor their features are ever in memory together. It fits a classification with probabilities by
// logistic.FitBatches, and a regression by ridge.FitBatches.
//
// The program first writes the file: points in the plane, each with a class and a target. The program in the folder
// predict writes predictions for files of any length.
//
//	go run ./examples/batches
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/ridge"
	"github.com/seed-0f95ebc1/featuremap/score"
)

const usage = `Batches fits models to a file that is read batch by batch.

A line for each model: how often it read the file, and its error on 1000 rows that are not in the file, next to the
least error that any model can have, given how the rows were made.

`

const (
	seed = 1

	// allowed is the memory for features, in bytes.
	allowed = 1 << 20
)

func main() {
	log.SetFlags(0)
	rows := flag.Int("rows", 50_000, "the `number` of rows of the file")
	features := flag.Int("features", 300, "the `number` of features")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, *rows, *features); err != nil {
		log.Fatal(err)
	}
}

// run writes a file of rows, fits both models, and writes the results to out.
func run(out io.Writer, rows, features int) error {
	dir, err := os.MkdirTemp("", "batches")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f := &file{name: filepath.Join(dir, "rows"), rows: rows}
	if err := f.write(featuremap.NewSampler(seed)); err != nil {
		return err
	}
	plan, err := featuremap.NewPlan(featuremap.Gaussian{LengthScale: 1}, nil, features, &featuremap.PlanOptions{In: 2}) // the rows are in the file
	if err != nil {
		return err
	}
	phi, err := plan.Draw(featuremap.NewSampler(seed))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "A file of %d rows, whose features would take %d MB; allowed: %d MB.\n\n", rows, rows*features*8>>20, allowed>>20)
	fmt.Fprintln(out, "model      readings   error   least")

	x, classes, targets, least := fresh(1000)
	classifier, err := logistic.FitBatches(phi, f.batches(class), 2, &logistic.Options{Memory: allowed})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "logistic   %8d   %.3f   %.3f of the rows, which class\n", f.readings, 1-score.Accuracy(classifier.Classify(x), classes), least)

	f.readings = 0
	regression, err := ridge.FitBatches(phi, f.batches(target), nil)
	if err != nil {
		return err
	}
	var p mat.Dense
	regression.PredictTo(&p, x)
	fmt.Fprintf(out, "ridge      %8d   %.3f   %.3f root mean square, of the target\n", f.readings, score.RMSE(&p, mat.NewDense(len(targets), 1, targets))[0], noise)
	return nil
}
