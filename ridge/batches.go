// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// Batches reads rows that need not fit in memory, from a file or a generator. It hands them to add, batch by batch: x, n×in
// points, y, n×T targets, and the weights of the n rows, where nil is 1 for each. What reads the rows several times calls it
// as often, and each time it begins with the first row again.
//
// It must hand over the same rows in the same order each time, though batches may be cut elsewhere. It returns the first
// error, add's or its own: once add has returned an error it must not call it again. add keeps nothing of x, y and weights,
// so their memory can be used for the next batch. Batches of no rows are refused.
//
// Batches is called from one goroutine at a time, and calls add from its own.
type Batches func(add func(x, y mat.Matrix, weights []float64) error) error

// batchRows are the rows of Batches, but those of weight 0, as a rereader.
type batchRows struct {
	rows        Batches
	in, targets int
	once        string // why the rows are read again, and what serves rows that can be read only once

	seen     rows.Fingerprint // of the first reading
	all      int              // the caller's number of rows, with those of weight 0
	weight   float64          // the sum of the weights
	readings int
}

// read reads the rows once, and hands do those of each batch that have a weight, some at least. It returns the number of all
// rows, and the first error: of a batch that is refused, do's, or that of rows, which own tells.
func (r *batchRows) read(do func(b *addition, x *rows.Reader) error) (all int, own bool, err error) {
	r.readings++
	var refused error
	var reader rows.Reader
	defer reader.Reset(nil)
	err = r.rows(func(x, y mat.Matrix, weights []float64) error {
		if refused != nil {
			return refused
		}
		var b addition
		if b, refused = newAddition(x, y, weights, "weights", all, r.in, r.targets); refused != nil {
			return refused
		}
		n, _ := x.Dims()
		if b.size() > 0 {
			reader.Reset(b.x)
			refused = do(&b, &reader)
		}
		all += n
		return refused
	})
	switch {
	case refused == nil:
		return all, err != nil, err
	case errors.Is(err, refused):
		return all, false, err
	}
	return all, false, refused
}

// first reads the rows for the first time, and remembers what tells them.
func (r *batchRows) first(do func(b *addition) error) error {
	all, own, err := r.read(func(b *addition, x *rows.Reader) error {
		if err := do(b); err != nil {
			return err
		}
		r.seen.Add(x, b.y, b.weights)
		if b.weights == nil {
			r.weight += float64(b.size())
		}
		for _, w := range b.weights {
			r.weight += w
		}
		return nil
	})
	r.all = all
	if own {
		return fmt.Errorf("ridge: rows: %w", err)
	}
	return err
}

// again reads the rows again, and hands do those of each batch, from number lo on. It returns an error if they are not those of
// the first reading.
func (r *batchRows) again(do func(lo int, b *addition, x *rows.Reader) error) error {
	check := r.seen.Check()
	var spans []span
	all, own, err := r.read(func(b *addition, x *rows.Reader) (err error) {
		first := check.Rows()
		if lo, hi, same := check.Add(x, b.y, b.weights); !same {
			return r.changed(lo, hi)
		}
		if !check.Compared() { // else they are finite, as those of the first reading are
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
		return fmt.Errorf("ridge: rows: reading %d: %w: %s", r.readings, err, r.once)
	case own:
		return fmt.Errorf("ridge: rows: reading %d: %w", r.readings, err)
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

// What to do with rows that can be read once.
const (
	leftOutOnce = "rows are read again to leave them out; for rows that can be read only once the Criterion must be Evidence, or use an Accumulator"
	passesOnce  = "rows are read again in each pass; rows that can be read only once must be kept in a file or in memory"
)

// changed returns the error for rows [lo, hi) that differ from those of the first reading.
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
	return part{rows.Join(points, r.in), y, weights}, nil
}
