// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

const defaultPermutations = 1000

// TwoSampleOptions are the options of TwoSample; nil stands for the zero value.
type TwoSampleOptions struct {
	Permutations int    // number of random permutations of the rows; 0: 1000
	Seed         uint64 // seed of the permutations; the same seed gives the same result
}

// A TwoSampleResult is the result of TwoSample.
type TwoSampleResult struct {
	// SquaredMMD is the estimate of the squared distance of the two samples: see MeanEmbedding.SquaredMMD.
	SquaredMMD float64

	// P is the p-value: the probability that two samples of one distribution have a distance at least as large. It is
	// (1 + the number of permutations with such a distance)/(1 + Permutations), and so at least 1/(1 + Permutations);
	// it is exact except for the choice of permutations. Distances that differ only by rounding count as equal: see
	// TwoSample.
	P float64

	permuted []float64 // the distances, in ascending order
	rounding float64   // distances that differ by no more are equal
}

// Threshold returns the distance that two samples of one distribution exceed with probability at most level, 0 < level
// < 1. Use it to detect drift: a new sample of as many rows as y whose SquaredMMD from x is larger is evidence of
// another distribution. It is +Inf if there are too few permutations for the level, and NaN for other levels.
func (t *TwoSampleResult) Threshold(level float64) float64 {
	if !(level > 0 && level < 1) {
		return math.NaN()
	}
	n := len(t.permuted)
	above := int(level*float64(n+1)) - 1 // number of permuted distances that may be above
	if above < 0 {
		return math.Inf(1)
	}
	return t.permuted[n-1-above] + t.rounding
}

// TwoSample tests whether the rows of x, n×in, and of y, m×in, have the same distribution (Gretton et al. 2012). It
// compares the SquaredMMD of their embeddings with the SquaredMMD after random divisions of all rows into n and m. With
// features of a characteristic kernel, such as Gaussian or Matérn, it finds any difference if there are enough rows and
// features.
//
// Rows with few different values, such as counts, have many divisions with the same distance. To keep rounding from
// telling these apart, distances are equal if they differ by less than (2⁻³²·(1/n + 1/m) + 2⁻⁴⁴)·v, where v is the
// variance of the features of all rows, summed over features. Threshold adds as much to its distance, so that an
// unchanged stream does not count as drift.
//
// The permutations are one product of matrices: (n + m)·D·Permutations multiply-adds. They take 8·D + n + m bytes of
// memory each.
//
// It returns an error if phi is nil or a zero value, if x or y is empty, has one row, or contains a number that is not
// finite, and if Permutations is negative or so large that memory does not suffice.
func TwoSample(phi featuremap.FeatureMap, x, y mat.Matrix, opts *TwoSampleOptions) (*TwoSampleResult, error) {
	var o TwoSampleOptions
	if opts != nil {
		o = *opts
	}
	if o.Permutations < 0 {
		return nil, fmt.Errorf("unsupervised: Permutations = %d: must not be negative", o.Permutations)
	}
	a, err := newFeatures(phi, "x", x)
	if err != nil {
		return nil, err
	}
	b, err := newFeatures(phi, "y", y)
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name string
		n    int
	}{{"x", a.n}, {"y", b.n}} {
		if f.n < 2 {
			return nil, fmt.Errorf("unsupervised: %s has %d row: must have 2 or more", f.name, f.n)
		}
	}
	all := float64(cmp.Or(o.Permutations, defaultPermutations) + 2)
	if err := validateMemory(all*(8*float64(tiled.Stride(a.out))+float64(a.n+b.n)+8*tiled.BlockRows), "%.0f divisions of %d rows with %d features", all, a.n+b.n, a.out); err != nil {
		return nil, err
	}
	return test(a, b, cmp.Or(o.Permutations, defaultPermutations), featuremap.NewSampler(o.Seed).Split())
}

