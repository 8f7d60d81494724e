// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Designs compares the error of estimates of the Gaussian kernel with the time of a row, for every
// design of this package's features and for scikit-learn's RBFSampler:
//
//	go -C experiments run ./designs -data DIR -csv designs.csv
//
// The points are handwritten digits, 64 coordinates, and with -data the middle of images of
// CIFAR-10, 768 coordinates. The length scale is MedianLengthScale's.
//
// Errors are predicted from exact variances, before any feature is computed, and measured with
// several maps. Times are CPU time of one thread. All methods take turns, so that other load on the
// machine affects all of them.
//
// Where to look: two designs with equally many features differ both in error and in time, so the
// last table of each set compares times for the same error.
package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

const title = "Error against time, for every design of features and for scikit-learn's RBFSampler"

const meaning = `The first table of a data set shows the root mean square error of the Gaussian kernel's estimate, measured
and, in brackets, as exact variances predict it. The second shows microseconds of CPU time a row, on one
thread. A column is a number of features, a row is a method. The third table shows the microseconds a row
that each method takes for the same error. Look there first: more features take more time and lower the
error, and methods differ in both.`

// A scope says how much to compute.
type scope struct {
	data     string       // folder of further data sets, or ""
	python   *peer.Python // nil without scikit-learn
	missing  error        // why
	features []int
	points   int     // of each data set, at most
	maps     int     // maps to measure the error with
	rounds   int     // to time
	sample   float64 // least seconds of a round of a method
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.features, size.points, size.maps, size.rounds, size.sample = []int{128, 512}, 400, 5, min(size.rounds, 3), 0.002
}

func main() {
	size := scope{features: []int{128, 256, 512, 1024, 2048, 4096, 8192}, points: 2000, maps: 20, rounds: 9, sample: 0.02}
	file := ""
	flags := program.NewFlags("designs", title+".\n\n"+meaning+"\n")
	flags.StringVar(&size.data, "data", "", "`folder` with cifar10_train4000_a.bin.gz")
	flags.AtLeast(1, &size.rounds, "rounds", "`number` of rounds to take times in")
	flags.CSV(&file, "`file` to write the figures to as comma-separated values")
	flags.Python(&size.python, &size.missing)
	flags.Quick(size.quick, "two numbers of features, 400 points of each data set, and at most 3 rounds")
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
	all, err := load(size)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "# %s\n\n%s\n\n", title, meaning)
	fmt.Fprintf(w, "Errors are of %d maps over the pairs of %d rows, times are medians over rounds (%d).", size.maps, pairs.Rows, size.rounds)
	if size.missing != nil {
		fmt.Fprintf(w, " Rows of\nscikit-learn are left out: %v.\n", size.missing)
	} else {
		fmt.Fprintf(w, " The peer is\n%s.\n", size.python.Versions)
	}
	if size.data == "" {
		fmt.Fprintln(w, "Images of CIFAR-10 are left out: they are not in the program, and -data names a folder with them.")
	}
	var results []result
	for _, s := range all {
		rs, err := s.measure(show, size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		s.print(w, size, rs)
		results = slices.Concat(results, rs)
	}
	return results, nil
}
