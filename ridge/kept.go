// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

// By default an accumulator keeps up to keptMost rows, and at most 128 MiB of them.
const (
	keptMost  = 4096
	keptBytes = 1 << 27
	keptLeast = 32 // with fewer rows, if more were added, λ is not chosen by leave-one-out
)

// KeepRows sets the largest number of rows that the accumulator keeps, so that Fit can leave them out to choose λ. The
// default is 4,096, or as many as 128 MiB hold: a row takes 8·(d + T) bytes for d coordinates and T targets (16 bytes a
// non-zero instead of 8·d if x is a mat.RowNonZeroDoer), and 8 for a weight. Checksums of as many points tell how many copies
// rows have. With 0 no rows are kept, and the file contains sums only, no data. Fit then chooses by Evidence, as it does if
// fewer than 32 rows are kept, and not all.
// Leaving out a row takes about 13·(T + 16)·D multiply-adds.
//
// The kept rows are as good as a random sample of all rows that were added and merged. A fixed pseudo-random rule
// chooses them by their places, coordinates and targets alone, whatever the batches are and whatever a merged
// accumulator adds later. Coordinates count as rounded to float32, so an Accumulator32 keeps the same rows.
//
// It returns an error if n is negative, if rows have been added, or if the accumulator is a zero value.
func (a *Accumulator) KeepRows(n int) error {
	switch {
	case a.sums == nil:
		return errZero
	case n < 0:
		return fmt.Errorf("ridge: KeepRows: n = %d: must be at least 0", n)
	case a.Rows() > 0:
		return errors.New("ridge: KeepRows: there are rows: must be called before the first")
	}
	a.kept = newKeptRows(n, math.MaxInt64)
	return nil
}

// keptRows are the rows with the least keys, as many as there is room for: all keys are below that of any row that was
// dropped. (A row that is larger than the limit is not kept, and drops no other.)
type keptRows struct {
	most  int    // number of rows
	limit int64  // bytes that rows may take
	below uint64 // all keys are less
	bytes int64  // bytes that rows take
	next  int    // the arrival of the next row
	rows  keptHeap
	all   census // of rows, kept or not

	candidates []candidateRow // rows of the batch that is being added
}

// A keptRow is a point and its targets y, with its weight, its key and its number in the order of arrival.
type keptRow struct {
	key     uint64
	arrival int
	weight  float64
	rows.List
	y []float64
}

// A candidateRow is a row of a batch that may be kept: its number in the batch, and its key.
type candidateRow struct {
	row int
	key uint64
}

// Keys are less than noKey, so that they are exact as float64, which is how files store them.
const noKey = 1 << 53

// newKeptRows returns an empty set for at most the given number of rows and bytes.
func newKeptRows(most int, limit int64) keptRows {
	k := keptRows{most: most, limit: limit, all: newCensus(most)}
	if most > 0 {
		k.below = noKey
	}
	return k
}

// offer makes row i of x a candidate if its key is low enough. Row i is one of the rows [lo, hi) of b that are read
// together, and place is its place among all rows. The key is a hash of the place and of the row; without the latter
// all shards would keep the rows of the same places.
func (k *keptRows) offer(b *addition, x *rows.Reader, i, lo, hi, place int) {
	k.all.offer(x, i, lo, hi)
	h := splitmix.Output(uint64(place), 1)
	if key := splitmix.Output(h^x.Hash32(i, lo, hi, b.y), 1) >> 11; key < k.below {
		k.candidates = append(k.candidates, candidateRow{i, key})
	}
}

// drop discards the candidates.
func (k *keptRows) drop() { k.candidates, k.all.candidates = k.candidates[:0], k.all.candidates[:0] }

// commit adds the candidates, which are rows of a batch that x reads, if their keys are still low enough.
func (k *keptRows) commit(x *rows.Reader, b *addition) {
	k.all.commit(b, x.N)
	for _, c := range k.candidates {
		if c.key >= k.below {
			continue
		}
		r := keptRow{key: c.key, arrival: k.next, weight: b.weight(c.row), List: x.Copy(c.row)}
		_, targets := b.y.Dims()
		r.y = make([]float64, targets)
		for t := range r.y {
			r.y[t] = b.y.At(c.row, t)
		}
		k.add(r)
	}
	k.drop()
}

// add adds a row, and then drops the rows with the largest keys if there is no room for all.
func (k *keptRows) add(r keptRow) {
	k.next = max(k.next, r.arrival+1)
	if r.bytes() > k.limit {
		return // it would displace all others
	}
	heap.Push(&k.rows, r)
	k.bytes += r.bytes()
	k.fit()
}

// fit drops the rows with the largest keys until the others fit.
func (k *keptRows) fit() {
	for len(k.rows) > k.most || k.bytes > k.limit {
		k.cut(k.rows[0].key)
	}
}

// cut drops the rows whose keys are not below key, and bars such rows from now on.
func (k *keptRows) cut(key uint64) {
	k.below = min(k.below, key)
	for len(k.rows) > 0 && k.rows[0].key >= k.below {
		k.bytes -= k.rows[0].bytes()
		heap.Pop(&k.rows)
	}
}

// merge adds the rows of b, which come after those of k. Both share the numbers of these rows, which do not change.
func (k *keptRows) merge(b *keptRows) {
	first := k.next
	rows := b.inOrder()
	k.cut(b.below)
	for _, r := range rows {
		if r.key < k.below {
			r.arrival += first
			k.add(r)
		}
	}
	k.next = max(k.next, first+b.next)
	k.all.merge(&b.all)
}

// bytes returns the number of bytes of the row that count against the limit: its numbers, and the weight if it is not
// 1.
func (r *keptRow) bytes() int64 {
	numbers := len(r.Values) + len(r.Columns) + len(r.y)
	if r.weight != 1 {
		numbers++
	}
	return 8 * int64(numbers)
}

// inOrder returns the rows in the order of their arrival.
func (k *keptRows) inOrder() []keptRow {
	return slices.SortedFunc(slices.Values(k.rows), func(a, b keptRow) int { return cmp.Compare(a.arrival, b.arrival) })
}

// weighted reports whether a row has a weight other than 1.
func weighted(kept []keptRow) bool {
	return slices.ContainsFunc(kept, func(r keptRow) bool { return r.weight != 1 })
}

// data returns the rows in the order of their arrival, with their weights, nil if all are 1. If one of them is a list
// of non-zeros, x has lists for all.
func (k *keptRows) data(in, targets int) (x mat.Matrix, y *mat.Dense, weights []float64) {
	kept := k.inOrder()
	y = mat.NewDense(len(kept), targets, nil)
	for i, r := range kept {
		y.SetRow(i, r.y)
	}
	if weighted(kept) {
		for _, r := range kept {
			weights = append(weights, r.weight)
		}
	}
	return pointsOf(kept, in), y, weights
}

// pointsOf returns the points of rows, as lists if one of them is a list.
func pointsOf(kept []keptRow, in int) mat.Matrix {
	points := make([]rows.List, len(kept))
	for i, r := range kept {
		points[i] = r.List
	}
	return rows.Join(points, in)
}

// keptHeap is a heap with the row of the largest key first; among equal keys, the last to arrive.
type keptHeap []keptRow

func (h keptHeap) Len() int { return len(h) }
func (h keptHeap) Less(i, j int) bool {
	return h[i].key > h[j].key || h[i].key == h[j].key && h[i].arrival > h[j].arrival
}
func (h keptHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *keptHeap) Push(r any)   { *h = append(*h, r.(keptRow)) }
func (h *keptHeap) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	(*h)[last] = keptRow{}
	*h = (*h)[:last]
	return r
}
