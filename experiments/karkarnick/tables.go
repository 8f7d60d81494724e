// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
)

// mainTable writes the lines of problems, as Markdown.
func mainTable(w io.Writer, show func(doing string), chosen []*problem, size scope) error {
	fmt.Fprintln(w, "| data | kernel | features | columns | predicted error | accuracy | theirs | ours − theirs |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for _, p := range chosen {
		lines, err := p.measure(show, size)
		if err != nil {
			return err
		}
		for _, l := range lines {
			l.write(w, p)
		}
	}
	return nil
}

func (l line) write(w io.Writer, p *problem) {
	columns, predicted, theirs := "", "", "|"
	if l.columns > 0 {
		columns = fmt.Sprint(l.columns)
	}
	if l.predicted > 0 {
		predicted = fmt.Sprintf("%.2g", l.predicted)
	}
	mean, deviation := stat.MeanStdDev(l.accuracy, nil)
	ours := fmt.Sprintf("%.1f", mean)
	if !math.IsNaN(deviation) {
		ours += fmt.Sprintf(" ± %.1f", deviation)
	}
	if l.theirs > 0 {
		theirs = fmt.Sprintf("%.1f | %+.1f", l.theirs, mean-l.theirs)
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", p.Name, l.kernel, l.features, columns, predicted, ours, theirs)
}

// formTable writes the results for other forms of the data and for another loss.
func formTable(w io.Writer, show func(doing string), chosen, others []*problem, size scope) error {
	fmt.Fprintln(w, "| data | numbers | class 1 | loss | exact kernel | random features | H0/1 | farthest from theirs |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for i, p := range append(chosen, others...) {
		for _, l := range []loss{hinge, square} {
			if l == square && i >= len(chosen) {
				continue
			}
			show(fmt.Sprintf("%s, %s, %s: %s …", p.Name, p.coding.name, p.classes, l))
			a, err := p.three(size, l)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", p.Name, p.coding.name, err)
			}
			far := 0.0
			for j, theirs := range []float64{p.exact, p.random, p.low} {
				if e := a[j] - theirs; math.Abs(e) > math.Abs(far) {
					far = e
				}
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %.1f | %.1f | %.1f | %+.1f |\n", p.Name, p.coding.name, p.classes, l, a[0], a[1], a[2], far)
		}
	}
	return nil
}

// rowsTable writes the accuracy of the exact kernel by the number of points that it is trained on.
func rowsTable(w io.Writer, show func(doing string), chosen []*problem, size scope) error {
	fmt.Fprintln(w, "| data | points | exact kernel |")
	fmt.Fprintln(w, "|---|---|---|")
	for _, p := range chosen {
		train, test := p.split(size, featuremap.NewSampler(seed))
		k := kernels(train.x)[0]
		for n := size.exact / 8; n <= min(size.exact, len(train.y)); n *= 2 {
			show(fmt.Sprintf("%s: the exact kernel of %d points …", p.Name, n))
			a, err := k.accuracy(train.first(n), test, hinge)
			if err != nil {
				return fmt.Errorf("%s, %d points: %w", p.Name, n, err)
			}
			fmt.Fprintf(w, "| %s | %d | %.1f |\n", p.Name, n, a)
		}
	}
	return nil
}
