// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// What examples/errorbars writes.
var errorbarColumns = []string{"kind", "number", "x", "value", "standard deviation"}

var (
	functionBand    = color.RGBA{158, 202, 225, 255}
	observationBand = color.RGBA{222, 235, 247, 255}
	thinGrey        = draw.LineStyle{Color: color.RGBA{120, 120, 120, 255}, Width: 0.6}
	meanLine        = draw.LineStyle{Color: blue, Width: 1.8}
	truthLine       = draw.LineStyle{Color: black, Width: 1.2, Dashes: []vg.Length{4, 3}}
)

// errorbars draws a prediction with its error bars, and samples from the posterior, on a panel each.
func errorbars(t *table) *sheet {
	points := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: red, Radius: 2.2, Shape: draw.CircleGlyph{}}}
	var noise float64
	for _, row := range t.where(map[string]string{"kind": "observation"}) {
		points.XYs = append(points.XYs, plotter.XY{X: t.number(row, "x"), Y: t.number(row, "value")})
		noise = t.positive(row, "standard deviation")
	}
	mean := t.where(map[string]string{"kind": "mean"})
	if len(mean) == 0 || len(points.XYs) == 0 {
		t.fail(0, "kind", fmt.Errorf("no line is a mean, or none an observation"))
	}
	band := func(variance float64, c color.Color) *plotter.Polygon {
		var low, high plotter.XYs
		for _, row := range mean {
			x, y, deviation := t.number(row, "x"), t.number(row, "value"), t.number(row, "standard deviation")
			d := 2 * math.Sqrt(deviation*deviation+variance)
			low, high = append(low, plotter.XY{X: x, Y: y - d}), append(high, plotter.XY{X: x, Y: y + d})
		}
		slices.Reverse(high)
		return &plotter.Polygon{XYs: []plotter.XYs{append(low, high...)}, Color: c}
	}
	line := func(rows []int, style draw.LineStyle) *plotter.Line {
		l := &plotter.Line{LineStyle: style}
		for _, row := range rows {
			l.XYs = append(l.XYs, plotter.XY{X: t.number(row, "x"), Y: t.number(row, "value")})
		}
		return l
	}
	wide, narrow := band(noise*noise, observationBand), band(0, functionBand)
	truth, middle := line(t.where(map[string]string{"kind": "function"}), truthLine), line(mean, meanLine)
	s := &sheet{width: full, height: 250, legend: []entry{
		{"observations", []plot.Thumbnailer{points}},
		{"true function", []plot.Thumbnailer{truth}},
		{"mean ± 2 standard deviations of the function", []plot.Thumbnailer{narrow, middle}},
		{"± 2 standard deviations of a new observation", []plot.Thumbnailer{wide}},
	}}
	if t.err != nil {
		return s
	}
	left, right := newPanel("prediction with error bars", "x", "y"), newPanel("samples from the posterior", "x", "y")
	left.Add(wide, narrow, truth, middle, points)
	right.Add(narrow)
	for _, k := range t.values("number", map[string]string{"kind": "sample"}) {
		right.Add(line(t.where(map[string]string{"kind": "sample", "number": k}), thinGrey))
	}
	right.Add(truth, points)
	right.Y.Min, right.Y.Max = min(left.Y.Min, right.Y.Min), max(left.Y.Max, right.Y.Max)
	left.Y.Min, left.Y.Max = right.Y.Min, right.Y.Max
	for _, p := range []*panel{left, right} {
		linear(&p.X)
		linear(&p.Y)
		p.X.Padding, p.Y.Padding = 0, 0
	}
	s.panels = [][]*panel{{left, right}}
	return s
}
