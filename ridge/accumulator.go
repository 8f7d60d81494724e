// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// An Accumulator holds the normal equations of features and targets: the weighted sums over rows of all products of two
// columns, and of the columns themselves,
//
//	ΦᵀΦ, ΦᵀY, YᵀY, Φᵀ1, Yᵀ1, n
//
// for a map φ: R^in → R^D and T targets. It never holds the features Φ: rows go through the map in blocks of 144, and
// from there into the sums. It takes (D+T+1)²/2 numbers of memory, and for blocks about a million, or 300·D if that is
// more. It also keeps up to 4,096 rows, from which Fit chooses λ by leave-one-out; its file contains them, too. See
// KeepRows.
//
// The bits of the sums depend on the order of the rows, but neither on batches nor on the number of goroutines (Merge
// is the exception): each sum is one chain of fused multiply-adds. One row is subtracted from all others before they
// are summed, so that a mean that is large compared with the standard deviations costs no digits. It is the first row,
// until one comes that weighs sixteen times as much.
//
// Methods that only read (Fit, WriteTo, Rows, Merge for its argument) may run at the same time. All others must run
// alone: use an Accumulator per goroutine, and Merge them. The zero value has no map: make one with NewAccumulator or
// ReadAccumulator.
type Accumulator struct {
	phi              featuremap.FeatureMap
	in, out, targets int
	identity         func() identity // of the features that are summed
	raw              *raws           // the raw features of phi; nil if it has no raw features
	sumsRaw          bool            // raw features are summed, not features
	in32             bool            // of an Accumulator32: phi is widened

	sums  *normal.Sums // nil if the accumulator is a zero value
	spans []span       // the span of each target
	kept  keptRows

	domain   linear.Domain // of phi; nil: all points
	diagonal float64       // Σk(x, x) of rows, times their weights, if phi has landmarks; Σr(x) if it has a domain; else 0
	adding   float64       // the same with the rows that are being added
	beyond   int           // number of rows outside the domain
	farther  int           // the same with the rows that are being added
	lefts    lefts         // of rows

	reader rows.Reader // the rows that are being added
	batch  []span      // the span of each of their targets
	roots  []float64   // of their weights
	view   mat.Dense   // their features, in memory of the sums

	//lint:ignore U1000 linear.Of finds it
	hiddenAccumulator
}

// hiddenAccumulator is set by other packages of the module.
//
// lint:ignore U1000 it is embedded for linear.Of
type hiddenAccumulator = linear.Hidden[linear.RidgeAccumulator]

// A span is the range of some numbers, from the least to the largest.
type span struct{ least, most float64 }

// noSpan is the span of no numbers: joined to another span it gives that span.
var noSpan = span{math.Inf(1), math.Inf(-1)}

// join returns the span of the numbers of both.
func (s span) join(t span) span { return span{min(s.least, t.least), max(s.most, t.most)} }

// Targets are below targetLimit in magnitude, so that the difference of two is below tiled.Limit.
const targetLimit = tiled.Limit / 2

// NewAccumulator returns an Accumulator without rows, for the features of phi and the given number of targets.
//
// It returns an error if phi is nil or the zero value of a map, if targets is less than 1, or if the sums and the
// factor of a fit do not fit in memory (FitIterative needs neither).
func NewAccumulator(phi featuremap.FeatureMap, targets int) (*Accumulator, error) {
	if err := validatePhi(phi, targets); err != nil {
		return nil, err
	}
	a := summing(phi, targets)
	a.sums = normal.New(a.out, targets)
	linear.Of(a).KeepDigits = a.keepDigits
	linear.Of(a).Apart = func() { a.sums = normal.NewApart(a.out, targets) }
	return a, nil
}

// summing returns an accumulator without sums.
func summing(phi featuremap.FeatureMap, targets int) *Accumulator {
	a := newAccumulator(phi, targets)
	summed := phi
	if a.raw = rawsOf(phi); a.raw != nil && a.raw.condition <= largestRaw {
		summed, a.sumsRaw = a.raw.phi, true
	}
	a.identity = identityOf(summed, phi)
	return a
}

// keepDigits makes the accumulator sum the features themselves instead of raw ones, whose sums lose up to seven digits.
// These digits matter to a λ that is small compared with the sums, such as the λ of known noise. It is called before
// rows are added.
func (a *Accumulator) keepDigits() {
	if a.sumsRaw {
		a.sumsRaw, a.identity = false, identityOf(a.phi, a.phi)
	}
}

// validatePhi refuses a nil map, and whatever validateDims refuses.
func validatePhi(phi featuremap.FeatureMap, targets int) error {
	if err := validateMap(phi); err != nil {
		return err
	}
	return validateDims(phi, targets, false)
}

// validateMap refuses a nil map, and a map without dimensions.
func validateMap(phi featuremap.FeatureMap) error {
	if r := reflect.ValueOf(phi); phi == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return errors.New("ridge: phi = nil")
	}
	return validateIn(phi)
}

