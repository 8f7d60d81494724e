// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package normal solves the normal equations of linear models with features Φ, n×D, and targets Y, n×T. Results have
// the same bits on every machine. It knows features only, not the maps that they come from.
//
// Rows are added to Sums, which keep only
//
//	ΦᵀΦ, ΦᵀY, YᵀY, Φᵀ1, Yᵀ1, n
//
// A row may have a weight w, which counts it w times: its rows of Φ, Y and 1 are multiplied by √w, and n is the sum of
// the weights.
//
// Equations are made from sums, with or without an intercept, and solved for any λ ≥ 0. With A = ΦᵀΦ + λI and b = ΦᵀY
// for one target, a Solution has the Cholesky factor of A. From it follow the weights w = A⁻¹b, which minimize ‖y −
// Φw‖² + λ‖w‖²; the most likely noise variance,
//
//	σ² = (yᵀy − bᵀA⁻¹b)/f, at least 2⁻⁵²·yᵀy/f, which is the rounding error,
//
// and the logarithm of the evidence, the density of the targets with all weights integrated out, for weights with
// variance σ²/λ:
//
//	−½·(f + f·log(2πσ²) + log|A| − D·log λ + log n)
//
// The noise may also be known for each row. Then rows have weights in inverse proportion to its variance, and σ² is
// given (SetNoise). With weights that add up to n, and variances σ²/wᵢ of the rows, the log evidence is
//
//	−½·((yᵀy − bᵀA⁻¹b)/σ² + f·log(2πσ²) − Σlog wᵢ + log|A| − D·log λ + log n)
//
// An intercept has a flat prior. With an intercept, features and targets are taken minus their means and f = n − 1.
// Without one f = n, and the last term is omitted. (Rasmussen and Williams, Gaussian Processes for Machine Learning,
// 2006, sections 2.2, 2.7 and 5.4.1; docs/theory/lambda.md says more.) Several targets share the factor of a λ; each
// has its own noise and evidence.
//
// Each sum is one chain of fused multiply-adds in the order of the rows. Each element of a factor and of a solution is
// one chain too (package tiled), and logarithms come from package detmath. So bits do not depend on the batches of
// rows, the number of goroutines, or the machine.
//
// Sums may also be Single: they sum blocks of 144 rows in float32, each by one such chain, and add these up in float64.
// Blocks of rows begin where sums begin, whatever the batches are. Everything computed from the sums is float64, but
// takes their lower precision into account.
package normal

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// MaxRows is the largest number of rows of sums: their number must be exact as a float64 and an
// int.
const MaxRows = min(1<<53, math.MaxInt)

// Bytes returns the memory of the sums of this many features and targets, with a block of rows: (D+T+1)²/2 numbers and
// about 300 for each column.
func Bytes(features, targets int) float64 {
	n := float64(features) + float64(targets) + 1
	// Plus a panel of the widest shape, and a block.
	return 8 * (n*n/2 + n*(24+2*tiled.BlockRows))
}

// Sums are the sums over rows of all products of two of the columns [features, targets, 1], times the weight of the
// row.
//
// One row, the shift, is subtracted from features and targets, so that a mean which is large compared with the
// deviations costs no digits. The shift is the first row, until a row comes that weighs sixteen times as much: a first
// row with almost no weight may be far from all others, whose deviations would be lost in squares of its distance.
//
// Rows are added in batches: Begin, then Next and Append as often as needed, then Commit, or Rollback, which restores
// the bits at Begin. Rows wait in a block of 144. They go into the sums when the block has no room for the next rows,
// or when somebody reads the sums.
//
// Methods that only read (Columns, NewEquations, and Merge its argument) may run at the same time as each other.
// Methods that write must run alone.
type Sums struct {
	features, targets int

	rows     int           // including pending rows
	shift    []float64     // for all columns; 0 for the ones
	root     float64       // the root of the weight of the row that is the shift; 0 without rows
	sums     *tiled.Matrix // of all rows except pending ones. Readers bring these in first, and no other reader must see that half done
	pending  *tiled.Block  // nil until rows are added
	single   bool          // whether sums are Single
	settling sync.Mutex

	before mark           // the current batch
	next   blas64.General // the rows in buffer that Append adds
	buffer []float64
}

// New returns sums without rows, for at least one feature, and any number of targets.
func New(features, targets int) *Sums {
	n := features + targets + 1
	return &Sums{features: features, targets: targets, shift: make([]float64, n), sums: tiled.New(n)}
}

// NewApart returns sums as New does, without products of two targets, which equations do not need. With more targets than
// features these would be most of the memory and the work. Columns and Merge are not for such sums.
func NewApart(features, targets int) *Sums {
	n := features + targets + 1
	return &Sums{features: features, targets: targets, shift: make([]float64, n), sums: tiled.NewHeaded(n, features)}
}

