// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Sixways learns kernel classifiers by stochastic gradient descent (SGD) in the six ways of lecture 16, "Kernels and
// Feature Extraction", of Cornell's course CS4787/5777: four that are exact and two that are approximate.
//
// A step of SGD takes a training point at random, and moves the classifier against the slope of its logistic loss. The
// classifier is either a vector w, a number for each feature of the kernel (ways 1 and 2), or a vector u, a number for
// each training point (ways 3 and 4). A step reads the features of the point or its kernel values with all training
// points. These are either computed on the fly (1 and 3) or once for all points (2 and 4). The kernel of the lecture's
// demonstration has no finite number of features: ways 5 and 6 are 1 and 2 with random features.
//
// The program compares the time and memory of each way with the lecture's table of costs. It checks that exact ways end
// in the same classifier, and approximate ones in nearly the same.
//
//	go -C experiments run ./sixways
//	go -C experiments run ./sixways -csv boundaries.csv
//
// The second also writes the data for the program of experiments/figures: the decision boundaries on the lecture's
// face.
package main

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
)

const usage = `Kernel learning six ways: logistic regression by SGD, in four exact ways and two with
random features, as in lecture 16 of Cornell's course CS4787/5777.

The first tables have a line for each way of learning:

  setup           time to compute what is cached
  a step, in all  time of a step of SGD, and of the setup and all T steps together
  counted, heap   memory that must be kept in addition to the training points, and how much the
                  heap grew
  train, test     accuracy on the training points and on the test points
  as 4            share of test points with the same predicted class as with the Gram matrix
  farthest        largest difference from the Gram matrix's decision values, relative to the
                  largest of these

Look at "as 4": it is 100 for 1, 2 and 3. Then look at "in all" and "heap": none of the six ways is
best at both. The costs O(·) are the lecture's.

The next table shows the exponents with which costs grow with n, D and d, with the lecture's in
brackets. The last shows how near D random features come to the kernel, and the probability of an
error: by Hoeffding's bound, as in the lecture, by the exact variance, and as measured.
`

// The seeds of data, of the order of steps and of maps.
const (
	dataSeed = iota + 1
	orderSeed
	mapSeed
)

// A scope says how much to compute.
type scope struct {
	face, points int           // training points of the face and of pendigits
	rounds       int           // of measurements of time
	least        time.Duration // of the steps of a round
	maps         int           // of each number of features
	columns      []int         // numbers of features
	scales       int           // values of n, D and d
	csv          string        // file for the picture, or ""
}

func main() {
	size := scope{
		face: 1024, points: 4096, rounds: 7, least: 50 * time.Millisecond,
		maps: 10, columns: []int{64, 256, 1024, 4096}, scales: 4,
	}
	flags := program.NewFlags("sixways", usage)
	flags.AtLeast(100, &size.points, "n", "`number` of training points of pendigits, 100 to 7494; the Gram matrix takes 8n² bytes")
	flags.AtLeast(1, &size.rounds, "rounds", "`number` of measurements of each time, of which the median is shown")
	flags.AtLeast(1, &size.maps, "maps", "`number` of random maps to average over")
	flags.CSV(&size.csv, "`file` to write points and decision values for the picture to")
	flags.Quick(size.quick, "at most 512 points, 2 rounds and 2 maps, and fewer sizes")
	flags.Main(func(w io.Writer, show func(doing string)) error { return run(w, show, size) })
}

// quick makes the scope that of -quick.
func (size *scope) quick() {
	size.face, size.points, size.rounds, size.maps = 512, min(size.points, 512), min(size.rounds, 2), min(size.maps, 2)
	size.columns, size.least, size.scales = size.columns[:3], size.least/2, 2
}

// run writes the tables to w, shows what it is doing meanwhile, and writes the file for the picture, if any. Everything
// runs on one processor, because the amounts of work are compared, not how well they are distributed.
func run(w io.Writer, show func(doing string), size scope) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	digits, err := pendigits(size.points)
	if err != nil {
		return err
	}
	if need := 8 * float64(size.points) * float64(size.points); need > float64(memory.Limit())/2 {
		return fmt.Errorf("-n %d: the Gram matrix takes %.1f GB, more than half of the memory", size.points, need/1e9)
	}
	demonstration := face(size.face)
	if size.csv != "" {
		records, err := picture(show, demonstration)
		if err == nil {
			err = program.WriteCSV(size.csv, records)
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "Kernel learning six ways, on one processor. Times are medians of %d rounds; \"in all\" is setup + T·step.\n", size.rounds)
	if err := compare(w, show, demonstration, size); err != nil {
		return err
	}
	digits.gaussian(1. / 8)
	if err := compare(w, show, digits, size); err != nil {
		return err
	}
	if err := digits.polynomial(3); err != nil {
		return err
	}
	if err := compare(w, show, digits, size); err != nil {
		return err
	}
	if err := scaling(w, show, size); err != nil {
		return err
	}
	return approximations(w, show, demonstration, size)
}
