// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-0f95ebc1/featuremap/experiments/internal/pairs"
	"github.com/seed-0f95ebc1/featuremap/experiments/internal/sets"
)

// A set is points with standardized columns.
type set struct {
	name string
	x    *mat.Dense
}

// load returns the data sets.
func load(size scope) ([]set, error) {
	var all []set
	for _, load := range []func() (*sets.Set, error){sets.Digits, sets.Spambase, sets.Letter} {
		s, err := load()
		if err != nil {
			return nil, err
		}
		all = append(all, set{s.Name, s.X})
	}
	if size.data != "" {
		images, _, err := sets.CIFAR10(size.data)
		if err != nil {
			return nil, err
		}
		all = append(all, set{"CIFAR patches", patches(images)})
	}
	for i := range all {
		all[i].x = pairs.Spread(all[i].x, size.points)
		sets.Standardize(all[i].x)
	}
	return all, nil
}

// unit returns the points scaled to norm 1.
func (s set) unit() *mat.Dense {
	x := mat.DenseCopyOf(s.x)
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	return x
}

// patches returns the patch of 5×5 pixels in the middle of each image, minus its mean: red, green and
// blue.
func patches(images []sets.Image) *mat.Dense {
	const window, first = 5, (32 - 5) / 2
	x := mat.NewDense(len(images), 3*window*window, nil)
	for i := range images {
		row := x.RawRowView(i)
		for j := range row {
			r, c := j%(window*window)/window, j%window
			row[j] = float64(images[i][j/(window*window)][first+r][first+c])
		}
		floats.AddConst(-stat.Mean(row, nil), row)
	}
	return x
}
