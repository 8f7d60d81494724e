// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"iter"

	"github.com/seed-0f95ebc1/featuremap"
)

// FitBatches is Fit of rows that need not fit in memory, with the targets of the first batch: the same model, in the same bits,
// however rows come in batches. It reads rows once for the sums, and again for rows to leave out, some three to ten times, and
// three times for intervals, with about 4 MB of features at a time; with a Lambda, and for the Criterion Evidence, it reads them once. Batches of a
// hundred rows or more take less time than small ones. See Batch for what rows must be, and Rows for those in memory.
//
// It returns an error where Fit does, whose rows are counted over all batches; the error that rows yields, wrapped; if rows is nil, has no batch, or
// one that Batch refuses; if Options.Weights is not nil, as batches have weights of their own; and if rows are not the same when they are read again,
// which numbers of rows and a checksum tell: of what can be read only once it says that it is for Evidence.
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
