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

// An Accumulator32 is an Accumulator of rows and features of float32: see featuremap.Float32. The sums of each 144 rows are of
// float32, less one row, and are added up in float64, in which all is that follows. It takes the memory of an Accumulator;
// rows are added in less than two thirds of the time.
//
// Blocks of 144 rows begin at the first row, after Merge, at a row that is subtracted from then on, and nowhere else: so bits depend neither on batches, nor on the number
// of goroutines, nor on who reads the sums meanwhile, nor on the machine. They are not those of an Accumulator: docs/theory/lambda.md
// says by how much weights and predictions differ, which is below the error of the fit for every λ that Fit takes.
//
// Methods may run beside each other where those of an Accumulator may. The zero value is of no map.
type Accumulator32 struct {
	a   Accumulator // whose map is widened
	phi *featuremap.Map32
}

// NewAccumulator32 returns the normal equations of no rows, of the features of phi and the given number of targets. It returns
// an error where NewAccumulator does.
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

// Add adds rows: x, n×in points, and y, n×T targets, as Accumulator.Add does, which returns an error in the same cases. Features
// and targets must be less than 2⁵⁹ in magnitude; targets less those of one row are rounded to float32. It also returns an
// error if the stride of x is less than its columns, or its data too short.
func (a *Accumulator32) Add(x blas32.General, y mat.Matrix) error { return a.AddWeighted(x, y, nil) }

// AddWeighted is Add of rows with weights: see Accumulator.AddWeighted.
func (a *Accumulator32) AddWeighted(x blas32.General, y mat.Matrix, weights []float64) error {
	if x.Rows > 0 && x.Cols > 0 && !single.Whole(x) {
		return fmt.Errorf("ridge: x is %d×%d with a stride of %d and %d numbers: must have a stride of %d at least, and all rows",
			x.Rows, x.Cols, x.Stride, len(x.Data), x.Cols)
	}
	return a.a.AddWeighted(&rows.Single{General: x}, y, weights)
}

// KeepRows sets how many rows the accumulator keeps to choose λ by: see Accumulator.KeepRows. They are kept as float64.
func (a *Accumulator32) KeepRows(n int) error { return a.a.KeepRows(n) }

// Fit returns the model of the rows so far; nil opts are the zero value. It does what Accumulator.Fit does, with the same
// options, by sums that have the roundings of float32. They have an error of about 1e-8 of their diagonal, so λ must be at least
// 5e-7 times tr(ΦᵀΦ)/D, which all of the default path are; a λ of the path that is less, or so small that A cannot be factorized,
// is skipped. The variance of the noise is at least 2⁻²⁴ of that of a target.
//
// The model is one of the map in float64, without a posterior and intervals, as Model.MeanOnly returns it; its Float32 predicts from rows of float32.
//
// It takes (D+T+1)²/2 numbers of memory besides what Accumulator.Fit takes. It returns an error where that does, for
// least squares, λ = 0, and if Intervals are asked for.
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

// Merge adds the rows of b, which has the same map and targets, to a: see Accumulator.Merge. A block of 144 rows ends in both, so
// the bits depend on how rows were split, by about 1e-7 of a sum.
func (a *Accumulator32) Merge(b *Accumulator32) error {
	if b == nil {
		return errors.New("ridge: b = nil")
	}
	return a.a.Merge(&b.a)
}

var _ io.WriterTo = (*Accumulator32)(nil)

// WriteTo writes to w what Accumulator.WriteTo does, with a flag that it is in float32.
func (a *Accumulator32) WriteTo(w io.Writer) (n int64, err error) { return a.a.WriteTo(w) }

// ReadAccumulator32 returns the accumulator that Accumulator32.WriteTo wrote to r, of the features of phi, as ReadAccumulator does. The
// next row begins a block. It returns an error where that does, or if the file is of an Accumulator.
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

// MarshalJSON returns an error: the sums are saved by WriteTo.
func (a *Accumulator32) MarshalJSON() ([]byte, error) {
	return nil, errors.New("ridge: an Accumulator32 is saved by WriteTo, not as JSON")
}
