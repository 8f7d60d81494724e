// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"

	"github.com/seed-0f95ebc1/featuremap"
)

const seed = 1

// line is a line of the main table: features of one kind for one kernel.
type line struct {
	kernel    string
	features  string
	columns   int       // 0 for the exact kernel
	predicted float64   // relative error, of the first split; 0 if nothing is random
	theirs    float64   // percent; 0 if they have published none
	accuracy  []float64 // percent, of each split
}

// A method is what a line is for.
type method struct {
	way
	columns int
	theirs  float64
}

// methods returns the methods of the main table.
func (p *problem) methods(d int) []method {
	columns := 1 + d + p.drawn // columns of H0/1
	return []method{
		{way{name: "the exact kernel"}, 0, p.exact},
		{random, p.features, p.random},
		{optimal, p.features, 0},
		{optimalLow, p.features, 0},
		{planned, p.features, 0},
		{lowAlone, 1 + d, 0},
		{low, columns, p.low},
		{optimalLow, columns, 0},
		{planned, columns, 0},
	}
}

// measure returns the lines of a problem.
func (p *problem) measure(show func(string), size scope) (lines []line, err error) {
	for split := range size.splits {
		s := featuremap.NewSampler(seed + uint64(split))
		train, test := p.split(size, s)
		_, d := train.x.Dims()
		i := 0
		for _, k := range kernels(train.x) {
			for _, m := range p.methods(d) {
				if split == 0 {
					lines = append(lines, line{kernel: k.name, features: m.name, columns: m.columns, theirs: m.theirs})
				}
				show(fmt.Sprintf("%s, split %d of %d, %s: %s …", p.Name, split+1, size.splits, k.name, m.name))
				if err := lines[i].add(k, m, train, test, size.exact, s); err != nil {
					return nil, fmt.Errorf("%s, %s, %s: %w", p.Name, k.name, m.name, err)
				}
				i++
			}
		}
	}
	return lines, nil
}

// add adds the accuracy of a split.
func (l *line) add(k kernel, m method, train, test part, exact int, s *featuremap.Sampler) error {
	if m.draw == nil {
		a, err := k.accuracy(train.first(exact), test, hinge)
		l.accuracy = append(l.accuracy, a)
		return err
	}
	phi, err := m.draw(k, train.x, m.columns, s)
	if err != nil {
		return err
	}
	if _, ok := phi.(featuremap.Variancer); ok && l.accuracy == nil {
		l.predicted = k.relative(phi, train.x)
	}
	a, err := k.accuracyOf(phi, train, test, hinge)
	l.accuracy = append(l.accuracy, a)
	return err
}

// accuracy returns the accuracy of the exact kernel.
func (k kernel) accuracy(train, test part, l loss) (float64, error) {
	c := classifier{newKernelised(k, train), train.y, l, k.mean(train.x)}
	return c.accuracy(test)
}

// accuracyOf returns the accuracy of features.
func (k kernel) accuracyOf(phi featuremap.FeatureMap, train, test part, l loss) (float64, error) {
	m, err := newLinear(phi, train)
	if err != nil {
		return 0, err
	}
	c := classifier{m, train.y, l, k.mean(train.x)}
	return c.accuracy(test)
}

// three returns the accuracies of the exact kernel, random features and H0/1, for the first kernel and split.
func (p *problem) three(size scope, l loss) (a [3]float64, err error) {
	s := featuremap.NewSampler(seed)
	train, test := p.split(size, s)
	_, d := train.x.Dims()
	k := kernels(train.x)[0]
	if a[0], err = k.accuracy(train.first(size.exact), test, l); err != nil {
		return a, err
	}
	for i, m := range []method{{random, p.features, p.random}, {low, 1 + d + p.drawn, p.low}} {
		phi, err := m.draw(k, train.x, m.columns, s)
		if err != nil {
			return a, err
		}
		if a[1+i], err = k.accuracyOf(phi, train, test, l); err != nil {
			return a, err
		}
	}
	return a, nil
}
