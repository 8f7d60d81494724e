// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Rows that are copies of others, which are left out together to choose λ.

package ridge

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Copies are left out together if one row in fewCopies of at most mostNoted is a copy, and if there are at least
// fewestPoints different points, of labels fewestOfClass of each class. New rows at a few points, as of a table of
// categories, are like the rows there. With more rows, these are many for each feature, and a copy reveals little.
const (
	fewCopies     = 10
	mostNoted     = 1 << 18
	fewestPoints  = 50
	fewestOfClass = 3
)

// A copyFinder finds rows that are copies of others, targets included. A nil one finds none.
type copyFinder struct {
	rows            int
	points, targets []uint64 // checksums of each row
	weights         []float64
}

// note takes the next rows, with their weights; nil: 1 each.
func (f *copyFinder) note(x *rows.Reader, y mat.Matrix, weights []float64) {
	if f == nil {
		return
	}
	if f.rows += x.N; f.rows > mostNoted {
		f.points, f.targets, f.weights = nil, nil, nil
		return
	}
	_, targets := y.Dims()
	row := make([]float64, targets)
	for i := range x.N {
		for t := range row {
			row[t] = y.At(i, t)
		}
		weight := 1.0
		if weights != nil {
			weight = weights[i]
		}
		f.points, f.targets, f.weights = append(f.points, x.Checksum(i)), append(f.targets, checksum(row)), append(f.weights, weight)
	}
}

// times returns by how many times the weight of each row its copies weigh, itself included. It returns nil if copies are
// few, or if rows at one point differ in targets: they are observations there, as a new row may be.
func (f *copyFinder) times(labels bool) []float64 {
	if f == nil || f.points == nil {
		return nil
	}
	first, total := make(map[uint64]int), make(map[uint64]float64)
	points := make(map[uint64]int) // of each class
	for i, p := range f.points {
		at, seen := first[p]
		if seen && f.targets[at] != f.targets[i] {
			return nil
		}
		if !seen {
			first[p] = i
			points[f.targets[i]]++
		}
		total[p] += f.weights[i]
	}
	if copies := f.rows - len(first); len(first) < fewestPoints || fewCopies*copies < f.rows {
		return nil
	}
	for _, n := range points {
		if labels && n < fewestOfClass {
			return nil
		}
	}
	times := make([]float64, f.rows)
	for i, p := range f.points {
		times[i] = total[p] / f.weights[i]
	}
	return times
}

// withCopies turns leverages of some rows into those of all copies of each.
func (r *someRows) withCopies(leverages []float64) []float64 {
	for i, v := range r.times {
		leverages[i] *= v
	}
	return leverages
}
