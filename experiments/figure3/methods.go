// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// setting is a kernel of angles with two ways to estimate it.
type setting struct {
	name    string
	kernel  *featuremap.Skeleton // of the angles
	methods [2]method            // the scheme and the baseline
}

// method samples maps for a kernel.
type method struct {
	name   string
	points func(angles *mat.Dense) *mat.Dense // the points in the form that the maps take
	draw   func(draws int, s *featuremap.Sampler) (estimator, error)
	pairs  bool // whether each sample has two columns; otherwise equal ones are merged
}

// estimator is a map that knows its variance, which is proportional to 1/draws.
type estimator interface {
	featuremap.FeatureMap
	featuremap.Variancer
}

// settings returns the settings of the paper.
func settings() []setting {
	shallow, deep := shallow(), deep()
	return []setting{
		{"shallow", shallow, [2]method{
			{name: "RFS", points: asTheyAre, draw: compositional(shallow)},
			{name: "RR", points: onCircle, draw: fourier, pairs: true},
		}},
		{"deep", deep, [2]method{
			{name: "RFS", points: asTheyAre, draw: compositional(deep)},
			{name: "RFS+RR", points: onCircle, draw: compositional(hybrid())},
		}},
	}
}

// gaussian is the dual activation exp((ρ−1)/4): the Gaussian kernel with length scale 2 of two
// points with inner product ρ on the unit sphere, where ‖u−v‖² = 2 − 2ρ.
var gaussian = series.ExpDual(0.25)

// shallow is one dense unit over all inputs.
func shallow() *featuremap.Skeleton {
	sk := featuremap.NewSkeleton(inputs)
	sk.Image(side, side, channels, featuremap.Circle{}).Dense(gaussian)
	return sk
}

// fourier samples Rahimi and Recht's features for the shallow kernel, a cosine and a sine for each.
// The points of n circles have norm √n, so the length scale has a factor √n.
func fourier(draws int, s *featuremap.Sampler) (estimator, error) {
	return featuremap.NewFourier(featuremap.Gaussian{LengthScale: 2 * math.Sqrt(inputs)}, 2*inputs, 2*draws, s, nil)
}

const patch = 5 // pixels of the deep kernel's first windows, each way

// deep has two layers of convolutions.
func deep() *featuremap.Skeleton {
	sk := featuremap.NewSkeleton(inputs)
	return top(sk, sk.Image(side, side, channels, featuremap.Circle{}).Conv(gaussian, patch, 2))
}

// hybrid is the deep kernel of points onCircle. Its lowest layer has inputs with Gaussian kernels,
// for which there are Rahimi and Recht's features.
func hybrid() *featuremap.Skeleton {
	const channelsOnCircle = 2 * channels
	sk := featuremap.NewSkeleton(2 * inputs)
	k := featuremap.Gaussian{LengthScale: 2 * math.Sqrt(patch*patch*channels)}
	return top(sk, sk.Patches(side, side, channelsOnCircle, patch, 2, k))
}

// top adds the upper layers of the deep kernel.
func top(sk *featuremap.Skeleton, g *featuremap.Grid) *featuremap.Skeleton {
	g.Conv(series.ReLUDual{}, 4, 2).Dense(series.ReLUDual{})
	return sk
}

// compositional returns a function that samples features of a skeleton.
func compositional(sk *featuremap.Skeleton) func(draws int, s *featuremap.Sampler) (estimator, error) {
	return func(draws int, s *featuremap.Sampler) (estimator, error) {
		return featuremap.NewCompositional(sk, draws, s)
	}
}

func asTheyAre(x *mat.Dense) *mat.Dense { return x }

// drawsFor returns the number of samples, within one percent, whose maps have this many columns on
// average. It is determined with other maps than those that are measured: sampling until there are
// so many columns would bias them.
func (m method) drawsFor(columns int) (int, error) {
	if m.pairs {
		return columns / 2, nil
	}
	// A draw has two columns at most.
	lo, hi := columns/2-1, columns
	for bracketed := false; hi-lo > max(1, hi/100); {
		draws := hi
		if bracketed {
			draws = lo + (hi-lo)/2
		}
		mean, err := m.meanColumns(draws, 1+5000/columns)
		if err != nil {
			return 0, err
		}
		switch enough := mean >= float64(columns); {
		case enough:
			hi, bracketed = draws, true
		case bracketed:
			lo = draws
		default:
			lo, hi = hi, 2*hi
		}
	}
	return hi, nil
}

// meanColumns returns the mean number of columns of some maps.
func (m method) meanColumns(draws, maps int) (mean float64, err error) {
	s := featuremap.NewSampler(seed + 1)
	for range maps {
		phi, err := m.draw(draws, s)
		if err != nil {
			return 0, err
		}
		_, out := phi.Dims()
		mean += float64(out) / float64(maps)
	}
	return mean, nil
}
