// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"container/heap"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/copied"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/sealed"
)

// The kept rows are four arrays of a file, five with weights, and one more if copies are counted: see encode.go.

// document returns the document, given the number of all rows.
func (k *keptRows) document(rows int) keptDocument {
	d := keptDocument{Rows: len(k.rows), Bytes: k.limit, Below: k.below}
	if k.limit == math.MaxInt64 {
		d.Bytes, d.Most = 0, k.most
	}
	if len(k.rows) < rows {
		_, d.Counted = k.all.inOrder()
	}
	return d
}

// limits returns how many rows, and how many bytes of them, are kept at most.
func (d *keptDocument) limits() (most int, bytes int64) {
	switch {
	case d.Most > 0:
		return d.Most, math.MaxInt64
	case d.Bytes > 0:
		return keptMost, d.Bytes
	}
	return 0, math.MaxInt64
}

// numbers returns these arrays, given the number of all rows.
func (k *keptRows) numbers(weighted bool, rows int) [][]float64 {
	var keys, entries, y, x, weights []float64
	for _, r := range k.inOrder() {
		keys, y = append(keys, float64(r.key)), append(y, r.y...)
		if r.Columns == nil {
			entries = append(entries, -1)
		} else {
			entries = append(entries, float64(len(r.Columns)))
		}
		for _, j := range r.Columns {
			x = append(x, float64(j))
		}
		x = append(x, r.Values...)
		weights = append(weights, r.weight)
	}
	all := [][]float64{keys, entries, y, x}
	if weighted {
		all = append(all, weights)
	}
	if len(k.rows) < rows && k.all.below > 0 {
		all = append(all, k.all.numbers())
	}
	return all
}

// validate refuses numbers that no accumulator has, and arrays of wrong sizes. Only readKept knows the size of the last.
func (d *keptDocument) validate(f *sealed.Reader, a *accumulatorDocument) error {
	n, arrays := a.Features+a.Targets+1, 7
	if a.Weighted {
		arrays++
	}
	if d.Counted > 0 {
		arrays++
	}
	most, _ := d.limits()
	switch {
	case d.Rows < 0 || d.Rows > min(most, a.Rows) || d.Bytes < 0 || d.Most < 0 || d.Bytes > 0 && d.Most > 0 || max(d.Below, d.Counted) > noKey || d.Counted > 0 && (d.Rows == a.Rows || a.Rows > copied.Most) || most == 0 && max(d.Below, d.Counted) > 0:
		return fmt.Errorf("ridge: the data of the accumulator has kept %d of %d rows, of keys below %d, %d rows or %d bytes at most", d.Rows, a.Rows, d.Below, d.Most, d.Bytes)
	case len(f.Sizes) != arrays:
		return fmt.Errorf("ridge: the data has %d arrays: must be %d", len(f.Sizes), arrays)
	}
	want := []int{a.Features + a.Targets, triangle(n), 2 * a.Targets, d.Rows, d.Rows, d.Rows * a.Targets, f.Sizes[6]}
	if a.Weighted {
		want = append(want, d.Rows)
	}
	if d.Counted > 0 {
		want = append(want, f.Sizes[arrays-1])
	}
	return validateSizes(f, want...)
}

// readKept reads the kept rows.
func readKept(f *sealed.Reader, a *accumulatorDocument) (keptRows, error) {
	d := a.Kept
	most, limit := d.limits()
	k := newKeptRows(most, limit)
	k.below = d.Below
	keys, entries, y, x := f.Floats(d.Rows), f.Floats(d.Rows), f.Floats(d.Rows*a.Targets), f.Floats(f.Sizes[6])
	weights := slices.Repeat([]float64{1}, d.Rows)
	if a.Weighted {
		weights = f.Floats(d.Rows)
	}
	if f.Err() != nil {
		return k, fmt.Errorf("ridge: %w", f.Err())
	}
	for i, key := range keys {
		r := keptRow{key: uint64(key), arrival: i, weight: weights[i], y: slices.Clone(y[i*a.Targets:][:a.Targets])}
		var err error
		if r.Values, r.Columns, x, err = cutRow(x, entries[i], a.In); err != nil {
			return k, fmt.Errorf("ridge: the data of the accumulator: row %d of those kept: %w", i, err)
		}
		if !(key >= 0 && key < float64(d.Below)) || float64(r.key) != key || !finiteBelow(r.y, targetLimit) {
			return k, fmt.Errorf("ridge: the data of the accumulator: row %d of those kept has the key %v and the targets %v", i, key, r.y)
		}
		if !(r.weight > 0 && r.weight < heaviest) {
			return k, fmt.Errorf("ridge: the data of the accumulator: row %d of those kept has the weight %v", i, r.weight)
		}
		heap.Push(&k.rows, r)
		k.bytes += r.bytes()
	}
	if k.next = d.Rows; d.Counted > 0 {
		k.all.rows, k.all.below = a.Rows, d.Counted
		if err := k.all.read(f.Floats(f.Sizes[len(f.Sizes)-1])); err != nil {
			return k, err
		}
	} else if d.Rows < a.Rows {
		k.all.end()
	} else if d.Rows > 0 {
		k.countKept(a.In)
	}
	if len(x) > 0 || k.bytes > k.limit {
		return k, fmt.Errorf("ridge: the data of the accumulator: the rows kept take %d bytes of %d, and %d numbers are left", k.bytes, k.limit, len(x))
	}
	return k, nil
}

