// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
)

// table has the rows of a setting: at each size the scheme's and the baseline's.
type table struct {
	setting string
	rows    [][2]row
}

// print writes the table in Markdown, and how often the scheme is better.
func (t table) print(out io.Writer) {
	fmt.Fprintf(out, "\n## %s kernel\n\n", t.setting)
	fmt.Fprintln(out, "| method | features | samples | mean error | RMS error | predicted | maximal error | correlation |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	for _, pair := range t.rows {
		for _, r := range pair {
			fmt.Fprintf(out, "| %s | %.1f | %d | %.5f | %.5f | %.5f | %.5f | %.5f |\n",
				r.method, r.columns(), r.draws, r.meanAbs(), r.rms(), r.predicted(), r.max(), r.correlation())
		}
	}
	first := t.rows[0]
	oneDraw := func(r *row) float64 { return r.predicted() * math.Sqrt(float64(r.draws)) }
	fmt.Fprintf(out, "\nPredicted RMS error of one sample: %s %.4f, %s %.4f. The ratio of predicted errors, %s over %s, and the\n", first[0].method, oneDraw(&first[0]), first[1].method, oneDraw(&first[1]), first[0].method, first[1].method)
	fmt.Fprintf(out, "batches of %d in which %s is better:\n\n", len(first[0].maps), first[0].method)
	fmt.Fprintln(out, "| features asked for | ratio | mean error | RMS error | maximal error | correlation |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|")
	for _, pair := range t.rows {
		abs, rms, most, correlation := pair[0].wins(&pair[1])
		fmt.Fprintf(out, "| %d | %.3f | %d | %d | %d | %d |\n", pair[0].size, pair[0].predicted()/pair[1].predicted(), abs, rms, most, correlation)
	}
}

// records returns the tables of a collection as experiments/figures reads them.
func records(images string, tables []table) [][]string {
	records := [][]string{[]string{"images", "setting", "method", "size", "columns", "draws", "mean absolute error", "RMS error", "predicted RMS error", "maximal error", "correlation"}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, t := range tables {
		for _, pair := range t.rows {
			for _, r := range pair {
				records = append(records, []string{images, t.setting, r.method, strconv.Itoa(r.size), number(r.columns()), strconv.Itoa(r.draws),
					number(r.meanAbs()), number(r.rms()), number(r.predicted()), number(r.max()), number(r.correlation())})
			}
		}
	}
	return records
}
