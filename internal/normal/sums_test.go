// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package normal

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// rowsOf returns the rows [lo, hi).
func rowsOf(z blas64.General, lo, hi int) blas64.General {
	z.Rows, z.Data = hi-lo, z.Data[lo*z.Stride:]
	return z
}

// random returns rows of [features, targets], numbers from −4 to 4 that are multiples of 2⁻²⁰, so that some arithmetic is exact.
func random(seed uint64, rows, columns int) blas64.General {
	rnd := rand.New(rand.NewPCG(seed, 1))
	z := blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns)}
	for i := range z.Data {
		z.Data[i] = float64(rnd.IntN(1<<23)-1<<22) * 0x1p-20
	}
	return z
}

// appendRows adds rows to sums, in a batch that was begun, by parts of some rows.
func appendRows(s *Sums, z blas64.General, part int, full func(int) error) error {
	for lo := 0; lo < z.Rows; lo += part {
		hi := min(lo+part, z.Rows)
		next := s.Next(hi - lo)
		for i := range next.Rows {
			copy(next.Data[i*next.Stride:][:next.Cols], z.Data[(lo+i)*z.Stride:][:z.Cols])
		}
		if err := s.Append(nil, full); err != nil {
			return err
		}
	}
	return nil
}

// add adds rows to sums, in batches.
func add(t testing.TB, s *Sums, z blas64.General, batch, part int) {
	t.Helper()
	for lo := 0; lo < z.Rows; lo += batch {
		hi := min(lo+batch, z.Rows)
		s.Begin(hi - lo)
		if err := appendRows(s, rowsOf(z, lo, hi), part, nil); err != nil {
			t.Fatal(err)
		}
		s.Commit()
	}
}

// sumsOf returns the sums of rows.
func sumsOf(t testing.TB, z blas64.General, targets int) *Sums {
	t.Helper()
	s := New(z.Cols-targets, targets)
	add(t, s, z, z.Rows, z.Rows)
	return s
}

// bits returns all numbers of sums, as bits.
func bits(s *Sums) []uint64 {
	all := []uint64{uint64(s.Rows())}
	for _, v := range s.Shift() {
		all = append(all, math.Float64bits(v))
	}
	for column := range s.Columns() {
		for _, v := range column {
			all = append(all, math.Float64bits(v))
		}
	}
	return all
}

// specified returns the bits that sums of rows have by the specification: each one chain in the order of the rows.
func specified(z blas64.General) []uint64 {
	all := []uint64{uint64(z.Rows)}
	for _, v := range z.Data[:z.Cols] {
		all = append(all, math.Float64bits(v))
	}
	n := z.Cols + 1
	sums := make([][]float64, n)
	for j := range sums {
		sums[j] = make([]float64, j+1)
	}
	for i := range z.Rows {
		row := make([]float64, n)
		for j := range z.Cols {
			row[j] = z.Data[i*z.Stride+j] - z.Data[j]
		}
		row[n-1] = 1
		for j, column := range sums {
			for k := range column {
				column[k] = math.FMA(row[k], row[j], column[k])
			}
		}
	}
	for _, column := range sums {
		for _, v := range column {
			all = append(all, math.Float64bits(v))
		}
	}
	return all
}

// Sums have the bits of the specification, for any batches and any number of goroutines.
func TestSums(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	type size struct{ n, features, targets int }
	sizes := []size{{1, 1, 0}, {1, 3, 1}, {144, 5, 1}, {145, 1, 2}, {500, 7, 3}, {310, 130, 2}}
	if testing.Short() {
		sizes[5] = size{150, 50, 2}
	}
	for _, c := range sizes {
		z := random(1, c.n, c.features+c.targets)
		want := specified(z)
		for i, batch := range []int{c.n, 1, 7, 143, 144, 145, 300} {
			for _, part := range []int{batch, 1, 100} {
				runtime.GOMAXPROCS(1 + i%4)
				s := New(c.features, c.targets)
				add(t, s, z, batch, part)
				if s.Rows() != c.n {
					t.Fatalf("%+v: %d rows", c, s.Rows())
				}
				if !slices.Equal(bits(s), want) {
					t.Fatalf("%+v, batches of %d in parts of %d: other bits", c, batch, part)
				}
			}
		}
	}
}

