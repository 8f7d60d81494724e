// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// What experiments/fittime writes. Megabytes and error may be empty.
var fitColumns = []string{"method", "rows", "seconds", "megabytes", "error"}

// fittime draws seconds, memory and error of fits against the number of rows.
func fittime(t *table) *sheet {
	methods := t.values("method", nil)
	of := looks(methods)
	s := &sheet{width: full, legend: legend(methods), height: 230}
	most := slices.Max(t.numbers(t.where(nil), "rows"))
	first := "" // method with features, which is the one with the fewest
	var exact []string
	for i, m := range methods {
		switch last := slices.Max(t.numbers(t.where(map[string]string{"method": m}), "rows")); {
		case !strings.HasPrefix(m, "exact"):
			if first == "" {
				first = m
			}
			continue
		case last < most: // experiments/fittime has a limit
			s.legend[i].name += " (too slow above " + number(last) + " rows)"
		}
		exact = append(exact, m)
	}
	var row []*panel
	shaded := false
	for _, panel := range []struct{ column, title, unit string }{
		{"seconds", "time of a fit", "seconds"},
		{"megabytes", "memory of a fit", "megabytes"},
		{"error", "error on rows not fitted", "root mean square error"},
	} {
		given := func(rows []int) []int {
			if panel.column == "seconds" {
				return rows // none may be empty
			}
			return t.with(panel.column, rows)
		}
		if len(given(t.where(nil))) == 0 {
			continue
		}
		points := map[string]plotter.XYs{}
		for _, m := range methods {
			points[m] = t.curve(given(t.where(map[string]string{"method": m})), "rows", panel.column)
		}
		p := newPanel(panel.title, "number of rows n", panel.unit)
		if panel.column != "error" {
			var all plotter.XYs
			for _, m := range exact {
				all = append(all, points[m]...)
			}
			if from, ok := below(points[first], all); ok {
				p.Add(&shade{from})
				shaded = true
			}
		}
		p.Add(fineGrid())
		for _, m := range methods {
			add(p, points[m], of[m].line(points[m]), of[m].glyphs(points[m]))
		}
		logarithmic(&p.X, xTicks)
		logarithmic(&p.Y, yTicks)
		row = append(row, p)
	}
	if shaded {
		s.legend = append(s.legend, entry{first + " take less than exact fits", []plot.Thumbnailer{&shade{}}})
	}
	s.panels = [][]*panel{row}
	return s
}

// below returns from which x on a curve is below the least of other points: where it crosses their line, if axes are logarithmic.
func below(curve, others plotter.XYs) (from float64, ok bool) {
	lastX, lastD := 0.0, 0.0 // of the place before: D is the logarithm of curve over others
	for _, at := range curve {
		least := math.Inf(1)
		for _, other := range others {
			if other.X == at.X {
				least = min(least, other.Y)
			}
		}
		if math.IsInf(least, 1) {
			continue
		}
		d := math.Log(at.Y / least)
		switch {
		case d >= 0:
			ok = false
		case !ok && lastX == 0:
			from, ok = at.X, true
		case !ok:
			from, ok = lastX*math.Pow(at.X/lastX, lastD/(lastD-d)), true
		}
		lastX, lastD = at.X, d
	}
	return from, ok
}

// A shade colors a panel from some x on.
type shade struct{ from float64 }

var shadeColor = color.RGBA{232, 244, 238, 255}

// Plot fills the part of the panel.
func (s *shade) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	left := x(s.from)
	c.FillPolygon(shadeColor, []vg.Point{{X: left, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: left, Y: c.Max.Y}})
}

// Thumbnail fills the place of an entry of the legend.
func (s *shade) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(shadeColor, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}