// test is TwoSample.
func test(a, b *features, permutations int, s *featuremap.Sampler) (*TwoSampleResult, error) {
	a.take()
	b.center = a.center
	d := newDivisions(a.n, b.n, a.out, permutations, s)
	for _, f := range []*features{a, b} {
		if err := f.each(func(_ int, chunk blas64.General) {
			for lo := 0; lo < chunk.Rows; lo += tiled.BlockRows {
				d.add(between(chunk, lo, min(lo+tiled.BlockRows, chunk.Rows)))
			}
		}); err != nil {
			return nil, err
		}
	}
	t := &TwoSampleResult{SquaredMMD: d.distance2(0), rounding: d.rounding()}
	above := 1
	for i := range permutations {
		t.permuted = append(t.permuted, d.distance2(1+i))
		if t.permuted[i] >= t.SquaredMMD-t.rounding {
			above++
		}
	}
	t.P = float64(above) / float64(1+permutations)
	slices.Sort(t.permuted)
	return t, nil
}

// divisions are divisions of n + m rows into a first part of n and a second of m. The first division is the actual one,
// and the others are random.
type divisions struct {
	n, m    int
	members [][]bool       // for each division, which rows are in the first part
	rows    int            // number of rows added so far
	sums    blas64.General // of the features of the first part, minus a center, a row for each division; the last row is for all rows
	squares []float64      // of their squared norms
	weights blas64.General // memory for add: a row for each row of a block, a column for each division
}

func newDivisions(n, m, features, permutations int, s *featuremap.Sampler) *divisions {
	all := permutations + 2
	d := &divisions{n: n, m: m, sums: newRows(all, features), squares: make([]float64, all), weights: newRows(tiled.BlockRows, all)}
	first := make([]bool, n+m)
	for i := range n {
		first[i] = true
	}
	d.members = append(d.members, first)
	for range permutations {
		next := slices.Clone(d.members[len(d.members)-1])
		for i := range next {
			j := i + s.IntN(len(next)-i)
			next[i], next[j] = next[j], next[i]
		}
		d.members = append(d.members, next)
	}
	return d
}

// add adds the next rows, BlockRows at most.
func (d *divisions) add(rows blas64.General) {
	weights := between(d.weights, 0, rows.Rows)
	for i := range rows.Rows {
		square := tiled.Dot(row(rows, i), row(rows, i))
		w := row(weights, i)
		for j, first := range d.members {
			w[j] = 0
			if first[d.rows+i] {
				w[j] = 1
				d.squares[j] += square
			}
		}
		w[len(w)-1] = 1
		d.squares[len(w)-1] += square
	}
	d.rows += rows.Rows
	slabs.CombineUnpadded(d.sums, rows, weights)
}

// rounding returns the largest difference of distances that count as equal.
func (d *divisions) rounding() float64 {
	last := len(d.squares) - 1
	n, m, sum := float64(d.n), float64(d.m), row(d.sums, last)
	variance := max(d.squares[last]-chain.Dot(sum, sum)/(n+m), 0) / (n + m - 1)
	return float64(0x1p-32*(1/n+1/m)+0x1p-44) * variance
}

// spread estimates the expected squared distance between the mean of n rows and the mean of their distribution, by the
// variance of the rows, from the sum of their squared norms.
func spread(mean []float64, squares, n float64) float64 {
	return max(squares/n-chain.Dot(mean, mean), 0) / (n - 1)
}

// distance2 returns the unbiased estimate for division i: see MeanEmbedding.SquaredMMD.
func (d *divisions) distance2(i int) float64 {
	last := len(d.squares) - 1
	n, m := float64(d.n), float64(d.m)
	x, y := slices.Clone(row(d.sums, i)), slices.Clone(row(d.sums, last))
	for j, v := range x {
		y[j] = (y[j] - v) / m
		x[j] = v / n
	}
	both := spread(x, d.squares[i], n) + spread(y, d.squares[last]-d.squares[i], m)
	chain.Add(x, -1, y)
	return chain.Dot(x, x) - both
}
