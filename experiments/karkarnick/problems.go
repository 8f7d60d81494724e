// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// A published row is one of Table 1 of P. Kar, H. Karnick, Random feature maps for dot product kernels, AISTATS 2012.
type published struct {
	exact, random, low float64 // accuracies, percent: of the exact kernel, random features, and H0/1
	features, drawn    int     // the numbers of random features, and of those of H0/1 without degrees 0 and 1
}

// A problem is a data set in one of the forms that Kar and Karnick may have given it.
type problem struct {
	*sets.Set
	published
	coding   coding
	positive []int  // the classes that are 1; the others are −1
	classes  string // in words
}

var (
	ofSpambase = published{93.8, 93.2, 92.0, 500, 50}
	ofNursery  = published{99.9, 99.7, 98.2, 500, 100}
	ofAdult    = published{84.2, 84.7, 84.7, 500, 100}
)

// load returns the problems of the main table, and the others. Adult is read from a folder if there is one.
func load(folder string) (chosen, others []*problem, err error) {
	spam, err := sets.Spambase()
	if err != nil {
		return nil, nil, err
	}
	form := func(c coding) *problem { return &problem{spam, ofSpambase, c, []int{1}, "spam"} }
	chosen = append(chosen, form(logarithmOne))
	for _, c := range []coding{asIs, logarithm, ranged, rangedOne, standard, standardOne} {
		others = append(others, form(c))
	}

	nursery, err := sets.Nursery()
	if err != nil {
		return nil, nil, err
	}
	rank := func(words string, classes ...int) *problem {
		return &problem{nursery, ofNursery, asIs, classes, words}
	}
	special := rank("spec_prior", 4)
	chosen = append(chosen, special)
	oneHotted := *special
	oneHotted.coding = oneHot
	others = append(others, &oneHotted,
		// All partitions of the ranks, where the two rows of recommend are with very_recom.
		rank("not_recom", 0), rank("very_recom", 1, 2), rank("priority", 3),
		rank("not_recom, very_recom", 0, 1, 2), rank("not_recom, priority", 0, 3), rank("not_recom, spec_prior", 0, 4))

	if folder == "" {
		return chosen, others, nil
	}
	adult, err := sets.Adult(folder)
	if err != nil {
		return nil, nil, err
	}
	return append(chosen, &problem{adult, ofAdult, asIs, []int{1}, "more than 50,000 dollars"}), others, nil
}

// A part is points of a problem and their classes, 1 or −1.
type part struct {
	x *mat.Dense
	y []float64
}

// rows returns the points with these numbers.
func (p part) rows(chosen []int) part {
	_, d := p.x.Dims()
	q := part{mat.NewDense(len(chosen), d, nil), make([]float64, len(chosen))}
	for i, r := range chosen {
		q.x.SetRow(i, p.x.RawRowView(r))
		q.y[i] = p.y[r]
	}
	return q
}

// first returns the first points, at most n.
func (p part) first(n int) part {
	n = min(n, len(p.y))
	_, d := p.x.Dims()
	return part{p.x.Slice(0, n, 0, d).(*mat.Dense), p.y[:n]}
}

// split returns 60 % of the points, limited in number, to train on, and all others, limited too, to test.
func (p *problem) split(size scope, s *featuremap.Sampler) (train, test part) {
	all := part{p.coding.apply(mat.DenseCopyOf(p.X)), make([]float64, p.Len())}
	for i, c := range p.Class {
		all.y[i] = -1
		if slices.Contains(p.positive, c) {
			all.y[i] = 1
		}
	}
	order := sets.Shuffle(p.Len(), s)
	cut := min(p.Len()*6/10, size.train)
	return all.rows(order[:cut]), all.rows(order[cut:]).first(size.test)
}
