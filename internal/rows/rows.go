// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package rows reads the rows of any matrix, any number of times. It returns views if the matrix shows its data
// (mat.RawMatrixer) or is a Single, lists of entries if it has them (mat.RowNonZeroDoer), and otherwise copies, made by
// At.
package rows

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
)

// Reader reads the rows of a matrix. Results of its methods are valid until the next call, unless they say otherwise.
// Only BlockIn may be called by several goroutines; for other methods each needs its own reader. A reader must not be
// copied. The zero value has no rows.
type Reader struct {
	N, Cols int                // the shape of the matrix
	Lists   mat.RowNonZeroDoer // the matrix, if its rows are lists; otherwise nil

	x     mat.Matrix
	raw   blas64.General
	isRaw bool

	single *Single // the matrix, if it is one
	part   Single  // some rows of it

	buffer     []float64
	first, end int // the rows in buffer
	view       mat.Dense
	window     window
	lists      listWindow
	entries    []Entry
	add        func(i, j int, v float64)
	hash       uint64 // of the current list
	addHash    func(i, j int, v float64)
}

// An Entry is an element of a row.
type Entry struct {
	Column int
	Value  float64
}

// Reset makes x the matrix to read; nil releases the matrix. It keeps the memory for copies.
func (r *Reader) Reset(x mat.Matrix) {
	*r = Reader{x: x, buffer: r.buffer, entries: r.entries, add: r.add, addHash: r.addHash}
	if x == nil {
		return
	}
	r.N, r.Cols = x.Dims()
	switch x := x.(type) {
	case mat.RawMatrixer:
		r.raw, r.isRaw = x.RawMatrix(), true
	case mat.RowNonZeroDoer:
		r.Lists = x
	case *Single:
		r.single = x
	}
}

// copyElements is the number of elements of a block of copied rows, 4 MB.
const copyElements = 1 << 19

// Step returns the largest number of rows that Block and Matrix return without much memory: all rows that need no
// copy.
func (r *Reader) Step() int {
	if r.isRaw || r.Lists != nil {
		return r.N
	}
	return max(copyElements/max(r.Cols, 1), 1)
}

// Matrix returns the rows [lo, hi) as a matrix that shows its data. If rows are lists or of float32, they stay so.
func (r *Reader) Matrix(lo, hi int) mat.Matrix {
	switch {
	case r.Lists != nil:
		return r.Window(lo, hi)
	case r.single != nil:
		r.part = r.single.slice(lo, hi)
		return &r.part
	}
	r.view.SetRawMatrix(r.Block(lo, hi))
	return &r.view
}

// Window returns the rows [lo, hi) as a view of the matrix: nothing is copied.
func (r *Reader) Window(lo, hi int) mat.Matrix {
	switch {
	case r.isRaw:
		return r.Matrix(lo, hi)
	case r.Lists != nil:
		r.lists = listWindow{window{r.x, lo, hi - lo}, r.Lists}
		return &r.lists
	}
	r.window = window{r.x, lo, hi - lo}
	return &r.window
}

// Block returns all coordinates of the rows [lo, hi).
func (r *Reader) Block(lo, hi int) blas64.General {
	if r.isRaw || lo != r.first || hi != r.end {
		r.first, r.end = 0, 0 // should At panic
		block := r.BlockIn(&r.buffer, lo, hi)
		r.first, r.end = lo, hi
		return block
	}
	return blas64.General{Rows: hi - lo, Cols: r.Cols, Stride: r.Cols, Data: r.buffer[:(hi-lo)*r.Cols]}
}

