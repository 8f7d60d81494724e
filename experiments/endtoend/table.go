// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A table is a task with a line for each method and number of features.
type table struct {
	*task
	lines []line
}

// A line is the results of all rounds of one method on one number of features.
type line struct {
	first  result // of the first round
	scores []float64

	choose, plan, fit, predict, all float64 // seconds, medians over the rounds
}

// newTable gathers results in lines, in the order of their first occurrence.
func newTable(t *task, results []result) table {
	type key struct {
		method   string
		features int
	}
	var order []key
	rounds := make(map[key][]result)
	for _, r := range results {
		k := key{r.Method, r.Features}
		if rounds[k] == nil {
			order = append(order, k)
		}
		rounds[k] = append(rounds[k], r)
	}
	tab := table{task: t}
	for _, k := range order {
		tab.lines = append(tab.lines, newLine(rounds[k]))
	}
	return tab
}

// newLine makes a line of the results of all rounds.
func newLine(rounds []result) line {
	l := line{first: rounds[0]}
	for _, r := range rounds {
		l.scores = append(l.scores, r.Score)
	}
	over := func(seconds func(r result) float64) float64 {
		all := make([]float64, len(rounds))
		for i, r := range rounds {
			all[i] = seconds(r)
		}
		slices.Sort(all)
		return stat.Quantile(0.5, stat.Empirical, all, nil)
	}
	l.choose = over(func(r result) float64 { return r.Choose })
	l.plan = over(func(r result) float64 { return r.Plan })
	l.fit = over(func(r result) float64 { return r.Fit })
	l.predict = over(func(r result) float64 { return r.Predict })
	l.all = over(func(r result) float64 { return r.Choose + r.Plan + r.Fit + r.Predict })
	return l
}

// heading writes what is done, and with what.
func heading(w io.Writer, size scope, tasks []*task, left []string, python *interpreter, missing string) {
	fmt.Fprintf(w, "Maps of %s features of the Gaussian kernel; median seconds of CPU and mean scores; rounds: %d.\n",
		strings.Trim(fmt.Sprint(size.features), "[]"), size.rounds)
	fmt.Fprintf(w, "Length scale: one of %v times the median distance over √2; λ: one of %v; chosen with %d features.\n",
		factors, ridges, size.features[0])
	fmt.Fprintf(w, "%s on %s/%s, %d threads.\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	if python != nil {
		fmt.Fprintf(w, "Compared with %s.\n", python.versions)
	} else {
		fmt.Fprintf(w, "The lines of scikit-learn are left out: %s\n", missing)
	}
	if left != nil {
		fmt.Fprintf(w, "Left out: %s, which are not in the program; -data names the folder that has them.\n", strings.Join(left, ", "))
	}
	fmt.Fprint(w, "\n| set | training rows | test rows | coordinates | columns | results of others |\n|---|---|---|---|---|---|\n")
	for _, t := range tasks {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %s | %s |\n", t.name, t.train.Len(), t.test.Len(), t.train.Dim(), t.about, t.known)
	}
}

// row is a row of the large table.
const row = "| %-11s | %-24s | %8s | %-28s | %9s | %7s | %6s | %10s | %6s | %-3s | %-6s |\n"

// columns begins the large table.
func columns(w io.Writer) {
	fmt.Fprintln(w)
	fmt.Fprintf(w, row, "set", "method", "features", "score", "choose, s", "plan, s", "fit, s", "predict, s", "all, s", "ℓ", "λ")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|")
}

// print writes the lines of a task.
func (t table) print(w io.Writer) {
	for _, l := range t.lines {
		features := ""
		if l.first.Features > 0 {
			features = fmt.Sprint(l.first.Features)
		}
		fmt.Fprintf(w, row, t.name, l.first.Method, features, t.shown(l.scores),
			seconds(l.choose), seconds(l.plan), seconds(l.fit), seconds(l.predict), seconds(l.all),
			known(l.first.Length/t.median), known(l.first.Ridge))
	}
}

