// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
)

// write writes a table and a summary for regressions, and for classes. It sorts the lines: those where learn loses come
// first.
func write(w io.Writer, lines []*line) {
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(a.worst(), b.worst()) })
	for _, classes := range []bool{false, true} {
		var some []*line
		var peers []string
		for _, l := range lines {
			if l.classes == classes {
				some = append(some, l)
				peers = append(peers, l.peers()...)
			}
		}
		if some == nil {
			continue
		}
		slices.Sort(peers)
		peers = slices.Compact(peers)
		name, heads := "Regression", []string{"set", "rows × columns", "test rows", "learn", "covered"}
		if classes {
			name, heads[4] = "Classes", "classes wrong"
		}
		fmt.Fprintf(w, "\n## %s\n\n", name)
		sets := make([]string, len(some))
		for i, l := range some {
			sets[i] = l.set
		}
		program.Table(w, append(heads, peers...), sets, func(i, j int) string {
			l := some[i]
			switch s := l.scores[ours]; j {
			case 0:
				return fmt.Sprintf("%d × %d", l.rows, l.columns)
			case 1:
				return strconv.Itoa(len(s.losses))
			case 2:
				return l.cell(ours)
			case 3:
				if classes {
					return l.percent(s.wrong)
				}
				return l.percent(s.covered)
			}
			return l.cell(peers[j-4])
		})
		if !classes {
			writeQuarters(w, some)
			writeIntervals(w, some)
		}
		if peers == nil {
			continue
		}
		fmt.Fprintf(w, "\n### Learn compared with each peer\n\n")
		heads = []string{"peer", "sets", "ratio, geometric mean", "median", "wins/ties/losses by 1 standard error", "by 2", "seconds, ratio"}
		program.Table(w, heads, peers, func(i, j int) string {
			s := summarize(some, peers[i])
			return []string{strconv.Itoa(s.sets), fmt.Sprintf("%.3f", s.geometric), fmt.Sprintf("%.3f", s.median),
				s.one.String(), s.two.String(), program.Number(s.seconds)}[j]
		})
	}
}

// writeIntervals writes a table that compares intervals of 90 % with those of boosting by conformal quantiles, for the
// sets that the latter has predicted.
func writeIntervals(w io.Writer, lines []*line) {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return l.scores[conformal] == nil })
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Intervals of 90 %% compared with %s\n\n", conformal)
	var sets []string
	var lengths, missed []float64
	for _, l := range lines {
		a, b := l.scores[ours], l.scores[conformal]
		sets, lengths, missed = append(sets, l.set), append(lengths, a.length/b.length), append(missed, a.missed/b.missed)
	}
	program.Table(w, []string{"set", "test rows", "covered", "CQR covers", "length, learn over CQR", "interval score, learn over CQR"}, sets, func(i, j int) string {
		l := lines[i]
		return []string{strconv.Itoa(len(l.scores[ours].losses)), l.percent(l.scores[ours].covered), l.percent(l.scores[conformal].covered),
			fmt.Sprintf("%.3f", lengths[i]), fmt.Sprintf("%.3f", missed[i])}[j]
	})
	fmt.Fprintf(w, "\nThe medians of the ratios are %.3f and %.3f.\n", median(lengths), median(missed))
}

// percent returns a number of test rows as a percentage of all.
func (l *line) percent(rows int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(rows)/float64(len(l.scores[ours].losses)))
}

// cell returns the entry of the table for a method, "" if it has nothing.
func (l *line) cell(method string) string {
	s := l.scores[method]
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("%.4g", l.error(method))
	if l.best() == method {
		text = "**" + text + "**"
	}
	if method != ours {
		if l.classes {
			text += ", " + l.percent(s.wrong)
		}
		text += fmt.Sprintf(", z %+.1f", l.z(method))
	}
	return fmt.Sprintf("%s, %.2g s", text, s.seconds/float64(l.splits))
}

// best returns the method with the least error.
func (l *line) best() string {
	best := ours
	for _, peer := range l.peers() {
		if l.error(peer) < l.error(best) {
			best = peer
		}
	}
	return best
}

// String returns the line in words.
func (l *line) String() string {
	words := []string{l.set + ": " + ours + " " + l.cell(ours)}
	for _, peer := range l.peers() {
		words = append(words, peer+" "+l.cell(peer))
	}
	return strings.Join(words, "; ")
}

// records returns the figures of the lines.
func records(lines []*line) [][]string {
	all := [][]string{{"set", "method", "unit", "error", "z", "wrong", "covered", "covered of longest", "covered of farthest", "test rows", "seconds"}}
	for _, l := range lines {
		for _, method := range append([]string{ours}, l.peers()...) {
			s, rows := l.scores[method], float64(len(l.scores[method].losses))
			unit, z, wrong, covered, longest, farthest := "RMSE", "", "", "", "", ""
			if method != ours {
				z = figure(l.z(method))
			}
			if l.classes {
				unit, wrong = "log loss", figure(float64(s.wrong)/rows)
			} else if s.sure {
				covered, longest, farthest = figure(float64(s.covered)/rows), figure(s.longest.rate()), figure(s.farthest.rate())
			}
			all = append(all, []string{l.set, method, unit, figure(l.error(method)), z, wrong, covered, longest, farthest, figure(rows), figure(s.seconds / float64(l.splits))})
		}
	}
	return all
}

// figure returns a number for a file.
func figure(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
