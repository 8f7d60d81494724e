// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package learn

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap"
)

// worseDeviations is the number of standard errors by which a sum must be worse for the kernel of the validation fits to
// be taken.
const worseDeviations = 2

// worseInFolds reports whether a member predicts rows whose targets have not taught the metric worse than the mean does,
// and worse than another member. Leave-one-out errors are too small for a metric with many parameters: a few outliers
// have taught it to tell themselves from other rows.
func (b *bank) worseInFolds(m, other *member, folds []fold) bool {
	if m.folds == nil {
		return false
	}
	losses, before := b.foldLosses(m, folds), b.foldLosses(other, folds)
	if losses == nil || before == nil {
		return false
	}
	var total, loss, mean, squares float64
	for i, w := range b.weights {
		if d := losses[i] - before[i]; !math.IsNaN(d) {
			total += w
			loss = math.FMA(w, losses[i], loss)
			mean = math.FMA(w, d, mean)
		}
	}
	mean /= total
	for i, w := range b.weights {
		if d := losses[i] - before[i]; !math.IsNaN(d) {
			d = w / total * (d - mean)
			squares = math.FMA(d, d, squares)
		}
	}
	return loss > total && mean > worseDeviations*math.Sqrt(squares)
}

// foldLosses returns the squared leave-one-out errors of a member, a mean over targets in units of their variances. Each
// row has the metric that its fold has learned without the row; NaN for rows that judge in no fold. It returns nil if
// a kernel matrix has no factor.
func (b *bank) foldLosses(m *member, folds []fold) []float64 {
	if m.inFolds != nil {
		return m.inFolds
	}
	n := len(b.weights)
	at := make(map[int]int, n)
	for i, row := range b.index {
		at[row] = i
	}
	losses := constants(math.NaN(), n)
	for k, f := range folds {
		featuremap.Gram(&b.gram, m.raw(m.inFold(k)), b.x)
		b.rows.SetKernel(b.gram.RawSymmetric())
		sums := b.rowLosses(&m.fit)
		if sums == nil {
			return nil
		}
		for _, row := range f.check {
			if i, ok := at[row]; ok {
				losses[i] = sums[i]
			}
		}
	}
	m.inFolds = losses
	return losses
}

// mostOptimism is the largest optimism of a metric. Without noise the metrics of folds may be far worse than that of all rows.
const mostOptimism = 1.5

// optimismOf returns by which factor errors of rows that have not taught the metric of a member exceed leave-one-out errors, at the 90 %
// quantiles of their sizes; 1 at least. The metrics of folds have learned from fewer rows, so that it is the geometric mean of that
// factor and 1, and at most mostOptimism.
func (b *bank) optimismOf(m *member, folds []fold) float64 {
	if m.folds == nil {
		return 1
	}
	inFolds := b.foldLosses(m, folds)
	featuremap.Gram(&b.gram, m.expression(), b.x)
	b.rows.SetKernel(b.gram.RawSymmetric())
	all := b.rowLosses(&m.fit)
	if inFolds == nil || all == nil {
		return 1
	}
	var own, other []float64
	for i, v := range inFolds {
		if !math.IsNaN(v) {
			own, other = append(own, all[i]), append(other, v)
		}
	}
	slices.Sort(own)
	slices.Sort(other)
	at := len(own) * 9 / 10
	if len(own) == 0 || !(other[at] > own[at] && own[at] > 0) {
		return 1
	}
	return min(math.Sqrt(math.Sqrt(other[at]/own[at])), mostOptimism) // of squares
}
