// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// What experiments/trees writes, and more that is not drawn.
var comparisonColumns = []string{"set", "method", "unit", "error", "z"}

// The axis of a comparison ends at these ratios. Dots beyond are drawn at its ends.
const leastRatio, mostRatio = 0.1, 3

// Other methods look unlike learn, which is a blue disk.
var (
	paleColors  = []color.RGBA{pale(red), pale(colors[2]), pale(colors[3]), pale(orange), pale(gray)}
	otherShapes = []draw.GlyphDrawer{draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{}, draw.PyramidGlyph{}}
)

// A compared set has the error of learn relative to the best other method, and the errors of all other methods.
type compared struct {
	set       string
	classes   bool
	ratio     float64
	low, high float64 // one standard error down and up, or twice the ratio without z
	others    map[string]float64
}

// comparison draws a line of dots for each data set: first regressions, then classifications, each with the best for learn on top.
func comparison(t *table) *sheet {
	others := slices.DeleteFunc(t.values("method", nil), ours)
	var all []*compared
	for _, set := range t.values("set", nil) {
		all = append(all, t.compare(set))
	}
	s := &sheet{width: full}
	if t.err != nil {
		return s
	}
	slices.SortStableFunc(all, func(a, b *compared) int {
		if a.classes != b.classes {
			if b.classes {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.ratio, b.ratio)
	})
	p := newPanel("", "error divided by the error of the best other method (left of 1, learn is better)", "")
	p.Add(fineGrid())
	p.Add(&upright{1, draw.LineStyle{Color: black, Width: 0.8}})
	marks := make([]*plotter.Scatter, len(others))
	for i := range others {
		marks[i] = &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: paleColors[i%len(paleColors)], Radius: 3, Shape: otherShapes[i%len(otherShapes)]}}
	}
	learn := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: blue, Radius: 3.4, Shape: draw.CircleGlyph{}}}
	errors := &level{LineStyle: draw.LineStyle{Color: blue, Width: 1.4}}
	var names []plot.Tick
	y := 0.0
	for i, c := range all {
		if i == 0 || c.classes != all[i-1].classes {
			text := "regression: root mean square error"
			if c.classes {
				text = "classification: log loss"
			}
			p.Add(&heading{y, text})
			y--
		}
		for i, m := range others {
			if r, ok := c.others[m]; ok {
				marks[i].XYs = append(marks[i].XYs, plotter.XY{X: within(r), Y: y})
			}
		}
		learn.XYs = append(learn.XYs, plotter.XY{X: within(c.ratio), Y: y})
		errors.ends = append(errors.ends, [3]float64{within(c.low), within(c.high), y})
		names = append(names, plot.Tick{Value: y, Label: c.set})
		y--
	}
	s.legend = []entry{{"learn, ± 1 standard error", []plot.Thumbnailer{&plotter.Line{LineStyle: errors.LineStyle}, learn}}}
	for i, m := range others {
		if len(marks[i].XYs) > 0 {
			p.Add(marks[i])
			s.legend = append(s.legend, entry{m, []plot.Thumbnailer{marks[i]}})
		}
	}
	p.Add(errors, learn)
	p.X.Min, p.X.Max = min(p.X.Min, errors.least()), max(p.X.Max, 1.1)
	logarithmic(&p.X, decades(4))
	p.Y.Min, p.Y.Max = y+0.4, 0.6
	p.Y.Tick.Marker, p.Y.Tick.Length = plot.ConstantTicks(names), 0
	p.X.Padding, p.Y.Padding = 0, 0
	s.panels, s.height = [][]*panel{{p}}, 40-vg.Length(y)*13
	return s
}

// ours tells whether a method is learn, or a learn of another commit.
func ours(method string) bool { return strings.HasPrefix(method, "learn") }

// compare returns the errors of a set relative to the least one of other methods.
func (t *table) compare(set string) *compared {
	c := &compared{set: set, others: map[string]float64{}}
	var learn, z float64
	best := math.Inf(1)
	rows := t.where(map[string]string{"set": set})
	for _, row := range rows {
		e, method := t.positive(row, "error"), t.text(row, "method")
		if method == "learn" {
			learn, c.classes = e, t.text(row, "unit") == "log loss"
		}
		if ours(method) {
			continue
		}
		if c.others[method] = e; e < best {
			best, z = e, t.number(row, "z")
		}
	}
	if learn == 0 || len(c.others) == 0 {
		t.fail(rows[0], "method", fmt.Errorf("%s has no line of learn, or none of another method", set))
		return c
	}
	for m := range c.others {
		c.others[m] /= best
	}
	c.ratio = learn / best
	c.low, c.high = standardError(c.ratio, z)
	return c
}

// standardError returns a ratio of errors, minus and plus one standard error, if the losses differ by z standard errors of their
// difference: on a logarithmic axis the distance from 1 is z standard errors, too.
func standardError(ratio, z float64) (low, high float64) {
	if z == 0 {
		return ratio, ratio
	}
	factor := math.Exp(math.Abs(math.Log(ratio) / z))
	return ratio / factor, ratio * factor
}

// within returns a ratio within the axis.
func within(ratio float64) float64 { return min(max(ratio, leastRatio), mostRatio) }

// pale returns a lighter color.
func pale(c color.RGBA) color.RGBA {
	lighter := func(v uint8) uint8 { return uint8((int(v)*6 + 255*4) / 10) }
	return color.RGBA{lighter(c.R), lighter(c.G), lighter(c.B), 255}
}

// An upright is a line from the bottom to the top of a panel.
type upright struct {
	at float64
	draw.LineStyle
}

// Plot draws the line.
func (u *upright) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	c.StrokeLine2(u.LineStyle, x(u.at), c.Min.Y, x(u.at), c.Max.Y)
}

// A level is made of lines from the left to the right: their ends, and their heights.
type level struct {
	draw.LineStyle
	ends [][3]float64
}

// least returns the leftmost end.
func (l *level) least() float64 {
	least := math.Inf(1)
	for _, e := range l.ends {
		least = min(least, e[0])
	}
	return least
}

// Plot draws the lines.
func (l *level) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, e := range l.ends {
		c.StrokeLine2(l.LineStyle, x(e[0]), y(e[2]), x(e[1]), y(e[2]))
	}
}

// A heading is a text at the left of a panel.
type heading struct {
	y    float64
	text string
}

// Plot writes the text.
func (h *heading) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	style := plain
	style.Color, style.YAlign = gray, draw.YCenter
	c.FillText(style, vg.Point{X: c.Min.X + 2, Y: y(h.y)}, h.text)
}
