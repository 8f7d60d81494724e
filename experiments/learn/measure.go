// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/peer"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/learn"
)

//go:embed peer.py
var script string

// A source is a data set.
type source struct {
	name   string
	folder bool // it is read from a folder
	read   func(folder string) (*sets.Set, error)
}

// embedded returns a source that is in the program.
func embedded(name string, load func() (*sets.Set, error)) source {
	return source{name, false, func(string) (*sets.Set, error) { return load() }}
}

var sources = []source{
	{"cal_housing", true, sets.CalHousing},
	{"cpu_act", true, sets.CPUAct},
	embedded("digits", sets.Digits),
	embedded("spambase", sets.Spambase),
	{"satellite", true, sets.Satellite},
	embedded("pendigits", sets.Pendigits),
	embedded("nursery", sets.Nursery),
	embedded("letter", sets.Letter),
	{"adult", true, sets.Adult},
	{"coil20", true, sets.COIL20},
	{"cifar", true, sets.CIFAR},
}

// contender is the result of one side: the loss of each test row, 1 for a wrong class or the squared error, and
// seconds.
type contender struct {
	losses  []float64
	seconds float64
}

// line is a line of the table.
type line struct {
	set                    string
	rows, columns, out     int
	classes                bool
	learn, rbf, nys, exact contender
	gridSeconds            float64
}

// measure returns the line of a set.
func (s source) measure(show func(doing string), size scope, python *peer.Python) (line, error) {
	all, err := s.read(size.data)
	if err != nil {
		return line{}, err
	}
	train, test := split(all, size)
	l := line{set: s.name, rows: train.Len(), columns: train.Dim(), classes: train.Class != nil}
	show(s.name + ": learn …")
	start := peak.CPU()
	var predicted []float64
	if l.classes {
		r, err := learn.Classification(train.X, train.Class, nil)
		if err != nil {
			return l, err
		}
		_, l.out = r.Model.Map().Dims()
		for _, c := range r.Model.Classify(test.X) {
			predicted = append(predicted, float64(c))
		}
	} else {
		r, err := learn.Regression(train.X, train.Target, nil)
		if err != nil {
			return l, err
		}
		_, l.out = r.Model.Map().Dims()
		var p mat.Dense
		r.Model.PredictTo(&p, test.X)
		predicted = mat.Col(nil, 0, &p)
	}
	l.learn.seconds = (peak.CPU() - start).Seconds()
	truth := test.Truth()
	l.learn.set(predicted, truth, l.classes)
	if python == nil {
		return l, nil
	}
	return l, l.askPeer(show, size, python, train, test)
}

// askPeer sets the figures of scikit-learn.
func (l *line) askPeer(show func(doing string), size scope, python *peer.Python, train, test *sets.Set) error {
	kind := "regression"
	if l.classes {
		kind = "classes"
	}
	y := mat.NewDense(train.Len(), 1, train.Truth())
	p, err := python.Start(script, 1, train.X, y, test.X)
	if err != nil {
		return err
	}
	truth := test.Truth()
	show(l.set + ": the grid of scikit-learn …")
	grid, err := p.Ask("grid", kind, l.columns, l.out)
	if err != nil {
		return err
	}
	l.gridSeconds = grid[0]
	for _, c := range []struct {
		name string
		to   *contender
	}{{"rbf", &l.rbf}, {"nys", &l.nys}} {
		show(fmt.Sprintf("%s: scikit-learn, %s …", l.set, c.name))
		answer, err := p.Ask(c.name)
		if err != nil {
			return err
		}
		c.to.seconds = answer[0]
		c.to.set(answer[1:], truth, l.classes)
	}
	if !l.classes && size.exact > 0 {
		show(l.set + ": scikit-learn's Gaussian process …")
		answer, err := p.Ask("exact", size.exact)
		if err != nil {
			return err
		}
		l.exact.seconds = answer[0]
		l.exact.set(answer[1:], truth, false)
	}
	return p.Close()
}

// split returns training rows and test rows, sampled by the seed: a quarter of the rows are test rows, or as
// many as the scope allows.
func split(all *sets.Set, size scope) (train, test *sets.Set) {
	by := featuremap.NewSampler(uint64(size.seed))
	held := min(all.Len()/4, size.test)
	test, train = all.Split(held, by)
	if train.Len() > size.rows {
		train, _ = train.Cut(size.rows)
	}
	renumber(train, test)
	return train, test
}

