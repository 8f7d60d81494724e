// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// An Accumulator holds the normal equations of features and targets: the sums over rows of all products of two of
// their columns, and of the columns themselves,
//
//	ΦᵀΦ, ΦᵀY, YᵀY, Φᵀ1, Yᵀ1, n
//
// for a map φ: R^in → R^D and T targets. It never holds the features Φ: rows go through the map in blocks of 144, and
// from there into the sums. It takes (D+T+1)²/2 numbers of memory, and about a million, or 300·D if that is more, for blocks.
//
// Each sum is one chain of fused multiply-adds in the order of the rows, so its bits depend neither on the batches in
// which rows came nor on the number of goroutines. (Merge adds sums up: those of its parts.)
//
// Targets are stored less those of the first row, so that a large mean costs no digits.
//
// An Accumulator is not safe for concurrent use: take one for each goroutine, and Merge them. The zero value is there
// to be decoded into.
type Accumulator struct {
	phi              featuremap.FeatureMap // nil if the accumulator was decoded
	in, out, targets int
	identity         identity

	rows  int       // those pending included
	shift []float64 // the targets of the first row, which all others are stored less

	// sums has the products of the columns [features, targets, 1] but for those of pending rows.
	sums    *tiled.Matrix
	pending *tiled.Block

	source source    // the rows that are being added
	buffer []float64 // rows of columns
	view   mat.Dense // their features
}

// Numbers from here on in magnitude are refused: of targets, so that those less another are below tiled.Limit, and rows,
// so that their number is a float64.
const (
	targetLimit = tiled.Limit / 2
	maxRows     = min(1<<53, math.MaxInt)
)

// NewAccumulator returns the normal equations of no rows, of the features of phi and the given number of targets.
//
// It returns an error if phi is nil or the zero value of a map, if targets is less than 1, or if the sums do not fit in
// memory.
func NewAccumulator(phi featuremap.FeatureMap, targets int) (*Accumulator, error) {
	if r := reflect.ValueOf(phi); phi == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, errors.New("ridge: phi = nil")
	}
	in, out := phi.Dims()
	if in < 1 || out < 1 {
		return nil, fmt.Errorf("ridge: phi: R^%d → R^%d is no map", in, out)
	}
	if err := validateSize(out, targets); err != nil {
		return nil, err
	}
	n := out + targets + 1
	return &Accumulator{
		phi:      phi,
		in:       in,
		out:      out,
		targets:  targets,
		identity: identify(phi),
		shift:    make([]float64, targets),
		sums:     tiled.New(n),
		pending:  tiled.NewBlock(n),
	}, nil
}

// validateSize refuses sums of so many features and targets that they do not fit in memory.
func validateSize(out, targets int) error {
	if targets < 1 {
		return fmt.Errorf("ridge: targets = %d: must be at least 1", targets)
	}
	n := float64(out) + float64(targets) + 1
	// A panel of the widest shape, and a block, besides.
	bytes := 8 * (n*n/2 + n*(24+2*tiled.BlockRows))
	if limit := memory.Limit(); !(bytes <= float64(limit)) {
		return fmt.Errorf("ridge: sums of %d features and %d targets take %.3g bytes: there are %.3g", out, targets, bytes, float64(limit))
	}
	return nil
}

// Rows returns the number of rows that were added.
func (a *Accumulator) Rows() int { return a.rows }

// Add adds rows: x, n×in points, and y, n×T targets. Any mat.Matrix will do; the rows of a mat.RowNonZeroDoer go to the
// map as they are, and what is no mat.RawMatrixer either is read by At, in blocks. It allocates nothing for a single row
// of a dense x.
//
// It panics with mat.ErrZeroLength if x has no rows, and with mat.ErrShape if its width is not in or y is not n×T. It
// returns an error, and adds nothing of the batch, if a number of x or y is NaN or Inf, if a target is 2⁴⁸³ or more in
// magnitude or a feature 2⁴⁸⁴, whose squares would overflow, or if the accumulator was decoded and so has no map. To
// that end it copies the sums, if there are some and the batch has more than 144 rows.
func (a *Accumulator) Add(x, y mat.Matrix) error { return a.add(x, y, nil) }

// add is Add, and calls progress with the number of rows so far now and then, if it is not nil.
func (a *Accumulator) add(x, y mat.Matrix, progress func(rows int)) error {
	if err := a.validateMap(); err != nil {
		return err
	}
	n := shapes(x, y, a.in, a.targets)
	a.source.reset(x)
	defer a.source.reset(nil)
	if err := a.source.validate(); err != nil {
		return err
	}
	if err := validateTargets(y); err != nil {
		return err
	}
	if n > maxRows-a.rows {
		return fmt.Errorf("ridge: %d rows and %d more: must be at most %d", a.rows, n, maxRows)
	}
	m := a.mark(n)
	done := false
	defer func() {
		if !done { // an error, or a panic of the map, of x or of y
			a.restore(m)
		}
	}()
	if a.rows == 0 {
		for t := range a.shift {
			a.shift[t] = y.At(0, t)
		}
	}
	step := min(a.chunkRows(), a.source.step())
	for lo := 0; lo < n; lo += step {
		if err := a.addChunk(y, lo, min(lo+step, n), progress); err != nil {
			return err
		}
	}
	done = true
	return nil
}