// validateDims refuses a map without dimensions, and whatever validateFit refuses.
func validateDims(phi interface{ Dims() (in, out int) }, targets int, in32 bool) error {
	if err := validateIn(phi); err != nil {
		return err
	}
	_, out := phi.Dims()
	return validateFit(out, targets, in32)
}

// validateIn refuses a map without dimensions.
func validateIn(phi interface{ Dims() (in, out int) }) error {
	if in, out := phi.Dims(); in < 1 || out < 1 {
		return fmt.Errorf("ridge: phi: R^%d → R^%d is no map", in, out)
	}
	return nil
}

// newAccumulator returns an accumulator without sums and identity.
func newAccumulator(phi featuremap.FeatureMap, targets int) *Accumulator {
	in, out := phi.Dims()
	return &Accumulator{
		phi: phi, in: in, out: out, targets: targets, domain: domainOf(phi),
		spans: slices.Repeat([]span{noSpan}, targets),
		kept:  newKeptRows(keptMost, keptBytes),
	}
}

// validateSize refuses fewer than one target, and numbers of features and targets whose sums do not fit in memory.
func validateSize(out, targets int) error {
	if targets < 1 {
		return fmt.Errorf("ridge: targets = %d: must be at least 1", targets)
	}
	bytes := normal.Bytes(out, targets)
	if limit := memory.Limit(); !(bytes <= float64(limit)) {
		return fmt.Errorf("ridge: sums of %d features and %d targets take %.3g bytes: there are %.3g", out, targets, bytes, float64(limit))
	}
	return nil
}

// bytesOfFit returns the memory of a fit: the sums, and one factor; sums of float32 are copied.
func bytesOfFit(out, targets int, in32 bool) float64 {
	fit := 4 * float64(out) * float64(out+1)
	if in32 {
		fit *= 2
	}
	return normal.Bytes(out, targets) + fit
}

// validateFit refuses whatever validateSize refuses, and sums that a fit could not factorize in the same amount of
// memory.
func validateFit(out, targets int, in32 bool) error {
	limit := float64(memory.Limit())
	if bytesOfFit(out, 1, in32) <= limit { // else not only the number of targets is too large
		if err := validateSize(out, targets); err != nil {
			return err
		}
	}
	if bytes := bytesOfFit(out, max(targets, 1), in32); !(bytes <= limit) {
		return fmt.Errorf("ridge: sums of %d features and %d targets, and the factor of a fit, take %.3g bytes: there are %.3g; FitIterative needs neither",
			out, targets, bytes, limit)
	}
	return nil
}

// Rows returns the number of rows that were added.
func (a *Accumulator) Rows() int {
	if a.sums == nil {
		return 0
	}
	return a.sums.Rows()
}

// Add adds rows: x is n×in, and y is n×T targets. x and y may be any mat.Matrix: the rows of a mat.RowNonZeroDoer go to
// the map as they are, and a matrix that is not a mat.RawMatrixer either is read by At, in blocks. Adding a single
// dense row allocates only the memory of a row that is kept.
//
// It returns an error, and adds nothing of the batch, if x or y is nil or has no rows, if they differ in rows, if x
// is not n×in or y not n×T, if a number is NaN or infinite, if a target is 2⁴⁸³ or more in magnitude or a
// feature 2⁴⁸⁴ (their squares would overflow), or if the accumulator is a zero value. To be able to undo a batch of
// more than 144 rows, it copies the sums first, if there are any.
func (a *Accumulator) Add(x, y mat.Matrix) error { return a.AddWeighted(x, y, nil) }

// AddWeighted is Add with a weight for each row; nil weights are 1. A row of weight w counts as w rows. A weight of 2
// counts as two copies of the row, to rounding, except that leave-one-out leaves the row out with all its weight. A row
// of weight 0 is left out, whatever it contains, and is not counted by Rows.
//
// It returns an error whenever Add does, if there are not as many weights as rows, if a weight is negative, NaN, or
// 2⁹⁶⁸ or more, and if a feature or target, times the root of the row's weight, is 2⁴⁸⁴ or more in magnitude or in its
// distance from the row that is subtracted.
func (a *Accumulator) AddWeighted(x, y mat.Matrix, weights []float64) error {
	if a.sums == nil {
		return errZero
	}
	b, err := newAddition(x, y, weights, "weights", 0, a.in, a.targets)
	if err != nil {
		return err
	}
	return a.add(&b, true, nil)
}

