// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// What experiments/designs writes.
var designs = []string{"set", "method", "features", "predicted RMSE", "measured RMSE", "standard error", "microseconds a row"}

// planned is a method that takes one of the others, or something like it, or a map of another kind.
const planned = "NewPlan's choice"

// speed draws error against time.
func speed(t *table) *sheet {
	methods := t.drawnMethods()
	s := &sheet{width: full, legend: legend(methods), height: 270}
	s.panels = t.sets(methods, "time of a row (microseconds)", func(p *panel, rows []int, l look) {
		points := unbeaten(t.curve(rows, "microseconds a row", "measured RMSE"))
		add(p, points, l.line(points), l.glyphs(points))
	})
	return s
}

// unbeaten returns the points, by ascending x, than which no other has a smaller y at no larger x: a line through them never runs
// backwards, also where more features take less time.
func unbeaten(points plotter.XYs) (best plotter.XYs) {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b plotter.XY) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	for _, p := range sorted {
		if len(best) == 0 || p.Y < best[len(best)-1].Y {
			best = append(best, p)
		}
	}
	return best
}

// predictions draws measured and predicted errors against the number of features.
func predictions(t *table) *sheet {
	// The features of RBFSampler are single cosines.
	methods := slices.DeleteFunc(t.drawnMethods(), func(m string) bool { return strings.Contains(m, "scikit-learn") })
	s := &sheet{width: full, legend: legend(methods), height: 270}
	guide := look{gray, draw.RingGlyph{}}
	s.legend = append(s.legend, entry{"line: predicted", []plot.Thumbnailer{guide.line(nil)}}, entry{"marker: measured", []plot.Thumbnailer{guide.glyphs(nil)}},
		entry{"slope −1/2", []plot.Thumbnailer{guide.dashed(nil)}})
	s.panels = t.sets(methods, "number of features D", func(p *panel, rows []int, l look) {
		predicted, measured := t.curve(t.with("predicted RMSE", rows), "features", "predicted RMSE"), t.curve(rows, "features", "measured RMSE")
		add(p, predicted, l.line(predicted))
		add(p, measured, l.glyphs(measured), &bars{measured, t.numbers(rows, "standard error"), l})
	})
	for _, p := range s.panels[0] {
		p.Add(guide.dashed(halfPower(p)))
	}
	return s
}

// drawnMethods returns the methods that have rows to draw in a set.
func (t *table) drawnMethods() []string {
	return slices.DeleteFunc(t.values("method", nil), func(m string) bool {
		return !slices.ContainsFunc(t.values("set", nil), func(set string) bool { return len(t.drawnRows(set, m)) > 0 })
	})
}

// drawnRows returns the rows of a method in a set. NewPlan's choice has none where its predicted error is nearly one of another method,
// whatever the number of features: it would cover that.
func (t *table) drawnRows(set, method string) []int {
	rows := t.where(map[string]string{"set": set, "method": method})
	if method != planned {
		return rows
	}
	for _, row := range rows {
		chosen := t.positive(row, "predicted RMSE")
		if !slices.ContainsFunc(t.where(map[string]string{"set": set, "features": t.text(row, "features")}), func(other int) bool {
			return t.text(other, "method") != planned && t.text(other, "predicted RMSE") != "" && math.Abs(t.positive(other, "predicted RMSE")/chosen-1) < 0.05
		}) {
			return rows
		}
	}
	return nil
}

// sets returns a row of panels of the root mean square error, one for each data set, into which
// curve draws each method.
func (t *table) sets(methods []string, x string, curve func(p *panel, rows []int, l look)) [][]*panel {
	var row []*panel
	of := looks(methods)
	for _, set := range t.values("set", nil) {
		p := newPanel(strings.Replace(set, "smooth", "smooth kernel", 1), x, "root mean square error (RMSE)")
		p.Add(fineGrid())
		for _, m := range methods {
			curve(p, t.drawnRows(set, m), of[m])
		}
		logarithmic(&p.X, xTicks)
		logarithmic(&p.Y, yTicks)
		row = append(row, p)
	}
	return [][]*panel{row}
}

// halfPower returns the ends of a line of slope −1/2 from corner to corner, or as near as it gets,
// through the middle of a panel whose axes are logarithmic.
func halfPower(p *panel) plotter.XYs {
	x, y := math.Sqrt(p.X.Min*p.X.Max), math.Sqrt(p.Y.Min*p.Y.Max)
	reach := min(math.Sqrt(p.X.Max/p.X.Min), p.Y.Max/p.Y.Min)
	return plotter.XYs{{X: x / reach, Y: y * math.Sqrt(reach)}, {X: x * reach, Y: y / math.Sqrt(reach)}}
}

// bars are standard errors of points, up and down. One that reaches 0 ends at the edge of the panel,
// where the logarithm is that of the axis's least number.
type bars struct {
	points plotter.XYs
	errors []float64
	look
}

// Plot draws the bars.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, at := range b.points {
		low, high := max(at.Y-b.errors[i], p.Y.Min), at.Y+b.errors[i]
		if y(high)-y(at.Y) < radius {
			continue // the marker covers it
		}
		bar := []vg.Point{{X: x(at.X), Y: y(low)}, {X: x(at.X), Y: y(high)}}
		c.StrokeLines(draw.LineStyle{Color: b.color, Width: 0.8}, c.ClipLinesY(bar)...)
	}
}
