// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// architecture is the sizes of the windows of the two convolutions.
type architecture struct {
	first, second int // both 0: no convolutions
	rfs, net      float64
}

func (a architecture) String() string {
	if a.first == 0 {
		return "Full"
	}
	return fmt.Sprintf("%d,%d", a.first, a.second)
}

// published are the architectures of Daniely, Frostig, Gupta and Singer 2017, Table 1, in their order, with their test
// accuracies in percent, for 10⁶ random features and for the neural network.
var published = []architecture{
	{4, 5, 72.88, 77.09},
	{6, 4, 72.42, 77.06},
	{6, 6, 72.25, 75.52},
	{4, 4, 71.49, 74.94},
	{5, 4, 71.45, 76.78},
	{4, 6, 70.62, 74.24},
	{5, 6, 70.39, 75.38},
	{6, 5, 70.14, 74.23},
	{5, 5, 69.64, 73.57},
	{0, 0, 60.01, 55.09},
}

// small are architectures for the digits' 8×8 pixels, which are not in the paper.
var small = []architecture{{first: 2, second: 2}, {first: 2, second: 3}, {first: 3, second: 2}, {first: 3, second: 3}, {}}

// An entry is a kernel on points that represent the images.
type entry struct {
	name   string
	kernel featuremap.Kernel
	points *mat.Dense

	// The same kernel on angles, whose random features are the paper's; nil for a baseline.
	skeleton *featuremap.Skeleton
	angles   *mat.Dense
}

// entry returns the kernel of an architecture. As in the paper, all activations are ReLU. The components of a window of
// pixels go into a unit, windows of these units, 2 apart, into the next, and all of those into the output. The fully
// connected kernel is one unit over all pixels.
func (t *study) entry(a architecture) (e entry, err error) {
	relu := series.ReLUDual{}
	if a.first == 0 {
		e, err = layers(t.images.pixels(), t.images.side, t.images.channels, func(g *featuremap.Grid) { g.Dense(relu) })
	} else {
		e, err = t.windowed(a.first, func(g *featuremap.Grid) { g.Conv(relu, 1, 1).Conv(relu, a.second, 2).Dense(relu) })
	}
	e.name = a.String()
	return e, err
}

// windowed returns a kernel whose inputs are the components of windows of a size.
func (t *study) windowed(size int, build func(*featuremap.Grid)) (entry, error) {
	components := t.components[size]
	angles, places := t.images.windows(size, t.stride, components)
	return layers(angles, places, components, build)
}

// layers returns the kernel that build makes on a grid of side·side places with channels angles each.
//
// The mean of cos(xᵢ − yᵢ) over a place's angles is the inner product of their cosines and sines, over the root of
// their number: a sphere for each place instead of a circle for each angle. The exact kernel is evaluated in this
// way, so cosines are not computed again for each pair.
func layers(angles *mat.Dense, side, channels int, build func(*featuremap.Grid)) (e entry, err error) {
	n, d := angles.Dims()
	e.angles, e.skeleton = angles, featuremap.NewSkeleton(d)
	build(e.skeleton.Image(side, side, channels, featuremap.Circle{}))
	e.points = mat.NewDense(n, 2*d, nil)
	scale := 1 / math.Sqrt(float64(channels))
	for i := range n {
		row := e.points.RawRowView(i)
		for j, v := range angles.RawRowView(i) {
			sin, cos := math.Sincos(v)
			row[2*j], row[2*j+1] = scale*cos, scale*sin
		}
	}
	spheres := featuremap.NewSkeleton(2 * d)
	build(spheres.Image(side, side, 2*channels, featuremap.Sphere{}))
	e.kernel, err = spheres.Kernel()
	return e, err
}

// baselines returns kernels to compare with: without windows above the inputs, and without layers.
func (t *study) baselines() ([]entry, error) {
	first := t.architectures[0].first
	flat, err := t.windowed(first, func(g *featuremap.Grid) { g.Dense(series.ReLUDual{}) })
	if err != nil {
		return nil, err
	}
	pixels := t.images.x
	median, err := featuremap.MedianLengthScale(pixels, featuremap.NewSampler(seed))
	if err != nil {
		return nil, err
	}
	_, d := pixels.Dims()
	return []entry{
		{name: fmt.Sprintf("Full, of the inputs of %d,·", first), kernel: flat.kernel, points: flat.points},
		{name: "Gaussian, of pixels", kernel: featuremap.Gaussian{LengthScale: median}, points: pixels},
		{name: "linear, of pixels", kernel: featuremap.Scale(1/float64(d), featuremap.Linear{}), points: pixels},
	}, nil
}