// Rolling back a batch restores the bits, and later rows are not affected: after a bad row, after an error of the
// function that is called for full blocks, and without an error. Batches end around the blocks of 144 rows.
func TestRollback(t *testing.T) {
	const features, targets = 5, 2
	z := random(2, 1000, features+targets)
	stop := errors.New("stop")
	already := []int{0, 1, 100, 143, 144, 145, 300}
	if testing.Short() {
		already = []int{0, 100, 144}
	}
	for _, before := range already {
		for _, n := range []int{1, 2, 43, 44, 45, 143, 144, 145, 288, 300} {
			for _, part := range []int{n, 1, 50} {
				for _, why := range []string{"bad", "full", "none"} {
					name := fmt.Sprintf("%d rows, then a batch of %d in parts of %d (%s)", before, n, part, why)
					s, want := New(features, targets), New(features, targets)
					add(t, s, rowsOf(z, 0, before), 200, 60)
					add(t, want, rowsOf(z, 0, before), 200, 60)
					batch, full := rowsOf(z, before, before+n), func(int) error { return nil }
					batch.Data = slices.Clone(batch.Data[:n*z.Cols])
					switch why {
					case "bad":
						batch.Data[(n-1)*z.Cols+3] = math.NaN()
					case "full":
						full = func(int) error { return stop }
					}
					s.Begin(n)
					err := appendRows(s, batch, part, full)
					var refused *RowError
					switch {
					case why == "bad" && (!errors.As(err, &refused) || refused.Column != 3 || refused.Row != (n-1)%part):
						t.Fatalf("%s: %v", name, err)
					case why == "full" && err != stop && (err != nil || n >= 144):
						t.Fatalf("%s: %v", name, err)
					case why == "none" && err != nil:
						t.Fatalf("%s: %v", name, err)
					}
					s.Rollback()
					if s.Rows() != before || !slices.Equal(bits(s), bits(want)) {
						t.Fatalf("%s: the sums have changed", name)
					}
					add(t, s, rowsOf(z, before, 600), 77, 77)
					add(t, want, rowsOf(z, before, 600), 600, 600)
					if !slices.Equal(bits(s), bits(want)) {
						t.Fatalf("%s: the sums differ afterwards", name)
					}
				}
			}
		}
	}
}

// A row with a number that is NaN, infinite or too large is refused with its place, both as the first of all rows and
// later. A row with the largest accepted number is not refused.
func TestRefused(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), tiled.Limit, -tiled.Limit, math.MaxFloat64} {
		for _, row := range []int{0, 1, 150, 199} {
			for column := range 4 {
				z := random(3, 200, 4)
				z.Data[row*4+column] = v
				s := New(3, 1)
				s.Begin(200)
				err := appendRows(s, z, 200, nil)
				var refused *RowError
				if !errors.As(err, &refused) || refused.Row != row || refused.Column != column ||
					math.Float64bits(refused.Value) != math.Float64bits(v) {
					t.Fatalf("%v in row %d, column %d: %v", v, row, column, err)
				}
				want := fmt.Sprintf("row %d: column %d = %v: must be finite and less than 2^484 in magnitude", row, column, v)
				if err.Error() != want {
					t.Fatalf("error %q, want %q", err, want)
				}
				s.Rollback()
			}
		}
	}
	z := random(3, 200, 4)
	z.Data[1], z.Data[9], z.Data[199*4] = math.Nextafter(tiled.Limit, 0), -math.Nextafter(tiled.Limit, 0), 0x1p483
	for column := range sumsOf(t, z, 1).Columns() {
		if slices.ContainsFunc(column, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			t.Errorf("sums of %v", column)
		}
	}
}

// The function for full blocks is called after every 144 rows, with the number of all rows.
func TestFull(t *testing.T) {
	z := random(4, 600, 3)
	for _, part := range []int{1, 100, 144, 600} {
		var got []int
		s := New(2, 1)
		s.Begin(600)
		if err := appendRows(s, z, part, func(rows int) error { got = append(got, rows); return nil }); err != nil {
			t.Fatal(err)
		}
		s.Commit()
		if !slices.Equal(got, []int{144, 288, 432, 576}) {
			t.Errorf("parts of %d: called for %d rows", part, got)
		}
	}
}