// BlockIn is Block with copies in the caller's buffer, which grows if necessary.
func (r *Reader) BlockIn(buffer *[]float64, lo, hi int) blas64.General {
	if hi <= lo {
		return blas64.General{Cols: r.Cols, Stride: max(r.Cols, 1)}
	}
	if r.isRaw {
		end := (hi-1)*r.raw.Stride + r.Cols
		return blas64.General{Rows: hi - lo, Cols: r.Cols, Stride: r.raw.Stride, Data: r.raw.Data[lo*r.raw.Stride : end]}
	}
	need := (hi - lo) * r.Cols
	if cap(*buffer) < need {
		*buffer = make([]float64, need)
	}
	block := blas64.General{Rows: hi - lo, Cols: r.Cols, Stride: r.Cols, Data: (*buffer)[:need]}
	if r.single != nil {
		r.single.wide(block.Data, lo, hi)
		return block
	}
	for i := range block.Rows {
		row := block.Data[i*r.Cols : (i+1)*r.Cols]
		for k := range row {
			row[k] = r.x.At(lo+i, k)
		}
	}
	return block
}

// Row returns all coordinates of row i; for a list, the sums of its entries. It panics with mat.ErrColAccess if a list
// has an entry outside the matrix.
func (r *Reader) Row(i int) []float64 {
	row, outside := r.row(i)
	if outside {
		panic(mat.ErrColAccess)
	}
	return row
}

// Inside returns Row without entries of a list that are outside the matrix, as At does.
func (r *Reader) Inside(i int) []float64 {
	row, _ := r.row(i)
	return row
}

func (r *Reader) row(i int) (row []float64, outside bool) {
	if r.Lists == nil {
		return r.Block(i, i+1).Data, false
	}
	if r.first, r.end = 0, 0; cap(r.buffer) < r.Cols {
		r.buffer = make([]float64, r.Cols)
	}
	row = r.buffer[:r.Cols]
	clear(row)
	for _, e := range r.Entries(i) {
		if uint(e.Column) >= uint(r.Cols) {
			outside = true
			continue
		}
		row[e.Column] += e.Value
	}
	return row, outside
}

// Entries returns the entries of row i in ascending order of columns: all entries of a list, including zeros, otherwise
// the non-zeros.
func (r *Reader) Entries(i int) []Entry {
	r.entries = r.entries[:0]
	if r.Lists == nil {
		for j, v := range r.Row(i) {
			if v != 0 {
				r.entries = append(r.entries, Entry{j, v})
			}
		}
		return r.entries
	}
	if r.add == nil {
		r.add = func(_, j int, v float64) { r.entries = append(r.entries, Entry{j, v}) }
	}
	r.Lists.DoRowNonZero(i, r.add)
	byColumn := func(a, b Entry) int { return cmp.Compare(a.Column, b.Column) }
	if !slices.IsSortedFunc(r.entries, byColumn) {
		slices.SortStableFunc(r.entries, byColumn)
	}
	return r.entries
}

// NonZeros returns Entries without zeros.
func (r *Reader) NonZeros(i int) []Entry {
	r.entries = slices.DeleteFunc(r.Entries(i), func(e Entry) bool { return e.Value == 0 })
	return r.entries
}

// Checksum returns a checksum of row i. It is the same whether or not the row is a list, and for 0 and
// −0.
func (r *Reader) Checksum(i int) (sum uint64) { return r.ChecksumOf(i, i, i+1) }

// ChecksumOf is Checksum of one of the rows [lo, hi) that are read together.
func (r *Reader) ChecksumOf(i, lo, hi int) (sum uint64) {
	switch {
	case r.single != nil:
		return hashes[float64](r.single.Data[i*r.single.Stride:][:r.Cols])
	case r.Lists == nil:
		block := r.Block(lo, hi)
		return hashes[float64](block.Data[(i-lo)*block.Stride:][:block.Cols])
	}
	for _, e := range r.NonZeros(i) {
		sum += hash(uint64(e.Column), e.Value)
	}
	return sum
}

// Copy returns a copy of row i: a list if the rows are lists.
func (r *Reader) Copy(i int) List {
	if r.Lists == nil {
		return List{Values: slices.Clone(r.Row(i))}
	}
	n := 0
	r.Lists.DoRowNonZero(i, func(int, int, float64) { n++ })
	l := List{Values: make([]float64, 0, n), Columns: make([]int, 0, n)}
	r.Lists.DoRowNonZero(i, func(_, j int, v float64) {
		l.Values, l.Columns = append(l.Values, v), append(l.Columns, j)
	})
	return l
}

