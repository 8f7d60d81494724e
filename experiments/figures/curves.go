// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// radius of the markers of curves.
const radius vg.Length = 2.8

// A look is that of the curve of a method, the same in all panels of a sheet.
type look struct {
	color color.RGBA
	shape draw.GlyphDrawer
}

// looks returns one for each method. The numbers of colors and of shapes have no common divisor,
// so 42 methods look different. Other libraries are black.
func looks(methods []string) map[string]look {
	of := map[string]look{}
	for i, m := range methods {
		of[m] = look{colors[i%len(colors)], shapes[i%len(shapes)]}
		if strings.Contains(m, "scikit-learn") {
			of[m] = look{black, shapes[i%len(shapes)]}
		}
	}
	return of
}

// line returns the line of a curve. There must be points.
func (l look) line(points plotter.XYs) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: l.color, Width: 1.2}}
}

// dashed returns a dashed line.
func (l look) dashed(points plotter.XYs) *plotter.Line {
	line := l.line(points)
	line.Dashes = []vg.Length{4, 3}
	return line
}

// glyphs returns the points of a curve.
func (l look) glyphs(points plotter.XYs) *plotter.Scatter {
	return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: l.color, Radius: radius, Shape: l.shape}}
}

// legend returns an entry for each method: a line with a point.
func legend(methods []string) []entry {
	of := looks(methods)
	var entries []entry
	for _, m := range methods {
		entries = append(entries, entry{m, []plot.Thumbnailer{of[m].line(nil), of[m].glyphs(nil)}})
	}
	return entries
}

// curve returns the points (x, y) of rows. All must be positive.
func (t *table) curve(rows []int, x, y string) plotter.XYs {
	var points plotter.XYs
	for _, row := range rows {
		points = append(points, plotter.XY{X: t.positive(row, x), Y: t.positive(row, y)})
	}
	return points
}

// with returns those of some rows that have a value in a column.
func (t *table) with(column string, rows []int) []int {
	return slices.DeleteFunc(slices.Clone(rows), func(row int) bool { return t.text(row, column) == "" })
}

// add adds what there is to draw of points to a panel.
func add(p *panel, points plotter.XYs, drawn ...plot.Plotter) {
	if len(points) > 0 {
		p.Add(drawn...)
	}
}
