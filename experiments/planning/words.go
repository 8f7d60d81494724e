// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// cheaper is the factor by which a plan's error may be larger if its transform is cheaper.
const cheaper = 1.05

func (t table) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s (%s)\n", t.name(), t.note)
	fmt.Fprintln(w, "columns  predicted   measured         ratio     µs  map")
	for _, l := range t.lines {
		fmt.Fprintf(w, "%7d  %9s  %9s  %12s  %5.1f  %s\n", l.columns, digits(l.predicted), digits(l.measured), l.ratios(), l.micros, l.name)
	}
	if t.wins() {
		fmt.Fprintf(w, "A plan for the error of %s takes %d columns.\n", t.best().name, t.same)
	}
}

// digits returns a number with three digits.
func digits(v float64) string { return fmt.Sprintf("%.3g", v) }

// ratio returns the measured error over the predicted one.
func (l line) ratio() float64 { return l.measured / l.predicted }

// exact tells whether features have no error, except for rounding.
func (l line) exact() bool { return l.predicted == 0 }

// ratios returns the ratio with its standard error, which is unknown for one map.
func (l line) ratios() string {
	switch {
	case l.exact():
		return "rounding"
	case math.IsNaN(l.doubt):
		return fmt.Sprintf("%.2f", l.ratio())
	}
	return fmt.Sprintf("%.2f ± %.2f", l.ratio(), l.doubt*l.ratio())
}

// best returns the line with the least predicted error, not counting the first.
func (t table) best() line {
	return slices.MinFunc(t.lines[1:], func(a, b line) int { return cmp.Compare(a.predicted, b.predicted) })
}

// gain returns the plan's predicted error over that of the best other line.
func (t table) gain() float64 { return t.lines[0].predicted / t.best().predicted }

// wins tells whether the plan has a clearly smaller error than the best other line.
func (t table) wins() bool { return t.gain() < 1/cheaper }

// passedOver tells whether the plan rejected a map with a smaller error because its error at far
// points is too large.
func (t table) passedOver() bool {
	return strings.Contains(t.plan.String(), "its error is too large far out")
}

// words returns sentences that say what the tables show.
func words(tables []table) []string {
	return []string{comparison(tables), savings(tables), byName(tables), agreement(tables)}
}

// wrap breaks text into lines.
func wrap(text string) string {
	const width = 100
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
		case at+1+n > width:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// comparison says how plans compare with the best other maps.
func comparison(tables []table) string {
	alike := 0
	var times []float64 // of transforms, where the plan wins
	var lost []string
	for _, t := range tables {
		switch g := t.gain(); {
		case t.wins():
			times = append(times, t.lines[0].micros/t.best().micros)
		case g <= cheaper:
			alike++
		default:
			why := ""
			if t.passedOver() {
				why = ", because the errors of others are too large at far points"
			}
			lost = append(lost, fmt.Sprintf("%s on %s (%.2f times the best error%s)", t.name(), t.data, g, why))
		}
	}
	s := fmt.Sprintf("In %d of %d tables the plan has a clearly smaller predicted error than every map chosen by hand, in %d it is within %.0f %% of the best, ",
		len(times), len(tables), alike, 100*(cheaper-1))
	if len(lost) == 0 {
		s += "and in none is it worse."
	} else {
		s += "and it is worse for " + strings.Join(lost, ", ") + "."
	}
	if len(times) > 0 {
		s += fmt.Sprintf(" Where it is smaller, a transform takes %.2g to %.2g times the time of the best one by hand.", slices.Min(times), slices.Max(times))
	}
	return s
}

// savings says where a plan saves most columns.
func savings(tables []table) string {
	won := slices.DeleteFunc(slices.Clone(tables), func(t table) bool { return !t.wins() })
	if len(won) == 0 {
		return "No plan saves columns."
	}
	share := func(t table) float64 { return float64(t.same) / float64(t.best().columns) }
	t := slices.MinFunc(won, func(a, b table) int { return cmp.Compare(share(a), share(b)) })
	return fmt.Sprintf("Most columns are saved for %s on %s: a plan with %d columns has the error of %d columns of %s. With %d columns its error is %.2g times as large.",
		t.name(), t.data, t.same, t.best().columns, t.best().name, t.lines[0].columns, t.gain())
}

// byName compares the plan's error with the error of the map that one would choose first.
func byName(tables []table) string {
	var parts []string
	for _, name := range []string{"NewFourier, Orthogonal", "NewMaclaurin, GeometricLaw", "NewMaclaurin, OptimalLaw", "NewNeurons, Independent"} {
		var gains []float64
		for _, t := range tables {
			for _, l := range t.lines[1:] {
				if l.name == name && !t.lines[0].exact() {
					gains = append(gains, t.lines[0].predicted/l.predicted)
				}
			}
		}
		if len(gains) > 0 {
			parts = append(parts, fmt.Sprintf("%.2g to %.2g times the error of %s", slices.Min(gains), slices.Max(gains), name))
		}
	}
	s := "The plan's predicted error is " + strings.Join(parts, "; ") + "."
	for _, t := range tables {
		if t.lines[0].exact() {
			s += fmt.Sprintf(" For %s on %s its features are exact.", t.name(), t.data)
		}
	}
	return s
}

// agreement says how measured errors compare with predicted ones.
func agreement(tables []table) string {
	low, high := math.Inf(1), 0.0
	off := func(l line) float64 { return math.Abs(math.Log(l.ratio())) }
	var furthest line
	var where table
	for _, t := range tables {
		for i, l := range t.lines {
			if l.exact() {
				continue
			}
			if i == 0 {
				low, high = min(low, l.ratio()), max(high, l.ratio())
			}
			if furthest.name == "" || off(l) > off(furthest) {
				furthest, where = l, t
			}
		}
	}
	return fmt.Sprintf("The plans' measured errors are %.2f to %.2f times the predicted ones. Of all lines, the ratio furthest from 1 is %s, for %s with %s on %s.",
		low, high, furthest.ratios(), furthest.name, where.name(), where.data)
}
