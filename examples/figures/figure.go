// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// colours are of the first and of the second method of a setting.
var colours = []color.Color{color.RGBA{0x1f, 0x5f, 0xbf, 0xff}, color.RGBA{0xd0, 0x5a, 0x1e, 0xff}}

// figure returns the panels of all curves as PNG.
func figure(curves []*curve) ([]byte, error) {
	var panels [][]*plot.Plot
	for len(curves) > 0 {
		setting := curves[0].setting
		others := slices.IndexFunc(curves, func(c *curve) bool { return c.setting != setting })
		if others < 0 {
			others = len(curves)
		}
		var row []*plot.Plot
		for _, measure := range measures {
			p, err := panel(curves[:others], measure)
			if err != nil {
				return nil, err
			}
			row = append(row, p)
		}
		panels, curves = append(panels, row), curves[others:]
	}
	return render(panels)
}

// panel draws one measure of the curves of a setting.
func panel(curves []*curve, measure string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = curves[0].setting + ": " + measure
	if measure == rms {
		p.Title.Text += ", predicted dashed"
	}
	p.X.Label.Text = "columns"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	if measure != "correlation" {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		p.Legend.Top = true
	}
	p.Add(plotter.NewGrid())
	for i, c := range curves {
		line, marks, err := plotter.NewLinePoints(c.points[measure])
		if err != nil {
			return nil, err
		}
		colour := colours[i%len(colours)]
		line.Color, marks.Color, marks.Shape = colour, colour, draw.CircleGlyph{}
		p.Add(line, marks)
		p.Legend.Add(c.method, line, marks)
		if measure != rms {
			continue
		}
		expected, err := plotter.NewLine(c.points[predicted])
		if err != nil {
			return nil, err
		}
		expected.Color, expected.Dashes = colour, []vg.Length{vg.Points(4), vg.Points(3)}
		p.Add(expected)
	}
	if measure != "correlation" {
		// Whole decades, so that each panel has numbers on its axis.
		p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(p.Y.Min))), math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))
	}
	return p, nil
}

// render lays panels out in rows, with their axes in line.
func render(panels [][]*plot.Plot) ([]byte, error) {
	const width, height = 8 * vg.Centimeter, 7 * vg.Centimeter // of a panel
	img := vgimg.New(width*vg.Length(len(measures)), height*vg.Length(len(panels)))
	tiles := draw.Tiles{
		Rows: len(panels), Cols: len(measures),
		PadX: vg.Points(12), PadY: vg.Points(12),
		PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(12),
	}
	canvases := plot.Align(panels, tiles, draw.New(img))
	for r, row := range panels {
		for c, p := range row {
			p.Draw(canvases[r][c])
		}
	}
	var png bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: img}.WriteTo(&png)
	return png.Bytes(), err
}
