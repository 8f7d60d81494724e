// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Endtoend learns from five data sets as a user of the library would, from rows to predictions. It
// chooses a length scale and λ, makes a map, fits ridge regression on its features, and predicts
// new rows. scikit-learn does the same with the same rows, in a separate process, on both cores and
// with the BLAS kernels for the widest registers of the machine.
//
//	go -C experiments run ./endtoend -data DIR -python PYTHON
//
// Two of the data sets are embedded in the program; cal_housing, cpu_act and adult are read from
// DIR. Without a Python that has scikit-learn its lines are left out.
//
// The sides take turns, in some rounds. Each round has a seed, from which both sample their maps;
// the rows are the same in all rounds. The output is Markdown. docs/evidence/endtoend.md shows a
// selection of it, and docs/evidence/endtoend.csv lists the figures of all methods.
package main

import (
	"fmt"
	"io"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const usage = `Endtoend fits ridge regression on random features to five data sets, and compares it with
scikit-learn: how good the predictions are, and how long it takes.

score     classification: accuracy on the test rows in percent; regression: the root mean square
          error on the test rows, and R², the share of their variance explained;
          mean ± standard deviation over the rounds, each with its own maps
choose    seconds of CPU time to choose the length scale and λ (once, for all numbers of features;
          maps are planned for each length scale)
plan      seconds to plan the map, for which the library compares the variances of several
fit       seconds to sample the map or choose the landmarks, transform the training rows and solve for the weights
predict   seconds to transform and predict the test rows
all       the sum of these four; seconds are medians over the rounds
ℓ, λ      the choice in the first round: the length scale as a multiple of the median distance
          over √2, and λ, which is added to the diagonal of ΦᵀΦ

Look at lines with the same number of features. "held out" and "RBFSampler" are random features,
"landmarks" and "Nystroem" are made from the rows. All four choose among the same length scales and
λ by the same held-out rows. The last tables show the ratios of their seconds, and the differences
of their mean scores ± the standard error. The first table lists results of others.
`

// A scope says how much to compute.
type scope struct {
	data   string // folder of further data sets, or ""
	python string // program that runs peer.py
	rounds int
	rows   int // training rows of each data set, at most, and half as many test rows; 0: all

	set       string // the only data set, or "" for all
	landmarks bool   // landmarks and Nystroem only

	features []int // of a map; length scale and λ are chosen with the first
	nystroem int   // largest number of features for scikit-learn's Nystroem
	exact    int   // rows that the exact kernel is fitted to, at most
}

func main() {
	size := scope{rounds: 3, features: []int{1024, 4096}, nystroem: 1024, exact: 2000}
	flags := program.NewFlags("endtoend", usage)
	flags.StringVar(&size.data, "data", "", "`folder` with cal_housing.csv.gz, cpu_act.csv.gz, a9a.libsvm.gz and a9a.t.libsvm.gz")
	flags.StringVar(&size.python, "python", "python3", "`program` that runs Python, with scikit-learn")
	flags.AtLeast(1, &size.rounds, "rounds", "`number` of rounds")
	flags.StringVar(&size.set, "set", "", "the `name` of the only data set")
	flags.BoolVar(&size.landmarks, "landmarks", false, "landmarks and Nystroem only, with the first number of features, and the differences of their scores")
	flags.Quick(size.quick, "at most 1000 training rows, fewer features, one round")
	flags.Main(func(w io.Writer, show func(doing string)) error { return run(w, show, size) })
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.rounds, size.rows, size.features, size.nystroem, size.exact = 1, 1000, []int{128, 512}, 128, 500
}

// run writes the page to w, and shows what it is doing meanwhile.
func run(w io.Writer, show func(doing string), size scope) error {
	if size.landmarks {
		size.features = size.features[:1]
	}
	show("reading the data …")
	tasks, left, err := load(size)
	if err != nil {
		return err
	}
	python, missing := findPython(size.python)
	heading(w, size, tasks, left, python, missing)
	columns(w)
	var tables []table
	for _, t := range tasks {
		results, err := t.rounds(show, size, python)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		lines := newTable(t, results)
		lines.print(w)
		tables = append(tables, lines)
	}
	if python != nil {
		printRatios(w, tables)
		printDifferences(w, tables)
	}
	return nil
}

// result is the result of one method with one number of features in one round. The scikit-learn
// side writes its results as JSON of this type.
type result struct {
	Method        string
	Features      int
	Score         float64 // the share of classes that are right, or the root mean square error
	Length, Ridge float64 // as chosen; 0 if there is no choice

	Choose, Plan, Fit, Predict float64 // seconds; 0 if there is nothing to do
}

// rounds returns the results of the baselines and of all rounds. The sides begin in turns.
func (t *task) rounds(show func(string), size scope, python *interpreter) ([]result, error) {
	sides := []func(seed int) ([]result, error){func(seed int) ([]result, error) { return t.ours(seed, size) }}
	if python != nil {
		p, err := python.start(t, size)
		if err != nil {
			return nil, err
		}
		defer p.close()
		sides = append(sides, p.round)
	}
	var all []result
	for round := range size.rounds {
		for i := range sides {
			show(fmt.Sprintf("%s: round %d of %d, side %d of %d …", t.name, round+1, size.rounds, i+1, len(sides)))
			results, err := sides[(i+round)%len(sides)](round + 1)
			if err != nil {
				return nil, err
			}
			all = append(all, results...)
		}
	}
	if size.landmarks {
		return all, nil
	}
	show(t.name + ": linear ridge and the exact kernel …")
	first := all[0] // ours, by the rows held out
	baselines, err := t.baselines(choice{first.Length, first.Ridge}, size.exact)
	return append(baselines, all...), err
}
