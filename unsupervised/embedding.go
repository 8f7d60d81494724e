// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// A MeanEmbedding is the mean of the features of a sample, which represents the distribution of the rows (Smola,
// Gretton, Song and Schölkopf 2007, "A Hilbert space embedding for distributions"). It stores O(D) numbers, however
// many rows there are. You can add rows, merge embeddings and subtract rows again, for example to compare a stream with
// its past.
//
// Sums have twice the digits of float64. So neither the order of rows, nor rows that were subtracted again, nor a large
// mean that all rows share costs accuracy beyond the rounding of the last sum. Several goroutines may at once call
// methods that only read.
type MeanEmbedding struct {
	phi         featuremap.FeatureMap
	fingerprint fingerprint
	rows        int
	sum         []double // of the features
	squares     double   // the sum of ‖φ(x)‖²
}

// NewMeanEmbedding returns the embedding of no rows by the features of phi. It returns an error if phi is nil or a zero
// value.
func NewMeanEmbedding(phi featuremap.FeatureMap) (*MeanEmbedding, error) {
	if err := validateMap(phi); err != nil {
		return nil, err
	}
	_, out := phi.Dims()
	return &MeanEmbedding{phi: phi, fingerprint: fingerprintOf(phi), sum: make([]double, out)}, nil
}

// Add adds the rows of x, n×in. It returns an error, and adds nothing, if x is empty, has another number of columns, or
// contains a number that is not finite.
func (e *MeanEmbedding) Add(x mat.Matrix) error {
	f, err := newFeatures(e.phi, "x", x)
	if err != nil {
		return err
	}
	next := *e
	next.sum = slices.Clone(e.sum)
	next.rows += f.n
	if err := f.each(func(_ int, chunk blas64.General) {
		for i := range chunk.Rows {
			features := row(chunk, i)
			for j, v := range features {
				next.sum[j] = next.sum[j].plus(v)
			}
			next.squares = next.squares.add(squaredNorm(features))
		}
	}); err != nil {
		return err
	}
	*e = next
	return nil
}

// Merge adds the rows of b. It returns an error, and changes nothing, if b is nil or made with another map. Maps are
// compared by the features of a few points, and by the output of featuremap.Encode if it can encode them.
func (e *MeanEmbedding) Merge(b *MeanEmbedding) error {
	if err := e.validateLike(b); err != nil {
		return err
	}
	e.combine(b, 1)
	return nil
}

// Subtract removes the rows of b, which must have been added. It returns an error, and changes nothing, if b has more
// rows, and whenever Merge does.
func (e *MeanEmbedding) Subtract(b *MeanEmbedding) error {
	if err := e.validateLike(b); err != nil {
		return err
	}
	if b.rows > e.rows {
		return fmt.Errorf("unsupervised: %d rows minus %d: must not be negative", e.rows, b.rows)
	}
	e.combine(b, -1)
	return nil
}

// combine adds the rows of b, or removes them if sign is −1.
func (e *MeanEmbedding) combine(b *MeanEmbedding, sign int) {
	signed := func(v double) double {
		if sign < 0 {
			return v.negative()
		}
		return v
	}
	e.rows += sign * b.rows
	for j, v := range b.sum {
		e.sum[j] = e.sum[j].add(signed(v))
	}
	e.squares = e.squares.add(signed(b.squares))
}

// validateLike refuses embeddings by other maps.
func (e *MeanEmbedding) validateLike(b *MeanEmbedding) error {
	switch {
	case b == nil:
		return errors.New("unsupervised: b = nil")
	case e.phi == nil || b.phi == nil:
		return errors.New("unsupervised: an embedding is the zero value: must be of NewMeanEmbedding")
	case !e.fingerprint.equal(b.fingerprint):
		return errors.New("unsupervised: the embeddings are by maps with different features")
	}
	return nil
}

// Rows returns the number of rows.
func (e *MeanEmbedding) Rows() int { return e.rows }

// Mean returns the mean of the features, NaN without rows.
func (e *MeanEmbedding) Mean() []float64 {
	mean := make([]float64, len(e.sum))
	for j := range mean {
		mean[j] = e.mean(j).high
	}
	return mean
}

func (e *MeanEmbedding) mean(j int) double { return e.sum[j].over(float64(e.rows)) }

// SquaredMMD returns an estimate of the squared maximum mean discrepancy (MMD) between the distributions of two
// samples:
//
//	‖E φ(x) − E φ(y)‖² = E k(x, x′) + E k(y, y′) − 2 E k(x, y)
//
// The estimate is unbiased (Gretton, Borgwardt, Rasch, Schölkopf and Smola 2012, "A kernel two-sample test", lemma 6):
// it may be negative, and is about 0 for samples of the same distribution. Use TwoSample to find out which values are
// larger than chance. The result is NaN if a sample has fewer than two rows. It is 0 if its magnitude is below 2⁻⁹⁶ of
// the mean ‖φ‖², which may be rounding.
//
// It panics with mat.ErrShape if b is nil, a zero value, or made with another map: see Merge.
func (e *MeanEmbedding) SquaredMMD(b *MeanEmbedding) float64 {
	if e.validateLike(b) != nil {
		panic(mat.ErrShape)
	}
	if e.rows < 2 || b.rows < 2 {
		return math.NaN()
	}
	var between float64
	for j := range e.sum {
		d := e.mean(j).add(b.mean(j).negative()).high
		between = math.FMA(d, d, between)
	}
	d := between - e.spread() - b.spread()
	if rounding := 0x1p-96 * (e.squares.high/float64(e.rows) + b.squares.high/float64(b.rows)); math.Abs(d) <= rounding {
		return 0
	}
	return d
}

// spread estimates the expected squared distance between the mean of the rows and the mean of their distribution, by
// the variance of the rows.
func (e *MeanEmbedding) spread() float64 {
	n := float64(e.rows)
	variance := e.squares.over(n)
	for j := range e.sum {
		variance = variance.add(e.mean(j).square().negative())
	}
	return max(variance.high, 0) / (n - 1)
}
