// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
)

// passes is the number of steps for each training point, as in the lecture.
const passes = 20

// result is the result for a way of learning a problem.
type result struct {
	*job
	train, test float64 // accuracy
	same, far   float64 // agreement with the Gram matrix on the test points, and largest difference of decision values
}

// compare prints the table of a problem.
func compare(w io.Writer, show func(string), p *problem, size scope) error {
	results, err := learn(show, p, size)
	if err != nil {
		return err
	}
	write(w, p, results)
	return nil
}

// learn learns a problem in all the ways that apply to it, and measures them.
func learn(show func(string), p *problem, size scope) ([]result, error) {
	n, _ := p.train.Dims()
	order := p.order(passes * n)
	var results []result
	var jobs []*job
	values := map[int][]float64{}
	for _, w := range ways {
		if w.ofExact() && p.exact == nil {
			continue
		}
		show(fmt.Sprintf("%s, %s: %s …", p.name, p.with, w.name))
		l, err := w.build(p)
		if err != nil {
			return nil, err
		}
		p.fit(l, order)
		values[w.number] = l.decide(p.test)
		j := &job{problem: p, way: w, order: order}
		jobs = append(jobs, j)
		results = append(results, result{job: j, train: agreement(l.decide(p.train), p.labels), test: agreement(values[w.number], p.testLabels)})
	}
	for i := range results {
		r := &results[i]
		r.same, r.far = agreement(values[r.way.number], values[gram]), farthest(values[r.way.number], values[gram])
	}
	show(fmt.Sprintf("%s, %s: times …", p.name, p.with))
	return results, measure(jobs, size.rounds, size.least)
}

// total returns the seconds of the whole work.
func (r result) total() float64 { return median(r.setups) + median(r.steps)*float64(len(r.order)) }

// write writes a line for each result.
func write(w io.Writer, p *problem, results []result) {
	n, d := p.train.Dims()
	tested, _ := p.test.Dims()
	fmt.Fprintf(w, "\n### %s with the kernel %s\n\n", p.name, p.with)
	fmt.Fprintf(w, "n = %d training points of d = %d coordinates, %d test points, T = %d steps with α = %v.\n", n, d, tested, passes*n, p.rate)
	if p.exact != nil {
		_, columns := p.exact.Dims()
		fmt.Fprintf(w, "The exact map has D = %d features, the random one %d.\n\n", columns, p.columns)
	} else {
		fmt.Fprintf(w, "No exact map is finite; the random one has D = %d features.\n\n", p.columns)
	}
	fmt.Fprintln(w, "| way | lecture's time | setup, s | a step, µs | in all, s | lecture's memory | counted, MB | heap, MB | train, % | test, % | as 4, % | farthest |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range results {
		fmt.Fprintf(w, "| %d. %s | %s | %.2g | %.3g | %.3g | %s | %.3g | %.3g | %.2f | %.2f | %.2f | %.1g |\n", r.way.number, r.way.name, r.way.time,
			median(r.setups), 1e6*median(r.steps), r.total(), r.way.memory, mega(r.counted), mega(r.heaped), 100*r.train, 100*r.test, 100*r.same, r.far)
	}
}

func mega(bytes int) float64 { return float64(bytes) / 1e6 }
