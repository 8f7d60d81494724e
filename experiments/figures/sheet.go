// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A sheet is what a picture shows: panels in rows, of which the last may be shorter, a legend above
// them, and perhaps a color scale on their right.
type sheet struct {
	panels [][]*panel
	legend []entry
	scale  *panel
	width  vg.Length
	height vg.Length // of a row of panels
}

// A panel is a plot, with its title and the names of its axes apart: where gonum puts these
// depends on the numbers along the axes.
type panel struct {
	*plot.Plot
	title, x, y string
}

// An entry of a legend is a name and what it names.
type entry struct {
	name  string
	marks []plot.Thumbnailer
}

// Lengths are in points, 1/72 inch.
const (
	full   vg.Length = 600 // width of most sheets: 800 dots of a screen with 96 to the inch
	margin vg.Length = 6
)

// resolution is in dots to the inch, for screens with twice as many as 96. Tests take fewer.
var resolution = 192

// Okabe and Ito's colors can be told apart by people of all kinds of color vision.
var (
	black  = color.RGBA{0, 0, 0, 255}
	gray   = color.RGBA{120, 120, 120, 255}
	blue   = color.RGBA{0, 114, 178, 255}
	red    = color.RGBA{213, 94, 0, 255}
	orange = color.RGBA{230, 159, 0, 255}
	colors = []color.RGBA{blue, red, {0, 158, 115, 255}, {204, 121, 167, 255}, orange, {86, 180, 233, 255}}
	shapes = []draw.GlyphDrawer{draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}, draw.CircleGlyph{}, draw.CrossGlyph{}, draw.BoxGlyph{}}
)

// plain letters are without serifs.
var plain = func() text.Style {
	s := plot.NewLegend().TextStyle
	s.Font.Variant, s.Font.Size = "Sans", 9
	s.Color = black
	return s
}()

// newPanel returns an empty panel.
func newPanel(title, x, y string) *panel {
	p := &panel{plot.New(), title, x, y}
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = plain.Font, plain.Font
	p.X.Tick.Length, p.Y.Tick.Length = 4, 4
	return p
}

// fineGrid returns light lines at the ticks.
func fineGrid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{225}, color.Gray{225}
	return g
}

// logarithmic makes an axis logarithmic, with a little room at the ends of the numbers on it, which
// are positive.
func logarithmic(a *plot.Axis, ticks plot.TickerFunc) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, ticks
	room := max(math.Pow(a.Max/a.Min, 0.04), 1.05)
	a.Min, a.Max = a.Min/room, a.Max*room
}

// decades returns ticks at the multiples of powers of ten. Labeled are the powers, or where there
// are fewer than enough of them their triples, or their doubles and quintuples, too, or all multiples.
func decades(enough int) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		var ticks []plot.Tick
		for _, labeled := range []string{"1", "13", "125", "123456789"} {
			ticks = nil
			labels := 0
			for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
				for m := 1; m < 10; m++ {
					tick := plot.Tick{Value: float64(m) * math.Pow(10, e)}
					if tick.Value < low || tick.Value > high {
						continue
					}
					if strings.ContainsRune(labeled, rune('0'+m)) {
						tick.Label = number(tick.Value)
						labels++
					}
					ticks = append(ticks, tick)
				}
			}
			if labels >= enough {
				break
			}
		}
		return ticks
	}
}

// Numbers along the x axis take more room than those along the y axis.
var xTicks, yTicks = decades(2), decades(3)

// linear gives a linear axis a little room at the ends, and three to six labeled ticks.
func linear(a *plot.Axis) {
	room := max((a.Max-a.Min)/20, 1e-9)
	a.Min, a.Max = a.Min-room, a.Max+room
	a.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick {
		step := math.Pow(10, math.Floor(math.Log10((high-low)/3)))
		for _, m := range []float64{2, 2.5} { // 2 and 5 times the power of ten
			if (high-low)/step > 6 {
				step *= m
			}
		}
		var ticks []plot.Tick
		for i := math.Ceil(low / step); i*step <= high; i++ {
			label := fmt.Sprintf("%.4g", i*step+0) // 0 for −0
			if i*step >= 1000 {
				label = number(i * step)
			}
			ticks = append(ticks, plot.Tick{Value: i * step, Label: label})
		}
		return ticks
	})
}

// number writes a number of one digit and zeros: thousands with a comma, small ones and
// millions as powers.
func number(v float64) string {
	switch {
	case v >= 1e6 || v < 1e-4:
		return fmt.Sprintf("%.0e", v)
	case v >= 1000:
		return fmt.Sprintf("%.0f,%03.0f", math.Floor(v/1000), math.Mod(v, 1000))
	}
	return fmt.Sprintf("%.4g", v)
}

// png returns the picture of a sheet.
func (s *sheet) png() ([]byte, error) {
	legend := s.legendHeight()
	canvas := vgimg.NewWith(vgimg.UseWH(s.width, legend+vg.Length(len(s.panels))*s.height+2*margin), vgimg.UseDPI(resolution))
	all := draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)
	s.drawLegend(all)
	all.Max.Y -= legend
	if s.scale != nil {
		const of = 60 // points
		right := &sheet{panels: [][]*panel{{s.scale}}, height: all.Max.Y - all.Min.Y}
		right.drawPanels(draw.Crop(all, all.Max.X-all.Min.X-of, 0, 0, 0))
		all.Max.X -= of + 2*margin
	}
	s.drawPanels(all)
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&b, fewColors(canvas.Image().(*image.RGBA)))
	return b.Bytes(), err
}

// fewColors returns an image in at most 256 colors: the shades at the edges of lines are many, and
// as few look the same.
func fewColors(img *image.RGBA) *image.Paletted {
	count := map[color.RGBA]int{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[img.RGBAAt(x, y)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	palette := apartColors(all)
	index := map[color.RGBA]uint8{}
	for _, c := range all {
		index[c] = uint8(palette.Index(c))
	}
	few := image.NewPaletted(b, palette)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			few.SetColorIndex(x, y, index[img.RGBAAt(x, y)])
		}
	}
	return few
}

// apartColors returns at most 256 of some colors, the first ones that are farther apart than the
// smallest distance for which they are so few.
func apartColors(all []color.RGBA) color.Palette {
next:
	for distance := 0; ; distance += 4 {
		var palette color.Palette
		for _, c := range all {
			if len(palette) > 0 && difference(c, palette[palette.Index(c)].(color.RGBA)) <= distance {
				continue
			}
			if len(palette) == 256 {
				continue next
			}
			palette = append(palette, c)
		}
		return palette
	}
}

// difference returns the largest difference of two colors' red, green and blue.
func difference(a, b color.RGBA) int {
	abs := func(v int) int { return max(v, -v) }
	return max(abs(int(a.R)-int(b.R)), abs(int(a.G)-int(b.G)), abs(int(a.B)-int(b.B)))
}
