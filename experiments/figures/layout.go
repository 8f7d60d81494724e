// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// between is the space between panels.
const between vg.Length = 8

// Margins are what is around the data of a panel: its axes, their names, its title.
type margins struct{ left, right, bottom, top vg.Length }

// margins returns those of a panel on a canvas: of the axes alone, and of all.
func (p *panel) margins(c draw.Canvas) (axes, all margins) {
	d := p.DataCanvas(c)
	axes = margins{d.Min.X - c.Min.X, c.Max.X - d.Max.X, d.Min.Y - c.Min.Y, c.Max.Y - d.Max.Y}
	all = axes
	if p.title != "" {
		all.top = max(axes.top, plain.Height(p.title)+margin)
	}
	if p.x != "" {
		all.bottom += plain.Height(p.x)
	}
	if p.y != "" {
		all.left += plain.Height(p.y) + margin
	}
	return axes, all
}

// widen makes each margin at least another one.
func (m *margins) widen(by margins) {
	m.left, m.right = max(m.left, by.left), max(m.right, by.right)
	m.bottom, m.top = max(m.bottom, by.bottom), max(m.top, by.top)
}

// nameOnce takes the name of an axis from a panel where the panel below or on the left has it, too.
func (s *sheet) nameOnce() {
	for i, row := range s.panels {
		for j := len(row) - 1; j >= 0; j-- {
			if j > 0 && row[j].y == row[j-1].y {
				row[j].y = ""
			}
			if below := i + 1; below < len(s.panels) && j < len(s.panels[below]) && row[j].x == s.panels[below][j].x {
				row[j].x = ""
			}
		}
	}
}

// drawPanels draws the panels so that their data are in line and of one size.
func (s *sheet) drawPanels(c draw.Canvas) {
	s.nameOnce()
	columns, rows := len(s.panels[0]), len(s.panels)
	tile := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Max: vg.Point{X: c.Size().X / vg.Length(columns), Y: s.height}}}
	ofColumn, ofRow := make([]margins, columns), make([]margins, rows)
	for i, row := range s.panels {
		for j, p := range row {
			_, m := p.margins(tile)
			ofColumn[j].widen(m)
			ofRow[i].widen(m)
		}
	}
	w, h := c.Size().X-between*vg.Length(columns-1), c.Size().Y-between*vg.Length(rows-1)
	for _, m := range ofColumn {
		w -= m.left + m.right
	}
	for _, m := range ofRow {
		h -= m.bottom + m.top
	}
	size := vg.Point{X: w / vg.Length(columns), Y: h / vg.Length(rows)}
	top := c.Max.Y
	for i, row := range s.panels {
		top -= ofRow[i].top
		left := c.Min.X
		for j, p := range row {
			left += ofColumn[j].left
			corner := vg.Point{X: left, Y: top - size.Y}
			p.drawAround(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: corner, Max: corner.Add(size)}})
			left += size.X + ofColumn[j].right + between
		}
		top -= size.Y + ofRow[i].bottom + between
	}
}

// drawAround draws a panel whose data fill a canvas.
func (p *panel) drawAround(data draw.Canvas) {
	axes, all := p.margins(data)
	p.Draw(draw.Crop(data, -axes.left, axes.right, -axes.bottom, axes.top))
	style := plain
	style.XAlign, style.YAlign = text.XCenter, text.YBottom
	data.FillText(style, vg.Point{X: data.Center().X, Y: data.Max.Y + margin}, p.title)
	data.FillText(style, vg.Point{X: data.Center().X, Y: data.Min.Y - all.bottom}, p.x)
	style.Rotation, style.YAlign = math.Pi/2, text.YTop
	data.FillText(style, vg.Point{X: data.Min.X - all.left, Y: data.Center().Y}, p.y)
}
