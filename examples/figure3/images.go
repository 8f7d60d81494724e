// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap"
)

const (
	side     = 24 // pixels of a crop
	channels = 3
	inputs   = side * side * channels

	fullSide = 32 // pixels of an image of CIFAR-10
	record   = 1 + fullSide*fullSide*channels
)

// images are records of the binary version of CIFAR-10: a label, which is not used here, and
// 1024 bytes of red, of green and of blue, row by row.
type images []byte

func (m images) len() int { return len(m) / record }

// load reads the images of a folder.
func load(folder string) (images, error) {
	const name = "cifar10_train4000_a.bin.gz"
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(m) == 0 || len(m)%record != 0 {
		return nil, fmt.Errorf("%s has %d bytes, not a multiple of %d", name, len(m), record)
	}
	return m, nil
}

// batch draws n different images and returns them as angles, a row each: the column of
// channel ch of pixel (r, c) is (r·side + c)·channels + ch.
func (m images) batch(n int, s *featuremap.Sampler) *mat.Dense {
	order := make([]int, m.len())
	for i := range order {
		order[i] = i
	}
	x := mat.NewDense(n, inputs, nil)
	for i := range n {
		// Fisher and Yates's shuffle, as far as it is needed.
		j := i + s.IntN(len(order)-i)
		order[i], order[j] = order[j], order[i]
		m.angles(x.RawRowView(i), order[i])
	}
	return x
}

// angles sets dst to the angles of an image's central crop. The paper does not say how values
// become points of the circle. Here they are first standardised over the crop, and a value v
// then is the angle (π/2)·tanh(v/2): half a turn for all values, so that the darkest and the
// brightest are opposite, and most of it for those near the mean.
func (m images) angles(dst []float64, image int) {
	const border = (fullSide - side) / 2
	bytes := m[image*record+1 : (image+1)*record]
	for i := range dst {
		pixel, ch := i/channels, i%channels
		r, c := border+pixel/side, border+pixel%side
		dst[i] = float64(bytes[(ch*fullSide+r)*fullSide+c])
	}
	mean, sd := stat.PopMeanStdDev(dst, nil)
	sd = max(sd, 1/math.Sqrt(inputs)) // an image of one colour is all zeros then
	for i, v := range dst {
		dst[i] = math.Pi / 2 * math.Tanh((v-mean)/sd/2)
	}
}

// onCircle returns the points of the circle that have the angles x: the columns 2j and 2j + 1
// are the cosine and the sine of column j. Two columns for each channel are six channels for
// each pixel.
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
