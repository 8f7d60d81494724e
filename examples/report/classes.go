// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-0f95ebc1/featuremap/score"
)

// calibration draws how often the predicted class is the right one, against its probability.
func (s *study) calibration() (figure, error) {
	bins := 10
	if len(s.Encoder.ClassNames()) == 2 {
		bins = 20 // of which those from ½ on have rows
	}
	var points plotter.XYs
	p := newPlot("probability of the predicted class", "share that is right")
	p.Add(lineOf(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}}, gray, 1, 4, 3))
	for _, b := range score.Calibration(s.p, s.classes, bins) {
		if b.Rows == 0 {
			continue
		}
		lo, hi := intervalOfShare(b.Accuracy, b.Rows)
		p.Add(lineOf(plotter.XYs{{X: b.Confidence, Y: lo}, {X: b.Confidence, Y: hi}}, dark, 5))
		points = append(points, plotter.XY{X: b.Confidence, Y: b.Accuracy})
	}
	p.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: blue, Radius: 3, Shape: draw.CircleGlyph{}}})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	if bins == 20 {
		p.X.Min = 0.5
	}
	f, err := figureOf(p, figureHeight, "Calibration. On the dashed line, probabilities are as true as they say.")
	f.Legend = []entry{{css(blue), "rows of similar probability"}, {css(dark), "95 % interval"}}
	return f, err
}

const (
	mostClasses  = 6  // for which all pairs of classes are shown: a phone has no room for more
	mostMistakes = 10 // that are shown for more classes
)

// confusion returns the numbers of rows of each class that were predicted to be of each class.
func (s *study) confusion() grid {
	names := s.Encoder.ClassNames()
	counts := make([][]int, len(names))
	for c := range counts {
		counts[c] = make([]int, len(names))
	}
	for i, c := range s.likeliest() {
		counts[s.classes[i]][c]++
	}
	if len(names) > mostClasses {
		return confused(names, counts)
	}
	g := grid{Class: "confusion", Caption: "Rows by observed class (down) and predicted class (across)", Head: []string{"observed"}}
	for c, name := range names {
		g.Head = append(g.Head, "→ "+strconv.Itoa(c+1))
		row := []string{fmt.Sprintf("%d %s", c+1, shorten(name, longestLabel))}
		for _, n := range counts[c] {
			row = append(row, strconv.Itoa(n))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// confused returns the pairs of classes that are confused most often.
func confused(names []string, counts [][]int) grid {
	type pair struct{ observed, predicted, rows, of int }
	var pairs []pair
	for c, row := range counts {
		of := 0
		for _, n := range row {
			of += n
		}
		for d, n := range row {
			if c != d && n > 0 {
				pairs = append(pairs, pair{c, d, n, of})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.rows, a.rows) })
	g := grid{Class: "columns", Caption: "The most frequent mistakes", Head: []string{"observed", "predicted", "rows", "of"}}
	for _, p := range pairs[:min(len(pairs), mostMistakes)] {
		g.Rows = append(g.Rows, []string{shorten(names[p.observed], longestLabel), shorten(names[p.predicted], longestLabel), strconv.Itoa(p.rows), strconv.Itoa(p.of)})
	}
	return g
}

// shown returns the classes whose probabilities curves show: the second of two, and of more the most frequent.
func (s *study) shown() []int {
	frequencies := s.frequencies()
	if len(frequencies) == 2 {
		return []int{1}
	}
	all := make([]int, len(frequencies))
	for c := range all {
		all[c] = c
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(frequencies[b], frequencies[a]) })
	return all[:min(len(all), len(colors))]
}

// bars draws the shares of the columns that matter most.
func bars(all []importance) (figure, error) {
	all = all[:min(len(all), mostImportant)]
	var values plotter.Values
	var names []string
	for _, i := range slices.Backward(all) {
		values, names = append(values, 100*i.share), append(names, i.column.Name)
	}
	p := newPlot("share, %", "")
	b, err := plotter.NewBarChart(values, 13)
	if err != nil {
		return figure{}, err
	}
	b.Horizontal, b.Color, b.LineStyle.Width = true, blue, 0
	p.Add(b)
	nominal(&p.Y, names)
	p.X.Min, p.X.Max = 0, 1.08*p.X.Max
	return figureOf(p, 60+22*vg.Length(len(all)), "Share of the mean squared gradient")
}
