// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// axis is problems in which one size, n, D or d, doubles each time.
type axis struct {
	name     string
	problems []*problem // with an exact map, for the first two ways, and without, for the others
	size     func(j *job) float64
}

// axes returns the axes of n, D and d, with some values each. The kernel is Gaussian for the ways from 3 on, and
// polynomial for the first two; its degree makes D grow, or d does.
func axes(values int) ([]axis, error) {
	all := []axis{{name: "n", size: (*job).n}, {name: "D", size: (*job).columns}, {name: "d", size: (*job).d}}
	for i := range values {
		double := 1 << i
		for k, c := range []struct{ n, d, columns, exactD, degree int }{
			{512 * double, 16, 256, 16, 2},
			{1024, 16, 256 * double, 16, 1 + i},
			{512, 64 * double, 512, 16 * double, 2},
		} {
			gaussian, polynomial := scattered(c.n, c.d), scattered(c.n, c.exactD)
			gaussian.columns = c.columns
			gaussian.gaussian(.5 / float64(c.d))
			if err := polynomial.polynomial(c.degree); err != nil {
				return nil, err
			}
			all[k].problems = append(all[k].problems, gaussian, polynomial)
		}
	}
	return all, nil
}

func (j *job) n() float64 { n, _ := j.problem.train.Dims(); return float64(n) }
func (j *job) d() float64 { _, d := j.problem.train.Dims(); return float64(d) }

// columns returns the number D of features of the way's map.
func (j *job) columns() float64 {
	if !j.way.ofExact() {
		return float64(j.problem.columns)
	}
	_, columns := j.problem.exact.Dims()
	return float64(columns)
}

// quantity is a cost and, for each way, the exponents of n, D and d in the lecture's table; nil if there is nothing to
// do. Time is for a single step. Ways 5 and 6 have the exponents of 1 and 2.
type quantity struct {
	name    string
	cost    func(j *job) float64
	lecture [6][]float64
}

var quantities = []quantity{
	{"a step", func(j *job) float64 { return median(j.steps) }, [6][]float64{{0, 1, 1}, {0, 1, 0}, {1, 0, 1}, {1, 0, 0}, {0, 1, 1}, {0, 1, 0}}},
	{"setup", func(j *job) float64 { return median(j.setups) }, [6][]float64{nil, {1, 1, 1}, nil, {2, 0, 1}, nil, {1, 1, 1}}},
	{"memory", func(j *job) float64 { return float64(j.heaped) }, [6][]float64{{0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}}},
}

// scaling prints how costs grow.
func scaling(w io.Writer, show func(string), size scope) error {
	all, err := axes(size.scales)
	if err != nil {
		return err
	}
	jobs := make([][][]*job, len(all)) // by axis and way
	var flat []*job
	for i, a := range all {
		jobs[i] = a.jobs()
		flat = append(flat, slices.Concat(jobs[i]...)...)
	}
	show("how costs grow …")
	if err := measure(flat, size.rounds, size.least); err != nil {
		return err
	}
	fmt.Fprint(w, growth)
	for i, v := range ways {
		fmt.Fprintf(w, "| %d. %s |", v.number, v.name)
		for _, q := range quantities {
			for k, a := range all {
				fmt.Fprintf(w, " %s |", q.cell(a, jobs[k][i]))
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

const growth = `
### How costs grow

The table shows exponents of costs that grow as a power of n, D or d: fitted to measurements, and in brackets the
exponent in the lecture's table. Memory is the growth of the heap. For ways 1 and 2 the degree of the polynomial kernel
makes D grow. In the columns for d its degree is 2, so that D grows with d, as C(d + 2, 2).

| way | a step: n | D | d | setup: n | D | d | memory: n | D | d |
|---|---|---|---|---|---|---|---|---|---|
`

// jobs returns, for each way, the jobs of the problems that it can learn.
func (a axis) jobs() [][]*job {
	all := make([][]*job, len(ways))
	for _, p := range a.problems {
		order := p.order(1024)
		for i, v := range ways {
			if v.ofExact() == (p.exact != nil) {
				all[i] = append(all[i], &job{problem: p, way: v, order: order})
			}
		}
	}
	return all
}

// cell returns the exponent that was fitted to the measured costs and, in brackets, to the lecture's product of
// powers.
func (q quantity) cell(a axis, jobs []*job) string {
	powers := q.lecture[jobs[0].way.number-1]
	if powers == nil {
		return "–"
	}
	lecture := func(j *job) float64 {
		return math.Pow(j.n(), powers[0]) * math.Pow(j.columns(), powers[1]) * math.Pow(j.d(), powers[2])
	}
	return fmt.Sprintf("%.2f (%.2g)", exponent(jobs, a.size, q.cost), exponent(jobs, a.size, lecture))
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
