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
)

// collection is square images and their classes, in random order. A row of x is an image, standardized: its
// values minus their mean, over their standard deviation. The column of channel ch of pixel (r, c) is (r·side +
// c)·channels + ch.
type collection struct {
	x              *mat.Dense
	side, channels int
	class          []int
	classes        int
}

// digits returns the first digits, at most a number of them, in random order.
func digits(most int) (*collection, error) {
	s, err := sets.Digits()
	if err != nil {
		return nil, err
	}
	return collect(s.Class, most, 8, 1, func(i, _, r, c int) float64 { return s.X.At(i, r*8+c) }), nil
}

// cifar returns the central 24×24 pixels of CIFAR-10's images, as Daniely et al. crop their test images.
func cifar(folder string, most int) (*collection, error) {
	images, class, err := sets.CIFAR10(folder)
	if err != nil {
		return nil, fmt.Errorf("-data: %w", err)
	}
	const side = 24
	const border = (32 - side) / 2
	return collect(class, most, side, 3, func(i, ch, r, c int) float64 { return float64(images[i][ch][border+r][border+c]) }), nil
}

// collect shuffles images and standardizes them.
func collect(class []int, most, side, channels int, value func(image, ch, r, c int) float64) *collection {
	order := sets.Shuffle(len(class), featuremap.NewSampler(seed))
	order = order[:min(most, len(order))]
	s := &collection{x: mat.NewDense(len(order), side*side*channels, nil), side: side, channels: channels, classes: 10}
	for i, image := range order {
		s.class = append(s.class, class[image])
		row := s.x.RawRowView(i)
		for j := range row {
			pixel, ch := j/channels, j%channels
			row[j] = value(image, ch, pixel/side, pixel%side)
		}
		mean, deviation := stat.PopMeanStdDev(row, nil)
		floats.AddConst(-mean, row)
		if deviation > 0 {
			floats.Scale(1/deviation, row)
		}
	}
	return s
}

// pixels returns the images' values as angles.
func (s *collection) pixels() *mat.Dense {
	x := mat.DenseCopyOf(s.x)
	x.Apply(func(_, _ int, v float64) float64 { return angle(v) }, x)
	return x
}

// angle returns the point of the circle for a standardized value. The paper does not say which to use. Here all values
// share half a turn, so that the lowest and the highest are opposite, and values near the mean take most of it.
func angle(v float64) float64 { return math.Pi / 2 * math.Tanh(v/2) }

// windows replaces each window of size×size pixels, stride pixels apart, by its projections on the principal
// components of all windows of all images, which are standardized and converted to angles. It returns a row for each
// image, with its windows row by row, and the number of windows each way. (Components do not depend on classes, so
// they may see the image that is left out.)
func (s *collection) windows(size, stride, components int) (angles *mat.Dense, places int) {
	n, _ := s.x.Dims()
	places = (s.side-size)/stride + 1
	all := mat.NewDense(n*places*places, size*size*s.channels, nil)
	for i := range n {
		image := s.x.RawRowView(i)
		for p := range places * places {
			to := all.RawRowView(i*places*places + p)
			for r := range size {
				first := ((p/places*stride+r)*s.side + p%places*stride) * s.channels
				copy(to[r*size*s.channels:(r+1)*size*s.channels], image[first:])
			}
		}
	}
	var projected mat.Dense
	projected.Mul(all, principal(all, components))
	sets.Standardize(&projected)
	projected.Apply(func(_, _ int, v float64) float64 { return angle(v) }, &projected)
	return mat.NewDense(n, places*places*components, projected.RawMatrix().Data), places
}

// principal returns the principal components of the rows of x, one a column. It uses the covariance matrix, which is
// faster here than stat.PC, which factorizes x.
func principal(x *mat.Dense, components int) mat.Matrix {
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, x, nil)
	var e mat.EigenSym
	e.Factorize(&covariance, true)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	_, d := x.Dims()
	return vectors.Slice(0, d, d-components, d) // eigenvalues ascend
}
