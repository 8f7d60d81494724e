// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"iter"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
)

// FitBatches is Fit for rows that need not fit in memory. The model has the same bits as with Fit, however the rows
// are batched. The first batch sets the number of targets. FitBatches reads the rows once for the sums, three to ten
// times more for leave-one-out, and three times for intervals, with about 4 MB of features at a time. If Lambda is set
// or Criterion is Evidence, it needs no readings for leave-one-out. Batches of a hundred rows or more are faster than
// small ones. See Batch for what a sequence must yield, and Rows for rows in memory.
//
// It returns an error whenever Fit does, with rows counted over all batches; if rows yields an error (wrapped); if rows
// is nil, has no batch, or one that Batch refuses; if Options.Weights is not nil, since batches carry weights; and if a
// later reading yields other rows, as their number and a checksum tell. For rows that can be read only once, the error
// suggests Evidence.
func FitBatches(phi featuremap.FeatureMap, rows iter.Seq2[Batch, error], opts *Options) (*Model, error) {
	o := opts.orZero()
	switch err := o.validate(); {
	case err != nil:
		return nil, err
	case o.Weights != nil:
		return nil, errors.New("ridge: Weights: must be nil for FitBatches, whose batches have weights")
	case o.Side == RowSide:
		return nil, errRowSide
	case rows == nil:
		return nil, errors.New("ridge: rows = nil")
	}
	if err := o.validateIntervals(-1); err != nil {
		return nil, err
	}
	if err := validatePhi(phi, 1); err != nil {
		return nil, err
	}
	k, err := o.oneNoise()
	if err != nil {
		return nil, err
	}
	once := o.Criterion == Evidence || o.Lambda > 0 || k != nil // the rows kept show a prediction that goes astray
	in, _ := phi.Dims()
	r := &batchRows{rows: rows, in: in, once: leftOutOnce}
	if !once {
		r.noted, r.copied = linear.NewMarks(phi), new(copyFinder)
	}
	var a *Accumulator
	labels := true
	begin := func(targets int) error {
		if a, err = NewAccumulator(phi, targets); err != nil {
			return err
		}
		if k != nil {
			a.keepDigits()
		}
		if !once {
			a.kept = newKeptRows(0, 0)
		}
		return nil
	}
	if err := r.first(begin, func(b *addition) error {
		labels = labels && areLabels(b.y, b.size())
		return a.add(b, false, o.Progress)
	}); err != nil {
		return nil, err
	}
	o.labels = labels
	o.SharedLambda = o.SharedLambda || labels
	if once {
		a.sums.Release()
		return a.Fit(&o)
	}
	return calibrated(a.fitAgain(&o, nil, r, r.weight))
}
