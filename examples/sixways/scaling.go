// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"
)

// An axis is sizes of which one grows, fourfold at a time from the smallest, and the others stay.
type axis struct {
	name     string
	problems []*problem // the first two ways of learning need an exact map
	size     func(j *job) float64
}

// axes returns those of n, D and d, with a few values each. The kernel is a Gaussian one for the ways from 3 on, and a
// polynomial one for the first two. Of that D grows with the degree; there are no values for d alone.
func axes(values int) ([]axis, error) {
	n := axis{name: "n", size: func(j *job) float64 { rows, _ := j.problem.train.Dims(); return float64(rows) }}
	features := axis{name: "D", size: func(j *job) float64 { return float64(j.columns()) }}
	d := axis{name: "d", size: func(j *job) float64 { _, columns := j.problem.train.Dims(); return float64(columns) }}
	for i := range values {
		double := 1 << i
		if err := n.add(scattered(512*double, 16), 2, 256); err != nil {
			return nil, err
		}
		if err := features.add(scattered(1024, 16), 1+i, 256*double); err != nil {
			return nil, err
		}
		if err := d.add(scattered(512, 64*double), 0, 512); err != nil {
			return nil, err
		}
	}
	return []axis{n, features, d}, nil
}

// add adds a problem with a Gaussian kernel and as many random features, and one with a polynomial kernel of this
// degree, unless it is 0.
func (a *axis) add(p *problem, degree, columns int) error {
	gaussian := *p
	gaussian.columns = columns
	_, d := p.train.Dims()
	gaussian.gaussian(.5 / float64(d))
	a.problems = append(a.problems, &gaussian)
	if degree == 0 {
		return nil
	}
	a.problems = append(a.problems, p)
	return p.polynomial(degree)
}

// columns returns the number D of features of the way's map.
func (j *job) columns() int {
	if j.way.number > 2 {
		return j.problem.columns
	}
	_, columns := j.problem.exact.Dims()
	return columns
}

// A quantity grows with the sizes n, D, d.
type quantity struct {
	name string
	of   func(j *job) float64

	// lecture has, for each way, the exponents of n, D and d in the lecture's table, of a single step where time is T
	// times it. Ways 5 and 6 have those of 1 and 2; that table has no cost of the random map itself.
	lecture [6]string
}

var quantities = []quantity{
	{"a step", func(j *job) float64 { return median(j.steps) }, [6]string{"011", "010", "101", "100", "011", "010"}},
	{"setup", func(j *job) float64 { return median(j.setups) }, [6]string{"", "111", "", "201", "", "111"}},
	{"memory", func(j *job) float64 { return float64(j.heaped) }, [6]string{"010", "110", "100", "200", "010", "110"}},
}

// scaling prints how costs grow: the exponents of powers of n, D and d that were fitted to what was measured.
func scaling(w io.Writer, show func(string), of scope) error {
	all, err := axes(of.scales)
	if err != nil {
		return err
	}
	jobs := make([][][]*job, len(all)) // by axis and way
	var flat []*job
	for i, a := range all {
		jobs[i] = make([][]*job, len(ways))
		for _, p := range a.problems {
			order := p.order(1024)
			for _, v := range ways {
				if (v.number <= 2) != (p.exact != nil) {
					continue
				}
				j := &job{problem: p, way: v, order: order}
				jobs[i][v.number-1] = append(jobs[i][v.number-1], j)
				flat = append(flat, j)
			}
		}
	}
	show("how costs grow …")
	if err := measure(flat, of.rounds, of.least); err != nil {
		return err
	}
	fmt.Fprint(w, "\n## How costs grow\n\n| way |")
	for _, q := range quantities {
		for _, a := range all {
			fmt.Fprintf(w, " %s: %s |", q.name, a.name)
		}
	}
	fmt.Fprintln(w, "\n|---|---|---|---|---|---|---|---|---|---|")
	for i, v := range ways {
		fmt.Fprintf(w, "| %d. %s |", v.number, v.name)
		for _, q := range quantities {
			for k, a := range all {
				fmt.Fprintf(w, " %s |", q.cell(i, k, a, jobs[k][i]))
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

// cell returns the exponent that was measured and, in brackets, the lecture's.
func (q quantity) cell(way, axis int, a axis, jobs []*job) string {
	if q.lecture[way] == "" || len(jobs) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f (%c)", exponent(jobs, a.size, q.of), q.lecture[way][axis])
}

// exponent returns b of the least squares fit of log y = a + b·log x.
func exponent(jobs []*job, x, y func(*job) float64) float64 {
	xs, ys := make([]float64, len(jobs)), make([]float64, len(jobs))
	for i, j := range jobs {
		xs[i], ys[i] = math.Log(x(j)), math.Log(y(j))
	}
	_, b := stat.LinearRegression(xs, ys, nil, false)
	return b
}