// known returns a number with three digits, or nothing for 0.
func known(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", v)
}

// seconds returns a time with three digits, or nothing for 0.
func seconds(v float64) string {
	switch {
	case v == 0:
		return ""
	case v < 0.001:
		return "<0.001"
	case v < 1:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// shown returns the mean of scores and, if there is more than one, their standard deviation.
func (t *task) shown(scores []float64) string {
	mean, deviation := stat.MeanStdDev(scores, nil)
	give := func(scale float64, digits int) string {
		s := fmt.Sprintf("%.*f", digits, scale*mean)
		if len(scores) > 1 {
			s += fmt.Sprintf(" ± %.*f", digits, scale*deviation)
		}
		return s
	}
	if t.train.Class != nil {
		return give(100, 2) + " %"
	}
	variance := stat.PopVariance(mat.Col(nil, 0, t.test.Target), nil)
	return fmt.Sprintf("RMSE %s, R² %.3f", give(1, 4), 1-mean*mean/variance)
}

// pairs are the methods of the two sides that do the same: ours, and scikit-learn's.
var pairs = [][2]string{{byHeldOut, bySampler}, {byLandmarks, byNystroem}}

// printRatios writes how many times slower scikit-learn's maps are than the maps of this library that do the same. Both
// are chosen by the held-out rows.
func printRatios(w io.Writer, tables []table) {
	for _, pair := range pairs {
		fmt.Fprintf(w, "\nSeconds of %s over those of %s:\n\n", pair[1], pair[0])
		fmt.Fprintf(w, "| %-11s | features | choose | fit  | predict | all  |\n|---|---|---|---|---|---|\n", "set")
		for _, t := range tables {
			t.printRatios(w, pair[0], pair[1])
		}
	}
}

// printRatios writes the lines of a task, for each number of features that both methods have.
func (t table) printRatios(w io.Writer, ours, theirs string) {
	for _, l := range t.lines {
		for _, k := range t.lines {
			if l.first.Method == ours && k.first.Method == theirs && l.first.Features == k.first.Features {
				fmt.Fprintf(w, "| %-11s | %8d | %6.1f | %4.1f | %7.1f | %4.1f |\n", t.name, l.first.Features,
					k.choose/l.choose, k.fit/l.fit, k.predict/l.predict, k.all/l.all)
			}
		}
	}
}

// printDifferences writes the differences between the scores of this library's maps and of scikit-learn's that do the
// same, if there are enough rounds: the difference of the means with its standard error.
func printDifferences(w io.Writer, tables []table) {
	for _, pair := range pairs {
		var lines []string
		for _, t := range tables {
			lines = append(lines, t.differences(pair[0], pair[1])...)
		}
		if lines != nil {
			fmt.Fprintf(w, "\nScores of %s minus scores of %s:\n\n", pair[0], pair[1])
			fmt.Fprintf(w, "| %-11s | features | rounds | difference ± standard error |\n|---|---|---|---|\n%s", "set", strings.Join(lines, ""))
		}
	}
}

// differences returns the lines of a task, for each number of features that both methods have.
func (t table) differences(ours, theirs string) (lines []string) {
	for _, l := range t.lines {
		for _, k := range t.lines {
			n := len(l.scores)
			if l.first.Method != ours || k.first.Method != theirs || l.first.Features != k.first.Features || n < 2 || n != len(k.scores) {
				continue
			}
			scale, unit := 1.0, ""
			if t.train.Class != nil {
				scale, unit = 100, " %"
			}
			a, v := stat.MeanVariance(l.scores, nil)
			b, u := stat.MeanVariance(k.scores, nil)
			difference := fmt.Sprintf("%+.4f ± %.4f%s", scale*(a-b), scale*math.Sqrt((v+u)/float64(n)), unit)
			lines = append(lines, fmt.Sprintf("| %-11s | %8d | %6d | %-27s |\n", t.name, l.first.Features, n, difference))
		}
	}
	return lines
}
