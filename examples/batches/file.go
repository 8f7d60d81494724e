// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"encoding/binary"
	"iter"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/ridge"
)

// A row of the file is four numbers, little-endian float64: two coordinates, a class and a target.
const (
	class   = 2
	target  = 3
	columns = 4

	// batchRows is the number of rows in memory at a time.
	batchRows = 1000

	// noise is the standard deviation of the noise of targets, and wrong the share of wrong classes.
	noise = 0.1
	wrong = 0.05
)

// A file is rows on disk.
type file struct {
	name     string
	rows     int
	readings int // number of times that it has been read
}

// write makes the file.
func (f *file) write(s *featuremap.Sampler) (err error) {
	to, err := os.Create(f.name)
	if err != nil {
		return err
	}
	defer func() {
		if closed := to.Close(); err == nil {
			err = closed
		}
	}()
	b := bufio.NewWriter(to)
	for range f.rows {
		if err := binary.Write(b, binary.LittleEndian, row(s)); err != nil {
			return err
		}
	}
	return b.Flush()
}

// batches returns the rows of the file, batch by batch, with the given column as y. Each range loop over the result
// reads the file once.
func (f *file) batches(column int) iter.Seq2[ridge.Batch, error] {
	return func(yield func(ridge.Batch, error) bool) {
		f.readings++
		from, err := os.Open(f.name)
		if err != nil {
			yield(ridge.Batch{}, err)
			return
		}
		defer from.Close()
		b, numbers := bufio.NewReader(from), make([]float64, batchRows*columns)
		for left := f.rows; left > 0; left -= batchRows {
			n := min(left, batchRows)
			if err := binary.Read(b, binary.LittleEndian, numbers[:n*columns]); err != nil {
				yield(ridge.Batch{}, err)
				return
			}
			all := mat.NewDense(n, columns, numbers[:n*columns])
			if !yield(ridge.Batch{X: all.Slice(0, n, 0, 2), Y: all.Slice(0, n, column, column+1)}, nil) {
				return
			}
		}
	}
}

// row returns a random row: a normal point; its class, which is 1 if the coordinates have the same sign (some rows have
// the wrong one); and the noisy product of its coordinates.
func row(s *featuremap.Sampler) []float64 {
	r := make([]float64, columns)
	s.FillNormal(r)
	product := float64(r[0] * r[1])
	r[class] = 0
	if (product > 0) != (s.Float64() < wrong) {
		r[class] = 1
	}
	r[target] = product + float64(noise*r[target])
	return r
}

// fresh returns rows that are not in the file, and the share of them that have the wrong class.
func fresh(n int) (x *mat.Dense, classes []int, targets []float64, least float64) {
	s := featuremap.NewSampler(seed + 1)
	x, classes, targets = mat.NewDense(n, 2, nil), make([]int, n), make([]float64, n)
	for i := range n {
		r := row(s)
		x.SetRow(i, r[:2])
		classes[i], targets[i] = int(r[class]), r[target]
		if (r[0]*r[1] > 0) != (r[class] == 1) {
			least += 1 / float64(n)
		}
	}
	return x, classes, targets, least
}
