// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Learned compares kernels that package learn has learned with the Gaussian kernel of the median length scale:
// evidence, test error and likelihood on test rows, and seconds.
//
//	go -C experiments run ./learned -data DIR
//
// The letters are embedded in the program and Friedman's function is generated; cal_housing and cpu_act are read from
// DIR. If there is scikit-learn, its exact Gaussian process learns from 2000 rows of the same splits.
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

const title = "Learned kernels compared with the median length scale"

const meaning = `There is a table for each data set, with means over splits. The line "given" is the Gaussian kernel whose length
scale is MedianLengthScale of the standardized columns. The others are the stages of learn.Kernel, each of which
includes all stages before it, and its result: the stage of largest evidence that does not raise the leave-one-out
error. Each kernel gets features and ridge.Fit. The last line is scikit-learn's GaussianProcessRegressor with a length
scale for each column, on the first split only: it learns from some of the rows, from one start, in at most 40 steps.

evidence       the log marginal likelihood with new frequencies, per row and target; higher is better
test error     on test rows: the error rate in percent, or the root mean square error
NLL            regression: the mean negative log likelihood of the test targets, for normal predictions with the
               model's variance and noise
seconds        of CPU time to learn: one stage, or for the result all stages together. Fits on the features are not
               included; scikit-learn's fits are

The last table compares the result with the median length scale: the ratio of errors and the difference of NLL. Look
there first.`

// A scope says how much to compute.
type scope struct {
	data     string // folder of further data sets, or ""
	features int    // of the models
	splits   int
	train    int // training rows of a split, at most
	exact    int // rows for scikit-learn, at most
}

// quick makes the scope that of -quick.
func (size *scope) quick() { size.features, size.splits, size.train, size.exact = 200, 1, 800, 200 }

func main() {
	size := scope{features: 1000, splits: 3, train: 16_512, exact: 2000}
	file := ""
	var python *peer.Python
	var missing error
	flags := program.NewFlags("learned", title+".\n\n"+meaning+"\n")
	flags.StringVar(&size.data, "data", "", "`folder` with cal_housing.csv.gz and cpu_act.csv.gz")
	flags.AtLeast(1, &size.splits, "splits", "`number` of splits of each data set")
	flags.CSV(&file, "`file` to write the figures to as comma-separated values")
	flags.Python(&python, &missing)
	flags.Quick(size.quick, "one split, at most 800 training rows, 200 features, and 200 rows for scikit-learn")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		results, err := run(w, show, size, python, missing)
		if err != nil {
			return err
		}
		return program.WriteCSV(file, records(results))
	})
}

// run writes the tables to w, shows what it is doing meanwhile, and returns the figures. Without python missing says why.
func run(w io.Writer, show func(doing string), size scope, python *peer.Python, missing error) ([]result, error) {
	fmt.Fprintf(w, "# %s\n\n%s\n\n", title, meaning)
	fmt.Fprintf(w, "Splits: %d; features: %d. %s on %s/%s, %d threads.\n", size.splits, size.features, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.GOMAXPROCS(0))
	if python != nil {
		fmt.Fprintf(w, "%s, one thread.\n", python.Versions)
	} else if missing != nil {
		fmt.Fprintf(w, "Left out: %v.\n", missing)
	}
	var left []string
	var all []result
	for _, s := range sources {
		if s.folder && size.data == "" {
			left = append(left, s.name)
			continue
		}
		results, err := s.measure(w, show, size, python)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		all = slices.Concat(all, results)
	}
	printRatios(w, all)
	if left != nil {
		fmt.Fprintf(w, "\nLeft out: %s, which are not in the program; -data names the folder that has them.\n", strings.Join(left, ", "))
	}
	return all, nil
}