// renumber numbers the classes of the training rows from 0, without gaps. Rows of other classes get −1, which no
// prediction matches.
func renumber(train, test *sets.Set) {
	if train.Class == nil {
		return
	}
	numbers := make([]int, train.Classes)
	for _, c := range train.Class {
		numbers[c] = 1
	}
	train.Classes = 0
	for c, seen := range numbers {
		if numbers[c] = -1; seen == 1 {
			numbers[c] = train.Classes
			train.Classes++
		}
	}
	for _, s := range []*sets.Set{train, test} {
		for i, c := range s.Class {
			s.Class[i] = numbers[c]
		}
	}
}

// set sets the losses of predictions.
func (c *contender) set(predicted, truth []float64, classes bool) {
	for i, v := range truth {
		e := predicted[i] - v
		if classes && e != 0 {
			e = 1
		}
		c.losses = append(c.losses, e*e)
	}
}

// mean returns the mean of some numbers and its standard error.
func mean(v []float64) (m, deviation float64) {
	for _, u := range v {
		m += u / float64(len(v))
	}
	for _, u := range v {
		deviation += (u - m) * (u - m)
	}
	n := float64(len(v))
	return m, math.Sqrt(deviation / (n - 1) / n)
}

// text returns the score of a contender.
func (c *contender) text(classes bool) string {
	if c.losses == nil {
		return ""
	}
	m, deviation := mean(c.losses)
	if classes {
		return fmt.Sprintf("%.2f ± %.2f %%", 100*(1-m), 100*deviation)
	}
	return fmt.Sprintf("%.5g ± %.2g", math.Sqrt(m), deviation/2/math.Sqrt(m))
}

// better returns by how many standard errors the first is better than the second, row by row: 0 if no row differs.
func better(a, b *contender) float64 {
	differences := make([]float64, len(a.losses))
	for i, v := range a.losses {
		differences[i] = b.losses[i] - v
	}
	m, deviation := mean(differences)
	if deviation == 0 {
		return 0
	}
	return m / deviation
}

// best returns the better one of the two pipelines.
func (l *line) best() *contender {
	a, _ := mean(l.rbf.losses)
	if b, _ := mean(l.nys.losses); b < a {
		return &l.nys
	}
	return &l.rbf
}

// String returns the line of the table.
func (l line) String() string {
	text := fmt.Sprintf("| %s | %d × %d | %d | %s | %.0f |", l.set, l.rows, l.columns, l.out, l.learn.text(l.classes), l.learn.seconds)
	if l.rbf.losses == nil {
		return text + " | | | | | |"
	}
	exact := "| |"
	if l.exact.losses != nil {
		exact = fmt.Sprintf("%s | %.0f |", l.exact.text(false), l.exact.seconds)
	}
	return fmt.Sprintf("%s %s | %s | %.0f | %s %+.1f |", text, l.rbf.text(l.classes), l.nys.text(l.classes),
		l.gridSeconds+l.best().seconds, exact, better(&l.learn, l.best()))
}

// records returns the figures of the lines: the error of each method and its seconds. Pipelines of scikit-learn are the better one.
func records(lines []line) [][]string {
	all := [][]string{{"set", "unit", "method", "error", "standard error", "seconds"}}
	for i := range lines {
		l := &lines[i]
		add := func(method string, c *contender, seconds float64) {
			if c.losses == nil {
				return
			}
			unit, scale := "percent wrong", 100.0
			m, deviation := mean(c.losses)
			if !l.classes {
				unit, scale = "RMSE", 1
				m = math.Sqrt(m)
				deviation /= 2 * m
			}
			number := func(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
			all = append(all, []string{l.set, unit, method, number(scale * m), number(scale * deviation), number(seconds)})
		}
		add("learn", &l.learn, l.learn.seconds)
		add("scikit-learn, best pipeline of a grid", l.best(), l.gridSeconds+l.best().seconds)
		add("scikit-learn, Gaussian process", &l.exact, l.exact.seconds)
	}
	return all
}
