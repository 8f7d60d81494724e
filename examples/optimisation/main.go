// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Optimisation looks for the largest value of a function that is dear to evaluate: each next point is where an upper bound of
// a Gaussian process is largest, or a function drawn from it, found by gradients.
//
//	go run ./examples/optimisation
//
// The function is Hartmann's in six dimensions, of which an evaluation is worth nothing here, so that runs can be repeated:
// there is a table of how far the best of the evaluations is from the maximum, in the median of ten seeds.
package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/examples/internal/program"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
)

const title = "Bayesian optimisation by gradients"

const meaning = `Hartmann's function of six variables, times −1, has its maximum 3.32237 in the unit cube, and other
peaks, the highest of which is .119 lower. Each search begins with the same 6 random points.

upper bound   the next point is where the mean plus two standard deviations of a Gaussian process is largest
Thompson      the next point is where a function drawn from the posterior is largest
random        all points are random

The Gaussian process is a ridge regression on landmarks, whose kernel learn.Kernel learns after every fifth
evaluation; every second point is where its mean is largest. Numbers are how far the best point so far is from the maximum, in the median of the seeds;
"within .01" counts the seeds for which that is .01 at most in the end. Seconds are CPU time of a search.`

// A scope says how much to compute.
type scope struct{ seeds, evaluations int }

// quick makes the scope that of -quick.
func (size *scope) quick() { size.seeds, size.evaluations = 1, 20 }

func main() {
	size := scope{seeds: 10, evaluations: 60}
	flags := program.NewFlags("optimisation", title+".\n\n"+meaning+"\n")
	flags.AtLeast(1, &size.seeds, "seeds", "`number` of searches of each kind")
	flags.Quick(size.quick, "one seed and 20 evaluations")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		_, err := run(w, show, size)
		return err
	})
}

// A result has the searches of a method.
type result struct {
	method  string
	gaps    [][]float64 // for each seed, after each evaluation
	seconds float64     // of one search
}

// run writes the table to w, shows what it is doing meanwhile, and returns the results.
func run(w io.Writer, show func(doing string), size scope) ([]result, error) {
	fmt.Fprintf(w, "# %s\n\n%s\n\nSeeds: %d.\n\n", title, meaning, size.seeds)
	var results []result
	for _, m := range methods {
		r := result{method: m.name}
		start := peak.CPU()
		for seed := range size.seeds {
			show(fmt.Sprintf("%s, seed %d …", m.name, seed+1))
			values, err := search(hartmann, 6, size.evaluations, uint64(seed+1), m)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", m.name, seed+1, err)
			}
			r.gaps = append(r.gaps, gaps(values))
		}
		r.seconds = (peak.CPU() - start).Seconds() / float64(size.seeds)
		results = append(results, r)
	}
	print(w, size, results)
	return results, nil
}

// gaps returns how far the best of the values so far is from the maximum.
func gaps(values []float64) []float64 {
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

// found returns the number of seeds that come within a distance of the maximum.
func (r *result) found(distance float64) (n int) {
	for _, g := range r.gaps {
		if g[len(g)-1] <= distance {
			n++
		}
	}
	return n
}

// print writes the table.
func print(w io.Writer, size scope, results []result) {
	heads, names := []string{"evaluations"}, make([]string, len(results))
	var counts []int
	for n := 20; n <= size.evaluations; n += 10 {
		counts = append(counts, n)
		heads = append(heads, fmt.Sprint(n))
	}
	for i, r := range results {
		names[i] = r.method
	}
	program.Table(w, append(heads, "within .01", "seconds"), names, func(i, j int) string {
		r := &results[i]
		switch j - len(counts) {
		case 0:
			return fmt.Sprintf("%d of %d", r.found(0.01), len(r.gaps))
		case 1:
			return fmt.Sprintf("%.2f", r.seconds)
		}
		return fmt.Sprintf("%.5f", r.median(counts[j]))
	})
}
