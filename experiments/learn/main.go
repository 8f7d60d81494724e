// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Learn compares learn.Regression and learn.Classification, with default options, with the best pipeline that a grid
// finds in scikit-learn: RBFSampler or Nystroem, then Ridge or LogisticRegression.
//
//	go -C experiments run ./learn -data DIR
//
// Some data sets are embedded in the program, and others are read from DIR. Both sides have the same rows, split by a
// seed, and as many features. The grid is over γ of the kernel and α of the fit, judged by validation rows among the
// training rows.
package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const title = "One call compared with a grid of pipelines"

const meaning = `A line for each data set. Both sides learn from the same rows and are scored on others; both have as many
features. scikit-learn standardizes the columns. A grid of four γ and five α, on up to 4000 rows with up to 512
features, chooses the parameters of RBFSampler and of Nystroem. Both are then fitted to all training rows, and the
one with the better test score counts, which favors it a little. Its exact Gaussian process has a length scale for
each column (one length scale beyond 30 columns) and 2000 rows.

score      on the test rows: accuracy in percent, or the root mean square error, and its standard error
seconds    of CPU time, from the rows to the model, including everything that was tried

Where to look: the last column says by how many standard errors of the difference, row by row, learn is better
(positive) or worse than the best pipeline.`

// A scope says how much to compute.
type scope struct {
	data  string // folder of further data sets, or ""
	only  string // names of sets, between commas; "" is all
	csv   string // file for the figures, or ""
	seed  int
	rows  int // to train on, at most
	test  int // test rows, at most
	exact int // rows for the exact Gaussian process; 0: no exact process
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.only, size.rows, size.test, size.exact = "digits,nursery", 120, 200, 100
}

func main() {
	size := scope{seed: 1, rows: 10_000, test: 5000, exact: 2000}
	var python *peer.Python
	var missing error
	flags := program.NewFlags("learn", title+".\n\n"+meaning+"\n")
	flags.StringVar(&size.data, "data", "", "`folder` with cal_housing, cpu_act, satellite, Adult (a9a), COIL-20 and CIFAR-10, as docs/evidence/learn.md names the files")
	flags.StringVar(&size.only, "sets", "", "`names` of the data sets to use, separated by commas; by default all")
	flags.AtLeast(0, &size.seed, "seed", "`seed` of the splits")
	flags.AtLeast(1, &size.rows, "rows", "largest `number` of training rows")
	flags.AtLeast(0, &size.exact, "exact", "`rows` for the exact Gaussian process; 0 leaves it out")
	flags.CSV(&size.csv, "`file` for the figures")
	flags.Python(&python, &missing)
	flags.Quick(size.quick, "two sets, 120 training rows")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		lines, err := run(w, show, size, python, missing)
		if err != nil {
			return err
		}
		return program.WriteCSV(size.csv, records(lines))
	})
}

// run writes the table to w, shows what it is doing meanwhile, and returns its lines. Without python missing says why.
func run(w io.Writer, show func(doing string), size scope, python *peer.Python, missing error) ([]line, error) {
	fmt.Fprintf(w, "# %s\n\n%s\n\nSeed %d. %s on %s/%s.\n", title, meaning, size.seed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if python != nil {
		fmt.Fprintf(w, "%s, one thread.\n", python.Versions)
	} else {
		fmt.Fprintf(w, "Left out: %v.\n", missing)
	}
	var left []string
	var lines []line
	fmt.Fprint(w, "\n| set | rows, columns | features | learn | seconds | RBFSampler | Nystroem | seconds | Gaussian process | seconds | better by |\n",
		strings.Repeat("|---", 11), "|\n")
	for _, s := range sources {
		if size.only != "" && !slices.Contains(strings.Split(size.only, ","), s.name) {
			continue
		}
		if s.folder && size.data == "" {
			left = append(left, s.name)
			continue
		}
		l, err := s.measure(show, size, python)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintln(w, l)
		lines = append(lines, l)
	}
	if left != nil {
		fmt.Fprintf(w, "\nLeft out: %s, which are not in the program; -data names the folder that has them.\n", strings.Join(left, ", "))
	}
	return lines, nil
}
