// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

const seed = 1

// A problem is points and targets with a kernel and a ridge.
type problem struct {
	name, about string
	rows        []int // to train on
	train, test *sets.Set
	kernel      featuremap.Gaussian
	lambda      float64
}

// load returns the problems: the generated one and, from the folder of -data, the houses.
func load(size scope) ([]*problem, error) {
	train, test := friedman(size.rows[len(size.rows)-1], size.test, featuremap.NewSampler(seed))
	all := []*problem{{
		name:  "Drawn rows",
		about: "Friedman's function of 10 coordinates, with training noise of standard deviation 1; errors are relative to the function itself",
		train: train, test: test,
	}}
	if size.data != "" {
		houses, err := sets.CalHousing(size.data)
		if err != nil {
			return nil, fmt.Errorf("-data: %w", err)
		}
		houses.Target.Scale(1e-5, houses.Target)
		train, test := houses.Split(min(16_000, houses.Len()*4/5), featuremap.NewSampler(seed))
		sets.Standardize(train.X, test.X)
		all = append(all, &problem{
			name:  "Cal_housing",
			about: "Values of houses in 100,000 dollars, by 8 coordinates",
			train: train, test: test,
		})
	}
	for _, p := range all {
		if err := p.prepare(size); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// friedman samples points uniform on the unit cube of 10 coordinates, with Friedman's function of the first
// five
//
//	10·sin(π·x₁x₂) + 20·(x₃ − ½)² + 10·x₄ + 5·x₅
//
// (J. H. Friedman, "Multivariate adaptive regression splines", 1991, section 4.3), for training plus normal
// noise of variance 1.
func friedman(rows, test int, by *featuremap.Sampler) (a, b *sets.Set) {
	draw := func(n int, noise float64) *sets.Set {
		x, y := mat.NewDense(n, 10, nil), mat.NewDense(n, 1, nil)
		data := x.RawMatrix().Data
		for i := range data {
			data[i] = by.Float64()
		}
		by.FillNormal(y.RawMatrix().Data)
		for i := range n {
			v := x.RawRowView(i)
			f := 10*math.Sin(math.Pi*v[0]*v[1]) + 20*(v[2]-0.5)*(v[2]-0.5) + 10*v[3] + 5*v[4]
			y.Set(i, 0, f+noise*y.At(i, 0))
		}
		return &sets.Set{X: x, Target: y}
	}
	return draw(rows, 1), draw(test, 0)
}

// prepare subtracts the mean of the targets, and chooses the length scale and λ from the first rows: the median
// distance's, and the one of largest evidence. All methods share them.
func (p *problem) prepare(size scope) error {
	mean := stat.Mean(p.train.Target.RawMatrix().Data, nil)
	floats.AddConst(-mean, p.train.Target.RawMatrix().Data)
	floats.AddConst(-mean, p.test.Target.RawMatrix().Data)
	for _, n := range size.rows {
		if n <= p.train.Len() {
			p.rows = append(p.rows, n)
		}
	}
	d := p.train.Dim()
	n := min(1000, p.train.Len())
	x := p.train.X.Slice(0, n, 0, d)
	l, err := featuremap.MedianLengthScale(x, featuremap.NewSampler(seed))
	if err != nil {
		return err
	}
	p.kernel = featuremap.Gaussian{LengthScale: l}
	phi, err := featuremap.New(p.kernel, x, 1024, featuremap.NewSampler(seed))
	if err != nil {
		return err
	}
	m, err := ridge.Fit(phi, x, p.train.Target.Slice(0, n, 0, 1), &ridge.Options{NoIntercept: true})
	if err != nil {
		return err
	}
	p.lambda = m.Lambda()[0]
	return nil
}
