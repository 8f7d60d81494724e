// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/normal"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/single"
)

// An Accumulator32 is an Accumulator for rows and features of float32: see featuremap.Float32. It sums blocks of 144
// rows in float32, after subtraction of one row, and adds these sums up in float64; all that follows is in float64. It
// takes the memory of an Accumulator, and rows are added in less than two thirds of the time.
//
// Blocks of 144 rows begin at the first row, after Merge, and at a row that is subtracted from then on. So the bits
// depend neither on batches, nor on the number of goroutines, nor on calls that read the sums, nor on the machine. They
// differ from the bits of an Accumulator: docs/theory/lambda.md says how much weights and predictions differ. With noise
// below a tenth of a target's standard deviation, use an Accumulator: the difference may exceed the error of the fit.
//
// Methods may run at the same time as for an Accumulator. The zero value has no map.
type Accumulator32 struct {
	a   Accumulator // with a widened map
	phi *featuremap.Map32
}

// NewAccumulator32 returns an Accumulator32 without rows, for the features of phi and the given number of targets. It
// returns an error whenever NewAccumulator does.
func NewAccumulator32(phi *featuremap.Map32, targets int) (*Accumulator32, error) {
	if phi == nil {
		return nil, errors.New("ridge: phi = nil")
	}
	if err := validateDims(phi, targets, true); err != nil {
		return nil, err
	}
	a := summing32(phi, targets)
	a.sums = normal.NewSingle(a.out, targets)
	return &Accumulator32{*a, phi}, nil
}

// summing32 returns an accumulator that has no sums yet.
func summing32(phi *featuremap.Map32, targets int) *Accumulator {
	wide := newWidened(phi)
	a := newAccumulator(wide, targets)
	a.in32, a.identity = true, identityOf(wide, wide)
	return a
}

// Rows returns the number of rows that were added.
func (a *Accumulator32) Rows() int { return a.a.Rows() }

// Add adds rows: x is n×in, and y is n×T targets. See Accumulator.Add, which returns an error in the same cases.
// Features and targets must be less than 2⁵⁹ in magnitude; targets are rounded to float32 after subtraction of those of
// one row. Add also returns an error if the stride of x is less than its number of columns, or its data too short.
func (a *Accumulator32) Add(x blas32.General, y mat.Matrix) error { return a.AddWeighted(x, y, nil) }

// AddWeighted is Add with a weight for each row: see Accumulator.AddWeighted.
func (a *Accumulator32) AddWeighted(x blas32.General, y mat.Matrix, weights []float64) error {
	if x.Rows > 0 && x.Cols > 0 && !single.Whole(x) {
		return fmt.Errorf("ridge: x is %d×%d with a stride of %d and %d numbers: must have a stride of %d at least, and all rows",
			x.Rows, x.Cols, x.Stride, len(x.Data), x.Cols)
	}
	return a.a.AddWeighted(&rows.Single{General: x}, y, weights)
}

// KeepRows sets how many rows are kept to choose λ: see Accumulator.KeepRows. They are kept as float64.
func (a *Accumulator32) KeepRows(n int) error { return a.a.KeepRows(n) }

// Fit returns the model of the rows so far; nil opts stand for the zero value. It works like Accumulator.Fit, with the
// same options, on sums that have the rounding errors of float32, about 1e-8 of their diagonal. So λ must be at least
// 5e-7 times tr(ΦᵀΦ)/D, as all λ of the default path are. A smaller λ of the path is skipped, as is one for which A
// cannot be factorized. The noise variance is at least 2⁻²⁴ times the variance of the target.
//
// The model has a map in float64, but no posterior and no intervals, like the result of Model.MeanOnly. Call its
// Float32 method to predict from rows of float32.
//
// It takes (D+T+1)²/2 numbers of memory in addition to what Accumulator.Fit takes. It returns an error whenever that
// does, for least squares (λ = 0), and if Intervals are set.
func (a *Accumulator32) Fit(opts *Options) (*Model, error) {
	o := opts.orZero()
	if o.Intervals != nil && !o.Intervals.Off {
		return nil, errors.New("ridge: Intervals: must be nil or Off, as models of an Accumulator32 have no posterior and no intervals")
	}
	o.Intervals = &IntervalOptions{Off: true}
	m, err := a.a.Fit(&o)
	if err != nil {
		return nil, err
	}
	return newModel32(a.phi, m.numbers).Float64(), nil
}

// Merge adds the rows of b, which has the same map and targets, to a: see Accumulator.Merge. A block of 144 rows ends
// in both, so the bits depend on how rows were split, by about 1e-7 of a sum.
func (a *Accumulator32) Merge(b *Accumulator32) error {
	if b == nil {
		return errors.New("ridge: b = nil")
	}
	return a.a.Merge(&b.a)
}

var _ io.WriterTo = (*Accumulator32)(nil)

// WriteTo writes the sums to w, as Accumulator.WriteTo does, with a flag for float32.
func (a *Accumulator32) WriteTo(w io.Writer) (n int64, err error) { return a.a.WriteTo(w) }

// ReadAccumulator32 reads an accumulator that Accumulator32.WriteTo wrote to r, for the features of phi: see
// ReadAccumulator. The next row begins a block. It returns an error whenever ReadAccumulator does, and if the file is
// from an Accumulator.
func ReadAccumulator32(r io.Reader, phi *featuremap.Map32) (*Accumulator32, error) {
	if phi == nil {
		return nil, errors.New("ridge: phi = nil")
	}
	if err := validateDims(phi, 1, true); err != nil {
		return nil, err
	}
	a, err := readAccumulator(r, true, func(targets int) (*Accumulator, error) {
		if err := validateDims(phi, targets, true); err != nil {
			return nil, err
		}
		return summing32(phi, targets), nil
	})
	if err != nil {
		return nil, err
	}
	return &Accumulator32{*a, phi}, nil
}

// MarshalJSON returns an error: save the sums with WriteTo instead.
func (a *Accumulator32) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: an Accumulator32 is saved by WriteTo, not as JSON")
}
