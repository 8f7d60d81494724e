// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A legend stands in lines above the panels, so that it covers nothing: gonum's own stands in one
// of them.

const (
	thumbnail vg.Length = 18 // width of what an entry names
	gap       vg.Length = 4  // between that and its name
	apart     vg.Length = 11 // between entries
	lineSpace vg.Length = 14 // height of a line
)

// legendLines returns the entries of each line: as many as fit.
func (s *sheet) legendLines() [][]entry {
	var lines [][]entry
	room := vg.Length(0)
	for _, e := range s.legend {
		w := thumbnail + gap + plain.Width(e.name) + apart
		if room < w {
			lines, room = append(lines, nil), s.width-2*margin+apart
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], e)
		room -= w
	}
	return lines
}

// legendHeight returns the height of the legend, with space below it.
func (s *sheet) legendHeight() vg.Length {
	if len(s.legend) == 0 {
		return 0
	}
	return vg.Length(len(s.legendLines()))*lineSpace + margin
}

// drawLegend draws the legend at the top of a canvas.
func (s *sheet) drawLegend(c draw.Canvas) {
	style := plain
	style.YAlign = draw.YCenter
	for i, line := range s.legendLines() {
		x, y := c.Min.X, c.Max.Y-(vg.Length(i)+0.5)*lineSpace
		for _, e := range line {
			icon := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y - lineSpace/3}, Max: vg.Point{X: x + thumbnail, Y: y + lineSpace/3},
			}}
			for _, m := range e.marks {
				m.Thumbnail(&icon)
			}
			c.FillText(style, vg.Point{X: x + thumbnail + gap, Y: y}, e.name)
			x += thumbnail + gap + plain.Width(e.name) + apart
		}
	}
}
