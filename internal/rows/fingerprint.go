// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/splitmix"
)

// Fingerprint is a checksum of rows, which shows whether they are the same when they are read again: their points,
// targets and weights in their order, whatever the batches, and whether or not points are lists. The zero value is the
// fingerprint of no rows.
//
// It has a mark after each row, or each second or fourth row and so on, up to mostMarks. So it can tell where rows
// differ, and takes no more memory for more rows.
type Fingerprint struct {
	rows   int
	sum    uint64   // of all rows
	apart  int      // the number of rows from mark to mark; 0 stands for 1
	marks  []uint64 // the sum after apart rows, after twice as many, and so on
	values uint64   // of the current row
	add    func(i, j int, v float64)
}

const mostMarks = 1 << 13

// Rows returns the number of rows.
func (f *Fingerprint) Rows() int { return f.rows }

// Add adds the rows that x reads, with their targets y, which may be nil, and weights; nil weights are all
// 1.
func (f *Fingerprint) Add(x *Reader, y mat.Matrix, weights []float64) {
	f.each(x, y, weights, func() bool {
		if f.rows%f.apart == 0 {
			f.marks = append(f.marks, f.sum)
		}
		if len(f.marks) > mostMarks {
			f.thin()
		}
		return true
	})
}

// thin drops every second mark.
func (f *Fingerprint) thin() {
	f.apart *= 2
	for i := range len(f.marks) / 2 {
		f.marks[i] = f.marks[2*i+1]
	}
	f.marks = f.marks[:len(f.marks)/2]
}

// each adds rows to the sum, and calls next after each, until it returns false.
func (f *Fingerprint) each(x *Reader, y mat.Matrix, weights []float64, next func() bool) {
	f.apart = max(f.apart, 1)
	targets := targetsOf(y)
	for lo, step := 0, x.Step(); lo < x.N; lo += step {
		hi := min(lo+step, x.N)
		for i := lo; i < hi; i++ {
			f.addPoint(x, i, lo, hi)
			f.values += hashTargets(x.Cols, y, i)
			w := 1.0
			if weights != nil {
				w = weights[i]
			}
			f.values += hash(uint64(x.Cols+targets), w)
			f.sum = splitmix.Output(f.sum^f.values, 1)
			f.rows++
			if !next() {
				return
			}
		}
	}
}

// addPoint sets values to the sum of hashes of the coordinates of row i, one of the rows [lo, hi) that are read together.
func (f *Fingerprint) addPoint(x *Reader, i, lo, hi int) {
	f.values = 0
	if x.Lists != nil {
		if f.add == nil {
			f.add = func(_, j int, v float64) { f.values += hash(uint64(j), v) }
		}
		x.Lists.DoRowNonZero(i, f.add)
		return
	}
	block := x.Block(lo, hi)
	f.values = hashes[float64](block.Data[(i-lo)*block.Stride:][:block.Cols])
}

// hash returns a hash of a number in some place. It is 0 for 0, which lists may omit. Otherwise it combines both halves
// of a 128-bit product: one multiplication, because a pass over rows adds only this to the time of the features.
func hash(place uint64, v float64) uint64 {
	if v == 0 {
		return 0
	}
	hi, lo := bits.Mul64(math.Float64bits(v)^0x94d049bb133111eb, (place+1)*0x9e3779b97f4a7c15)
	return hi ^ lo
}

// hashes returns the sum of the hashes of numbers in their places, each rounded to To.
func hashes[To, From float32 | float64](row []From) (sum uint64) {
	for j, v := range row {
		sum += hash(uint64(j), float64(To(v)))
	}
	return sum
}

// targetsOf returns the number of columns of y, which may be nil.
func targetsOf(y mat.Matrix) int {
	if y == nil {
		return 0
	}
	_, targets := y.Dims()
	return targets
}

// hashTargets returns the sum of the hashes of the targets of row i, in places after this number of
// columns.
func hashTargets(columns int, y mat.Matrix, i int) (sum uint64) {
	for t := range targetsOf(y) {
		sum += hash(uint64(columns+t), y.At(i, t))
	}
	return sum
}

// Hash32 returns a hash of row i, one of the rows [lo, hi) that are read together, rounded to float32, and of its
// targets in y. It is the same whether the row is a list, of float32, or of float64.
func (r *Reader) Hash32(i, lo, hi int, y mat.Matrix) uint64 {
	return r.hashPoint32(i, lo, hi) + hashTargets(r.Cols, y, i)
}

func (r *Reader) hashPoint32(i, lo, hi int) uint64 {
	switch {
	case r.Lists != nil:
		if r.addHash == nil {
			r.addHash = func(_, j int, v float64) { r.hash += hash(uint64(j), float64(float32(v))) }
		}
		r.hash = 0
		r.Lists.DoRowNonZero(i, r.addHash)
		return r.hash
	case r.single != nil:
		return hashes[float32](r.single.Data[i*r.single.Stride:][:r.Cols])
	}
	block := r.Block(lo, hi)
	return hashes[float32](block.Data[(i-lo)*block.Stride:][:block.Cols])
}

// Check compares rows with the rows of a fingerprint.
type Check struct {
	want *Fingerprint
	got  Fingerprint
}

// Check returns a check that starts without rows.
func (f *Fingerprint) Check() *Check { return &Check{want: f} }

// Rows returns the number of rows so far.
func (c *Check) Rows() int { return c.got.rows }

// Add adds rows as the fingerprint's Add does. If they are seen to differ it returns false, and the rows [lo, hi) that
// contain the first difference. Rows beyond the last mark are compared by End.
func (c *Check) Add(x *Reader, y mat.Matrix, weights []float64) (lo, hi int, same bool) {
	same = true
	apart := max(c.want.apart, 1)
	c.got.each(x, y, weights, func() bool {
		n := c.got.rows
		switch {
		case n > c.want.rows:
			lo, hi, same = n-1, n, false
		case n%apart == 0 && c.got.sum != c.want.marks[n/apart-1]:
			lo, hi, same = n-apart, n, false
		}
		return same
	})
	return lo, hi, same
}

// Compared tells whether all rows so far have been compared, not only those up to the last mark.
func (c *Check) Compared() bool { return c.got.rows%max(c.want.apart, 1) == 0 }

// End tells whether the rows are all those of the fingerprint. If they are not it returns the rows [lo, hi) that
// contain the first difference. If rows are missing it returns their numbers.
func (c *Check) End() (lo, hi int, same bool) {
	switch n := c.got.rows; {
	case n < c.want.rows:
		return n, c.want.rows, false
	case c.got.sum != c.want.sum:
		return n - n%c.want.apart, n, false
	}
	return 0, 0, true
}
