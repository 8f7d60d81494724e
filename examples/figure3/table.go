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
	"strconv"
)

// A table has the rows of a setting: at each size the scheme's and the baseline's.
type table struct {
	setting string
	rows    [][2]row
}

// print writes the table, and how often the scheme was the better one.
func (t table) print(out io.Writer) {
	fmt.Fprintf(out, "\n%s kernel\n", t.setting)
	fmt.Fprintln(out, "method    columns    draws  mean |error|  RMS error  predicted  max |error|  correlation")
	for _, pair := range t.rows {
		for _, r := range pair {
			fmt.Fprintf(out, "%-6s  %9.1f  %7d  %12.5f  %9.5f  %9.5f  %11.5f  %11.5f\n",
				r.method, r.columns(), r.draws, r.meanAbs(), r.rms(), r.predicted(), r.max(), r.correlation())
		}
	}
	first := t.rows[0]
	oneDraw := func(r *row) float64 { return r.predicted() * math.Sqrt(float64(r.draws)) }
	fmt.Fprintf(out, "RMS error of one draw: %s %.4f, %s %.4f.\n", first[0].method, oneDraw(&first[0]), first[1].method, oneDraw(&first[1]))
	fmt.Fprintf(out, "Repeats of %d in which %s is better, and predicted RMS error over that of %s:\n", len(first[0].maps), first[0].method, first[1].method)
	fmt.Fprintln(out, "columns asked for                 mean |error|  RMS error      ratio  max |error|  correlation")
	for _, pair := range t.rows {
		abs, rms, most, correlation := pair[0].wins(&pair[1])
		fmt.Fprintf(out, "%17d  %27d  %9d  %9.3f  %11d  %11d\n", pair[0].size, abs, rms, pair[0].predicted()/pair[1].predicted(), most, correlation)
	}
}

// writeCSV saves the tables of a collection, with a head of names.
func writeCSV(path, images string, tables []table) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := csv.NewWriter(f)
	w.Write([]string{"images", "setting", "method", "size", "columns", "draws", "mean absolute error", "RMS error", "predicted RMS error", "maximal error", "correlation"})
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, t := range tables {
		for _, pair := range t.rows {
			for _, r := range pair {
				w.Write([]string{images, t.setting, r.method, strconv.Itoa(r.size), number(r.columns()), strconv.Itoa(r.draws),
					number(r.meanAbs()), number(r.rms()), number(r.predicted()), number(r.max()), number(r.correlation())})
			}
		}
	}
	w.Flush()
	return w.Error()
}
