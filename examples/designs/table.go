// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// print writes the tables of a data set as Markdown.
func (s *set) print(w io.Writer, of scope, results []result) {
	_, d := s.rows.Dims()
	fmt.Fprintf(w, "\n## %s: %d coordinates, length scale %.3g\n", s.name, d, s.kernel.LengthScale)
	methods := byMethod(results)
	heads := make([]string, len(of.features))
	for i, features := range of.features {
		heads[i] = strconv.Itoa(features)
	}
	fmt.Fprint(w, "\nRoot mean square error, measured (predicted), by the number of features:\n\n")
	table(w, heads, methods, func(rs []result, i int) string {
		return fmt.Sprintf("%.3g (%.3g)", rs[i].measured, rs[i].predicted)
	})
	fmt.Fprint(w, "\nMicroseconds of CPU time a row:\n\n")
	table(w, heads, methods, func(rs []result, i int) string { return micros(rs[i].micros) })
	targets := targets(methods[0])
	heads = heads[:0]
	for _, r := range targets {
		heads = append(heads, fmt.Sprintf("error %.3g, that of %d single cosines", r.predicted, r.features))
	}
	fmt.Fprint(w, "\nMicroseconds a row for the same error, interpolated in the tables above:\n\n")
	table(w, heads, methods, func(rs []result, i int) string { return timeFor(rs, targets[i].predicted) })
	fmt.Fprintln(w)
	for _, r := range results {
		if r.method == chosen {
			fmt.Fprintf(w, "- NewPlan, at most %d features, takes %d: %s.\n", r.asked, r.features, r.kind)
		}
	}
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

// table writes a table with a row for each method.
func table(w io.Writer, heads []string, methods [][]result, cell func(rs []result, column int) string) {
	fmt.Fprintf(w, "| method | %s |\n|---|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, rs := range methods {
		fmt.Fprintf(w, "| %s |", rs[0].method)
		for i := range heads {
			fmt.Fprintf(w, " %s |", cell(rs, i))
		}
		fmt.Fprintln(w)
	}
}

// targets returns the results of single cosines whose errors are asked of the other methods: that
// of the number of features in the middle, and the last but one.
func targets(rs []result) []result {
	return []result{rs[len(rs)/2], rs[len(rs)-2]}
}

// timeFor returns the microseconds a row for an error, interpolated between the logarithms of the
// errors and times of a method, which are in descending order of the errors.
func timeFor(rs []result, target float64) string {
	i := slices.IndexFunc(rs, func(r result) bool { return r.measured <= target })
	switch i {
	case 0:
		return "< " + micros(rs[0].micros)
	case -1:
		return "> " + micros(rs[len(rs)-1].micros)
	}
	a, b := rs[i-1], rs[i]
	part := math.Log(a.measured/target) / math.Log(a.measured/b.measured)
	return micros(a.micros * math.Pow(b.micros/a.micros, part))
}

// micros returns a time with three digits.
func micros(v float64) string {
	return strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(v)))), 64)
}

// header is what examples/figures reads.
var header = []string{"set", "method", "features", "predicted RMSE", "measured RMSE", "standard error", "microseconds a row"}

// writeCSV writes the results to a file.
func writeCSV(path string, results []result) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	records := [][]string{header}
	for _, r := range results {
		record := []string{r.set, r.method, strconv.Itoa(r.features)}
		for _, v := range []float64{r.predicted, r.measured, r.doubt, r.micros} {
			record = append(record, strconv.FormatFloat(v, 'g', 6, 64))
		}
		records = append(records, record)
	}
	if err := csv.NewWriter(f).WriteAll(records); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
