// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Text classifies letters by their words. The desk for a letter depends on its product and its request together, so no
// single word is enough.
//
// Rows are sparse: lists of the words that occur, so that cost depends on these and not on the width of the table. The
// program fits the same logistic regression to the words themselves, which is a linear model, and to features of a
// polynomial kernel, whose functions are sums over pairs of words.
//
//	go run ./examples/text
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/logistic"
	"github.com/seed-0f95ebc1/featuremap/score"
)

const usage = `Text classifies generated letters by their words, into three desks.

A line for each model: the number of its features, the share of letters that took no part that it sends
to the wrong desk, and the log loss of its probabilities, which is 1.099 for a model that knows nothing. Look
at the first line, of the words themselves: a desk follows from two words together, which a linear model cannot tell.

`

const seed = 1

func main() {
	log.SetFlags(0)
	letters := flag.Int("letters", 4000, "the `number` of letters to learn from")
	features := flag.Int("features", 1000, "the `number` of features")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, *letters, *features); err != nil {
		log.Fatal(err)
	}
}

// run fits both models to a number of letters, and writes their errors on 1000 others to out.
func run(out io.Writer, letters, features int) error {
	s := featuremap.NewSampler(seed)
	x, desks, err := write(letters, s)
	if err != nil {
		return err
	}
	held, truth, err := write(1000, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d letters of %d words each, from a vocabulary of %d.\n\n", letters, words, vocabulary)
	fmt.Fprintln(out, "model                  features   wrong, %   log loss")
	for _, c := range []struct {
		name     string
		kernel   featuremap.Kernel
		features int
	}{
		{"words", featuremap.Linear{}, vocabulary},
		{"pairs of words", featuremap.Polynomial{Degree: 2, Gamma: 1}, features},
	} {
		phi, err := featuremap.New(c.kernel, x, c.features, s)
		if err != nil {
			return err
		}
		m, err := logistic.Fit(phi, x, desks, nil)
		if err != nil {
			return err
		}
		var p mat.Dense
		m.ProbabilityTo(&p, held)
		wrong := 100 * (1 - score.Accuracy(m.Classify(held), truth))
		_, columns := phi.Dims()
		fmt.Fprintf(out, "%-20s   %8d   %8.1f   %8.3f\n", c.name, columns, wrong, score.LogLoss(&p, truth))
	}
	return nil
}