// NewSingle returns sums as New does, but Single: see the package comment.
func NewSingle(features, targets int) *Sums {
	s := New(features, targets)
	s.single = true
	return s
}

// Restore returns the sums of this number of rows, from the results of Shift, Root and Columns. It does not keep shift,
// and frees each column when it is done with it: the elements of columns are nil afterwards.
func Restore(features, targets, rows int, shift []float64, root float64, columns [][]float64) *Sums {
	s := &Sums{features: features, targets: targets, rows: rows, shift: make([]float64, len(columns)), root: root, sums: tiled.FromColumns(columns)}
	copy(s.shift, shift)
	return s
}

// Refill makes s, to which no rows were ever added, the sums of this number of rows, from the results of Shift, Root
// and Columns, in its own memory. fill is called for each column, down to the diagonal, which holds zeros or the
// numbers of another column.
func (s *Sums) Refill(rows int, shift []float64, root float64, fill func(column []float64)) {
	s.rows, s.root = rows, root
	copy(s.shift, shift)
	column := make([]float64, s.sums.Dim())
	for j := range column {
		fill(column[:j+1])
		s.sums.SetColumn(j, column[:j+1])
	}
}

// Rows returns the number of rows that were added.
func (s *Sums) Rows() int { return s.rows }

// Weight returns the sum of the weights of all rows.
func (s *Sums) Weight() float64 {
	last := len(s.shift) - 1
	return s.settled().At(last, last)
}

// Shift returns the features and targets of the row that is subtracted from all rows, zeros without rows. They must not
// be changed.
func (s *Sums) Shift() []float64 { return s.shift[:s.features+s.targets] }

// Root returns the root of the weight of this row, 0 without rows.
func (s *Sums) Root() float64 { return s.root }

// Columns returns the columns of the sums of products of [features, targets, 1] minus the shift, each down to the
// diagonal. A column is valid until the next one.
func (s *Sums) Columns() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		sums := s.settled()
		column := make([]float64, sums.Dim())
		for j := range column {
			sums.Column(column, j)
			if !yield(column[:j+1]) {
				return
			}
		}
	}
}

// Next returns room for one or more rows of [features, targets], to be filled, in any order, before Append adds them.
// Their stride is larger than the number of columns, and the elements in between must not be changed. It is valid until
// the next call.
func (s *Sums) Next(rows int) blas64.General {
	n := len(s.shift)
	stride := tiled.Stride(n)
	if len(s.buffer) < rows*stride {
		s.buffer = make([]float64, rows*stride)
	}
	s.next = blas64.General{Rows: rows, Cols: n, Stride: stride, Data: s.buffer[:rows*stride]}
	for i := range rows {
		s.buffer[i*stride+n-1] = 1
	}
	view := s.next
	view.Cols, view.Data = n-1, view.Data[:(rows-1)*stride+n-1]
	return view
}

// RowError is the number for which a row is refused: it is NaN, or its magnitude, or its magnitude times the root
// of the row's weight, is Limit or more, so that its square would overflow.
type RowError struct {
	Row, Column int // within the rows of Next
	Value       float64
	Root        float64 // the root of the weight; 0 if the value is refused with any weight
	Limit       float64 // tiled.Limit, or for Single sums tiled.SingleLimit
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d: column %d = %v: %s", e.Row, e.Column, e.Value, e.Reason())
}

// Reason says what the number must be.
func (e *RowError) Reason() string {
	exponent := math.Ilogb(e.Limit)
	if e.Root == 0 {
		return fmt.Sprintf("must be finite and less than 2^%d in magnitude", exponent)
	}
	return fmt.Sprintf("must be less than 2^%d in magnitude, and from the row that is subtracted, times %.3g, the root of the row's weight", exponent, e.Root)
}

