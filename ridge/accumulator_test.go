// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-0f95ebc1/featuremap/ridge"
)

// Bad rows are refused with their place and value, and nothing of the batch is added: in the room of the pending
// rows, after a flush, over several blocks, with sums and without.
func TestUndo(t *testing.T) {
	const in = 1
	phi := powersMap(5)
	x, y := data(2000, in, 2, 44)
	good := func(a *Accumulator, lo, hi int) error {
		return a.Add(x.Slice(lo, hi, 0, in), y.Slice(lo, hi, 0, 2))
	}
	for _, before := range []int{0, 1, 100, 144, 700} {
		for _, n := range []int{1, 2, 43, 44, 45, 143, 144, 145, 600, 1000} {
			for _, row := range []int{0, n / 2, n - 1} {
				a, want := must(NewAccumulator(phi, 2)), must(NewAccumulator(phi, 2))
				if before > 0 && (good(a, 0, before) != nil || good(want, 0, before) != nil) {
					t.Fatal("good rows refused")
				}
				name := fmt.Sprintf("row %d of %d after %d", row, n, before)
				bad := func(m *mat.Dense, i, j int, v float64, text string) {
					t.Helper()
					old := m.At(i, j)
					m.Set(i, j, v)
					expectError(t, good(a, before, before+n), text)
					m.Set(i, j, old)
				}
				bad(x, before+row, 0, math.NaN(), fmt.Sprintf("ridge: x: row %d, column 0 = NaN: must be finite", row))
				bad(x, before+row, 0, math.Inf(-1), fmt.Sprintf("ridge: x: row %d, column 0 = -Inf: must be finite", row))
				bad(y, before+row, 1, math.Inf(1), fmt.Sprintf("ridge: y: row %d, column 1 = +Inf: must be finite and less than 2^483 in magnitude", row))
				bad(y, before+row, 0, 1e150, fmt.Sprintf("ridge: y: row %d, column 0 = 1e+150: must be finite and less than 2^483 in magnitude", row))
				// Features 1, x, x², x³: 2^600 is beyond 2^484.
				bad(x, before+row, 0, 0x1p200, fmt.Sprintf("ridge: x: row %d: feature 3 = %v: must be finite and less than 2^484 in magnitude", row, 0x1p600))
				bad(x, before+row, 0, 1e200, fmt.Sprintf("ridge: x: row %d: feature 1 = 1e+200: must be finite and less than 2^484 in magnitude", row))
				if a.Rows() != before {
					t.Fatalf("%s: %d rows", name, a.Rows())
				}
				if before+n > 300 && row > 0 && testing.Short() {
					continue
				}
				if !bytes.Equal(encoded(a), encoded(want)) {
					t.Fatalf("%s: the sums have changed", name)
				}
				// And go on as if nothing had been.
				if good(a, before, before+n) != nil || good(want, before, before+n) != nil || !bytes.Equal(encoded(a), encoded(want)) {
					t.Fatalf("%s: the sums differ afterwards", name)
				}
			}
		}
	}
}

// Of rows that are copied one by one, since they are so long, the good ones before a bad one are dropped.
func TestUndoCopies(t *testing.T) {
	const in = 1 << 19
	phi := callers{in, 2, func(dst, x []float64) { dst[0], dst[1] = x[0], x[0]*x[in-1] }}
	x, y := mat.NewDense(3, in, nil), mat.NewVecDense(3, []float64{1, 2, 4})
	for i := range 3 {
		x.Set(i, 0, float64(i))
		x.Set(i, in-1, 1)
	}
	a := must(NewAccumulator(phi, 1))
	for range 2 {
		want := encoded(a)
		x.Set(2, in-1, 1e200)
		expectError(t, a.Add(shy{x}, y), "ridge: x: row 2: feature 1 = 2e+200: must be finite and less than 2^484 in magnitude")
		if !bytes.Equal(encoded(a), want) {
			t.Error("the sums have changed")
		}
		x.Set(2, in-1, 1)
		if err := a.Add(shy{x}, y); err != nil {
			t.Fatal(err)
		}
	}
}

// A panic of the map is undone too.
func TestUndoPanic(t *testing.T) {
	calls := 0
	phi := callers{1, 3, func(dst, x []float64) {
		if calls++; calls == 1000 {
			panic("a map that panics")
		}
		copy(dst, []float64{1, x[0], x[0] * x[0]})
	}}
	x, y := data(500, 1, 1, 45)
	a := must(NewAccumulator(phi, 1)) // 4 calls
	addBatches(t, a, x, y, 500)
	want := encoded(a)
	expectPanic(t, "Add", "a map that panics", func() { _ = a.Add(x, y) })
	if a.Rows() != 500 || !bytes.Equal(encoded(a), want) {
		t.Error("the sums have changed")
	}
}

// Progress tells the rows so far, every 144, and then of each λ and each part of leave-one-out. Its error stops a fit
// wherever that is, and comes back.
func TestProgress(t *testing.T) {
	x, y := data(700, 2, 1, 46)
	phi := fourier(2, 10)
	var got []int
	intervals := false
	count := func(o Options) []int {
		got = nil
		o.Progress = func(rows int) error { got = append(got, rows); return nil }
		o.Intervals = &IntervalOptions{Off: !intervals}
		must(Fit(phi, x, y, &o))
		return got
	}
	if got := fmt.Sprint(count(Options{Lambda: 1})); got != "[144 288 432 576 700 700]" {
		t.Error(got)
	}
	intervals = true // rows are looked at, left out, summed up and predicted
	if got := fmt.Sprint(count(Options{Lambda: 1})); got != "[144 288 432 576 700 700 700 700 700 700]" {
		t.Error(got)
	}
	for c := GuardedEvidence; c <= LeaveOneOut; c++ {
		calls := len(count(Options{Criterion: c}))
		if calls < 4+13 {
			t.Errorf("%v: %d calls", c, calls)
		}
		for stop := range calls {
			n := 0
			m, err := Fit(phi, x, y, &Options{Criterion: c, Progress: func(int) error {
				if n++; n > stop {
					return io.ErrClosedPipe
				}
				return nil
			}})
			if m != nil || !errors.Is(err, io.ErrClosedPipe) || n != stop+1 || !strings.HasPrefix(fmt.Sprint(err), "ridge: ") {
				t.Fatalf("%v, stopped at call %d of %d: %v, %v", c, stop+1, n, m, err)
			}
		}
	}
	a := must(NewAccumulator(phi, 1))
	addBatches(t, a, x, y, 700)
	want := encoded(a)
	if _, err := a.Fit(&Options{Progress: func(int) error { return io.EOF }}); !errors.Is(err, io.EOF) || !bytes.Equal(encoded(a), want) {
		t.Error(err)
	}
}

// Sums that would fit in memory, but not together with the factor of a fit, are refused before there are any, with what needs neither.
func TestNewAccumulatorTooLarge(t *testing.T) {
	phi := fourier(2, 50_000)
	for _, gigabytes := range []int64{1, 15} { // the sums of 50,000 features take 10 GB, and their factor 10
		limit := debug.SetMemoryLimit(gigabytes << 30)
		_, err := NewAccumulator(phi, 1)
		_, fit := Fit(phi, mat.NewDense(1, 2, nil), mat.NewDense(1, 1, nil), &Options{Side: FeatureSide})
		debug.SetMemoryLimit(limit)
		for _, err := range []error{err, fit} {
			if err == nil || !strings.Contains(err.Error(), "50000 features") || !strings.HasSuffix(err.Error(), "FitIterative needs neither") {
				t.Errorf("%d GB: %v", gigabytes, err)
			}
		}
	}
}
