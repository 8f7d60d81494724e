// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package rows_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// matrix has element (i, j) 100·i + j + 1, but 0 in every third column.
func matrix(n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		if j%3 == 2 {
			return 0
		}
		return float64(100*i + j + 1)
	}, x)
	return x
}

// hidden is a matrix that shows nothing but its elements.
type hidden struct{ mat.Matrix }

// listsOf returns a matrix as lists: backwards, and with the zeros.
func listsOf(x mat.Matrix) *rows.Lists {
	n, d := x.Dims()
	l := &rows.Lists{Cols: d}
	for i := range n {
		var row rows.List
		for j := d - 1; j >= 0; j-- {
			row.Values, row.Columns = append(row.Values, x.At(i, j)), append(row.Columns, j)
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

// kinds returns the same matrix in all ways that rows come.
func kinds(x *mat.Dense) map[string]mat.Matrix {
	n, d := x.Dims()
	wide := mat.NewDense(n+2, d+3, nil)
	wide.Slice(1, n+1, 2, d+2).(*mat.Dense).Copy(x)
	single := blas32.General{Rows: n, Cols: d, Stride: d + 2, Data: make([]float32, (n-1)*(d+2)+d)}
	for i := range n {
		for j := range d {
			single.Data[i*single.Stride+j] = float32(x.At(i, j))
		}
	}
	return map[string]mat.Matrix{
		"single": &rows.Single{General: single},
		"raw":    x, "strided": wide.Slice(1, n+1, 2, d+2), "transposed": mat.DenseCopyOf(x.T()).T(), "hidden": hidden{x}, "lists": listsOf(x),
	}
}

func TestReader(t *testing.T) {
	var r rows.Reader // one for all: it keeps nothing but memory
	for _, shape := range [][2]int{{1, 1}, {1, 7}, {2, 3}, {5, 4}, {9, 1}} {
		n, d := shape[0], shape[1]
		x := matrix(n, d)
		for name, a := range kinds(x) {
			r.Reset(a)
			if r.N != n || r.Cols != d || r.Step() < 1 || (r.Lists != nil) != (name == "lists") {
				t.Fatalf("%s: %d×%d, step %d", name, r.N, r.Cols, r.Step())
			}
			for range 2 { // twice, and in any order
				for i := n - 1; i >= 0; i-- {
					want := x.RawRowView(i)
					if got := r.Row(i); !slices.Equal(got, want) {
						t.Errorf("%s: row %d is %v, want %v", name, i, got, want)
					}
					var sum rows.List
					for _, e := range r.NonZeros(i) {
						sum.Values, sum.Columns = append(sum.Values, e.Value), append(sum.Columns, e.Column)
					}
					if want := rows.NewList(want); !slices.Equal(sum.Values, want.Values) || !slices.Equal(sum.Columns, want.Columns) {
						t.Errorf("%s: row %d has the non-zeros %v, want %v", name, i, sum, want)
					}
					if all := r.Entries(i); name == "lists" && len(all) != d {
						t.Errorf("%s: row %d has %d entries", name, i, len(all))
					}
				}
				for lo := range n {
					for hi := lo + 1; hi <= n; hi++ {
						want := x.Slice(lo, hi, 0, d)
						for _, got := range []mat.Matrix{r.Matrix(lo, hi), r.Window(lo, hi)} {
							if !mat.Equal(got, want) {
								t.Errorf("%s: rows %d to %d are %v", name, lo, hi, mat.Formatted(got))
							}
						}
						var buffer []float64
						for _, b := range [][]float64{nil, make([]float64, 3)} {
							buffer = b
							block := r.BlockIn(&buffer, lo, hi)
							for i := range block.Rows {
								if got := block.Data[i*block.Stride:][:d]; !slices.Equal(got, x.RawRowView(lo+i)) {
									t.Errorf("%s: row %d of the block from %d on is %v", name, i, lo, got)
								}
							}
						}
					}
				}
			}
			for i, row := range r.All() {
				if !slices.Equal(row, x.RawRowView(i)) {
					t.Errorf("%s: row %d of all is %v", name, i, row)
				}
			}
			index := []int{n - 1, 0, n / 2}
			got := r.Gather(index)
			for k, i := range index {
				if !slices.Equal(mat.Row(nil, k, got), x.RawRowView(i)) {
					t.Errorf("%s: row %d of the gathered is %v", name, k, mat.Row(nil, k, got))
				}
			}
			if _, lists := got.(*rows.Lists); lists != (name == "lists") {
				t.Errorf("%s: gathered as a %T", name, got)
			}
			if i, j, v, found := r.NotFinite(); found {
				t.Errorf("%s: (%d, %d) = %v is not finite", name, i, j, v)
			}
			r.Reset(nil)
			if r.N != 0 || r.Lists != nil {
				t.Errorf("%s: a reader of nothing has %d rows", name, r.N)
			}
		}
	}
}

// Rows that are copied come in blocks, and all of them are found beyond the first.
func TestReaderOfManyRows(t *testing.T) {
	const d = 64
	var r rows.Reader
	r.Reset(hidden{mat.NewDense(1, d, nil)})
	n := 2*r.Step() + 3
	x := mat.NewDense(n, d, nil)
	x.Set(n-1, d-1, math.NaN())
	for name, a := range map[string]mat.Matrix{"raw": x, "hidden": hidden{x}} {
		r.Reset(a)
		if i, j, v, found := r.NotFinite(); !found || i != n-1 || j != d-1 || !math.IsNaN(v) {
			t.Errorf("%s: %d, %d, %v, %v", name, i, j, v, found)
		}
	}
}

// The first element that is not finite is found, row by row.
func TestReaderNotFinite(t *testing.T) {
	var r rows.Reader
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range 3 {
			for j := range 5 {
				x := matrix(3, 5)
				x.Set(i, j, bad)
				x.Set(2, 4, bad)
				for name, a := range kinds(x) {
					r.Reset(a)
					row, column, v, found := r.NotFinite()
					if name == "lists" && i == 2 {
						column = j // lists are in their own order
					}
					if !found || row != i || column != j || v == v && !math.IsInf(v, 0) {
						t.Errorf("%s with %v at (%d, %d): %v at (%d, %d), %v", name, bad, i, j, v, row, column, found)
					}
				}
			}
		}
	}
}

// Two entries of one column come as they are in lists, and are added up in rows; one outside the matrix is no element.
func TestReaderOfOddLists(t *testing.T) {
	var r rows.Reader
	r.Reset(&rows.Lists{Cols: 3, Rows: []rows.List{{Values: []float64{1, 2, 4}, Columns: []int{2, 0, 2}}, {Values: []float64{1}, Columns: []int{3}}}})
	if got := r.Row(0); !slices.Equal(got, []float64{2, 0, 5}) {
		t.Errorf("the row is %v", got)
	}
	if got := fmt.Sprint(r.Entries(0)); got != "[{0 2} {2 1} {2 4}]" {
		t.Errorf("the entries are %s", got)
	}
	defer func() {
		if err := recover(); err != mat.ErrColAccess {
			t.Errorf("%v, want a panic with mat.ErrColAccess", err)
		}
	}()
	r.Row(1)
}

// One reader serves several goroutines, each with a buffer of its own.
func TestReaderConcurrently(t *testing.T) {
	x := matrix(50, 8)
	for name, a := range kinds(x) {
		var r rows.Reader
		r.Reset(a)
		var all sync.WaitGroup
		for range 8 {
			all.Add(1)
			go func() {
				defer all.Done()
				var buffer []float64
				for i := range 50 {
					if got := r.BlockIn(&buffer, i, i+1).Data; !slices.Equal(got, x.RawRowView(i)) {
						t.Errorf("%s: row %d is %v", name, i, got)
					}
				}
			}()
		}
		all.Wait()
	}
}

// Raw rows are views, and reading them takes no memory.
func TestReaderAllocations(t *testing.T) {
	x := matrix(20, 8)
	var r rows.Reader
	if n := testing.AllocsPerRun(100, func() {
		r.Reset(x)
		for i := range 20 {
			r.Row(i)
			r.Matrix(i, 20)
		}
		r.NotFinite()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	r.Reset(hidden{x})
	if n := testing.AllocsPerRun(100, func() { r.Window(1, 20) }); n != 0 {
		t.Errorf("%v allocations of a window of a matrix that would be copied", n)
	}
	if r.Reset(hidden{x}); !mat.Equal(r.Window(2, 5), x.Slice(2, 5, 0, 8)) {
		t.Error("a window shows other rows")
	}
	r.Reset(x)
	if row := r.Row(3); &row[0] != &x.RawRowView(3)[0] {
		t.Error("a raw row is a copy")
	}
}
