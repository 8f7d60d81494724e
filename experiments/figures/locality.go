// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// What experiments/locality writes.
var localityColumns = []string{"kernel", "row", "column", "other row", "other column", "correlation"}

const pixels = 24 // of an image, each way

// locality draws maps of correlations: a kernel in each row, a pixel in each column. Colors are of
// the square roots, or correlations above the first layer could hardly be told from 0.
func locality(t *table) *sheet {
	most := 0.0
	for row := range t.rows {
		most = max(most, t.positiveRoot(row))
	}
	colors, err := lightness(most)
	if err != nil {
		t.fail(0, "correlation", err)
		return nil
	}
	s := &sheet{width: full, height: 122, scale: colorBar(colors)}
	for _, kernel := range t.values("kernel", nil) {
		var row []*panel
		for _, r := range t.values("row", nil) {
			for _, c := range t.values("column", map[string]string{"row": r}) {
				p := t.pixelMap(t.where(map[string]string{"kernel": kernel, "row": r, "column": c}), colors)
				p.y = kernel + "\n\nrow (pixels)"
				if len(s.panels) == 0 {
					p.title = fmt.Sprintf("pixel (%s, %s)", r, c)
				}
				row = append(row, p)
			}
		}
		s.panels = append(s.panels, row)
	}
	return s
}

// positiveRoot returns the square root of a correlation, or 0 of a negative one.
func (t *table) positiveRoot(row int) float64 {
	return math.Sqrt(max(t.number(row, "correlation"), 0))
}

// lightness returns colors for values from 0 to most that get lighter evenly, those of Smith and
// van der Walt's viridis, so that they are in order for every kind of color vision.
func lightness(most float64) (palette.ColorMap, error) {
	if most <= 0 {
		return nil, fmt.Errorf("none is positive")
	}
	m, err := moreland.NewLuminance([]color.Color{
		color.RGBA{68, 1, 84, 255}, color.RGBA{59, 82, 139, 255}, color.RGBA{33, 145, 140, 255}, color.RGBA{94, 201, 98, 255}, color.RGBA{253, 231, 37, 255},
	})
	if err == nil {
		m.SetMax(most)
	}
	return m, err
}

// colorBar returns the scale of the colors. Its ticks are at roots, and their labels are correlations.
func colorBar(of palette.ColorMap) *panel {
	p := newPanel("", "", "correlation")
	p.HideX()
	var ticks []plot.Tick
	for _, v := range []float64{0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1} {
		if v <= of.Max()*of.Max() {
			ticks = append(ticks, plot.Tick{Value: math.Sqrt(v), Label: fmt.Sprint(v)})
		}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Add(&plotter.ColorBar{ColorMap: of, Vertical: true, Colors: 64})
	return p
}

// pixelMap draws the correlations of one pixel, which a cross marks. Row 0 is at the top.
func (t *table) pixelMap(rows []int, colors palette.ColorMap) *panel {
	p := newPanel("", "column (pixels)", "")
	g := newGrid(counted(pixels), counted(pixels))
	for _, row := range rows {
		i, j := t.whole(row, "other row", pixels), t.whole(row, "other column", pixels)
		if t.err == nil {
			*g.at(j, pixels-1-i) = t.positiveRoot(row)
		}
	}
	p.Add(g.picture(func(v float64) color.Color {
		c, err := colors.At(v)
		if err != nil {
			return color.White // NaN
		}
		return c
	}))
	if len(rows) > 0 {
		r, c := t.whole(rows[0], "row", pixels), t.whole(rows[0], "column", pixels)
		mark := &plotter.Scatter{XYs: plotter.XYs{{X: float64(c), Y: float64(pixels - 1 - r)}}}
		mark.GlyphStyle = draw.GlyphStyle{Color: red, Radius: 2.5, Shape: draw.CrossGlyph{}}
		p.Add(mark)
	}
	var across, down []plot.Tick
	for _, v := range []int{0, 8, 16, 23} {
		across = append(across, plot.Tick{Value: float64(v), Label: fmt.Sprint(v)})
		down = append(down, plot.Tick{Value: float64(pixels - 1 - v), Label: fmt.Sprint(v)})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(across), plot.ConstantTicks(down)
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}
