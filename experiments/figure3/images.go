// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

const (
	side     = 24 // pixels of a crop
	channels = 3
	inputs   = side * side * channels

	border = (32 - side) / 2 // pixels of an image around a crop
)

// collection is images from which batches are sampled.
type collection struct {
	name   string
	images []sets.Image
}

// load returns the images of CIFAR-10 in a folder, or, if folder is "", the embedded digits.
func load(folder string) (collection, error) {
	if folder == "" {
		return digits()
	}
	images, _, err := sets.CIFAR10(folder)
	return collection{"CIFAR-10", images}, err
}

// digits returns the handwritten digits in gray. Each of their 8×8 pixels fills a square of 3×3 of
// the 24×24 that a crop takes.
func digits() (collection, error) {
	const small, zoom, white = 8, 3, 16
	s, err := sets.Digits()
	if err != nil {
		return collection{}, err
	}
	c := collection{"digits", make([]sets.Image, s.Len())}
	for i := range c.images {
		for r := range side {
			for col := range side {
				v := byte(s.X.At(i, r/zoom*small+col/zoom) * 255 / white)
				for ch := range channels {
					c.images[i][ch][border+r][border+col] = v
				}
			}
		}
	}
	return c, nil
}

// batch samples n different images and returns them as angles, one a row: the column of channel ch
// of pixel (r, c) is (r·side + c)·channels + ch.
func (c collection) batch(n int, s *featuremap.Sampler) *mat.Dense {
	order := make([]int, len(c.images))
	for i := range order {
		order[i] = i
	}
	x := mat.NewDense(n, inputs, nil)
	for i := range n {
		// Fisher and Yates's shuffle, as far as it is needed.
		j := i + s.IntN(len(order)-i)
		order[i], order[j] = order[j], order[i]
		angles(x.RawRowView(i), &c.images[order[i]])
	}
	return x
}

// angles sets dst to the angles of the central crop of an image. The paper does not say how values
// become points of the circle. Here they are standardized over the crop, and a value v becomes the
// angle (π/2)·tanh(v/2). All values share half a turn, so that the darkest and the brightest are
// opposite, and values near the mean take most of it.
func angles(dst []float64, m *sets.Image) {
	for i := range dst {
		pixel, ch := i/channels, i%channels
		dst[i] = float64(m[ch][border+pixel/side][border+pixel%side])
	}
	mean, sd := stat.PopMeanStdDev(dst, nil)
	sd = max(sd, 1/math.Sqrt(inputs)) // an image of one color is then all zeros
	for i, v := range dst {
		dst[i] = math.Pi / 2 * math.Tanh((v-mean)/sd/2)
	}
}

// onCircle returns the points of the circle with the angles x: the columns 2j and 2j + 1 are the
// cosine and the sine of column j. So there are six channels for each pixel.
func onCircle(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	p := mat.NewDense(n, 2*d, nil)
	for i := range n {
		row := p.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			row[2*j+1], row[2*j] = math.Sincos(v)
		}
	}
	return p
}
