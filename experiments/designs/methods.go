// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// A set is points with a kernel.
type set struct {
	name   string
	times  float64 // length scale, in units of MedianLengthScale's
	kernel featuremap.Gaussian
	rows   *mat.Dense // over whose pairs errors are taken
	others *mat.Dense // which plans are made for
	batch  *mat.Dense // to time
}

// load returns the data sets. A length scale of 2√2 times MedianLengthScale's is twice the median distance: the
// kernel is then so smooth that a Maclaurin map may be better than any Fourier map.
func load(size scope) ([]set, error) {
	digits, err := sets.Digits()
	if err != nil {
		return nil, err
	}
	x := pairs.Spread(digits.X, size.points)
	sets.Standardize(x)
	all := []set{{name: "digits", times: 1, batch: x}, {name: "digits, smooth", times: 2 * math.Sqrt2, batch: x}}
	if size.data != "" {
		images, _, err := sets.CIFAR10(size.data)
		if err != nil {
			return nil, fmt.Errorf("-data: %w", err)
		}
		all = append(all, set{name: "CIFAR-10", times: 1, batch: pairs.Spread(middle(images), size.points)})
	}
	for i := range all {
		if err := all[i].prepare(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// side is the width of the part of an image that is taken.
const side = 16

// middle returns the 3×16×16 numbers, from 0 to 1, in the middle of each image.
func middle(images []sets.Image) *mat.Dense {
	x := mat.NewDense(len(images), 3*side*side, nil)
	const first = (32 - side) / 2
	for i := range images {
		row := x.RawRowView(i)
		for j := range row {
			plane, r, c := j/(side*side), j/side%side, j%side
			row[j] = float64(images[i][plane][first+r][first+c]) / 255
		}
	}
	return x
}

// batchRows is the largest number of rows to time.
const batchRows = 1000

// prepare sets the kernel and the rows, given all points as the batch: every second row is for the errors.
func (s *set) prepare() error {
	x := s.batch
	l, err := featuremap.MedianLengthScale(x, featuremap.NewSampler(seed))
	if err != nil {
		return err
	}
	s.kernel = featuremap.Gaussian{LengthScale: s.times * l}
	n, d := x.Dims()
	s.rows, s.others = mat.NewDense((n+1)/2, d, nil), mat.NewDense(n/2, d, nil)
	for i := range n {
		part := s.rows
		if i%2 == 1 {
			part = s.others
		}
		part.SetRow(i/2, x.RawRowView(i))
	}
	s.rows, s.batch = pairs.Spread(s.rows, pairs.Rows), pairs.Spread(x, batchRows)
	return nil
}

// method is a way to make maps with a number of features. A plan may take fewer.
type method struct {
	name string
	plan func(features int) (drawer, error)
}

// drawer samples a map, as Plan.Draw does.
type drawer func(by *featuremap.Sampler) (featuremap.FeatureMap, error)

// Methods that are looked up by name.
const (
	single  = "single cosines, independent"
	chosen  = "NewPlan's choice"
	sampled = "scikit-learn RBFSampler"
)

// methods returns the methods of this package.
func (s *set) methods() []method {
	_, d := s.rows.Dims()
	fourier := func(o featuremap.FourierOptions) func(int) (drawer, error) {
		return func(features int) (drawer, error) {
			return func(by *featuremap.Sampler) (featuremap.FeatureMap, error) {
				return featuremap.NewFourier(s.kernel, d, features, by, &o)
			}, nil
		}
	}
	return []method{
		{single, fourier(featuremap.FourierOptions{RandomPhase: true})},
		{"pairs, independent", fourier(featuremap.FourierOptions{})},
		{"pairs, orthogonal", fourier(featuremap.FourierOptions{Design: featuremap.Orthogonal})},
		{"pairs, structured", fourier(featuremap.FourierOptions{Design: featuremap.Structured})},
		{chosen, func(features int) (drawer, error) {
			p, err := featuremap.NewPlan(s.kernel, s.others, features, &featuremap.PlanOptions{Unbiased: true})
			if err != nil {
				return nil, err
			}
			return p.Draw, nil
		}},
	}
}
