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

// A table is a protocol's entries with what came of them.
type table struct {
	protocol *protocol
	results  []result // zero where there is no map of this library
}

// table measures the maps of a protocol.
func (p *protocol) table(show func(doing string)) (table, error) {
	t := table{protocol: p, results: make([]result, len(p.entries))}
	for i, e := range p.entries {
		if !e.ours {
			continue
		}
		show(fmt.Sprintf("%s: %s, %d columns …", p.title, e.name, e.columns))
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
		published, r := "–", t.results[i]
		if e.published > 0 {
			published = figure(e.published) + " ± " + figure(e.dev)
		}
		if !e.ours {
			fmt.Fprintf(w, "| %d | %s | %s | – | – | – | – |\n", e.columns, e.name, published)
			continue
		}
		columns := fmt.Sprint(e.columns)
		if r.columns != e.columns {
			columns += fmt.Sprintf(", uses %d", r.columns)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s ± %s | %s | %s | %.2f ± %.2f |\n", columns, e.name, published,
			figure(r.mean), figure(r.dev), figure(r.rms), figure(r.predicted), r.rms/r.predicted, r.ratioError)
	}
	fmt.Fprint(w, "\nNewPlan chose\n\n")
	for i, e := range p.entries {
		if e.isPlanned {
			fmt.Fprintf(w, "- for %d columns: %s\n", e.columns, t.results[i].features)
		}
	}
}

// figure returns an error to three digits, or a small one to 1e-6.
func figure(v float64) string {
	digits := 4
	for at := 0.01; v < at && digits < 6; at /= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f", digits, v)
}
