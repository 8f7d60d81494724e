// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"gonum.org/v1/gonum/mat"
)

// CIFAR-10's binary form: a label, then the red, green and blue planes of 32×32 pixels.
const (
	side   = 32
	plane  = side * side
	record = 1 + 3*plane
	window = 5
)

// readPatches returns the patch of 5×5 pixels in the middle of each of the first n images, less
// their mean.
func readPatches(path string, n int) (x *mat.Dense, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	buf := make([]byte, record)
	x = mat.NewDense(n, 3*window*window, nil)
	for i := range n {
		if _, err := io.ReadFull(z, buf); err != nil {
			return nil, fmt.Errorf("%s: image %d: %w", path, i, err)
		}
		row := x.RawRowView(i)
		var mean float64
		for j := range row {
			r, c := j%(window*window)/window, j%window
			const first = (side - window) / 2
			row[j] = float64(buf[1+j/(window*window)*plane+(first+r)*side+first+c])
			mean += row[j] / float64(len(row))
		}
		for j := range row {
			row[j] -= mean
		}
	}
	return x, nil
}
