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

// What experiments/sixways writes.
var boundaryColumns = []string{"kind", "method", "x1", "x2", "value"}

// boundaries draws for each method the regions of the two classes, their boundary and the points.
func boundaries(t *table) *sheet {
	classes := [2]*plotter.Scatter{t.class(-1), t.class(1)}
	s := &sheet{width: 450}
	for i, c := range classes {
		s.legend = append(s.legend, entry{fmt.Sprintf("%d points of class %s", len(c.XYs), []string{"−1", "+1"}[i]), []plot.Thumbnailer{c}})
	}
	line := &plotter.Line{LineStyle: boundary}
	s.legend = append(s.legend, entry{"decision boundary", []plot.Thumbnailer{line}})
	methods := t.values("method", map[string]string{"kind": "field"})
	if len(methods) == 0 {
		t.fail(0, "kind", fmt.Errorf("no line is a field"))
	}
	across := int(math.Ceil(math.Sqrt(float64(len(methods)))))
	s.height = 0.9 * s.width / vg.Length(across)
	for some := range slices.Chunk(methods, max(across, 1)) {
		var row []*panel
		for _, m := range some {
			row = append(row, t.decision(m, classes))
		}
		s.panels = append(s.panels, row)
	}
	return s
}

var (
	boundary = draw.LineStyle{Color: black, Width: 1.2}
	tints    = [2]color.RGBA{{205, 226, 241, 255}, {250, 236, 205, 255}} // of the classes −1 and 1
)

// class returns the points of one class.
func (t *table) class(of float64) *plotter.Scatter {
	s := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: blue, Radius: 1.5, Shape: draw.CircleGlyph{}}}
	if of > 0 {
		s.Color, s.Shape = red, draw.PlusGlyph{}
	}
	for _, row := range t.where(map[string]string{"kind": "point"}) {
		switch t.number(row, "value") {
		case of:
			s.XYs = append(s.XYs, plotter.XY{X: t.number(row, "x1"), Y: t.number(row, "x2")})
		case -of:
		default:
			t.fail(row, "value", fmt.Errorf("%s: a point is of class -1 or 1", t.text(row, "value")))
		}
	}
	return s
}

// decision draws the decision values of a method.
func (t *table) decision(method string, classes [2]*plotter.Scatter) *panel {
	p := newPanel(method, "x₁", "x₂")
	g := t.field(t.where(map[string]string{"kind": "field", "method": method}))
	if t.err != nil {
		return p
	}
	tint := g.picture(func(v float64) color.Color {
		if v < 0 {
			return tints[0]
		}
		return tints[1]
	})
	p.Add(tint, &plotter.Contour{GridXYZ: g, Levels: []float64{0}, LineStyles: []draw.LineStyle{boundary}, Min: -1, Max: 1})
	for _, c := range classes {
		if len(c.XYs) > 0 {
			p.Add(c)
		}
	}
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

// field returns the grid of some rows, which must have every place of it once.
func (t *table) field(rows []int) *grid {
	x, y := t.numbers(rows, "x1"), t.numbers(rows, "x2")
	g := newGrid(distinct(x), distinct(y))
	for i, row := range rows {
		c, _ := slices.BinarySearch(g.x, x[i])
		r, _ := slices.BinarySearch(g.y, y[i])
		if t.err != nil {
			return nil
		}
		*g.at(c, r) = t.number(row, "value")
	}
	if len(g.x) < 2 || len(g.y) < 2 || len(rows) != len(g.values) || slices.ContainsFunc(g.values, math.IsNaN) {
		t.fail(rows[0], "x1", fmt.Errorf("the %d places of %q are no full grid", len(rows), t.text(rows[0], "method")))
	}
	return g
}

// distinct returns the different values in increasing order.
func distinct(v []float64) []float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return slices.Compact(v)
}
