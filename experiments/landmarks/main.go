// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Landmarks compares landmarks, features that are made from the data, with the random map that NewPlan chooses for as
// many columns: their error of the kernel, their test error, and their time.
//
//	go -C experiments run ./landmarks -data DIR
//
// Four of the data sets are embedded in the program; cal_housing, cpu_act and adult are read from DIR. Each split of a
// set into training rows and test rows has a seed. All maps of a split have the same kernel, rows and columns, and λ is
// package ridge's default choice. Maps take turns in being first.
//
// Where to look: landmarks have far less error of the kernel on all sets, and less test error on some. The first does
// not tell where the second holds.
package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const title = "Landmarks compared with the random map of a plan"

const meaning = `There is a table for each data set, with a line for each number of columns and each map: the random
map that NewPlan chooses for the training rows, and landmarks that are random rows (uniform), centers of
clusters (k-means), or rows chosen by a randomly pivoted Cholesky factorization (pivoted). Errors are means
over splits, seconds are medians, of CPU time.

kernel error   ‖ΦΦᵀ − K‖ / ‖K‖, Frobenius norms over the pairs of test rows
test error     on test rows: the error rate in percent, or the root mean square error
NLL            regression: the mean negative log likelihood of the test targets, for normal predictions
               with the model's variance and noise
choose, s      seconds to plan and sample the map, or to choose the landmarks and factorize
fit, s         seconds of ridge.Fit, which chooses λ
predict, s     seconds of PredictTo for the test rows

The last table compares k-means with the plan's map: the ratio of the test errors, the difference of NLL, and
the ratio of the seconds. Look there first.`

// A scope says how much to compute.
type scope struct {
	data    string // folder of further data sets, or ""
	columns []int  // of a map
	splits  int
	train   int // rows of a split, at most
	test    int // test rows of a split, at most
	pairs   int // rows whose pairs measure the error of the kernel, at most
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.columns, size.splits, size.train, size.test, size.pairs = []int{64, 256}, 1, 1000, 500, 300
}

func main() {
	size := scope{columns: []int{256, 1024}, splits: 3, train: 15_000, test: 10_000, pairs: 1000}
	file := ""
	flags := program.NewFlags("landmarks", title+".\n\n"+meaning+"\n")
	flags.StringVar(&size.data, "data", "", "`folder` with cal_housing.csv.gz, cpu_act.csv.gz, a9a.libsvm.gz and a9a.t.libsvm.gz")
	flags.AtLeast(1, &size.splits, "splits", "`number` of splits of each data set")
	flags.CSV(&file, "`file` to write the figures to as comma-separated values")
	flags.Quick(size.quick, "one split, at most 1000 training rows, 64 and 256 columns")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		results, err := run(w, show, size)
		if err != nil {
			return err
		}
		return program.WriteCSV(file, records(results))
	})
}

// run writes the tables to w, shows what it is doing meanwhile, and returns the figures.
func run(w io.Writer, show func(doing string), size scope) ([]result, error) {
	fmt.Fprintf(w, "# %s\n\n%s\n\n", title, meaning)
	fmt.Fprintf(w, "Splits: %d. %s on %s/%s, %d threads.\n", size.splits, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	var left []string
	var all []result
	for _, s := range sources {
		if s.folder && size.data == "" {
			left = append(left, s.name)
			continue
		}
		p, err := s.problem(size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		results, err := p.measure(show, size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		p.print(w, results)
		all = slices.Concat(all, results)
	}
	printRatios(w, all)
	if left != nil {
		fmt.Fprintf(w, "\nLeft out: %s, which are not in the program; -data names the folder that has them.\n", strings.Join(left, ", "))
	}
	return all, nil
}
