// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// A Batch is a set of rows in memory: X is n×in, Y is n×T targets, and Weights are the weights of the n rows, where nil
// stands for 1 each.
//
// FitBatches, FitIterative and logistic.FitBatches take sequences of batches, from a file or a generator. They range
// over a sequence several times. Each time it must yield the same rows in the same order, though batches may be cut
// elsewhere. An error that a sequence yields ends the fit, which returns it. The fit keeps nothing of X, Y and Weights
// once it asks for the next batch, so you may use their memory again. It leaves the loop early if it needs no more
// rows.
//
// A fit refuses batches without rows, nil matrices, and batches whose X does not have the map's number of columns,
// whose Weights differ in number from the rows, or whose number of targets differs from the first batch. The error
// names the batch, from 0 on, and the sizes.
type Batch struct {
	X, Y    mat.Matrix
	Weights []float64
}

// Rows returns rows in memory as a sequence of one batch: x is n×in, and y is n×T targets.
func Rows(x, y mat.Matrix) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) { yield(Batch{X: x, Y: y}, nil) }
}

// batchRows are the rows of batches, without those of weight 0, as a rereader.
type batchRows struct {
	rows        iter.Seq2[Batch, error]
	in, targets int    // targets is 0 until the first batch has come
	once        string // why the rows are read again, and what to do if they can be read only once

	seen     rows.Fingerprint // of the first reading
	all      int              // the caller's number of rows, with those of weight 0
	weight   float64          // the sum of the weights
	readings int
	noted    *linear.Marks // in the first reading
	copied   *copyFinder
}

// read reads the rows once, and calls do with the rows of each batch that have a weight, if there are any. If begin is
// not nil, it first calls that with the number of targets. It returns the number of all rows, and the first error: for
// a batch that is refused, of begin, of do, or of rows itself, in which case own is true.
func (r *batchRows) read(begin func(targets int) error, do func(b *addition, x *rows.Reader) error) (all int, own bool, err error) {
	r.readings++
	var reader rows.Reader
	defer reader.Reset(nil)
	batch := 0
	for next, err := range r.rows {
		if err != nil {
			return all, true, err
		}
		b, err := newAddition(next.X, next.Y, next.Weights, "weights", all, r.in, r.targets)
		if err != nil {
			return all, false, inBatch(batch, err)
		}
		if begin != nil && batch == 0 {
			_, r.targets = next.Y.Dims()
			if err := begin(r.targets); err != nil {
				return all, false, err
			}
		}
		n, _ := next.X.Dims()
		if b.size() > 0 {
			reader.Reset(b.x)
			if err := do(&b, &reader); err != nil {
				return all, false, err
			}
		}
		all += n
		batch++
	}
	return all, false, nil
}

// inBatch returns an error of newAddition with the number of the batch.
func inBatch(batch int, err error) error {
	return fmt.Errorf("ridge: rows: batch %d: %s", batch, strings.TrimPrefix(err.Error(), "ridge: "))
}

// first reads the rows for the first time, and stores a fingerprint. It calls begin with the number of targets before
// it calls do.
func (r *batchRows) first(begin func(targets int) error, do func(b *addition) error) error {
	all, own, err := r.read(begin, func(b *addition, x *rows.Reader) error {
		if err := do(b); err != nil {
			return err
		}
		r.seen.Add(x, b.y, b.weights)
		r.noted.Note(x, b.weights)
		r.copied.note(x, b.y, b.weights)
		if b.weights == nil {
			r.weight += float64(b.size())
		}
		for _, w := range b.weights {
			r.weight += w
		}
		return nil
	})
	r.all = all
	switch {
	case own:
		return fmt.Errorf("ridge: rows: %w", err)
	case err == nil && all == 0:
		return errors.New("ridge: rows has no batch: must have a row at least")
	}
	return err
}

