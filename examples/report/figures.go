// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A figure is a picture with what stands below it.
type figure struct {
	SVG     template.HTML
	Caption string
	Legend  []entry
}

// An entry of a legend is a color and its name.
type entry struct {
	Color template.CSS
	Name  string
}

// Colors that people of all kinds of color vision can tell apart (Okabe and Ito).
var (
	blue   = color.RGBA{0, 114, 178, 255}
	red    = color.RGBA{213, 94, 0, 255}
	dark   = color.RGBA{158, 202, 225, 255} // band of a function
	light  = color.RGBA{226, 238, 248, 255} // band of an observation
	edge   = color.RGBA{130, 160, 190, 255} // of the band of an observation
	gray   = color.RGBA{150, 150, 150, 255}
	colors = []color.RGBA{blue, red, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}}
)

const (
	figureWidth  vg.Length = 360 // about the points of a phone's screen, so that letters are of their size there
	figureHeight vg.Length = 250
	letters      vg.Length = 12
	mostDots               = 1000 // in a figure
	longestLabel           = 18   // runes
)

// newPlot returns an empty plot with names of its axes.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = shorten(x, 40), shorten(y, 30)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = plain.Font, plain.Font
		a.Tick.Length, a.Label.Padding = 4, 3
		a.Tick.Marker = plot.TickerFunc(ticks)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
	p.Add(grid)
	return p
}

// plain is the style of all letters.
var plain = func() text.Style {
	style := plot.New().X.Tick.Label
	style.Font.Variant, style.Font.Size = "Sans", letters
	return style
}()

var (
	written = regexp.MustCompile(`(<text [^>]*)>([^<]*)</text>`)
	opening = regexp.MustCompile(`(?s)^.*?<svg width="[^"]*" height="[^"]*"`)
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
)

// figureOf draws a plot as an SVG that is as wide as what it stands in.
func figureOf(p *plot.Plot, height vg.Length, caption string) (figure, error) {
	canvas := vgsvg.New(figureWidth, height)
	p.Draw(draw.Crop(draw.New(canvas), 2, -10, 2, -6))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return figure{}, err
	}
	svg := comment.ReplaceAll(b.Bytes(), nil)
	svg = opening.ReplaceAll(svg, []byte(`<svg role="img" aria-label="`+html.EscapeString(caption)+`"`))
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arimo,Helvetica,Arial,sans-serif;"))
	svg = written.ReplaceAllFunc(svg, fit)
	return figure{SVG: template.HTML(svg), Caption: caption}, nil
}

// fit gives the letters of a text the width that the plot has for them, whatever the fonts of the browser.
func fit(element []byte) []byte {
	m := written.FindSubmatch(element)
	width := plain.Width(html.UnescapeString(string(m[2])))
	return fmt.Appendf(nil, `%s textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1], width, m[2])
}

// ticks returns three to six ticks with labels that differ, or one if nothing is between low and high.
func ticks(low, high float64) (all []plot.Tick) {
	largest := max(math.Abs(low), math.Abs(high))
	if !(high-low > 1e-14*largest) {
		return []plot.Tick{{Value: low, Label: number(low)}}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/3)))
	for _, m := range []float64{2, 2.5, 2} { // 2, 5 and 10 times the power of ten
		if (high-low)/step > 6 {
			step *= m
		}
	}
	digits := max(6, 1+int(math.Ceil(math.Log10(largest/step))))
	for i := math.Ceil(low / step); i*step <= high; i++ {
		all = append(all, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step+0, 'g', digits, 64)})
	}
	return all
}

// dateTicks returns ticks of days since 1970, at beginnings of years or months, or else at days.
func dateTicks(low, high float64) (all []plot.Tick) {
	const most = 5
	at := func(days float64) time.Time { return time.Unix(int64(days*86400), 0).UTC() }
	from, to := at(low), at(high)
	months := (to.Year()-from.Year())*12 + int(to.Month()-from.Month())
	if months < 2 {
		for _, t := range ticks(low, high) {
			all = append(all, plot.Tick{Value: t.Value, Label: at(t.Value).Format("Jan 2")})
		}
		return all
	}
	steps := []int{1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200}
	i := slices.IndexFunc(steps, func(step int) bool { return months/step < most })
	if i < 0 {
		return ticks(low, high)
	}
	step, layout := steps[i], "2006-01"
	if step >= 12 {
		layout = "2006"
	}
	first := from.Year()*12 + int(from.Month()) - 1
	for m := (first + step - 1) / step * step; ; m += step {
		day := time.Date(m/12, time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC)
		if value := float64(day.Unix()) / 86400; value > high {
			return all
		} else if value >= low {
			all = append(all, plot.Tick{Value: value, Label: day.Format(layout)})
		}
	}
}

// nominal has ticks with names at 0, 1, … on an axis.
func nominal(a *plot.Axis, names []string) {
	var all plot.ConstantTicks
	for i, name := range names {
		all = append(all, plot.Tick{Value: float64(i), Label: shorten(name, longestLabel)})
	}
	a.Tick.Marker, a.Tick.Length, a.Tick.Color = all, 4, color.Transparent
	a.Min, a.Max = -0.6, float64(len(names))-0.4
}

// dots returns small dots.
func dots(points plotter.XYs, c color.Color) *plotter.Scatter {
	return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: c, Radius: 1.8, Shape: draw.BoxGlyph{}}}
}

// room moves the ends of an axis away from what is drawn.
func room(a *plot.Axis) {
	width := a.Max - a.Min
	a.Min, a.Max = a.Min-width/25, a.Max+width/25
}

// lineOf returns a line.
func lineOf(points plotter.XYs, c color.Color, width vg.Length, dashes ...vg.Length) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c, Width: width, Dashes: dashes}}
}

// band returns the area between two lines.
func band(x, lo, hi []float64, c color.Color) *plotter.Polygon {
	var around plotter.XYs
	for i := range x {
		around = append(around, plotter.XY{X: x[i], Y: lo[i]})
	}
	for i := len(x) - 1; i >= 0; i-- {
		around = append(around, plotter.XY{X: x[i], Y: hi[i]})
	}
	return &plotter.Polygon{XYs: []plotter.XYs{around}, Color: c}
}

// shorten returns a text with at most so many runes, of its beginning and its end.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	end := most / 3
	return string(r[:most-1-end]) + "…" + string(r[len(r)-end:])
}

// css returns a color as CSS has it.
func css(c color.RGBA) template.CSS { return template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)) }
