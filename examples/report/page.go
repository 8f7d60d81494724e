// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/seed-0f95ebc1/featuremap"
)

// A section of the page: notes first, then text, tables, figures, and text in small letters.
type section struct {
	ID, Title string
	Notes     []string
	Text      []string
	Grids     []grid
	Figures   []figure
	After     []string
}

// A grid is a table of the page.
type grid struct {
	Class, Caption string
	Head           []string
	Rows           [][]string
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page returns the page.
func (s *study) page(t *trial, folds int) ([]byte, error) {
	model := fmt.Sprint(s.Ridge)
	var phi featuremap.FeatureMap
	if s.Logistic != nil {
		model, phi = fmt.Sprint(s.Logistic), s.Logistic.Map()
	} else {
		phi = s.Ridge.Map()
	}
	numbers, features := phi.Dims()
	sections := []*section{s.scoreSection(t, folds)}
	predicted := s.regressionSection
	if s.Logistic != nil {
		predicted = s.classesSection
	}
	important, err := s.importances()
	because := ""
	if err != nil {
		because = err.Error()
	}
	for _, of := range []func([]importance, string) (*section, error){predicted, s.importanceSection, s.curvesSection} {
		next, err := of(important, because)
		if err != nil {
			return nil, err
		}
		sections = append(sections, next)
	}
	tried := triedSection(t)
	tried.After = append(tried.After, capital(model))
	sections = append(sections, tried)
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, map[string]any{
		"Title": "Predicting " + s.target,
		"Lead": []string{fmt.Sprintf("Scores are on %d rows of %s. The model reads %d columns as %d numbers and has %d features.",
			len(s.records), s.file, len(s.columns), numbers, features)},
		"Sections": sections,
	})
	return b.Bytes(), err
}

// scoreSection shows the scores, and says what they are worth.
func (s *study) scoreSection(t *trial, folds int) *section {
	g := grid{Class: "scores", Caption: fmt.Sprintf("Scores on %d rows of %s", len(s.records), s.file), Head: []string{"score", "model", "95 % interval", "baseline"}}
	for _, m := range s.measures() {
		g.Rows = append(g.Rows, m.row())
	}
	out := &section{ID: "score", Title: "Score", Grids: []grid{g}, Notes: s.worth(t, folds)}
	if s.Logistic != nil {
		out.Text = append(out.Text, "The baseline knows only the frequencies of the classes in these rows. It always predicts the most frequent class.")
		out.After = append(out.After, "Log loss is the mean of −log p in nats, for the probability p of the observed class; lower is better.")
	} else {
		text := "The baseline always predicts the mean of these rows."
		if share := s.explained(); share > 0 {
			text = fmt.Sprintf("The model explains %.1f\u00a0%% of the variance of %s. ", 100*share, s.target) + text
		}
		out.Text = append(out.Text, text)
		after := "RMSE is the root mean square error. Errors are in the unit of " + s.target + "; lower is better."
		if s.lo != nil {
			after += " Prediction intervals are made to hold 90\u00a0% of new rows."
		}
		out.After = append(out.After, after)
	}
	if s.without != "" {
		out.After = append(out.After, "Without prediction intervals: "+s.without)
	}
	return out
}

// fitScore is what stands before the score on held-out rows in a report.
const fitScore = "The score on held-out rows, from when the model was fitted: "

// worth says whether the scores are those of new rows, and what makes predictions a guess.
func (s *study) worth(t *trial, folds int) (notes []string) {
	from := unknownRows
	if t != nil {
		from = t.rows
	}
	switch {
	case folds > 0:
		notes = append(notes, fmt.Sprintf("Each row is predicted by a fit without it: the model's features and λ were fitted again, %d times, each time without one part of the rows. "+
			"If the model was fitted on these rows, the kernel and the features know them, so the scores may be slightly too good.", folds))
	case from == fittedRows:
		notes = append(notes, "The model was fitted on these rows, so the scores are training scores: they are too good. "+
			"With -folds 5, each row is predicted by a fit without it.")
		if t.score != "" {
			notes = append(notes, fitScore+t.score)
		}
	case from == otherRows:
		notes = append(notes, "The model was fitted on another file, "+t.file+". The scores hold for new rows if none of these rows is in that file.")
	default:
		notes = append(notes, "The model's file does not say which rows it was fitted on. If these rows are among them, the scores are too good: use new rows, or -folds 5.")
	}
	if rows, columns, err := s.unseen(); err == nil && rows > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d rows have a value that the model was not fitted on, beyond the range or unknown, in: %s. Predictions for them are guesses.",
			rows, len(s.records), strings.Join(columns, ", ")))
	}
	return notes
}

// capital returns a text with a capital first letter and a full stop.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