// add adds a batch. With undo it adds the whole batch or nothing; otherwise an error leaves the accumulator unusable.
// It calls progress, if not nil, now and then with the number of rows so far.
func (a *Accumulator) add(b *addition, undo bool, progress func(rows int) error) (err error) {
	n := b.size()
	if n == 0 {
		return nil
	}
	a.reader.Reset(b.x)
	defer a.reader.Reset(nil)
	if err := b.validateFinite(&a.reader); err != nil {
		return err
	}
	if a.batch, err = b.validateTargets(a.batch[:0]); err != nil {
		return err
	}
	if n > normal.MaxRows-a.Rows() {
		return fmt.Errorf("ridge: %d rows and %d more: must be at most %d", a.Rows(), n, normal.MaxRows)
	}
	if undo {
		a.sums.Begin(n)
	} else {
		a.sums.Begin(0)
	}
	done := false
	a.adding, a.farther = a.diagonal, a.beyond
	defer func() {
		if !done { // there was an error, or a panic of the map, of x or of y
			a.sums.Rollback()
			a.kept.drop()
		}
	}()
	step := min(a.chunkRows(), a.reader.Step())
	for lo := 0; lo < n; lo += step {
		if err := a.addChunk(b, lo, min(lo+step, n), progress); err != nil {
			return err
		}
	}
	done = true
	a.sums.Commit()
	for t, s := range a.batch {
		a.spans[t] = a.spans[t].join(s)
	}
	a.diagonal, a.beyond = a.adding, a.farther
	a.kept.commit(&a.reader, b)
	return nil
}

// errZero is the error of an accumulator that is the zero value.
var errZero = errors.New("ridge: the accumulator is the zero value")

// validateShapes refuses x and y unless x is n×in with n ≥ 1 and y is n×targets, and returns n. If in or targets is
// less than 1, any number of columns from 1 on is valid.
func validateShapes(x, y mat.Matrix, in, targets int) (n int, err error) {
	if err := validateRows("x", x); err != nil {
		return 0, err
	}
	if err := validateRows("y", y); err != nil {
		return 0, err
	}
	n, c := x.Dims()
	m, t := y.Dims()
	switch {
	case m != n:
		return 0, fmt.Errorf("ridge: x has %d rows, y %d: must be as many", n, m)
	case in > 0 && c != in:
		return 0, fmt.Errorf("ridge: x has %d columns, phi takes %d: must be as many", c, in)
	case targets > 0 && t != targets:
		return 0, fmt.Errorf("ridge: y has %d columns, for %d targets: must be as many", t, targets)
	}
	return n, nil
}

// validateRows refuses a matrix that is nil or empty.
func validateRows(name string, x mat.Matrix) error {
	if r := reflect.ValueOf(x); x == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return fmt.Errorf("ridge: %s = nil", name)
	}
	if n, c := x.Dims(); n == 0 || c == 0 {
		return fmt.Errorf("ridge: %s is %d×%d: must have a row and a column", name, n, c)
	}
	return nil
}

// chunkRows returns the number of rows that go through the map at once: at most 8 MB of features, so that each weight
// that is fetched is used for many rows, but at least a block.
func (a *Accumulator) chunkRows() int {
	const elements = 1 << 20
	return max(elements/tiled.Stride(a.out+a.targets+1), tiled.BlockRows)
}

// addChunk adds the rows [lo, hi) of a batch.
func (a *Accumulator) addChunk(b *addition, lo, hi int, progress func(rows int) error) error {
	before := a.Rows()
	a.columns(b.y, lo, hi)
	roots := b.appendRoots(a.roots[:0], lo, hi)
	if roots != nil {
		a.roots = roots
	}
	if err := a.sums.Append(roots, progress); err != nil {
		if refused, ok := err.(*normal.RowError); ok {
			return a.refusal(refused, b.row(lo+refused.Row))
		}
		return interrupted(err)
	}
	for i := lo; i < hi && a.kept.below > 0; i++ {
		a.kept.offer(b, &a.reader, i, lo, hi, before+i-lo)
	}
	a.addLeft(b, lo, hi)
	return nil
}

// refusal returns the error for a number that the sums refuse, with the caller's row.
func (a *Accumulator) refusal(e *normal.RowError, row int) error {
	if e.Column >= a.out {
		return fmt.Errorf("ridge: y: row %d, column %d = %v: %s", row, e.Column-a.out, e.Value, e.Reason())
	}
	return fmt.Errorf("ridge: x: row %d: feature %d = %v: %s", row, e.Column, e.Value, e.Reason())
}

// interrupted returns the error for an error of Progress.
func interrupted(err error) error { return fmt.Errorf("ridge: interrupted by Progress: %w", err) }

// columns writes the rows [lo, hi) of [features, targets] to the memory of the sums.
func (a *Accumulator) columns(y mat.Matrix, lo, hi int) {
	chunk := a.sums.Next(hi - lo)
	features := chunk
	features.Cols, features.Data = a.out, chunk.Data[:(chunk.Rows-1)*chunk.Stride+a.out]
	a.view.SetRawMatrix(features)
	phi := a.phi
	if a.sumsRaw {
		phi = a.raw.phi
	}
	phi.TransformTo(&a.view, a.reader.Matrix(lo, hi))
	if a.raw != nil && a.raw.leaves != nil && !a.sumsRaw {
		a.lefts.note(a, lo, hi)
	}
	for i := range chunk.Rows {
		targets := chunk.Data[i*chunk.Stride+a.out:][:a.targets]
		for t := range targets {
			targets[t] = y.At(lo+i, t)
		}
	}
}
