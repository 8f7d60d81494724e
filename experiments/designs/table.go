// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

// print writes the tables of a data set as Markdown.
func (s *set) print(w io.Writer, size scope, results []result) {
	_, d := s.rows.Dims()
	fmt.Fprintf(w, "\n## %s: %d coordinates, length scale %.3g\n", s.name, d, s.kernel.LengthScale)
	methods := byMethod(results)
	var names []string
	for _, rs := range methods {
		names = append(names, rs[0].method)
	}
	heads := []string{"method"}
	for _, features := range size.features {
		heads = append(heads, strconv.Itoa(features))
	}
	fmt.Fprint(w, "\nRoot mean square error, measured (predicted), by the number of features:\n\n")
	program.Table(w, heads, names, func(i, j int) string {
		return fmt.Sprintf("%.3g (%.3g)", methods[i][j].measured, methods[i][j].predicted)
	})
	fmt.Fprint(w, "\nMicroseconds of CPU time a row:\n\n")
	program.Table(w, heads, names, func(i, j int) string { return program.Number(methods[i][j].micros) })
	targets := targets(methods[0])
	heads = heads[:1]
	for _, r := range targets {
		heads = append(heads, fmt.Sprintf("error %.3g, that of %d single cosines", r.predicted, r.features))
	}
	fmt.Fprint(w, "\nMicroseconds a row for the same error, interpolated in the tables above:\n\n")
	program.Table(w, heads, names, func(i, j int) string { return timeFor(methods[i], targets[j].predicted) })
	fmt.Fprintf(w, "\n%s\n", choices(methods[slices.Index(names, chosen)]))
}

// byMethod returns the results of each method, in the order of the first ones.
func byMethod(results []result) [][]result {
	var methods [][]result
	for _, r := range results {
		i := slices.IndexFunc(methods, func(rs []result) bool { return rs[0].method == r.method })
		if i < 0 {
			i, methods = len(methods), append(methods, nil)
		}
		methods[i] = append(methods[i], r)
	}
	return methods
}

// choices says what the maps of plans are, given their results.
func choices(rs []result) string {
	var lines []string
	for len(rs) > 0 {
		same := slices.IndexFunc(rs, func(r result) bool { return r.kind != rs[0].kind })
		if same < 0 {
			same = len(rs)
		}
		var columns []string
		for _, r := range rs[:same] {
			columns = append(columns, fmt.Sprintf("%d of %d", r.features, r.asked))
		}
		lines = append(lines, fmt.Sprintf("NewPlan takes %s features: %s.", strings.Join(columns, ", "), rs[0].kind))
		rs = rs[same:]
	}
	return strings.Join(lines, "\n")
}

// targets returns the results of single cosines whose errors are targets for the other methods: for
// the middle number of features, and for the last but one.
func targets(rs []result) []result {
	return []result{rs[len(rs)/2], rs[len(rs)-2]}
}

// timeFor returns the microseconds a row for an error, interpolated between the logarithms of a
// method's errors and times, which are in descending order of the errors.
func timeFor(rs []result, target float64) string {
	i := slices.IndexFunc(rs, func(r result) bool { return r.measured <= target })
	switch i {
	case 0:
		return "< " + program.Number(rs[0].micros)
	case -1:
		return "> " + program.Number(rs[len(rs)-1].micros)
	}
	a, b := rs[i-1], rs[i]
	part := math.Log(a.measured/target) / math.Log(a.measured/b.measured)
	return program.Number(a.micros * math.Pow(b.micros/a.micros, part))
}

// records returns the results as experiments/figures reads them.
func records(results []result) [][]string {
	records := [][]string{{"set", "method", "features", "predicted RMSE", "measured RMSE", "standard error", "microseconds a row"}}
	for _, r := range results {
		record := []string{r.set, r.method, strconv.Itoa(r.features)}
		for _, v := range []float64{r.predicted, r.measured, r.doubt, r.micros} {
			record = append(record, strconv.FormatFloat(v, 'g', 6, 64))
		}
		records = append(records, record)
	}
	return records
}
