// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// numbered returns n rows of numbers, all different except for some zeros.
func numbered(n, columns int) *mat.Dense {
	x := mat.NewDense(n, columns, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		if (i+j)%5 == 0 {
			return 0
		}
		return float64(i) + float64(j)/8
	}, x)
	return x
}

// listed returns the rows of x as lists.
func listed(x *mat.Dense) *Lists {
	n, columns := x.Dims()
	l := &Lists{Cols: columns}
	for i := range n {
		l.Rows = append(l.Rows, NewList(x.RawRowView(i)))
	}
	return l
}

// add adds rows in batches by f, dense and as lists in turns.
func add(x, y *mat.Dense, weights []float64, batch int, f func(r *Reader, y mat.Matrix, weights []float64)) {
	n, columns := x.Dims()
	_, targets := y.Dims()
	for lo := 0; lo < n; lo += batch {
		hi := min(lo+batch, n)
		var r Reader
		part := x.Slice(lo, hi, 0, columns).(*mat.Dense)
		if r.Reset(part); lo/batch%2 == 1 {
			r.Reset(listed(part))
		}
		var w []float64
		if weights != nil {
			w = weights[lo:hi]
		}
		f(&r, y.Slice(lo, hi, 0, targets), w)
	}
}

// The same rows pass in other batches. A change of one number, two rows that are exchanged, a row more and a row less
// are found. The error gives the row if there is a mark for each row, and otherwise the rows between two marks.
func TestFingerprint(t *testing.T) {
	for _, n := range []int{1, 2, 7, mostMarks, mostMarks + 1, 5*mostMarks + 3} {
		x, y := numbered(n, 3), numbered(n, 2)
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = 1 + float64(i%2)
		}
		var f Fingerprint
		add(x, y, weights, 1000, f.Add)
		if f.Rows() != n || len(f.marks) > mostMarks {
			t.Fatalf("%d rows, %d marks", f.Rows(), len(f.marks))
		}
		// differs returns the rows among which the difference is.
		differs := func(x, y *mat.Dense, weights []float64) (lo, hi int, found bool) {
			c := f.Check()
			add(x, y, weights, 777, func(r *Reader, y mat.Matrix, weights []float64) {
				if !found {
					var same bool
					lo, hi, same = c.Add(r, y, weights)
					found = !same
				}
			})
			if !found {
				var same bool
				lo, hi, same = c.End()
				found = !same
			}
			return lo, hi, found
		}
		if lo, hi, found := differs(x, y, weights); found {
			t.Fatalf("%d rows: the same rows differ from %d to %d", n, lo, hi)
		}
		apart := 1
		for n/apart > mostMarks {
			apart *= 2
		}
		expect := func(what string, row int, x, y *mat.Dense, weights []float64) {
			t.Helper()
			lo, hi, found := differs(x, y, weights)
			if !found || row < lo || row >= hi || hi-lo > apart {
				t.Errorf("%d rows, %s at row %d: found is %v, from %d to %d", n, what, row, found, lo, hi)
			}
		}
		for _, row := range []int{0, n / 2, n - 1} {
			for j := range 3 {
				other := mat.DenseCopyOf(x)
				other.Set(row, j, -1)
				expect("a coordinate", row, other, y, weights)
			}
			other := mat.DenseCopyOf(y)
			other.Set(row, 1, -1)
			expect("a target", row, x, other, weights)
			heavier := append([]float64(nil), weights...)
			heavier[row] = 5
			expect("a weight", row, x, y, heavier)
		}
		if n > 1 {
			swapped := mat.DenseCopyOf(x)
			swapped.SetRow(0, x.RawRowView(1))
			swapped.SetRow(1, x.RawRowView(0))
			expect("swapped", 0, swapped, y, weights)
			if lo, hi, found := differs(numbered(n-1, 3), numbered(n-1, 2), weights[:n-1]); !found || lo != n-1 || hi != n {
				t.Errorf("%d rows, one less: %v, from %d to %d", n, found, lo, hi)
			}
		}
		if lo, hi, found := differs(numbered(n+1, 3), numbered(n+1, 2), append(weights, 1)); !found || lo != n || hi != n+1 {
			t.Errorf("%d rows, one more: %v, from %d to %d", n, found, lo, hi)
		}
	}
}

// A selection has the rows that it names, lists where the matrix has lists.
func TestSelect(t *testing.T) {
	x := numbered(6, 3)
	index := []int{4, 0, 5}
	want := mat.NewDense(3, 3, nil)
	for k, i := range index {
		want.SetRow(k, x.RawRowView(i))
	}
	for _, m := range []mat.Matrix{x, mat.DenseCopyOf(x.T()).T(), listed(x)} {
		s := Select(m, index)
		if !mat.Equal(s, want) || !mat.Equal(s.T(), want.T()) {
			t.Errorf("%T: %v", m, mat.Formatted(s))
		}
		var r Reader
		if r.Reset(s); r.N != 3 {
			t.Errorf("%T: a reader of %d rows", m, r.N)
		}
		for k := range index {
			if row := r.Row(k); !mat.Equal(mat.NewVecDense(3, row), want.RowView(k)) {
				t.Errorf("%T: row %d is %v", m, k, row)
			}
		}
	}
	if _, lists := Select(listed(x), index).(mat.RowNonZeroDoer); !lists {
		t.Error("a selection of lists has no lists")
	}
}
