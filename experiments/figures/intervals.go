// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// What experiments/intervals writes.
var intervalColumns = []string{"kind", "method", "x", "low", "high"}

// intervals draws for each method a panel of its intervals and of the quantiles of observations.
func intervals(t *table) *sheet {
	lines := func(kind, method string) (low, high plotter.XYs) {
		for _, row := range t.where(map[string]string{"kind": kind, "method": method}) {
			x := t.number(row, "x")
			low, high = append(low, plotter.XY{X: x, Y: t.number(row, "low")}), append(high, plotter.XY{X: x, Y: t.number(row, "high")})
		}
		return low, high
	}
	points := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: red, Radius: 1.3, Shape: draw.CircleGlyph{}}}
	points.XYs, _ = lines("observation", "")
	lowest, highest := lines("quantile", "")
	ends := []plot.Plotter{&plotter.Line{XYs: lowest, LineStyle: truthLine}, &plotter.Line{XYs: highest, LineStyle: truthLine}}
	band, middle := &plotter.Polygon{Color: functionBand}, &plotter.Line{LineStyle: meanLine}
	s := &sheet{width: full, height: 280, legend: []entry{
		{"observations", []plot.Thumbnailer{points}},
		{"prediction", []plot.Thumbnailer{middle}},
		{"90 % interval", []plot.Thumbnailer{band}},
		{"true 5 % and 95 % quantiles", []plot.Thumbnailer{&plotter.Line{LineStyle: truthLine}}},
	}}
	methods := t.values("method", map[string]string{"kind": "interval"})
	if len(methods) == 0 || len(points.XYs) == 0 {
		t.fail(0, "kind", fmt.Errorf("no line is an interval, or none an observation"))
	}
	var panels []*panel
	for _, method := range methods {
		low, high := lines("interval", method)
		mean, _ := lines("mean", method)
		shares, _ := lines("share", method)
		if len(shares) != 2 {
			t.fail(0, "kind", fmt.Errorf("%d lines are shares of %s, not 2", len(shares), method))
		}
		if t.err != nil {
			return s
		}
		slices.Reverse(high)
		title := fmt.Sprintf("%s: covers %.1f %% at small x, %.1f %% at large x", method, 100*shares[0].Y, 100*shares[1].Y)
		p := newPanel(title, "x", "y")
		p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(low, high...)}, Color: functionBand})
		p.Add(ends...)
		p.Add(&plotter.Line{XYs: mean, LineStyle: meanLine}, points)
		panels = append(panels, p)
	}
	for _, p := range panels {
		first := panels[0]
		first.Y.Min, first.Y.Max = min(first.Y.Min, p.Y.Min), max(first.Y.Max, p.Y.Max)
	}
	for _, p := range slices.Backward(panels) {
		p.Y.Min, p.Y.Max = panels[0].Y.Min, panels[0].Y.Max
		linear(&p.X)
		linear(&p.Y)
		p.X.Padding, p.Y.Padding = 0, 0
	}
	s.panels = [][]*panel{panels}
	return s
}
