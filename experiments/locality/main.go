// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Locality shows that the random features of a convolutional skeleton read pixels that are near one
// another: Figure 4 of Daniely, Frostig, Gupta and Singer 2017.
//
//	go -C experiments run ./locality
//
// It samples features of four kernels of images of 24×24 angles: a flat one, a dense unit over all
// pixels, and three with one, two and three layers of convolutions below it, all with the dual of
// ReLU. Over the samples it computes the correlation of two pixels: of the events that a feature
// reads the one, and that it reads the other. The table shows its mean over the pairs of pixels
// that share a window of the first layer, over those that share one of the second or third layer at
// the lowest, and over those that share no window, whether or not the kernel has that layer.
//
//	go -C experiments run ./figures -picture locality
//
// runs this program and draws the correlations of four pixels with all others.
//
// The paper does not specify the convolutions. Here windows are of 4×4 pixels 2 apart, then of 3×3
// places 2 apart, twice: windows of the three layers are 4, 8 and 16 pixels wide in the image, 2, 4
// and 8 apart, and reach every pixel.
//
// A sample that takes two children of a unit reads two places of one window. So correlations are
// high within windows of the first layer and step down at each layer above it. The flat kernel has
// one correlation for all pairs. (It is not zero, because degrees of ReLU have a heavy tail: a
// sample that reads one pixel is likely to read others. A pixel that a sample takes twice may
// cancel, z·z̄ = 1, and then the feature does not read it.)
package main

import (
	"fmt"
	"io"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/program"
	"github.com/seed-0f95ebc1/featuremap/series"
)

const usage = `Figure 4 of Daniely, Frostig, Gupta and Singer 2017: the random features of a kernel of images with
layers of convolutions read pixels that are near one another. There is a line for each of four
kernels, a flat one and three with one, two and three layers of convolutions.

  layer 1        correlation of two pixels over the samples, that is, of the events that a feature
                 reads the one and that it reads the other: the mean over the pairs that share a
                 window of the first layer of convolutions, 4×4 pixels
  only layer 2   the same for the pairs that share a window of the second layer, 8×8 pixels, but no
                 window of the first, whether or not the kernel has such a layer; only layer 3 likewise
  no window      the same for the pairs that share no window, not even one of 16×16 pixels
  distinct       features that remain when equal samples are merged
  complexity     pixels that a sample takes, on average

Look along a line: there is a step down after each layer of the kernel. The paper shows the same
in pictures, without numbers, and does not specify the windows.
`

const (
	seed = 1
	side = 24 // pixels

	fewest = 10_000 // samples: one in 576 reads a pixel
)

// layers are the convolutions of the deepest kernel, from the pixels up: windows of
// size×size nodes of the layer below, stride apart.
var layers = []struct{ size, stride int }{{4, 2}, {3, 2}, {3, 2}}

// shown are the pixels whose correlations -csv writes.
var shown = []pixel{{5, 5}, {5, 16}, {14, 9}, {18, 19}}

func main() {
	draws, file := 500_000, ""
	flags := program.NewFlags("locality", usage)
	flags.AtLeast(fewest, &draws, "draws", "`number` of features to sample for each kernel")
	flags.CSV(&file, "`file` to write the correlations of four pixels with all others to, as comma-separated values")
	flags.Quick(func() { draws = min(draws, 50_000) }, "at most 50,000 samples")
	flags.Main(func(w io.Writer, show func(doing string)) error {
		correlations, err := run(w, show, draws)
		if err != nil {
			return err
		}
		return program.WriteCSV(file, records(correlations))
	})
}

// run writes the table to out, shows what it is doing meanwhile, and returns the correlations for
// each depth.
func run(out io.Writer, show func(doing string), draws int) ([]*correlation, error) {
	fmt.Fprintf(out, "%s\n%d samples, seed %d.\n\n| kernel |", usage, draws, seed)
	for tier := range len(layers) + 1 {
		fmt.Fprintf(out, " %s |", tierName(tier))
	}
	fmt.Fprintln(out, " distinct | complexity |\n|---|---|---|---|---|---|---|")
	var correlations []*correlation
	s := featuremap.NewSampler(seed)
	for depth := range len(layers) + 1 {
		show(fmt.Sprintf("%s: %d samples …", name(depth), draws))
		sk := skeleton(depth)
		m, err := featuremap.NewCompositional(sk, draws, s)
		if err != nil {
			return nil, err
		}
		c := correlate(m)
		correlations = append(correlations, c)
		fmt.Fprintf(out, "| %s |", name(depth))
		for _, mean := range c.tiers() {
			fmt.Fprintf(out, " %.4f |", mean)
		}
		fmt.Fprintf(out, " %d | %.3f |\n", m.Distinct(), sk.Complexity())
	}
	return correlations, nil
}

// skeleton returns the skeleton with this number of layers of convolutions.
func skeleton(depth int) *featuremap.Skeleton {
	sk := featuremap.NewSkeleton(side * side)
	g := sk.Image(side, side, 1, featuremap.Circle{})
	for _, l := range layers[:depth] {
		g = g.Conv(series.ReLUDual{}, l.size, l.stride)
	}
	g.Dense(series.ReLUDual{})
	return sk
}

func name(depth int) string {
	switch depth {
	case 0:
		return "flat"
	case 1:
		return "1 convolution"
	}
	return fmt.Sprintf("%d convolutions", depth)
}

func tierName(tier int) string {
	switch tier {
	case 0:
		return "layer 1"
	case len(layers):
		return "no window"
	}
	return fmt.Sprintf("only layer %d", tier+1)
}
