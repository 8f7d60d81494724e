// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/table"
)

// regressionSection shows the predictions of a regression and their errors along the columns, the most important first.
func (s *study) regressionSection(important []importance, _ string) (*section, error) {
	out := &section{ID: "predictions", Title: "Predictions and residuals", Text: []string{
		"A good model has dots along the dashed line in the first figure, and residuals around 0 without a trend in the others."}}
	f, err := s.observed()
	if err != nil {
		return nil, err
	}
	out.Figures = append(out.Figures, f)
	columns := make([]*column, 0, len(s.columns))
	for k := range s.columns {
		columns = append(columns, &s.columns[k])
	}
	if len(columns) > mostImportant && important != nil {
		columns = columns[:0]
		for _, i := range important {
			columns = append(columns, i.column)
		}
	}
	boxes := false
	for _, c := range columns[:min(len(columns), mostImportant)] {
		f, err := s.residuals(c)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out.Figures = append(out.Figures, *f)
			boxes = boxes || c.Kind == table.Category
		}
	}
	out.After = append(out.After, thinned(len(s.records), mostDots)...)
	if boxes {
		out.After = append(out.After, fmt.Sprintf("Boxes reach from the first to the third quartile, with a line at the median. At most %d values of a category are shown, the most frequent ones.", mostValues))
	}
	if len(columns) > mostImportant {
		out.After = append(out.After, fmt.Sprintf("Residuals are shown along %d of %d columns.", mostImportant, len(columns)))
	}
	return out, nil
}

// thinned says how many rows a figure shows, if not all.
func thinned(rows, most int) []string {
	if rows <= most {
		return nil
	}
	return []string{fmt.Sprintf("Dots are %d of the %d rows.", most, rows)}
}

// classesSection shows how true the probabilities are, and which classes are confused.
func (s *study) classesSection([]importance, string) (*section, error) {
	f, err := s.calibration()
	if err != nil {
		return nil, err
	}
	return &section{ID: "predictions", Title: "Calibration and confusion", Text: []string{
		"Dots on the dashed line are true probabilities: of all rows that are predicted with 80 %, 80 % are right."},
		Figures: []figure{f}, Grids: []grid{s.confusion()}}, nil
}

// importanceSection shows which columns matter.
func (s *study) importanceSection(important []importance, because string) (*section, error) {
	out := &section{ID: "importance", Title: "Which columns matter"}
	if important == nil {
		out.Notes = append(out.Notes, "This section is missing, since the features of the model have no derivative: "+because)
		return out, nil
	}
	f, err := bars(important)
	if err != nil {
		return nil, err
	}
	out.Figures = append(out.Figures, f)
	unit := "squared units of " + s.target
	what := "the prediction"
	if s.Logistic != nil {
		unit, what = "squared probability", "the probabilities of all classes"
	}
	out.Text = append(out.Text, fmt.Sprintf("A column matters if a small step along it changes %s much. The figure shows the mean squared gradient over the rows, "+
		"with each column in units of its standard deviation. It is exact: it comes from the derivative of the model's features. For numbers with at most %d values, it is half the mean squared change to the value of another row.", what, fewNumbers))
	g := grid{Class: "columns", Caption: "Mean squared gradient, in " + unit, Head: []string{"column", "mean squared gradient", "share"}}
	for _, i := range important[:min(len(important), mostImportant)] {
		g.Rows = append(g.Rows, []string{i.column.Name, number(i.square), fmt.Sprintf("%.1f\u00a0%%", 100*i.share)})
	}
	out.Grids = append(out.Grids, g)
	out.After = append(out.After, "A category or a date has several numbers in a row of the model; their squared gradients are added up.")
	if len(important) > mostImportant {
		out.After = append(out.After, fmt.Sprintf("The first %d of %d columns are shown.", mostImportant, len(important)))
	}
	return out, nil
}

// curvesSection shows the curves of the prediction.
func (s *study) curvesSection(important []importance, _ string) (*section, error) {
	out := &section{ID: "curves", Title: "Curves of the prediction"}
	curves, err := s.curves(important)
	if err != nil {
		return nil, err
	}
	if len(curves) == 0 {
		out.Text = append(out.Text, "No column has two values in these rows.")
		return out, nil
	}
	by := "that matter most"
	if important == nil {
		by = "along which the prediction changes most"
	}
	out.Text = append(out.Text, "The prediction along each of the columns "+by+", with all other columns at their median, or at their most frequent value for a category.")
	if len(s.columns) <= mostImportant {
		typical, at := s.typical(), []string{}
		for _, c := range s.columns {
			at = append(at, c.Name+" = "+shorten(typical[c.field], longestLabel))
		}
		out.Text = append(out.Text, "These are: "+strings.Join(at, ", ")+".")
	}
	low, high := 0.0, 1.0
	var legend []entry
	if s.Logistic == nil {
		low, high = limits(curves)
		legend = []entry{{css(blue), "prediction"}}
		if curves[0].sd != nil {
			legend = append(legend, entry{css(dark), "90 % band of the function"}, entry{css(light), "90 % interval of a new row"})
			out.After = append(out.After, "The band of the function is ± 1.645 standard deviations of its posterior.")
		}
		out.After = append(out.After, "All curves have the same scale.")
	} else {
		for k, c := range s.shown() {
			legend = append(legend, entry{css(colors[k]), shorten(s.Encoder.ClassNames()[c], longestLabel)})
		}
		out.After = append(out.After, "A logistic regression has no posterior, so that its curves have no bands.")
		if n := len(s.Encoder.ClassNames()); n > len(colors) {
			out.After = append(out.After, fmt.Sprintf("The %d most frequent of %d classes are shown.", len(colors), n))
		}
	}
	for _, v := range curves {
		f, err := v.draw(s, low, high, s.shown())
		if err != nil {
			return nil, err
		}
		f.Legend = legend
		out.Figures = append(out.Figures, f)
	}
	return out, nil
}

// triedSection shows how the model was found.
func triedSection(t *trial) *section {
	out := &section{ID: "tried", Title: "What was tried"}
	if t == nil {
		out.Text = append(out.Text, "The model's file does not keep the report of its fit. Run examples/table with -report FILE, and this program with the same flag, to show it here.")
		return out
	}
	out.Text, out.After = t.before, t.after
	if t.score != "" {
		out.Text = append([]string{fitScore + t.score}, out.Text...)
	}
	if len(t.steps.Rows) > 0 {
		out.Grids = append(out.Grids, t.steps)
	}
	return out
}
