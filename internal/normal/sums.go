// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package normal has the normal equations of linear models, of features Φ, n×D, and targets Y, n×T, in one set of bits. It
// knows features alone, not the maps that they come from.
//
// Sums are what rows are added to, and all that is kept of them:
//
//	ΦᵀΦ, ΦᵀY, YᵀY, Φᵀ1, Yᵀ1, n
//
// A row may have a weight w, which counts it w times: then it stands in Φ, Y and 1 times √w, and n is the sum of the weights.
//
// Equations are made of sums, with an intercept or without, and solved for any λ ≥ 0. With A = ΦᵀΦ + λI and b = ΦᵀY for one
// target, a Solution has the Cholesky factor of A, and from that the weights w = A⁻¹b, which minimize ‖y − Φw‖² + λ‖w‖²; the
// likeliest variance of the noise,
//
//	σ² = (yᵀy − bᵀA⁻¹b)/f, at least 2⁻⁵²·yᵀy/f, which is what rounding leaves,
//
// and the logarithm of the evidence, the density of the targets with all weights integrated out, given weights of variance
// σ²/λ:
//
//	−½·(f + f·log(2πσ²) + log|A| − D·log λ + log n)
//
// The noise may also be known, of each row: then rows have weights, in inverse proportion to its variance, and σ² is given (SetNoise). With
// weights that add up to n, and variances of the rows σ²/wᵢ, the evidence is
//
//	−½·((yᵀy − bᵀA⁻¹b)/σ² + f·log(2πσ²) − Σlog wᵢ + log|A| − D·log λ + log n)
//
// With an intercept, which has a flat prior, features and targets are taken less their means and f = n − 1; without one
// f = n, and the last term is left out. (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, sections 2.2,
// 2.7 and 5.4.1; docs/theory/lambda.md has more.) Several targets share the factor of a λ, and each has a noise and an evidence
// of its own.
//
// Each sum is one chain of fused multiply-adds in the order of the rows, each element of a factor and of a solution one chain
// too (package tiled), and logarithms are package detmath's. So bits depend neither on the batches in which rows came, nor on
// the number of goroutines, nor on the machine.
//
// Sums may also be Single: those of each 144 rows in float32, one such chain each, which are added up in float64. Blocks of rows
// begin where sums do, whatever the batches. All that follows from the sums is float64, but knows how far they are to be trusted.
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

// MaxRows is the largest number of rows that sums may be of: it is a float64, and an int.
const MaxRows = min(1<<53, math.MaxInt)

// Bytes returns the memory that the sums of so many features and targets take, with a block of rows: (D+T+1)²/2 numbers and
// about 300 for each column.
func Bytes(features, targets int) float64 {
	n := float64(features) + float64(targets) + 1
	// A panel of the widest shape, and a block, besides.
	return 8 * (n*n/2 + n*(24+2*tiled.BlockRows))
}

// Sums are the sums over rows of all products of two of the columns [features, targets, 1], times the weight of the row.
// Features and targets are summed less those of one row, the shift, so that a mean which is large beside the deviations
// costs no digits. It is the first row, until one comes that weighs sixteen times as much: with nearly no weight the first row may be far
// from all others, whose deviations would drown in squares of its distance.
//
// Rows are added in batches: Begin, then Next and Append as often as need be, and Commit, or Rollback, which brings back
// the bits that were there before Begin. They wait in a block of 144 rows, and go into the sums when that has no room for the next
// ones, or when somebody reads.
//
// What only reads (Columns, NewEquations, and Merge its argument) is safe beside what reads; what writes is safe beside
// nothing.
type Sums struct {
	features, targets int

	rows     int           // those pending included
	shift    []float64     // of all columns; 0 for the ones
	root     float64       // of the weight of the row that is the shift; 0 if there is none
	sums     *tiled.Matrix // of all rows but those pending. What reads settles these first, which no other reader must see half done
	pending  *tiled.Block  // nil until rows are added
	single   bool          // these are of float32
	settling sync.Mutex

	before mark           // the batch that was begun
	next   blas64.General // the rows that Append adds, in buffer
	buffer []float64
}

// New returns the sums of no rows, of some features and targets: one feature at least, and no target or more.
func New(features, targets int) *Sums {
	n := features + targets + 1
	return &Sums{features: features, targets: targets, shift: make([]float64, n), sums: tiled.New(n)}
}

