// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

// KeepBytes sets how many bytes of rows an accumulator keeps, at most.
func (a *Accumulator) KeepBytes(bytes int64) { a.kept = newKeptRows(keptMost, bytes) }

// SetLeastSample sets how many rows choose λ of FitIterative, at least, also where features are few, and returns a function that
// undoes it.
func SetLeastSample(rows int) (undo func()) {
	before, few := leastSample, mostFew
	leastSample, mostFew = rows, 0
	return func() { leastSample, mostFew = before, few }
}

// KeptKeys returns the keys of the rows that an accumulator keeps.
func KeptKeys(a *Accumulator) []float64 { return a.kept.numbers(false, 0)[0] }

// Counts returns the numbers of the file for the rows that an accumulator counts.
func Counts(a *Accumulator) []float64 { return a.kept.all.numbers() }

// CountsBelow returns the bound of the keys of the points that an accumulator counts.
func CountsBelow(a *Accumulator) uint64 {
	_, below := a.kept.all.inOrder()
	return below
}

// ReadCounts reads these numbers for a number of rows, and of at most keptMost points, or most.
func ReadCounts(numbers []float64, rows int, most ...int) error {
	c := newCensus(append(most, keptMost)[0])
	c.rows = rows
	return c.read(numbers)
}
