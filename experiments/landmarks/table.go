// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

// print writes the table of a set.
func (p *problem) print(w io.Writer, results []result) {
	s := p.splits[0]
	fmt.Fprintf(w, "\n## %s\n\n%d training rows, %d test rows; coordinates: %d, %s; length scale %.3g.\n\n",
		p.name, s.train.Len(), s.test.Len(), s.train.Dim(), p.about, s.kernel.LengthScale)
	names := make([]string, len(results))
	for i, r := range results {
		names[i] = strconv.Itoa(r.columns)
	}
	heads := []string{"columns", "map", "kernel error", "test error", "NLL", "choose, s", "fit, s", "predict, s"}
	program.Table(w, heads, names, func(i, j int) string {
		r := results[i]
		return [...]string{r.method, fmt.Sprintf("%.2g", r.kernel), r.shownError(), r.shownNLL(), program.Number(r.choose), program.Number(r.fit),
			program.Number(r.predict)}[j]
	})
}

// shownError returns the error of predictions, in percent if it is a share of classes.
func (r result) shownError() string {
	if r.classified() {
		return fmt.Sprintf("%.2f %%", 100*r.error)
	}
	return fmt.Sprintf("%.4f", r.error)
}

// shownNLL returns the negative log likelihood, or nothing if it is not known.
func (r result) shownNLL() string {
	if r.classified() {
		return ""
	}
	return fmt.Sprintf("%.4f", r.nll)
}

// classified tells whether the set has classes.
func (r result) classified() bool { return math.IsNaN(r.nll) }

// comparison is a map of landmarks and the plan's map with as many columns.
type comparison struct{ planned, landmarks result }

// comparisons returns the comparisons for k-means, in the order of the results.
func comparisons(results []result) (all []comparison) {
	var c comparison
	for _, r := range results {
		switch r.method {
		case planned:
			c.planned = r
		case clustered:
			c.landmarks = r
			all = append(all, c)
		}
	}
	return all
}

// printRatios writes the table of k-means over the plan's map.
func printRatios(w io.Writer, results []result) {
	all := comparisons(results)
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.planned.set
	}
	fmt.Fprint(w, "\n## k-means relative to the plan's map\n\n")
	heads := []string{"set", "columns", "kernel error", "test error", "NLL, difference", "fit", "choose and fit", "predict"}
	program.Table(w, heads, names, func(i, j int) string {
		l, p := all[i].landmarks, all[i].planned
		difference := ""
		if !p.classified() {
			difference = fmt.Sprintf("%.4f", l.nll-p.nll)
		}
		return [...]string{strconv.Itoa(l.columns), program.Number(l.kernel / p.kernel), fmt.Sprintf("%.3f", l.error/p.error), difference,
			program.Number(l.fit / p.fit), program.Number((l.choose + l.fit) / (p.choose + p.fit)), program.Number(l.predict / p.predict)}[j]
	})
}

// records returns the results as comma-separated values, with an empty field where there is no likelihood.
func records(results []result) [][]string {
	records := [][]string{{"set", "columns", "map", "relative kernel error", "test error", "negative log likelihood", "seconds to choose", "seconds to fit", "seconds to predict"}}
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	for _, r := range results {
		record := []string{r.set, strconv.Itoa(r.columns), r.method}
		for _, v := range []float64{r.kernel, r.error, r.nll, r.choose, r.fit, r.predict} {
			record = append(record, number(v))
		}
		records = append(records, record)
	}
	return records
}
