// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// What experiments/learn writes.
var learnColumns = []string{"set", "unit", "method", "error", "standard error", "seconds"}

// pipelines draws the error of models against the seconds that they took, one panel for each data set.
func pipelines(t *table) *sheet {
	methods := t.values("method", nil)
	s := &sheet{width: full, height: 140}
	marks := func(i int) draw.GlyphStyle {
		return draw.GlyphStyle{Color: colors[i%len(colors)], Radius: 3.6, Shape: []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}[i%3]}
	}
	for i, m := range methods {
		s.legend = append(s.legend, entry{m, []plot.Thumbnailer{&plotter.Scatter{GlyphStyle: marks(i)}}})
	}
	var all []*panel
	for _, set := range t.values("set", nil) {
		rows := t.where(map[string]string{"set": set})
		p := newPanel(set+", "+t.text(rows[0], "unit"), "seconds of CPU time", "error")
		p.Add(fineGrid())
		for i, m := range methods {
			rows := t.where(map[string]string{"set": set, "method": m})
			points := t.curve(rows, "seconds", "error")
			if len(points) == 0 {
				continue
			}
			p.Add(&plotter.Scatter{XYs: points, GlyphStyle: marks(i)}, &bars{points, t.numbers(rows, "standard error"), look{color: colors[i%len(colors)]}})
			for k, row := range rows {
				p.Y.Max = max(p.Y.Max, points[k].Y+t.number(row, "standard error"))
			}
		}
		p.Y.Min = 0
		seconds := t.curve(t.where(nil), "seconds", "seconds") // of all panels, which can then be compared
		for _, v := range seconds {
			p.X.Min, p.X.Max = min(p.X.Min, v.X), max(p.X.Max, v.X)
		}
		logarithmic(&p.X, xTicks)
		linear(&p.Y)
		all = append(all, p)
	}
	const across = 4
	s.panels = slices.Collect(slices.Chunk(all, across))
	return s
}
