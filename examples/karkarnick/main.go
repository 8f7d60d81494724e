// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Karkarnick repeats Table 1 of P. Kar and H. Karnick, Random feature maps for dot product kernels,
// AISTATS 2012: how often a classifier is right that has the exact kernel, random features, or their H0/1.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/seed-0f95ebc1/featuremap/examples/internal/program"
)

const usage = `Karkarnick repeats Table 1 of Kar and Karnick, Random feature maps for dot product kernels, AISTATS 2012.

TODO
`

// A scope says how much to compute.
type scope struct {
	data   string // folder of Adult, or ""
	splits int    // of each data set into points to train on and points to test
	train  int    // points to train on, at most
	exact  int    // of these, for the exact kernel
	test   int    // points to test, at most
}

func main() {
	of := scope{train: 20000, test: math.MaxInt}
	flag.StringVar(&of.data, "data", "", "`folder` with a9a.libsvm.gz and a9a.t.libsvm.gz, which are Adult")
	flag.IntVar(&of.splits, "splits", 5, "`number` of random splits of each data set")
	flag.IntVar(&of.exact, "exact", 8000, "largest `number` of points that the exact kernel is trained on")
	quick := flag.Bool("quick", false, "one split, 400 points to train on, 1000 to test")
	program.Parse("karkarnick", usage)
	switch {
	case of.splits < 1:
		log.Fatalf("-splits %d: must be at least 1", of.splits)
	case of.exact < 8:
		log.Fatalf("-exact %d: must be at least 8", of.exact)
	}
	if *quick {
		of = of.quick()
	}
	if err := run(os.Stdout, program.Progress(os.Stderr), of); err != nil {
		log.Fatal(err)
	}
}

// quick returns the scope of -quick.
func (of scope) quick() scope {
	of.splits, of.train, of.exact, of.test = 1, 400, 400, 1000
	return of
}

// run writes the tables to w, and shows what it is doing meanwhile.
func run(w io.Writer, show func(doing string), of scope) error {
	show("reading the data …")
	chosen, _, err := load(of.data)
	if err != nil {
		return err
	}
	for _, p := range chosen {
		lines, err := p.measure(show, of)
		if err != nil {
			return err
		}
		for _, l := range lines {
			fmt.Fprintln(w, l.row(p))
		}
	}
	return nil
}