// Merging into sums without rows copies bits, and merging sums without rows changes nothing. The sums of two parts are
// those of one pass except for rounding: for n rows up to 4n roundings of the addends, because numbers are at most 4,
// or 8 minus the shift.
func TestMerge(t *testing.T) {
	const features, targets, n = 40, 2, 500
	z := random(5, n, features+targets)
	whole := sumsOf(t, z, targets)
	for _, cut := range []int{0, 1, 144, 250, 499, 500} {
		a, b := New(features, targets), New(features, targets)
		add(t, a, rowsOf(z, 0, cut), 100, 100)
		add(t, b, rowsOf(z, cut, n), 100, 100)
		part := bits(b)
		a.Merge(b)
		if !slices.Equal(bits(b), part) {
			t.Errorf("%d rows and %d: the second part has changed", cut, n-cut)
		}
		if cut == 0 || cut == n {
			if !slices.Equal(bits(a), bits(whole)) {
				t.Errorf("%d rows and %d: the bits are others", cut, n-cut)
			}
		}
		if a.Rows() != n || !slices.Equal(a.Shift(), whole.Shift()) {
			t.Errorf("%d rows and %d: %d rows", cut, n-cut, a.Rows())
		}
		const limit = 4 * n * 0x1p-53 * n * 8 * 8
		got := slices.Collect(copies(a))
		for j, want := range slices.Collect(copies(whole)) {
			for i, v := range want {
				if !(math.Abs(got[j][i]-v) <= limit) {
					t.Fatalf("%d rows and %d: sum %d, %d is %v, want %v", cut, n-cut, i, j, got[j][i], v)
				}
			}
		}
		// The parts are unchanged.
		add(t, a, z, n, n)
		if !slices.Equal(bits(b), part) {
			t.Errorf("%d rows and %d: rows went to the second part", cut, n-cut)
		}
	}
	// Merging sums with themselves: all rows twice, exactly.
	twice := slices.Collect(copies(whole))
	whole.Merge(whole)
	got := slices.Collect(copies(whole))
	for j, column := range twice {
		for i, v := range column {
			if got[j][i] != 2*v {
				t.Fatalf("twice %v is %v", v, got[j][i])
			}
		}
	}
	if whole.Rows() != 2*n {
		t.Errorf("%d rows", whole.Rows())
	}
}

// copies returns copies of the columns.
func copies(s *Sums) func(yield func([]float64) bool) {
	return func(yield func([]float64) bool) {
		for column := range s.Columns() {
			if !yield(slices.Clone(column)) {
				return
			}
		}
	}
}

// Sums that were restored, or that released memory, accept more rows, and merge, with the same bits.
func TestRestore(t *testing.T) {
	const features, targets = 30, 2
	z := random(6, 400, features+targets)
	for _, n := range []int{0, 1, 144, 200} {
		s := New(features, targets)
		add(t, s, rowsOf(z, 0, n), 100, 100)
		restored := Restore(features, targets, n, s.Shift(), s.Root(), slices.Collect(copies(s)))
		if !slices.Equal(bits(restored), bits(s)) {
			t.Fatalf("%d rows: other bits", n)
		}
		merged := New(features, targets)
		merged.Merge(restored)
		s.Release()
		for _, s := range []*Sums{restored, merged, s} {
			add(t, s, rowsOf(z, n, 400), 100, 100)
			if !slices.Equal(bits(s), specified(z)) {
				t.Errorf("%d rows: other bits afterwards", n)
			}
		}
	}
}

// Readers may run at the same time, with pending rows too (under the race detector).
func TestReaders(t *testing.T) {
	z := random(7, 200, 12)
	s, want := sumsOf(t, z, 2), specified(z)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			switch i % 3 {
			case 0:
				if !slices.Equal(bits(s), want) {
					t.Error("other bits")
				}
			case 1:
				other := New(10, 2)
				other.Merge(s)
				if !slices.Equal(bits(other), want) {
					t.Error("other bits when merged")
				}
			case 2:
				if _, err := NewEquations(s, true).Solve(1); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wait.Wait()
}

// One row allocates nothing.
func TestAllocations(t *testing.T) {
	z := random(8, 1, 20)
	s := New(19, 1)
	if n := testing.AllocsPerRun(1000, func() {
		s.Begin(1)
		next := s.Next(1)
		copy(next.Data, z.Data)
		if err := s.Append(nil, nil); err != nil {
			t.Fatal(err)
		}
		s.Commit()
	}); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}
