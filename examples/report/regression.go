// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/seed-0f95ebc1/featuremap/table"
)

// observed draws the targets of a regression against its predictions, with their intervals.
func (s *study) observed() (figure, error) {
	p := newPlot("predicted "+s.target, "observed "+s.target)
	low, high := math.Inf(1), math.Inf(-1)
	var inside, outside plotter.XYs
	for _, i := range spread(len(s.y), mostDots) {
		x, y := s.mean[i], s.y[i]
		low, high = min(low, x, y), max(high, x, y)
		if s.lo == nil {
			inside = append(inside, plotter.XY{X: x, Y: y})
			continue
		}
		if finite(s.lo[i]) && finite(s.hi[i]) {
			low, high = min(low, s.lo[i]), max(high, s.hi[i])
			p.Add(lineOf(plotter.XYs{{X: x, Y: s.lo[i]}, {X: x, Y: s.hi[i]}}, dark, 1))
		}
		if s.lo[i] <= y && y <= s.hi[i] {
			inside = append(inside, plotter.XY{X: x, Y: y})
		} else {
			outside = append(outside, plotter.XY{X: x, Y: y})
		}
	}
	p.Add(lineOf(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}}, gray, 1, 4, 3), dots(inside, blue), dots(outside, red))
	room(&p.X)
	room(&p.Y)
	f, err := figureOf(p, figureHeight, "Observed against predicted. On the dashed line both are equal.")
	if s.lo != nil {
		f.Legend = []entry{{css(dark), "90 % prediction interval"}, {css(blue), "row inside its interval"}, {css(red), "row outside"}}
	}
	return f, err
}

// finite tells whether v is a number.
func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// residuals draws the errors of a regression along a column: dots along numbers and dates, boxes for the values of a category. It returns nil
// if the column has one value.
func (s *study) residuals(c *column) (*figure, error) {
	p := newPlot(c.Name, "observed − predicted")
	if c.Kind == table.Category {
		if err := s.boxes(p, c); err != nil {
			return nil, err
		}
	} else {
		var points plotter.XYs
		order := s.sorted(c)
		for _, k := range spread(len(order), mostDots) {
			i := order[k]
			points = append(points, plotter.XY{X: s.x.At(i, c.from), Y: s.y[i] - s.mean[i]})
		}
		if len(points) == 0 || points[0].X == points[len(points)-1].X {
			return nil, nil
		}
		if c.Kind == table.Date {
			p.X.Tick.Marker = plot.TickerFunc(dateTicks)
		}
		p.Add(dots(points, blue))
		room(&p.X)
	}
	room(&p.Y)
	p.Add(lineOf(plotter.XYs{{X: p.X.Min}, {X: p.X.Max}}, gray, 1, 4, 3))
	f, err := figureOf(p, figureHeight+turned(p), "Residuals against "+c.Name)
	return &f, err
}

// boxes draws the errors for each of the most frequent values of a category.
func (s *study) boxes(p *plot.Plot, c *column) error {
	values := s.values(c)
	values = values[:min(len(values), mostValues)]
	errors := make([]plotter.Values, len(values))
	for i, r := range s.records {
		if k := slices.Index(values, r[c.field]); k >= 0 {
			errors[k] = append(errors[k], s.y[i]-s.mean[i])
		}
	}
	for k, v := range errors {
		b, err := plotter.NewBoxPlot(vg.Length(200/(len(values)+2)), float64(k), v)
		if err != nil {
			return err
		}
		b.FillColor, b.GlyphStyle.Radius, b.GlyphStyle.Color = light, 1.8, blue
		b.BoxStyle.Color, b.MedianStyle.Color, b.WhiskerStyle.Color = blue, blue, blue
		p.Add(b)
	}
	nominal(&p.X, values)
	return nil
}

// turned turns the names of values on the x axis if they have no room side by side, and returns the height that they take then.
func turned(p *plot.Plot) vg.Length {
	names, ok := p.X.Tick.Marker.(plot.ConstantTicks)
	runes := 0
	for _, name := range names {
		runes += len([]rune(name.Label)) + 2
	}
	if !ok || runes <= 44 {
		return 0
	}
	p.X.Tick.Label.Rotation = math.Pi / 2
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
	return 80
}

// draw draws the curve of a regression, with values from low to high, or of the probabilities of some classes.
func (v *curve) draw(s *study, low, high float64, classes []int) (figure, error) {
	label := "predicted " + s.target
	if v.p != nil {
		label = "probability"
	}
	p := newPlot(v.column.Name, label)
	x := v.x
	if v.names != nil {
		for k := range v.names {
			x = append(x, float64(k))
		}
	}
	if v.p != nil {
		for k, c := range classes {
			values := make([]float64, len(x))
			for i := range x {
				values[i] = v.p.At(i, c)
			}
			p.Add(v.lines(x, values, k)...)
		}
	} else {
		p.Add(v.bands(x)...)
		p.Add(v.lines(x, v.mean, 0)...)
	}
	if v.names != nil {
		nominal(&p.X, v.names)
	}
	if v.column.Kind == table.Date {
		p.X.Tick.Marker = plot.TickerFunc(dateTicks)
	}
	p.Y.Min, p.Y.Max = low, high
	return figureOf(p, figureHeight+turned(p), "Prediction along "+v.column.Name)
}

// lines returns a line in the color of number k, or dots for a category.
func (v *curve) lines(x, y []float64, k int) []plot.Plotter {
	points := pointsOf(x, y)
	if v.names == nil {
		return []plot.Plotter{lineOf(points, colors[k], 1.8)}
	}
	d := dots(points, colors[k])
	d.Radius = 2.5
	return []plot.Plotter{d}
}

// pointsOf returns points of these coordinates.
func pointsOf(x, y []float64) plotter.XYs {
	points := make(plotter.XYs, len(x))
	for i := range x {
		points[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return points
}

// bands returns the bands of an observation and of the function, or bars for a category.
func (v *curve) bands(x []float64) (all []plot.Plotter) {
	if v.sd == nil {
		return nil
	}
	lo, hi := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		lo[i], hi[i] = v.mean[i]-z90*v.sd[i], v.mean[i]+z90*v.sd[i]
	}
	if v.names == nil {
		all = append(all, band(x, v.lo, v.hi, light), band(x, lo, hi, dark))
		for _, ends := range [][]float64{v.lo, v.hi} { // visible where the band of the function is wider
			all = append(all, lineOf(pointsOf(x, ends), edge, 0.6))
		}
		return all
	}
	for i := range x {
		all = append(all,
			lineOf(plotter.XYs{{X: x[i], Y: v.lo[i]}, {X: x[i], Y: v.hi[i]}}, light, 14),
			lineOf(plotter.XYs{{X: x[i], Y: lo[i]}, {X: x[i], Y: hi[i]}}, dark, 14))
	}
	return all
}

// z90 is the number of standard deviations on either side of the mean that a normal variable is within in 90 of 100 cases.
const z90 = 1.645

// limits returns the least and largest value that curves of a regression show, with some room.
func limits(all []*curve) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range all {
		low, high = min(low, slices.Min(v.mean)), max(high, slices.Max(v.mean))
		for i := range v.sd {
			if finite(v.lo[i]) && finite(v.hi[i]) {
				low, high = min(low, v.lo[i]), max(high, v.hi[i])
			}
		}
	}
	return low - (high-low)/20, high + (high-low)/20
}
