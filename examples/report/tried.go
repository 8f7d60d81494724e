// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/examples/table/csvfile"
)

// A trial is what examples/table wrote of how it found the model.
type trial struct {
	score         string // on held-out rows, or ""
	before, after []string
	steps         grid // what was tried, between these; without rows if there is no such table
	file          string
	rows          rows
}

// rows says what is known of the rows of the page.
type rows int

const (
	unknownRows rows = iota
	fittedRows       // the model was fitted on them
	otherRows        // it was fitted on another file
)

var (
	fittedOn = regexp.MustCompile(`^fitted on (.*), SHA-256 ([0-9a-f]{64})\nscore on held-out rows: (.*)\n`)
	gaps     = regexp.MustCompile(`\S+( \S+)*`)
)

// tried reads the file of -report, or returns nil without one.
func (j *job) tried() (*trial, error) {
	if j.report == "" {
		return nil, nil
	}
	text, err := os.ReadFile(j.report)
	if err != nil {
		return nil, err
	}
	t := parseTrial(string(text))
	if m := fittedOn.FindSubmatch(text); m != nil {
		sum, err := csvfile.Sum(j.file)
		if err != nil {
			return nil, err
		}
		t.file, t.rows = string(m[1]), otherRows
		if sum == string(m[2]) {
			t.rows = fittedRows
		}
	}
	return t, nil
}

// parseTrial takes a text apart into its paragraphs and the table of steps.
func parseTrial(text string) *trial {
	t := new(trial)
	if m := fittedOn.FindStringSubmatch(text); m != nil {
		text, t.score = text[len(m[0]):], m[3]
	}
	for _, p := range strings.Split(text, "\n\n") {
		p = strings.Trim(p, "\n")
		switch {
		case p == "" || strings.ReplaceAll(p, "\n", "; ") == t.score:
		case strings.HasPrefix(p, "step "):
			t.steps = parseSteps(strings.Split(p, "\n"))
		case t.steps.Rows == nil:
			t.before = append(t.before, joined(p))
		default:
			t.after = append(t.after, joined(p))
		}
	}
	return t
}

// joined returns a paragraph with its long lines in one: a short line is one of a list.
func joined(paragraph string) string {
	const long = 100
	lines := strings.Split(paragraph, "\n")
	for i, l := range lines[:len(lines)-1] {
		if lines[i] += "\n"; len(l) >= long {
			lines[i] = l + " "
		}
	}
	return strings.Join(lines, "")
}

// parseSteps returns the table of some lines, whose columns begin where the words of the first line do, with two spaces before them.
func parseSteps(lines []string) grid {
	g := grid{Class: "steps", Caption: "The steps, each with what was taken"}
	var starts []int
	for _, at := range gaps.FindAllStringIndex(lines[0], -1) {
		starts = append(starts, at[0])
		g.Head = append(g.Head, lines[0][at[0]:at[1]])
	}
	for _, line := range lines[1:] {
		r := []rune(line)
		row := make([]string, len(starts))
		for k, from := range starts {
			to := len(r)
			if k+1 < len(starts) {
				to = min(to, starts[k+1])
			}
			if from < to {
				row[k] = strings.TrimSpace(string(r[from:to]))
			}
		}
		if row[0] == "" && len(g.Rows) > 0 {
			row[0] = g.Rows[len(g.Rows)-1][0]
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
