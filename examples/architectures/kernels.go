// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// An architecture is the sizes of its two convolutions.
type architecture struct {
	first, second int // 0 and 0: none
	rfs, net      float64
}

func (a architecture) String() string {
	if a.first == 0 {
		return "Full"
	}
	return fmt.Sprintf("%d,%d", a.first, a.second)
}

// published are the architectures of Daniely, Frostig, Gupta and Singer 2017, Table 1, in their order, with their test
// accuracies in per cent: of 10⁶ random features and of the neural network.
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

// small are architectures for the digits' 8×8 pixels, which the paper does not have.
var small = []architecture{{first: 2, second: 2}, {first: 2, second: 3}, {first: 3, second: 2}, {first: 3, second: 3}, {}}

// An entry is a kernel on points that stand for the images.
type entry struct {
	name     string
	kernel   featuremap.Kernel
	skeleton *featuremap.Skeleton // whose kernel it is, if it has random features here
	points   *mat.Dense
}

// entry returns the kernel of an architecture. As in the paper, all activations are ReLU: windows of pixels, reduced
// to principal components, have a unit each; windows of these units, 2 apart, the next; and all of these the output.
// The fully connected kernel is one unit over all pixels.
func (t *study) entry(a architecture) (entry, error) {
	relu := featuremap.ReLUDual{}
	e := entry{name: a.String()}
	if a.first == 0 {
		e.points = t.images.unit()
		_, d := e.points.Dims()
		e.skeleton = featuremap.NewSkeleton(d)
		e.skeleton.Unit(relu, e.skeleton.Input(featuremap.Sphere{}))
	} else {
		e.skeleton, e.points = t.patched(a.first, func(g *featuremap.Grid) {
			g.Conv(relu, 1, 1).Conv(relu, a.second, 2).Dense(relu)
		})
	}
	var err error
	e.kernel, err = e.skeleton.Kernel()
	return e, err
}

// patched returns a skeleton that begins with the reduced windows of a size, each of which is a point of a sphere.
func (t *study) patched(size int, build func(*featuremap.Grid)) (*featuremap.Skeleton, *mat.Dense) {
	components := t.components[size]
	x, places := t.images.patches(size, t.stride, components)
	sk := featuremap.NewSkeleton(places * places * components)
	build(sk.Image(places, places, components, featuremap.Sphere{}))
	return sk, x
}

// baselines returns kernels to compare with: without layers, and without windows above those of the inputs.
func (t *study) baselines() ([]entry, error) {
	pixels := t.images.unit()
	median, err := featuremap.MedianLengthScale(pixels, featuremap.NewSampler(seed))
	if err != nil {
		return nil, err
	}
	size := t.architectures[len(t.architectures)-2].first
	sk, windows := t.patched(size, func(g *featuremap.Grid) { g.Dense(featuremap.ReLUDual{}) })
	flat, err := sk.Kernel()
	if err != nil {
		return nil, err
	}
	return []entry{
		{name: fmt.Sprintf("Full, on the inputs of %d,·", size), kernel: flat, points: windows},
		{name: "Gaussian, on pixels", kernel: featuremap.Gaussian{LengthScale: median * math.Sqrt2}, points: pixels},
		{name: "linear, on pixels", kernel: featuremap.Linear{}, points: pixels},
	}, nil
}