// NewSingle returns sums as New does, which are Single: see the package's comment.
func NewSingle(features, targets int) *Sums {
	s := New(features, targets)
	s.single = true
	return s
}

// Restore returns the sums of so many rows of which Shift, Root and Columns told the numbers. It keeps nothing of shift, and gives
// back the memory of each column: the elements of columns are nil afterwards.
func Restore(features, targets, rows int, shift []float64, root float64, columns [][]float64) *Sums {
	s := &Sums{features: features, targets: targets, rows: rows, shift: make([]float64, len(columns)), root: root, sums: tiled.FromColumns(columns)}
	copy(s.shift, shift)
	return s
}

// Refill makes s, to which no rows were ever added, the sums of so many rows of which Shift, Root and Columns told the numbers, in the memory that
// it has. fill is called for each column, down to the diagonal, with zeros or what another column had.
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

// Shift returns the features and targets of the row that all rows are summed less, zeros if there is none. They must not be changed.
func (s *Sums) Shift() []float64 { return s.shift[:s.features+s.targets] }

// Root returns the root of the weight of that row, 0 if there is none.
func (s *Sums) Root() float64 { return s.root }

// Columns returns the columns of the sums of products of [features, targets, 1] less the shift, each down to the diagonal. A
// column is valid until the next one.
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

// Next returns room for a row or more of [features, targets], to be filled before Append adds them, in whatever order. Their
// stride is larger than the number of columns, and what lies between them must be left alone. It is valid until the next
// call.
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

// A RowError is the number for which a row is refused: one that is NaN, or of magnitude Limit or more, whose square
// would overflow, or that is so times the root of the row's weight.
type RowError struct {
	Row, Column int // among those of Next
	Value       float64
	Root        float64 // of the weight; 0 if the value is refused with any weight
	Limit       float64 // tiled.Limit, or of Single sums tiled.SingleLimit
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d: column %d = %v: %s", e.Row, e.Column, e.Value, e.Reason())
}

// Reason returns what the number must be.
func (e *RowError) Reason() string {
	exponent := math.Ilogb(e.Limit)
	if e.Root == 0 {
		return fmt.Sprintf("must be finite and less than 2^%d in magnitude", exponent)
	}
	return fmt.Sprintf("must be less than 2^%d in magnitude, and from the row that is subtracted, times %.3g, the root of the row's weight", exponent, e.Root)
}

// Append adds the rows that Next returned last, with weights whose roots are given: positive numbers below tiled.Limit, one a
// row; nil are ones. If full is not nil it is called with the number of rows so far whenever a block
// of 144 is full. Append stops at the first row that is refused, for which it returns a *RowError, and where
// full returns an error, which it returns. Then some of the rows before are added: Rollback drops them.
//
// Of one row it allocates nothing.
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

// isHeavy tells whether row i is to be the shift.
func (s *Sums) isHeavy(roots []float64, i int) bool {
	return s.root == 0 || Outweighs(rootOf(roots, i), s.root)
}

// Outweighs tells whether a row whose weight has the root a is to be the shift instead of one with the root b: whether it weighs sixteen
// times as much, or more. So the shift weighs at least a sixteenth of any row, and its distance from the mean is a deviation that rows have.
func Outweighs(a, b float64) bool {
	const most = 4
	return a >= most*b
}

// moveTo makes a row, of a weight with that root, the shift. What is pending goes into the sums before: so a block of float32 ends.
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

// weigh multiplies the rows [lo, hi), the last that were added to the pending ones, by the roots of their weights. It returns
// an error for a number that is refused with its weight.
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

// settled returns the sums with those of the pending rows, for what reads: one of several readers brings them in, and the
// others wait. A block of float32 must be full before it comes in, or bits would depend on who reads when: until then
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

// copied returns a copy of the sums of all rows but those pending.
func (s *Sums) copied() *tiled.Matrix {
	m := tiled.New(s.sums.Dim())
	m.CopyFrom(s.sums)
	return m
}

// Release gives back the memory that adding takes, until rows are added again: of Single sums, a block ends. What Next returned
// is valid no longer.
func (s *Sums) Release() {
	s.flush()
	s.pending, s.buffer, s.next = nil, nil, blas64.General{}
}
