// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/memory"
)

// A Side tells whether a fit of n rows and D features solves a D×D or an n×n system: see Options.Side. Both give the
// same model, to rounding; for Labels the choice of λ differs, see Criterion. On the rows' side a fit takes n²·D/2
// multiply-adds, and n³/3 for each λ; a variance takes D·n + n²/2. The memory is n·D + 1.5·n² numbers, and the features
// again from the first variance on. Leave-one-out errors are exact, for all rows. The model and its file contain the
// training rows; MeanOnly removes them.
type Side int

const (
	// AutoSide is RowSide if there are few rows, n ≤ D/2, and FeatureSide otherwise. If only one of them fits in
	// memory, it is that one.
	AutoSide Side = iota

	// FeatureSide solves a D×D system.
	FeatureSide

	// RowSide solves an n×n system; for the function Fit only.
	RowSide
)

// String returns the name of the side.
func (s Side) String() string {
	if s < AutoSide || s > RowSide {
		return fmt.Sprintf("Side(%d)", int(s))
	}
	return [...]string{"AutoSide", "FeatureSide", "RowSide"}[s]
}

// rowShare is the largest number of rows for each feature on the rows' side. Fits are faster there even with more rows
// (see BenchmarkSides), but a variance takes nD + n²/2 multiply-adds instead of D²/2.
const rowShare = 0.5

// sideOf returns the side on which the rows of b are fitted, RowSide or FeatureSide.
func (o *Options) sideOf(phi featuremap.FeatureMap, b *addition) (Side, error) {
	_, targets := b.y.Dims()
	n := b.size()
	if o.Side == FeatureSide || n == 0 || validateMap(phi) != nil {
		return FeatureSide, nil
	}
	_, out := phi.Dims()
	limit := float64(memory.Limit())
	byFeatures, byRows := bytesOfFit(out, targets, false), bytesByRows(n, out, targets)
	switch auto := o.Side == AutoSide; {
	case auto && linear.Of(o).LeftOut != nil:
		return FeatureSide, nil
	case !(byRows <= limit) && (!auto || !(byFeatures <= limit)):
		return RowSide, fmt.Errorf("ridge: a fit of %d rows and %d features takes %.3g bytes on the rows' side, and %.3g on the features' side: there are %.3g; FitIterative needs neither",
			n, out, byRows, byFeatures, limit)
	case auto && (float64(n) > rowShare*float64(out) || !(byRows <= limit)) && byFeatures <= limit:
		return FeatureSide, nil
	}
	return RowSide, nil
}

// bytesByRows returns the memory of a fit of n rows on the rows' side: their features, the matrix of rows twice, and a
// factor.
func bytesByRows(n, out, targets int) float64 {
	return 8 * float64(n) * (float64(out) + 1.5*float64(n) + 4*float64(targets))
}

var errRowSide = errors.New("ridge: Side = RowSide: it is for the function Fit, which has all rows")
