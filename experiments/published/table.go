// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A table is a protocol's entries with their results.
type table struct {
	protocol *protocol
	results  []result
}

// table measures the maps of a protocol.
func (p *protocol) table(show func(doing string)) (table, error) {
	t := table{protocol: p, results: make([]result, len(p.entries))}
	for i, e := range p.entries {
		show(fmt.Sprintf("%s: %s, %d columns …", p.title, e.name, e.columns))
		if e.planned != nil {
			m, err := p.plan(e.planned, e.columns)
			if err != nil {
				return table{}, fmt.Errorf("%s: %w", e.name, err)
			}
			e.method, p.entries[i].method = m, m
		}
		r, err := p.measure(e.method)
		if err != nil {
			return table{}, fmt.Errorf("%s: %w", e.name, err)
		}
		t.results[i] = r
	}
	return t, nil
}

// print writes the table as Markdown, and what the plans chose.
func (t table) print(w io.Writer) {
	p := t.protocol
	nx, _ := p.x.Dims()
	ny, _ := p.y.Dims()
	fmt.Fprintf(w, "\n## %s\n\nA kernel matrix of %d × %d; %d maps of each kind. The root mean square of the kernel is %.3f.\n\n",
		p.title, nx, ny, p.maps, mat.Norm(p.exact, 2)/math.Sqrt(float64(nx*ny)))
	fmt.Fprintln(w, "| columns | map | published | measured | rms | predicted | ratio |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for i, e := range p.entries {
		fmt.Fprintln(w, e.line(t.results[i]))
	}
	fmt.Fprint(w, "\nWhat NewPlan chose, and its second best, with errors that are absolute:\n\n```\n")
	for _, e := range p.entries {
		if e.planned != nil {
			fmt.Fprintln(w, e.method.plan)
		}
	}
	fmt.Fprintln(w, "```")
}

// line returns a line of the table.
func (e entry) line(r result) string {
	published, predicted, ratio := "–", "–", "–"
	if e.published.mean > 0 {
		published = e.published.String()
	}
	columns := fmt.Sprint(e.columns)
	if r.predicted > 0 {
		predicted = figure{mean: r.predicted}.String()
		ratio = fmt.Sprintf("%.2f ± %.2f", r.rms/r.predicted, r.rmsDev/r.predicted)
		if r.columns != e.columns {
			columns += fmt.Sprintf(", uses %d", r.columns)
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %v | %v | %s | %s |", columns, e.name, published, figure{r.mean, r.dev}, figure{mean: r.rms}, predicted, ratio)
}

// String returns the mean with three digits, and as many of its standard error, if this is not 0.
func (f figure) String() string {
	digits := 2 - int(math.Floor(math.Log10(f.mean)))
	s := fmt.Sprintf("%.*f", digits, f.mean)
	if f.dev > 0 {
		s += fmt.Sprintf(" ± %.*f", digits, f.dev)
	}
	return s
}
