// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The problems, their fits, and the tables.

package main

import (
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/internal/peak"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A source is a data set and its kernel.
type source struct {
	name   string
	folder bool // it is read from a folder, not embedded
	read   func(folder string) (*sets.Set, error)
	raw    bool              // columns are not standardized
	about  string            // what is done to the columns
	length float64           // of the kernel
	design featuremap.Design // of the map
}

// sources are the data sets. The length scales of letter and pendigits are medians of distances, over √2; for MNIST it
// is about half of this.
var sources = []source{
	{name: "pendigits", read: func(string) (*sets.Set, error) { return sets.Pendigits() }, about: "standardized", length: 3.87, design: featuremap.Orthogonal},
	{name: "letter", read: func(string) (*sets.Set, error) { return sets.Letter() }, about: "standardized", length: 2.67, design: featuremap.Orthogonal},
	{name: "mnist", folder: true, read: sets.MNIST, raw: true, about: "pixels from 0 to 1", length: 5, design: featuremap.Structured},
}

// A problem is a data set in two parts.
type problem struct {
	source
	train, test *sets.Set
}

// problem reads the data set. The rows are those that its authors train and test on.
func (s source) problem(size scope) (*problem, error) {
	set, err := s.read(size.data)
	if err != nil {
		return nil, err
	}
	p := &problem{source: s}
	p.train, p.test = set.Own()
	if size.train > 0 {
		p.train, p.test = first(p.train, size.train), first(p.test, size.test)
	}
	if !s.raw {
		sets.Standardize(p.train.X, p.test.X)
	}
	return p, nil
}

// first returns the first rows of a set, n at most.
func first(s *sets.Set, n int) *sets.Set { return s.Rows(sets.Order(min(n, s.Len()))) }

// A result is what was measured of a fit.
type result struct {
	set, fit string
	features int
	wrong    float64 // share of the test rows
	lambda   float64
	passes   int     // 0: a direct fit
	seconds  float64 // of CPU time
	memory   float64 // MB
}

// measure returns the results for all numbers of features.
func (p *problem) measure(show func(doing string), size scope) (results []result, err error) {
	y, err := ridge.Labels(p.train.Class, p.train.Classes)
	if err != nil {
		return nil, err
	}
	for features := size.least; features <= size.most; features *= 4 {
		phi, err := featuremap.NewFourier(featuremap.Gaussian{LengthScale: p.length}, p.train.Dim(), features, featuremap.NewSampler(1),
			&featuremap.FourierOptions{Design: p.design})
		if err != nil {
			return nil, err
		}
		if features <= size.direct {
			show(fmt.Sprintf("%s, %d features, direct …", p.name, features))
			r, err := p.fit("direct", phi, func() (*ridge.Model, error) { return ridge.Fit(phi, p.train.X, y, nil) })
			if err != nil {
				return nil, err
			}
			results = append(results, r)
		}
		r, err := p.fit("iterative", phi, func() (*ridge.Model, error) {
			return ridge.FitIterative(phi, ridge.Rows(p.train.X, y), &ridge.IterativeOptions{
				Progress: func(pass int, residual float64) error {
					show(fmt.Sprintf("%s, %d features, pass %d, residual %.1e …", p.name, features, pass, residual))
					return nil
				},
			})
		})
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// fit makes a fit and returns what it took.
func (p *problem) fit(name string, phi featuremap.FeatureMap, fit func() (*ridge.Model, error)) (result, error) {
	_, features := phi.Dims()
	var m *ridge.Model
	var err error
	start := peak.CPU()
	memory := largestHeap(func() { m, err = fit() })
	seconds := (peak.CPU() - start).Seconds()
	if err != nil {
		return result{}, fmt.Errorf("%d features, %s: %w", features, name, err)
	}
	var predictions mat.Dense
	m.PredictTo(&predictions, p.test.X)
	return result{
		set: p.name, fit: name, features: features, wrong: 1 - p.test.Accuracy(&predictions),
		lambda: m.Lambda()[0], passes: m.Passes(), seconds: seconds, memory: memory,
	}, nil
}

// print writes the table of a set.
func (p *problem) print(w io.Writer, results []result) {
	fmt.Fprintf(w, "\n## %s\n\n%d training rows, %d test rows; coordinates: %d, %s; %d classes; length scale %.3g.\n\n",
		p.name, p.train.Len(), p.test.Len(), p.train.Dim(), p.about, p.train.Classes, p.length)
	names := make([]string, len(results))
	for i, r := range results {
		names[i] = strconv.Itoa(r.features)
	}
	program.Table(w, []string{"features", "fit", "wrong", "λ", "passes", "fit, s", "memory, MB"}, names, func(i, j int) string {
		r := results[i]
		return [...]string{r.fit, fmt.Sprintf("%.2f %%", 100*r.wrong), fmt.Sprintf("%.2g", r.lambda), r.shownPasses(), program.Number(r.seconds),
			fmt.Sprintf("%.0f", r.memory)}[j]
	})
}

// shownPasses returns the number of passes, or nothing for a direct fit.
func (r result) shownPasses() string {
	if r.passes == 0 {
		return ""
	}
	return strconv.Itoa(r.passes)
}

// records returns the results as comma-separated values.
func records(results []result) [][]string {
	records := [][]string{{"set", "features", "fit", "share of wrong classes", "lambda", "passes", "seconds to fit", "megabytes"}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, r := range results {
		records = append(records, []string{r.set, strconv.Itoa(r.features), r.fit, number(r.wrong), number(r.lambda), r.shownPasses(), number(r.seconds),
			number(r.memory)})
	}
	return records
}