// countKept counts the kept rows, which are all rows.
func (k *keptRows) countKept(in int) {
	kept := k.inOrder()
	var reader rows.Reader
	reader.Reset(pointsOf(kept, in))
	k.all.rows = len(kept)
	for i, r := range kept {
		k.all.count(keyOf(reader.Checksum(i)), &pointCount{1, r.weight, []targetCount{{keyOf(copied.Checksum(r.y)), 1, r.weight, r.weight}}})
	}
}

// numbers returns five numbers for each target at each point: the keys of both, the number of rows, their weight and
// the heaviest row's. A point with more than mostTargets targets has the second key −1.
func (c *census) numbers() (all []float64) {
	keys, _ := c.inOrder()
	for _, key := range keys {
		p := c.points[key]
		for _, r := range p.with {
			all = append(all, float64(key), float64(r.target), float64(r.rows), r.weight, r.heaviest)
		}
		if p.with == nil {
			all = append(all, float64(key), -1, float64(p.rows), p.weight, 0)
		}
	}
	return all
}

// read sets the counts from these numbers.
func (c *census) read(all []float64) error {
	last, total, points, targets := [2]float64{-1, -1}, 0.0, 0, 0
	for ; len(all) >= 5; all = all[5:] {
		key, target, count, weight, most := all[0], all[1], all[2], all[3], all[4]
		many := target == -1
		total += count
		if targets++; key != last[0] {
			points, targets = points+1, 1
		}
		switch {
		case points > c.most || targets > mostTargets, !isCount(key, float64(c.below)), !many && !isCount(target, noKey), !(count >= 1) || !isCount(count, float64(c.rows+1)), total > float64(c.rows),
			!(weight > 0 && weight < count*heaviest), many == (most > 0), !(most >= 0 && most <= weight),
			!(key > last[0] || key == last[0] && target > last[1] && last[1] >= 0):
			return fmt.Errorf("ridge: the data of the accumulator has counted %v rows of weight %v at the point %v with the target %v", count, weight, key, target)
		}
		last = [2]float64{key, target}
		r := &pointCount{rows: int(count), weight: weight}
		if !many {
			r.with = []targetCount{{uint64(target), int(count), weight, most}}
		}
		c.count(uint64(key), r)
	}
	if len(all) > 0 {
		return fmt.Errorf("ridge: the data of the accumulator has counted the rows at %d points, and %d numbers are left", points, len(all))
	}
	return nil
}

// isCount reports whether v is an integer from 0 on and less than limit.
func isCount(v, limit float64) bool { return v >= 0 && v < limit && math.Trunc(v) == v }

// cutRow cuts a row off the front of numbers: all coordinates if entries is −1, otherwise the columns and then the values of
// that number of entries.
func cutRow(numbers []float64, entries float64, in int) (x []float64, columns []int, rest []float64, err error) {
	size := entries
	if entries < 0 {
		size = float64(in)
	}
	need := size
	if entries >= 0 {
		need = 2 * size
	}
	if entries != -1 && !(entries >= 0) || math.Trunc(size) != size || !(need <= float64(len(numbers))) {
		return nil, nil, nil, fmt.Errorf("%v entries, and %d numbers are left", entries, len(numbers))
	}
	if entries >= 0 {
		columns = make([]int, int(size))
		for e, v := range numbers[:len(columns)] {
			if !(v >= 0 && v < float64(in)) || math.Trunc(v) != v {
				return nil, nil, nil, fmt.Errorf("an entry of column %v of %d", v, in)
			}
			columns[e] = int(v)
		}
		if ordered := slices.Sorted(slices.Values(columns)); len(slices.Compact(ordered)) < len(columns) {
			return nil, nil, nil, errors.New("two entries of one column")
		}
		numbers = numbers[len(columns):]
	}
	x, rest = slices.Clone(numbers[:int(size)]), numbers[int(size):] // a copy, since a kept row would otherwise hold on to the whole file
	if !finiteBelow(x, math.Inf(1)) {
		return nil, nil, nil, errors.New("a coordinate that is not finite")
	}
	return x, columns, rest, nil
}