// Errors of accumulators that NewAccumulator has not made.
var (
	errNoMap = errors.New("ridge: the accumulator was decoded and has no map: merge it into one that has")
	errZero  = errors.New("ridge: the accumulator is the zero value")
)

// validateMap refuses an accumulator without a map.
func (a *Accumulator) validateMap() error {
	switch {
	case a.sums == nil:
		return errZero
	case a.phi == nil:
		return errNoMap
	}
	return nil
}

// shapes panics unless x is n×in with n ≥ 1 and y is n×targets, and returns n.
func shapes(x, y mat.Matrix, in, targets int) (n int) {
	n, c := x.Dims()
	m, t := y.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	if c != in || m != n || t != targets {
		panic(mat.ErrShape)
	}
	return n
}

// chunkRows returns the number of rows that go through the map together: 8 MB of features, so that each weight that is
// fetched is used for many rows, but at least a block.
func (a *Accumulator) chunkRows() int {
	const elements = 1 << 20
	return max(elements/paddedStride(a.out+a.targets+1), tiled.BlockRows)
}

// addChunk adds the rows [lo, hi) to the pending ones, and these to the sums whenever a block of them is full.
func (a *Accumulator) addChunk(y mat.Matrix, lo, hi int, progress func(rows int)) error {
	chunk := a.columns(y, lo, hi)
	for i := 0; i < chunk.Rows; {
		rows := min(chunk.Rows-i, a.pending.Room())
		if bad := a.appendRows(chunk, i, rows); bad >= 0 {
			return a.beyond(chunk, i+bad, lo)
		}
		i += rows
		a.rows += rows
		if a.pending.Room() == 0 {
			a.flush()
			if progress != nil {
				progress(a.rows)
			}
		}
	}
	return nil
}

// appendRows adds some rows of a chunk, from row i on, to the pending ones. It returns the first of them that is refused, or −1.
func (a *Accumulator) appendRows(chunk blas64.General, i, rows int) (bad int) {
	chunk.Data, chunk.Rows = chunk.Data[i*chunk.Stride:], rows
	if rows > 1 {
		return a.pending.Append(chunk)
	}
	if a.pending.AppendRow(chunk.Data[:chunk.Cols]) {
		return -1
	}
	return 0
}

// columns returns the rows [lo, hi) of [features, targets, 1].
func (a *Accumulator) columns(y mat.Matrix, lo, hi int) blas64.General {
	rows, n := hi-lo, a.out+a.targets+1
	stride := paddedStride(n)
	if len(a.buffer) < rows*stride {
		a.buffer = make([]float64, rows*stride)
	}
	a.view.SetRawMatrix(blas64.General{Rows: rows, Cols: a.out, Stride: stride, Data: a.buffer[:(rows-1)*stride+a.out]})
	a.phi.TransformTo(&a.view, a.source.rows(lo, hi))
	for i := range rows {
		rest := a.buffer[i*stride+a.out:][:a.targets+1]
		for t, v := range a.shift {
			rest[t] = y.At(lo+i, t) - v
		}
		rest[a.targets] = 1
	}
	return blas64.General{Rows: rows, Cols: n, Stride: stride, Data: a.buffer[:rows*stride]}
}

// paddedStride returns the stride of rows of n elements: whole cache lines, and no multiple of a page, so that the same
// column of neighbouring rows does not fall in one set of the cache.
func paddedStride(n int) int {
	const line, page = 8, 512
	stride := (n + line - 1) &^ (line - 1)
	if stride%page == 0 {
		stride += line
	}
	return stride
}

// beyond returns the error for row i of a block, which a tiled.Block refused; in the batch it is row lo+i.
func (a *Accumulator) beyond(block blas64.General, i, lo int) error {
	row := block.Data[i*block.Stride:][:a.out]
	j := 0
	for j < a.out-1 && math.Abs(row[j]) < tiled.Limit {
		j++
	}
	return fmt.Errorf("ridge: x: row %d: feature %d = %v: must be finite and less than 2^484 in magnitude", lo+i, j, row[j])
}

// flush brings pending rows into the sums.
func (a *Accumulator) flush() {
	if a.pending != nil {
		a.sums.Update(a.pending)
		a.pending.Truncate(0)
	}
}

// A mark is a state of an accumulator, to which it can be restored.
type mark struct {
	rows, pending int
	large         bool          // the batch that follows goes through the sums
	sums          *tiled.Matrix // a copy then, if there were rows
}

// mark returns the state before a batch of n rows, which it makes sure that restore can bring back: a batch that fits in
// a block goes there whole before any of it goes into the sums.
func (a *Accumulator) mark(n int) mark {
	if n > a.pending.Room() {
		a.flush()
	}
	m := mark{rows: a.rows, pending: a.pending.Rows(), large: n > a.pending.Room()}
	if m.large && a.rows > 0 {
		m.sums = tiled.New(a.sums.Dim())
		m.sums.CopyFrom(a.sums)
	}
	return m
}

// restore undoes what was added since m.
func (a *Accumulator) restore(m mark) {
	a.rows = m.rows
	a.pending.Truncate(m.pending)
	if m.rows == 0 {
		clear(a.shift)
	}
	switch {
	case m.sums != nil:
		a.sums.CopyFrom(m.sums)
	case m.large:
		a.sums.Clear()
	}
}