// again reads the rows again, and calls do with the rows of each batch, from number lo on. It returns an error if they
// differ from the first reading.
func (r *batchRows) again(do func(lo int, b *addition, x *rows.Reader) error) error {
	check := r.seen.Check()
	var spans []span
	all, own, err := r.read(nil, func(b *addition, x *rows.Reader) (err error) {
		first := check.Rows()
		if lo, hi, same := check.Add(x, b.y, b.weights); !same {
			return r.changed(lo, hi)
		}
		if !check.Compared() { // else they are finite, as in the first reading
			if err := b.validateFinite(x); err != nil {
				return err
			}
			if spans, err = b.validateTargets(spans[:0]); err != nil {
				return err
			}
		}
		return do(first, b, x)
	})
	switch {
	case all == 0 && own:
		return &yieldedError{fmt.Errorf("ridge: rows: reading %d: %w: %s", r.readings, err, r.once)}
	case own:
		return &yieldedError{fmt.Errorf("ridge: rows: reading %d: %w", r.readings, err)}
	case err != nil:
		return err
	case all == 0:
		return fmt.Errorf("ridge: rows: reading %d has no rows: %s", r.readings, r.once)
	}
	if lo, hi, same := check.End(); check.Rows() < r.seen.Rows() {
		return fmt.Errorf("ridge: rows: reading %d has %d rows, the first had %d: they must be the same each time", r.readings, all, r.all)
	} else if !same {
		return r.changed(lo, hi)
	}
	return nil
}

// A yieldedError is an error from rows when they are read again.
type yieldedError struct{ err error }

func (e *yieldedError) Error() string { return e.err.Error() }
func (e *yieldedError) Unwrap() error { return e.err }

// Advice for rows that can be read only once.
const (
	leftOutOnce = "rows are read again to leave them out; for rows that can be read only once the Criterion must be Evidence, or use an Accumulator"
	passesOnce  = "rows are read again in each pass; rows that can be read only once must be kept in a file or in memory"
)

// changed returns the error for rows [lo, hi) that differ from the first reading.
func (r *batchRows) changed(lo, hi int) error {
	place := fmt.Sprintf("row %d", lo)
	if hi-lo > 1 {
		place = fmt.Sprintf("a row from %d to %d", lo, hi-1)
	}
	if r.all != r.seen.Rows() {
		place += " of those with a weight"
	}
	if lo >= r.seen.Rows() {
		return fmt.Errorf("ridge: rows: reading %d has %s, the first had %d rows: they must be the same each time", r.readings, place, r.seen.Rows())
	}
	return fmt.Errorf("ridge: rows: reading %d has another %s than the first: they must be the same each time", r.readings, place)
}

func (r *batchRows) size() int { return r.seen.Rows() }

func (r *batchRows) step() int { return r.size() }

func (r *batchRows) marks(featuremap.FeatureMap) *linear.Marks { return r.noted }

func (r *batchRows) copyFinder() *copyFinder { return r.copied }

func (r *batchRows) each(most int, do func(lo int, p part) error) error {
	return r.again(func(first int, b *addition, x *rows.Reader) error {
		m := memoryRows{reader: x, y: b.y, weights: b.weights}
		return m.each(min(most, m.step()), func(lo int, p part) error { return do(first+lo, p) })
	})
}

func (r *batchRows) gather(index []int) (part, error) {
	order := make([]int, len(index)) // of the elements of index, by their rows
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(index[a], index[b]) })
	points, weights, heavy := make([]rows.List, len(index)), make([]float64, len(index)), false
	y := blas64.General{Rows: len(index), Cols: r.targets, Stride: r.targets, Data: make([]float64, len(index)*r.targets)}
	err := r.again(func(first int, b *addition, x *rows.Reader) error {
		for len(order) > 0 && index[order[0]] < first+b.size() {
			k := order[0]
			order = order[1:]
			i := index[k] - first
			points[k], weights[k] = x.Copy(i), 1
			if b.weights != nil {
				weights[k], heavy = b.weights[i], true
			}
			for t := range r.targets {
				y.Data[k*r.targets+t] = b.y.At(i, t)
			}
		}
		return nil
	})
	if err != nil {
		return part{}, err
	}
	if !heavy {
		weights = nil
	}
	return part{x: rows.Join(points, r.in), y: y, weights: weights}, nil
}
