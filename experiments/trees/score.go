// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// least replaces smaller probabilities: forests give 0 to classes that are in no leaf, and one such row would make the
// log loss infinite.
const least = 1e-6

// quantile is the 95 % quantile of the normal distribution, the end of intervals of 90 %.
const quantile = 1.645

// score measures how a method does on the test rows of the splits of a set.
type score struct {
	losses  []float64 // for each row the squared error, or the log loss
	wrong   int       // rows whose class is not the most probable one
	covered int       // rows with the target within the interval
	sure    bool      // whether there are intervals
	length  float64   // of all intervals together
	missed  float64   // the sum of their interval scores
	seconds float64   // of all splits

	longest, farthest quarter // of the test rows: by the length of the interval, and by the distance from the mean
}

// A line is a set with the scores of all methods.
type line struct {
	set                   string
	classes               bool
	rows, columns, splits int
	scores                map[string]*score
}

// add adds the predictions of a method on a split.
func (l *line) add(method string, t *task, p *predictions) {
	s := l.scores[method]
	if s == nil {
		s = &score{}
		l.scores[method] = s
	}
	s.seconds += p.seconds
	y := t.test.Truth()
	var covered []bool
	var lengths []float64
	for i, row := range p.rows {
		if l.classes {
			c := t.test.Class[i]
			s.losses = append(s.losses, -math.Log(max(row[c], least)))
			if floats.MaxIdx(row) != c {
				s.wrong++
			}
			continue
		}
		e := row[0] - y[i]
		s.losses = append(s.losses, e*e)
		if s.sure = len(row) > 1; s.sure {
			lo, hi := row[0]-quantile*row[1], row[0]+quantile*row[1]
			if len(row) == 3 {
				lo, hi = row[1], row[2]
			}
			covered, lengths = append(covered, s.addInterval(lo, hi, y[i])), append(lengths, hi-lo)
		}
	}
	if covered != nil {
		s.longest.add(covered, lengths)
		s.farthest.add(covered, distances(t.train.X, t.test.X))
	}
}

// addInterval adds an interval of 90 % to the score, and returns whether it contains the target. (Its interval score is
// that of Gneiting and Raftery 2007: the length, plus 20 times the distance of a target that is outside.)
func (s *score) addInterval(lo, hi, y float64) bool {
	outside := max(lo-y, y-hi, 0)
	if outside == 0 {
		s.covered++
	}
	s.length += hi - lo
	s.missed += hi - lo + 20*outside
	return outside == 0
}

// drop removes peers that have not predicted all splits, and returns notes about them.
func (l *line) drop() (notes []string) {
	for _, method := range append(l.peers(), conformal) {
		if s := l.scores[method]; s != nil && len(s.losses) != len(l.scores[ours].losses) {
			delete(l.scores, method)
			notes = append(notes, fmt.Sprintf("%s of %s, of which some splits are missing", method, l.set))
		}
	}
	return notes
}

// conformal is a peer only for intervals.
const conformal = "HistGradientBoosting-CQR"

// peers returns the names of the methods other than learn, in order.
func (l *line) peers() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(l.scores)), func(method string) bool { return method == ours || method == conformal })
}

// error returns the root mean square error, or the mean log loss.
func (l *line) error(method string) float64 {
	m := stat.Mean(l.scores[method].losses, nil)
	if l.classes {
		return m
	}
	return math.Sqrt(m)
}

// ratio returns the error of learn over the error of a peer: 1 if both are 0.
func (l *line) ratio(peer string) float64 {
	a, b := l.error(ours), l.error(peer)
	if a == b {
		return 1
	}
	return a / b
}

// z returns by how many standard errors of the difference learn is better than a peer.
func (l *line) z(peer string) float64 { return better(l.scores[ours].losses, l.scores[peer].losses) }

// worst returns the lowest z, by which lines are sorted.
func (l *line) worst() float64 {
	z := math.Inf(1)
	for _, peer := range l.peers() {
		z = min(z, l.z(peer))
	}
	return z
}

// better returns by how many standard errors the losses a are less than b, row by row: 0 if no row differs.
func better(a, b []float64) float64 {
	differences := make([]float64, len(a))
	floats.SubTo(differences, b, a)
	m, deviation := stat.MeanStdDev(differences, nil)
	if m == 0 {
		return 0
	}
	return m / stat.StdErr(deviation, float64(len(a)))
}

// cut returns a ratio of errors, limited to 1/2 and 2, so that one set cannot dominate the mean.
func cut(ratio float64) float64 { return min(max(ratio, .5), 2) }

// A record counts the sets where learn wins, ties and loses.
type record struct{ wins, ties, losses int }

// add counts a set with this z; it is a tie up to errors standard errors.
func (r *record) add(z, errors float64) {
	switch {
	case z > errors:
		r.wins++
	case z < -errors:
		r.losses++
	default:
		r.ties++
	}
}

func (r record) String() string { return fmt.Sprintf("%d/%d/%d", r.wins, r.ties, r.losses) }

// summary compares learn with one peer on some sets.
type summary struct {
	sets              int
	geometric, median float64 // of the ratios of errors, which are limited for the mean
	one, two          record  // by one standard error, and by two
	seconds           float64 // geometric mean of learn's over the peer's
}

// summarize returns the summary of the lines that have the peer.
func summarize(lines []*line, peer string) summary {
	var s summary
	var ratios []float64
	var logs, seconds float64
	for _, l := range lines {
		p := l.scores[peer]
		if p == nil {
			continue
		}
		ratios = append(ratios, l.ratio(peer))
		logs += math.Log(cut(l.ratio(peer)))
		seconds += math.Log(l.scores[ours].seconds / p.seconds)
		s.one.add(l.z(peer), 1)
		s.two.add(l.z(peer), 2)
	}
	s.sets = len(ratios)
	s.geometric, s.seconds = math.Exp(logs/float64(s.sets)), math.Exp(seconds/float64(s.sets))
	s.median = median(ratios)
	return s
}

// median returns the middle one of some numbers, or the mean of the middle two.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
