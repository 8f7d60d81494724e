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

// print writes the table of a set, of which s is a split.
func (src source) print(w io.Writer, s *split, results []result) {
	fmt.Fprintf(w, "\n## %s\n\n%d training rows, %d test rows; coordinates: %d, %s; standardized. Median length scale %.3g.\n\n",
		src.name, s.train.Len(), s.test.Len(), s.train.Dim(), src.about, s.kernel.LengthScale)
	names := make([]string, len(results))
	for i, r := range results {
		names[i] = r.kernel
	}
	program.Table(w, []string{"kernel", "evidence", "test error", "NLL", "seconds"}, names, func(i, j int) string {
		r := results[i]
		return [...]string{number(r.evidence), r.shownError(), number(r.nll), program.Number(r.seconds)}[j]
	})
}

// number returns v with four decimals, or nothing for NaN.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.4f", v)
}

// classified tells whether the set has classes.
func (r result) classified() bool { return math.IsNaN(r.nll) }

// shownError returns the error of predictions, in percent if it is a share of classes.
func (r result) shownError() string {
	if r.classified() {
		return fmt.Sprintf("%.2f %%", 100*r.error)
	}
	return number(r.error)
}

// gain is the result for the learned kernel and for the given one.
type gain struct{ given, learned result }

// gains returns the gains of all sets.
func gains(results []result) (all []gain) {
	var g gain
	for _, r := range results {
		switch r.kernel {
		case given:
			g.given = r
		case learned:
			g.learned = r
			all = append(all, g)
		}
	}
	return all
}

// printRatios writes the table of the result over the median length.
func printRatios(w io.Writer, results []result) {
	all := gains(results)
	names := make([]string, len(all))
	for i, g := range all {
		names[i] = g.given.set
	}
	fmt.Fprint(w, "\n## The result relative to the median length scale\n\n")
	program.Table(w, []string{"set", "test error", "NLL, difference", "seconds"}, names, func(i, j int) string {
		g := all[i]
		return [...]string{fmt.Sprintf("%.3f", g.learned.error/g.given.error), number(g.learned.nll - g.given.nll), program.Number(g.learned.seconds)}[j]
	})
}

// records returns the results as comma-separated values, with an empty field where there is no number.
func records(results []result) [][]string {
	records := [][]string{{"set", "kernel", "log evidence a row and target", "test error", "negative log likelihood", "seconds to learn"}}
	for _, r := range results {
		record := []string{r.set, r.kernel}
		for _, v := range []float64{r.evidence, r.error, r.nll, r.seconds} {
			field := ""
			if !math.IsNaN(v) {
				field = strconv.FormatFloat(v, 'g', 6, 64)
			}
			record = append(record, field)
		}
		records = append(records, record)
	}
	return records
}
