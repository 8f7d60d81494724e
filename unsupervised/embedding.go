// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package unsupervised

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// An Embedding is the mean of the features of a sample, which stands for the distribution that the rows are drawn from
// (Smola, Gretton, Song and Schölkopf 2007, "A Hilbert space embedding for distributions"). It takes D numbers however many
// rows there are, and rows can be added, merged and taken away again: so a stream is compared with what it was.
//
// Sums are kept with twice the digits of float64, so that the order in which rows come, and rows that were taken away
// again, leave no more than the rounding of the last sum. Methods that only read may run beside each other.
type Embedding struct {
	phi      featuremap.FeatureMap
	rows     int
	sum, low []float64 // of the features, in two parts
	squares  float64   // the sum of ‖φ(x)‖²
	lowest   float64
}

// NewEmbedding returns the embedding of no rows by the features of phi. It returns an error if phi is nil or no map.
func NewEmbedding(phi featuremap.FeatureMap) (*Embedding, error) {
	if err := validateMap(phi); err != nil {
		return nil, err
	}
	_, out := phi.Dims()
	return &Embedding{phi: phi, sum: make([]float64, out), low: make([]float64, out)}, nil
}

// Add adds the rows of x, n×in. It returns an error, and adds none, if x is empty, has another number of columns, or a
// number that is not finite.
func (e *Embedding) Add(x mat.Matrix) error {
	f, err := newFeatures(e.phi, "x", x)
	if err != nil {
		return err
	}
	next := e.clone()
	next.rows += f.n
	if err := f.each(func(_ int, chunk blas64.General) {
		for i := range chunk.Rows {
			next.add(row(chunk, i), 1)
			next.squares, next.lowest = plus(next.squares, next.lowest, tiled.Dot(row(chunk, i), row(chunk, i)))
		}
	}); err != nil {
		return err
	}
	*e = *next
	return nil
}

func (e *Embedding) clone() *Embedding {
	c := *e
	c.sum, c.low = slices.Clone(e.sum), slices.Clone(e.low)
	return &c
}

// add adds sign·v to the sum.
func (e *Embedding) add(v []float64, sign float64) {
	for j, w := range v {
		e.sum[j], e.low[j] = plus(e.sum[j], e.low[j], sign*w)
	}
}

// plus returns high + low + v as a rounded sum and the rest of it (Knuth's exact sum of two numbers, and Dekker's).
func plus(high, low, v float64) (float64, float64) {
	sum := high + v
	part := sum - high
	rest := (high - (sum - part)) + (v - part) + low
	total := sum + rest
	return total, rest - (total - sum)
}

// Merge adds the rows of b, Subtract takes away rows that were added. They return an error, and change nothing, if the maps have
// different features, and Subtract if b has more rows.
func (e *Embedding) Merge(b *Embedding) error {
	if err := e.validateLike(b); err != nil {
		return err
	}
	e.combine(b, 1)
	return nil
}

// Subtract takes away the rows of b, which were added before: see Merge.
func (e *Embedding) Subtract(b *Embedding) error {
	if err := e.validateLike(b); err != nil {
		return err
	}
	if b.rows > e.rows {
		return fmt.Errorf("unsupervised: %d rows less %d: must be as many at most", e.rows, b.rows)
	}
	e.combine(b, -1)
	return nil
}

// combine adds sign times the rows of b.
func (e *Embedding) combine(b *Embedding, sign int) {
	s := float64(sign)
	rows, sum, low, squares, lowest := b.rows, slices.Clone(b.sum), slices.Clone(b.low), b.squares, b.lowest // b may be e
	e.rows += sign * rows
	e.add(sum, s)
	e.add(low, s)
	e.squares, e.lowest = plus(e.squares, e.lowest, s*squares)
	e.squares, e.lowest = plus(e.squares, e.lowest, s*lowest)
}

// probe returns the features of a row of one half in every coordinate, by which maps are told apart.
func (e *Embedding) probe() []float64 {
	in, _ := e.phi.Dims()
	return e.phi.TransformVec(nil, slices.Repeat([]float64{0.5}, in))
}

// validateLike refuses embeddings by other maps.
func (e *Embedding) validateLike(b *Embedding) error {
	switch {
	case b == nil:
		return fmt.Errorf("unsupervised: b = nil")
	case e.phi == nil || b.phi == nil:
		return fmt.Errorf("unsupervised: an embedding is the zero value: must be of NewEmbedding")
	case !slices.Equal(e.probe(), b.probe()):
		return fmt.Errorf("unsupervised: the embeddings are by maps with different features")
	}
	return nil
}

// Rows returns the number of rows.
func (e *Embedding) Rows() int { return e.rows }

// Mean returns the mean of the features, NaN without rows.
func (e *Embedding) Mean() []float64 {
	mean := slices.Clone(e.sum)
	for j := range mean {
		mean[j] /= float64(e.rows)
	}
	return mean
}

// Distance2 returns the squared maximum mean discrepancy of the distributions of two samples,
//
//	‖E φ(x) − E φ(y)‖² = E k(x, x′) + E k(y, y′) − 2 E k(x, y),
//
// estimated without bias (Gretton, Borgwardt, Rasch, Schölkopf and Smola 2012, "A kernel two-sample test", lemma 6): it may be
// negative, and is about 0 for samples of the same distribution. It is NaN with fewer than two rows on a side. TwoSample
// says which values are too large for chance.
//
// It panics if the embeddings have different numbers of features.
func (e *Embedding) Distance2(b *Embedding) float64 {
	if len(e.sum) != len(b.sum) {
		panic(mat.ErrShape)
	}
	if e.rows < 2 || b.rows < 2 {
		return math.NaN()
	}
	difference := e.Mean()
	chain.Add(difference, -1, b.Mean())
	return chain.Dot(difference, difference) - e.spread() - b.spread()
}

func (e *Embedding) spread() float64 { return spread(e.Mean(), e.squares, float64(e.rows)) }

// spread returns the expectation of the squared distance of the mean of n rows from that of their distribution, estimated by the
// variance of the rows, of which it takes the sum of squared norms.
func spread(mean []float64, squares, n float64) float64 {
	return max(squares/n-chain.Dot(mean, mean), 0) / (n - 1)
}