// Append adds the rows that Next returned last. roots are the roots of their weights, positive numbers below
// tiled.Limit, one a row; nil roots are all 1. If full is not nil it is called, with the number of rows so far,
// whenever a block of 144 is full.
//
// Append stops at the first row that is refused, for which it returns a *RowError, or when full returns an error, which
// it returns. Then some of the rows are already added: Rollback drops them. For one row it allocates nothing.
func (s *Sums) Append(roots []float64, full func(rows int) error) error {
	next := s.next
	s.next = blas64.General{}
	s.prepare()
	for lo := 0; lo < next.Rows; {
		if s.isHeavy(roots, lo) {
			s.moveTo(next.Data[lo*next.Stride:][:next.Cols-1], rootOf(roots, lo))
		}
		if s.pending.Room() == 0 {
			s.flush()
		}
		some := next
		some.Rows, some.Data = 1, next.Data[lo*next.Stride:]
		for most := min(next.Rows-lo, s.pending.Room()); some.Rows < most && !s.isHeavy(roots, lo+some.Rows); {
			some.Rows++
		}
		if bad := s.appendBlock(some); bad >= 0 {
			return s.refusal(next, lo+bad)
		}
		if roots != nil {
			if err := s.weigh(next, roots, lo, lo+some.Rows); err != nil {
				return err
			}
		}
		lo += some.Rows
		s.rows += some.Rows
		if full != nil && s.pending.Room() == 0 {
			if err := full(s.rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// rootOf returns the root of the weight of row i; nil roots are ones.
func rootOf(roots []float64, i int) float64 {
	if roots == nil {
		return 1
	}
	return roots[i]
}

// isHeavy tells whether row i is to become the shift.
func (s *Sums) isHeavy(roots []float64, i int) bool {
	return s.root == 0 || Outweighs(rootOf(roots, i), s.root)
}

// Outweighs tells whether a row is to become the shift instead of the current one, given the roots a and b of their
// weights: whether it weighs at least sixteen times as much. So the shift weighs at least a sixteenth of any row, and
// its distance from the mean is a deviation like those of other rows.
func Outweighs(a, b float64) bool {
	const most = 4
	return a >= most*b
}

// moveTo makes a row the shift, given the root of its weight. Pending rows go into the sums first, so a block of
// float32 ends.
func (s *Sums) moveTo(row []float64, root float64) {
	if s.rows > 0 {
		s.keep()
		s.flush()
		s.move(row)
	}
	copy(s.shift, row)
	s.root = root
}

// appendBlock adds rows to the pending ones. It returns the first of them that is refused, or −1.
func (s *Sums) appendBlock(rows blas64.General) (bad int) {
	if rows.Rows > 1 {
		return s.pending.Append(rows)
	}
	if s.pending.AppendRow(rows.Data[:rows.Cols]) {
		return -1
	}
	return 0
}

// weigh multiplies the rows [lo, hi), the last pending ones, by the roots of their weights. It returns an error for a
// number that is refused with its weight.
func (s *Sums) weigh(rows blas64.General, roots []float64, lo, hi int) error {
	limit := s.pending.Limit()
	for i := lo; i < hi; i++ {
		if roots[i] <= 1 {
			continue
		}
		for j, v := range rows.Data[i*rows.Stride:][:rows.Cols] {
			if !(math.Abs(roots[i]*v) < limit && math.Abs(roots[i]*(v-s.shift[j])) < limit) {
				return &RowError{Row: i, Column: j, Value: v, Root: roots[i], Limit: limit}
			}
		}
	}
	s.pending.Scale(roots[lo:hi])
	return nil
}

// refusal returns the error for a row that is refused.
func (s *Sums) refusal(rows blas64.General, row int) *RowError {
	limit := s.pending.Limit()
	columns := rows.Data[row*rows.Stride:][:rows.Cols]
	j := slices.IndexFunc(columns, func(v float64) bool { return !(math.Abs(v) < limit) })
	return &RowError{Row: row, Column: j, Value: columns[j], Limit: limit}
}

// prepare makes sure that there is a block for pending rows.
func (s *Sums) prepare() {
	if s.pending == nil {
		s.pending = s.newBlock()
		s.pending.Shift = s.shift
	}
}

func (s *Sums) newBlock() *tiled.Block {
	if s.single {
		return tiled.NewSingleBlock(len(s.shift))
	}
	return tiled.NewBlock(len(s.shift))
}

// flush brings pending rows into the sums.
func (s *Sums) flush() {
	if s.pending != nil {
		s.sums.Update(s.pending)
		s.pending.Truncate(0)
	}
}

// settled returns the sums including pending rows, for readers. One of several readers brings them in, and the others
// wait. A block of float32 must be full before it goes in, or bits would depend on when somebody reads; until then
// readers get a copy.
func (s *Sums) settled() *tiled.Matrix {
	s.settling.Lock()
	defer s.settling.Unlock()
	if s.single && s.pending != nil && s.pending.Rows() > 0 {
		m := s.copied()
		m.Update(s.pending)
		return m
	}
	s.flush()
	return s.sums
}

// copied returns a copy of the sums of all rows except pending ones.
func (s *Sums) copied() *tiled.Matrix {
	m := s.sums.NewLike()
	m.CopyFrom(s.sums)
	return m
}

// Release frees the memory for adding rows, until rows are added again. For Single sums, a block ends. The result of
// Next is invalid afterwards.
func (s *Sums) Release() {
	s.flush()
	s.pending, s.buffer, s.next = nil, nil, blas64.General{}
}
