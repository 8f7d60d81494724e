// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

// print writes the tables of a problem as Markdown.
func (p *problem) print(w io.Writer, results []result) {
	fmt.Fprintf(w, "\n## %s\n\n%s. Length scale %.3g, λ = %.3g.\n", p.name, p.about, p.kernel.LengthScale, p.lambda)
	heads, rows := []string{"rows"}, []string(nil)
	for _, r := range results {
		if !slices.Contains(heads, r.method) {
			heads = append(heads, r.method)
		}
	}
	for _, n := range p.rows {
		rows = append(rows, strconv.Itoa(n))
	}
	for _, figure := range []struct {
		name  string
		value func(r result) float64
	}{
		{"Seconds", func(r result) float64 { return r.seconds }},
		{"Error", func(r result) float64 { return r.error }},
		{"Megabytes", func(r result) float64 { return r.megabytes }},
	} {
		fmt.Fprintf(w, "\n%s:\n\n", figure.name)
		program.Table(w, heads, rows, func(i, j int) string {
			at := slices.IndexFunc(results, func(r result) bool { return r.rows == p.rows[i] && r.method == heads[j+1] })
			if at < 0 {
				return "–"
			}
			return program.Number(figure.value(results[at]))
		})
	}
}

// records returns the results as experiments/figures reads them.
func records(results []result) [][]string {
	records := [][]string{{"method", "rows", "seconds", "megabytes", "error"}}
	for _, r := range results {
		record := []string{r.method, strconv.Itoa(r.rows)}
		for _, v := range []float64{r.seconds, r.megabytes, r.error} {
			record = append(record, strconv.FormatFloat(v, 'g', 6, 64))
		}
		records = append(records, record)
	}
	return records
}
