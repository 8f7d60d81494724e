// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package nystrom

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

const (
	mostClustered = 6000 // the number of rows that KMeans uses, unless there are more landmarks
	seedBlock     = 16   // seeds that are chosen together
	lloydSteps    = 3
)

// kMeans returns the centers of clusters, or the seeds if the kernel has no coordinates in which to move
// centers.
func (c *Chooser) kMeans() (*mat.Dense, error) {
	points := c.rows(c.candidates(mostClustered))
	z, ok := c.program.Coordinates(points)
	near := nearingBy(func(block []int) (*mat.Dense, error) { return c.program.Distances(points, block) })
	if ok {
		near = nearingIn(z)
	}
	seeds, err := c.seeds(points, near)
	if err != nil {
		return nil, err
	}
	if !ok {
		return rows.Pick(points, seeds), nil
	}
	centers := rows.Pick(points, seeds)
	for range lloydSteps {
		at, _ := c.program.Coordinates(centers)
		moveCenters(centers, points, nearestCenters(z, at))
	}
	return centers, nil
}

// seeds returns the numbers of n different points by k-means++. Each has a probability in proportion to its squared
// distance from the nearest seed so far. In blocks of seedBlock these probabilities stay the same.
func (c *Chooser) seeds(points *mat.Dense, near nearing) ([]int, error) {
	n, _ := points.Dims()
	nearest := slices.Repeat([]float64{math.Inf(1)}, n)
	chosen := []int{c.s.IntN(n)}
	for block := chosen; ; {
		apart, err := near(nearest, block)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen[:len(chosen)-len(block)], apart...)
		for _, i := range chosen {
			nearest[i] = 0
		}
		if len(chosen) == c.n {
			return chosen, nil
		}
		block = c.weighted(nearest, min(seedBlock, c.n-len(chosen)))
		if len(block) == 0 { // all other points have distance 0 from a seed, except for rounding: take those that are different
			return c.others(points, chosen), nil
		}
		chosen = append(chosen, block...)
	}
}

// squares are squared distances.
var squares = gram.Measure{Of: gram.Squares, Scale: 1}

// squaresOf returns the program of squared distances of so many coordinates.
func squaresOf(d int) *matrix.Program { return matrix.NewProgram(matrix.Function{Measure: squares}, d) }

// nearing updates nearest, the squared distances from the nearest seed, with the distances from the seeds of a new
// block. It returns the seeds of the block with a positive distance from all seeds before them in it.
type nearing func(nearest []float64, block []int) (apart []int, err error)

// nearingBy returns the nearing for given distances of all points from the points of a block, one
// column for each of these.
func nearingBy(distances func(block []int) (*mat.Dense, error)) nearing {
	return func(nearest []float64, block []int) (apart []int, err error) {
		d, err := distances(block)
		if err != nil {
			return nil, err
		}
		for i := range nearest {
			nearest[i] = min(nearest[i], slices.Min(d.RawRowView(i)))
		}
		for j, at := range block {
			if !slices.Contains(d.RawRowView(at)[:j], 0) {
				apart = append(apart, at)
			}
		}
		return apart, nil
	}
}

// nearingIn returns the nearing for points with the given coordinates.
func nearingIn(z *mat.Dense) nearing {
	n, d := z.Dims()
	p := squaresOf(d)
	if !squares.Exchangeable(d) {
		dst := mat.NewDense(n, seedBlock, nil)
		return nearingBy(func(block []int) (*mat.Dense, error) {
			some := dst.Slice(0, n, 0, len(block)).(*mat.Dense)
			matrix.New(p, rows.Pick(z, block)).RowsTo(some.RawMatrix(), z)
			return some, nil
		})
	}
	all, dst := matrix.New(p, z), mat.NewDense(seedBlock, n, nil) // one row for each point of the block: all points are packed once
	return func(nearest []float64, block []int) (apart []int, err error) {
		all.RowsTo(dst.Slice(0, len(block), 0, n).(*mat.Dense).RawMatrix(), rows.Pick(z, block))
		for j := range block {
			for i, v := range dst.RawRowView(j) {
				if v < nearest[i] || v != v {
					nearest[i] = v
				}
			}
		}
		for j, at := range block {
			twin := false
			for k := range j {
				twin = twin || dst.At(k, at) == 0
			}
			if !twin {
				apart = append(apart, at)
			}
		}
		return apart, nil
	}
}

// nearestCenters returns the number of the nearest center for each row of z, the first of several.
func nearestCenters(z, centers *mat.Dense) []int {
	const together = 32 // rows whose distances stay in the second-level cache
	n, d := z.Dims()
	count, _ := centers.Dims()
	m, nearest := matrix.New(squaresOf(d), centers), make([]int, n)
	buffers := sync.Pool{New: func() any { return mat.NewDense(together, count, nil) }}
	parallel.Run(parallel.Func(func(lo, hi int) {
		buffer := buffers.Get().(*mat.Dense)
		x := z.RawMatrix()
		x.Rows, x.Data = hi-lo, x.Data[lo*x.Stride:]
		dst := buffer.RawMatrix()
		dst.Rows = hi - lo
		m.BlockTo(dst, x)
		for i := range dst.Rows {
			nearest[lo+i] = leastOf(matrix.Row(dst, i))
		}
		buffers.Put(buffer)
	}), n, together)
	return nearest
}

// leastOf returns the index of the least number, the first of several.
func leastOf(v []float64) (least int) {
	best := v[0]
	for j := 0; j < len(v); {
		if j+8 <= len(v) {
			if a := (*[8]float64)(v[j:]); !(a[0] < best || a[1] < best || a[2] < best || a[3] < best || a[4] < best || a[5] < best || a[6] < best || a[7] < best) {
				j += 8
				continue
			}
		}
		for end := min(j+8, len(v)); j < end; j++ {
			if v[j] < best {
				best, least = v[j], j
			}
		}
	}
	return least
}

// moveCenters makes each center the mean of the points nearest to it, if there are any. The mean of images under a
// linear map is the image of the mean.
func moveCenters(centers, points *mat.Dense, nearest []int) {
	m, cols := centers.Dims()
	sums, counts := mat.NewDense(m, cols, nil), make([]float64, m)
	for i, j := range nearest {
		counts[j]++
		for k, v := range points.RawRowView(i) {
			sums.RawRowView(j)[k] += v
		}
	}
	for j, n := range counts {
		if n == 0 {
			continue
		}
		for k, v := range sums.RawRowView(j) {
			centers.Set(j, k, v/n)
		}
	}
}
