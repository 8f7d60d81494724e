// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"
)

const (
	rms       = "RMS error"
	predicted = "predicted RMS error" // is drawn in the panel of the other
)

// measures are the panels from left to right.
var measures = []string{"mean absolute error", rms, "maximal error", "correlation"}

// A curve is what was measured of a method in a setting: points of the number of columns and a
// measure, by the measure.
type curve struct {
	setting, method string
	points          map[string]plotter.XYs
}

// read reads the table that examples/figure3 writes, whatever the order of its columns. Curves
// are in the order in which they begin.
func read(r io.Reader) ([]*curve, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("the table has no rows")
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, name := range append([]string{"setting", "method", "columns", predicted}, measures...) {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("the table has no column %q", name)
		}
	}
	var curves []*curve
	for i, row := range rows[1:] {
		setting, method := row[at["setting"]], row[at["method"]]
		n := slices.IndexFunc(curves, func(c *curve) bool { return c.setting == setting && c.method == method })
		if n < 0 {
			n = len(curves)
			curves = append(curves, &curve{setting, method, map[string]plotter.XYs{}})
		}
		for _, measure := range append([]string{predicted}, measures...) {
			var p plotter.XY
			if p.X, err = positive(row[at["columns"]]); err == nil {
				p.Y, err = positive(row[at[measure]])
			}
			if err != nil {
				return nil, fmt.Errorf("row %d, %s: %w", i+1, measure, err)
			}
			curves[n].points[measure] = append(curves[n].points[measure], p)
		}
	}
	return curves, nil
}

// positive reads a number that has a logarithm.
func positive(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && !(v > 0 && v <= math.MaxFloat64) {
		err = fmt.Errorf("%v: must be positive and finite", v)
	}
	return v, err
}
