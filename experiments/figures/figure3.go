// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"

	"gonum.org/v1/plot"
)

// What experiments/figure3 writes, and more that is not drawn.
var figure3Columns = []string{"images", "setting", "method", "columns", "mean absolute error", "RMS error", "predicted RMS error", "maximal error", "correlation"}

// What the methods are, in words.
var figure3Methods = map[string]string{
	"RFS":    "random features of the paper's scheme",
	"RR":     "random Fourier features",
	"RFS+RR": "RFS down to a window, RR of the window",
}

// figure3 draws the measures from left to right, for the kernels from top to bottom.
func figure3(t *table) *sheet {
	methods := t.values("method", nil)
	of := looks(methods)
	predicted := look{color: gray}
	s := &sheet{width: full, legend: append(legend(methods), entry{"predicted RMS error", []plot.Thumbnailer{predicted.dashed(nil)}}), height: 180}
	for i, m := range methods {
		if words, ok := figure3Methods[m]; ok {
			s.legend[i].name = m + ": " + words
		}
	}
	images := strings.Join(t.values("images", nil), " and ")
	for _, setting := range t.values("setting", nil) {
		var row []*panel
		for _, measure := range []string{"mean absolute error", "RMS error", "maximal error", "correlation"} {
			p := newPanel(measure, "number of features", setting+" kernel, "+images)
			p.Add(fineGrid())
			for _, m := range methods {
				rows := t.where(map[string]string{"setting": setting, "method": m})
				if measure == "RMS error" {
					points := t.curve(rows, "columns", "predicted RMS error")
					line := of[m].dashed(points)
					add(p, points, line)
				}
				points := t.curve(rows, "columns", measure)
				add(p, points, of[m].line(points), of[m].glyphs(points))
			}
			logarithmic(&p.X, xTicks)
			if measure == "correlation" {
				linear(&p.Y)
			} else {
				logarithmic(&p.Y, yTicks)
			}
			row = append(row, p)
		}
		s.panels = append(s.panels, row)
	}
	return s
}