// Gather returns a copy of some rows: a *Lists if the rows are lists.
func (r *Reader) Gather(index []int) mat.Matrix {
	if r.Lists != nil {
		l := &Lists{r.Cols, make([]List, len(index))}
		for k, i := range index {
			l.Rows[k] = r.Copy(i)
		}
		return l
	}
	dense := mat.NewDense(len(index), r.Cols, nil)
	for k, i := range index {
		dense.SetRow(k, r.Row(i))
	}
	return dense
}

// All returns all coordinates of all rows: views, or copies that belong to the caller.
func (r *Reader) All() [][]float64 {
	all := make([][]float64, r.N)
	var buffer []float64
	block := r.BlockIn(&buffer, 0, r.N)
	for i := range all {
		all[i] = block.Data[i*block.Stride:][:r.Cols]
	}
	return all
}

// NotFinite returns the first element that is not finite, row by row, and whether there is one. In a list it looks at
// entries.
func (r *Reader) NotFinite() (row, column int, v float64, found bool) {
	switch {
	case r.Lists != nil:
		return r.listNotFinite()
	case r.single != nil && allFinite(r.single.Data, r.N, r.Cols, r.single.Stride):
		return 0, 0, 0, false
	}
	for lo, step := 0, r.Step(); lo < r.N && r.Cols > 0; lo += step {
		block := r.Block(lo, min(lo+step, r.N))
		if AllFinite(block) {
			continue
		}
		for i := range block.Rows {
			for j, v := range block.Data[i*block.Stride:][:r.Cols] {
				if !finite(v) {
					return lo + i, j, v, true
				}
			}
		}
	}
	return 0, 0, 0, false
}

// listNotFinite is NotFinite for lists.
func (r *Reader) listNotFinite() (row, column int, v float64, found bool) {
	add := func(_, j int, value float64) {
		if !found && !finite(value) {
			column, v, found = j, value, true
		}
	}
	for row = 0; row < r.N; row++ {
		if r.Lists.DoRowNonZero(row, add); found {
			return row, column, v, true
		}
	}
	return 0, 0, 0, false
}

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// AllFinite tells whether all elements of a matrix with columns are finite.
func AllFinite(a blas64.General) bool { return allFinite(a.Data, a.Rows, a.Cols, a.Stride) }

func allFinite[F float32 | float64](data []F, rows, cols, stride int) bool {
	const elements = 1 << 16
	grain := 1 + elements/cols
	if rows <= grain {
		return finiteRows(data, cols, stride, 0, rows)
	}
	var bad atomic.Bool
	parallel.Run(parallel.Func(func(lo, hi int) {
		if !finiteRows(data, cols, stride, lo, hi) {
			bad.Store(true)
		}
	}), rows, grain)
	return !bad.Load()
}

// finiteRows tells whether all elements of the rows [lo, hi) are finite: v − v is 0 then, and NaN otherwise.
func finiteRows[F float32 | float64](data []F, cols, stride, lo, hi int) bool {
	var s0, s1, s2, s3 F
	for i := lo; i < hi; i++ {
		row := data[i*stride:][:cols]
		for ; len(row) >= 4; row = row[4:] {
			s0 += row[0] - row[0]
			s1 += row[1] - row[1]
			s2 += row[2] - row[2]
			s3 += row[3] - row[3]
		}
		for _, v := range row {
			s0 += v - v
		}
	}
	return s0+s1+s2+s3 == 0
}

// Each returns the rows of x one after another, each valid until the next.
func Each(x mat.Matrix) iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		var r Reader
		r.Reset(x)
		for i := range r.N {
			if !yield(i, r.Inside(i)) {
				return
			}
		}
	}
}

// Of returns the rows of x: views if it shows its data (mat.RawMatrixer), otherwise copies.
func Of(x mat.Matrix) [][]float64 {
	var r Reader
	r.Reset(x)
	return r.All()
}
