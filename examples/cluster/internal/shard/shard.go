// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package shard contains what the programs of examples/cluster share: reading and summing the rows of a shard, the map,
// the model, and data for a demonstration.
//
// A row is a list of numbers: the coordinates of a point, and its target last.
package shard

import (
	"fmt"
	"io"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
)

// Name returns the name of shard i in a folder, with an extension such as ".csv".
func Name(dir string, i int, ext string) string {
	return filepath.Join(dir, fmt.Sprintf("shard-%04d%s", i, ext))
}

// A Reader reads the rows of a shard in their order.
type Reader interface {
	// Read fills row with the next row. It returns io.EOF after the last one.
	Read(row []float64) error
}

// Sums is what the rows of a shard are added to: a *ridge.Accumulator, or the *ridge.PassSums of a pass.
type Sums interface {
	Add(x, y mat.Matrix) error
	Rows() int
}

// batch is the number of rows that are added at once. With more than 144, an accumulator keeps a second copy of its
// sums meanwhile: a gigabyte for 16384 features.
const batch = 144

// Add adds at most most of the next rows of r to a, and returns how many there were. It returns io.EOF if r has no
// more.
//
// The sums have the same bits however many calls the rows take, and even if a is written to a file and read again
// between two calls: each sum is one chain in the order of the rows.
func Add(a Sums, in int, r Reader, most int) (n int, err error) {
	row := make([]float64, in+1)
	x, y := mat.NewDense(batch, in, nil), mat.NewDense(batch, 1, nil)
	for n < most && err == nil {
		rows := 0
		for want := min(batch, most-n); rows < want; rows++ {
			if err = r.Read(row); err != nil {
				break
			}
			x.SetRow(rows, row[:in])
			y.Set(rows, 0, row[in])
		}
		if rows == 0 || err != nil && err != io.EOF {
			break
		}
		if err := a.Add(x.Slice(0, rows, 0, in), y.Slice(0, rows, 0, 1)); err != nil {
			return n, fmt.Errorf("rows from %d on: %w", a.Rows(), err)
		}
		n += rows
	}
	return n, err
}
