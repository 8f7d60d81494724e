// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package shard has what the programs of examples/cluster share: how the rows of a shard are read and summed up, the
// map, the model, and data for a demonstration.
//
// A row is numbers: the coordinates of a point, and last its target.
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
	// Read fills row with the next one. The error is io.EOF if there is none.
	Read(row []float64) error
}

// Sums are what the rows of a shard are added to: a *ridge.Accumulator, or the *ridge.PassSums of a pass.
type Sums interface {
	Add(x, y mat.Matrix) error
	Rows() int
}

// batch is the number of rows that are added together. With more than 144 an accumulator keeps a second copy of its
// sums meanwhile: a gigabyte for 16384 features.
const batch = 144

// Add adds the next rows of r to a, at most some number of them, and returns how many there were. The error is io.EOF
// if r has no more.
//
// The sums have the same bits however many calls the rows take, and if a is written to a file and read again between
// two of them: each sum is one chain in the order of the rows.
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
