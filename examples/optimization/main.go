// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Optimization shows Bayesian optimization: it maximizes a function that is expensive to evaluate. It evaluates the
// function where an upper confidence bound of a Gaussian process is largest, or a sample from its posterior (Thompson
// sampling). Gradients find that point.
//
//	go run ./examples/optimization
//
// The functions are Branin's and Hartmann's. Evaluating them costs nothing here, so runs can be repeated: a table shows
// how far the best evaluation is from the maximum, as a median over seeds.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/seed-0f95ebc1/featuremap"
)

const usage = `Bayesian optimization by gradients.

Branin's function and the six-hump camel, of two variables, and Hartmann's of six, times −1, have known maxima in the unit cube.
Each search begins with the same 6 random points.

upper bound   the next point is where the mean plus two standard deviations of a Gaussian process is largest
Thompson      the next point is where a function drawn from the posterior is largest
random        all points are random

The Gaussian process is a ridge regression on landmarks without noise, with a length scale for each column, which move to
likelier ones after each evaluation, of the values or of their logarithms, whichever are likelier; every second point is where
its mean is largest.

Numbers are how far the best point so far is from the maximum, in the median of the seeds; "within .01" counts the
seeds for which that is .01 at most in the end. Seconds are those of a search, on the wall.

`

func main() {
	log.SetFlags(0)
	seeds := flag.Int("seeds", 3, "`number` of searches of each kind, of which the table has the median")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if *seeds < 1 {
		log.Fatalf("-seeds %d: must be at least 1", *seeds)
	}
	if _, err := run(os.Stdout, functions, *seeds); err != nil {
		log.Fatal(err)
	}
}

// A result is the searches of a method.
type result struct {
	function, method string
	gaps             [][]float64 // for each seed, after each evaluation
	seconds          float64     // of one search
}

// evaluations is the number of evaluations of a search.
const evaluations = 40

// run searches by each method, once for each seed, writes the table to w line by line, and returns the results.
func run(w io.Writer, functions []function, seeds int) ([]result, error) {
	fmt.Fprint(w, "| function | method | 10 | 20 | 30 | 40 | within .01 | seconds |\n|---|---|---|---|---|---|---|---|\n")
	var results []result
	for _, f := range functions {
		for _, m := range methods {
			r := result{function: f.name, method: m.name}
			start := time.Now()
			for seed := range seeds {
				values, err := search(f.value, f.columns, evaluations, m, featuremap.NewSampler(uint64(seed+1)))
				if err != nil {
					return nil, fmt.Errorf("%s, %s, seed %d: %w", f.name, m.name, seed+1, err)
				}
				r.gaps = append(r.gaps, gaps(values, f.maximum))
			}
			r.seconds = time.Since(start).Seconds() / float64(seeds)
			fmt.Fprintf(w, "| %s | %s |", r.function, r.method)
			for n := 10; n <= evaluations; n += 10 {
				fmt.Fprintf(w, " %.5f |", r.median(n))
			}
			fmt.Fprintf(w, " %d of %d | %.2f |\n", r.found(0.01), seeds, r.seconds)
			results = append(results, r)
		}
	}
	return results, nil
}

// gaps returns how far the best of the values so far is from the maximum.
func gaps(values []float64, maximum float64) []float64 {
	gaps, best := make([]float64, len(values)), values[0]
	for i, v := range values {
		best = max(best, v)
		gaps[i] = maximum - best
	}
	return gaps
}

// median returns the median of the gaps after a number of evaluations.
func (r *result) median(evaluations int) float64 {
	var last []float64
	for _, g := range r.gaps {
		last = append(last, g[evaluations-1])
	}
	slices.Sort(last)
	n := len(last)
	return 0.5 * (last[(n-1)/2] + last[n/2])
}

// found returns the number of seeds that get within a distance of the maximum.
func (r *result) found(distance float64) (n int) {
	for _, g := range r.gaps {
		if g[len(g)-1] <= distance {
			n++
		}
	}
	return n
}
