// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A pass goes through the rows in blocks, whose features stay in the cache from the scores, ΦWᵀ, to their part of the gradient,
// (P − Y)ᵀΦ. Each element of the gradient is one chain in the order of the rows, and so are the loss and the sums of P − Y.

// blockElements is the size of a block of features, and most and least are its numbers of rows.
const (
	blockElements = 1 << 16
	mostBlock     = 144
	leastBlock    = 16
)

// blockRows returns the number of rows of a block.
func blockRows(stride int) int { return min(max(blockElements/stride&^3, leastBlock), mostBlock) }

// taskRows is the number of rows whose scores are one task.
const taskRows = 16

// blockWork is memory for a block.
type blockWork struct {
	scores blas64.General
	losses []float64 // of each row, times its weight; or of each row and scale
}

// functions are linear functions of the features that passes see, a row of w a class.
type functions struct {
	w         blas64.General
	intercept []float64
}

// newFunctions returns zeros.
func (t *training) newFunctions() functions {
	return functions{
		blas64.General{Rows: t.count, Cols: t.out, Stride: t.stride, Data: make([]float64, t.count*t.stride)},
		make([]float64, t.count),
	}
}

// blocks calls f with the features of all rows, less the mean, block by block, and memory for their scores.
func (t *training) blocks(f func(first int, features, scores blas64.General)) error {
	size := blockRows(t.stride)
	if t.block.scores.Data == nil {
		t.block.scores = blas64.General{Cols: t.count, Stride: t.count, Data: make([]float64, size*t.count)}
	}
	return t.chunks(func(first int, chunk blas64.General) error {
		for lo := 0; lo < chunk.Rows; lo += size {
			block, scores := chunk, t.block.scores
			block.Rows, block.Data = min(size, chunk.Rows-lo), chunk.Data[lo*chunk.Stride:]
			scores.Rows = block.Rows
			f(first+lo, block, scores)
		}
		return nil
	})
}

// tasks computes the scores of the rows of a block, without intercepts, and calls f for some of the rows at a time, from several
// goroutines.
func tasks(at functions, features, scores blas64.General, f func(lo, hi int)) {
	const work = 1 << 17
	size := taskRows * features.Cols * max(scores.Cols, 4)
	parallel.Run(parallel.Func(func(lo, hi int) {
		part, to := features, scores
		part.Rows, part.Data = hi-lo, features.Data[lo*features.Stride:]
		to.Rows, to.Data = hi-lo, scores.Data[lo*scores.Stride:]
		tiled.SerialProducts(to, part, at.w.Data, at.w.Stride)
		f(lo, hi)
	}), features.Rows, taskRows*(1+work/size))
}

// traverse sets gradient to that of the sum of the losses, and returns the sum.
func (t *training) traverse(at, gradient functions) (sum float64, err error) {
	clear(gradient.w.Data)
	clear(gradient.intercept)
	losses := slices.Grow(t.block.losses[:0], mostBlock)[:mostBlock]
	t.block.losses = losses
	err = t.blocks(func(first int, features, scores blas64.General) {
		tasks(at, features, scores, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row := scores.Data[i*scores.Stride:][:scores.Cols]
				for c, v := range at.intercept {
					row[c] += v
				}
				shiftRow(row)
				losses[i] = row[t.classes[first+i]]
			}
			part := scores.Data[lo*scores.Stride : (hi-1)*scores.Stride+scores.Cols]
			gram.Exponential{Rate: 1}.To(part, part)
			for i := lo; i < hi; i++ {
				row := scores.Data[i*scores.Stride:][:scores.Cols]
				losses[i] = detmath.Log(normalize(row)) - losses[i]
				if t.spread.rows != nil {
					t.spread.rows[first+i] = max(1-chain.Dot(row, row), 0)
				}
				row[t.classes[first+i]]--
				if t.weights != nil {
					losses[i] = weigh(row, losses[i], t.weights[first+i])
				}
			}
		})
		for i := range scores.Rows {
			sum += losses[i]
			for c, v := range scores.Data[i*scores.Stride:][:scores.Cols] {
				gradient.intercept[c] += v
			}
		}
		slabs.CombineUnpadded(gradient.w, features, scores)
	})
	return sum, err
}

// shiftRow subtracts the largest element from all, so that none of their exponentials overflows.
func shiftRow(row []float64) {
	largest := math.Inf(-1)
	for _, v := range row {
		if v > largest {
			largest = v
		}
	}
	for c := range row {
		row[c] -= largest
	}
}

// normalize divides positive numbers by their sum, and returns it.
func normalize(row []float64) (sum float64) {
	for _, v := range row {
		sum += v
	}
	inverse := 1 / sum
	for c := range row {
		row[c] *= inverse
	}
	return sum
}

// weigh multiplies a row of residuals by a weight, and returns the loss multiplied by it.
func weigh(row []float64, loss, weight float64) float64 {
	if weight == 0 { // the row is not there, even if its loss is infinite
		clear(row)
		return 0
	}
	for c := range row {
		row[c] *= weight
	}
	return loss * weight
}

// scales are the factors by which the scores of ridge regression are multiplied to find where to start.
var scales = [...]float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64}

// scaledLosses returns the sum of the losses for the scores of some functions times each of the scales.
func (t *training) scaledLosses(at functions) (sums [len(scales)]float64, err error) {
	t.block.losses = make([]float64, mostBlock*len(scales))
	losses := t.block.losses
	buffers := make([]float64, mostBlock*t.count)
	err = t.blocks(func(first int, features, scores blas64.General) {
		tasks(at, features, scores, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row, class := scores.Data[i*scores.Stride:][:scores.Cols], t.classes[first+i]
				for c, v := range at.intercept {
					row[c] += v
				}
				shiftRow(row)
				e := buffers[i*t.count:][:t.count]
				for j, scale := range scales {
					gram.Exponential{Rate: scale}.To(e, row)
					loss := detmath.Log(normalize(e)) - float64(scale*row[class])
					losses[i*len(scales)+j] = loss * t.weight(first+i)
				}
			}
		})
		for i := range scores.Rows {
			for j := range sums {
				sums[j] += losses[i*len(scales)+j]
			}
		}
	})
	return sums, err
}

// bestScale returns the factor of the functions of ridge regression from which the descent starts: where a parabola through
// the three best losses, over the logarithm of the factor, is least.
func (t *training) bestScale(at functions, lambda float64) (float64, error) {
	sums, err := t.scaledLosses(at)
	if err != nil {
		return 0, err
	}
	best, square := 0, 0.0
	for k := range at.w.Rows {
		w := at.w.Data[k*at.w.Stride:][:at.w.Cols]
		square += chain.Dot(w, w)
	}
	for j, scale := range scales {
		sums[j] += float64(0.5 * lambda * float64(scale*scale) * square)
		if sums[j] < sums[best] {
			best = j
		}
	}
	if best == 0 || best == len(scales)-1 {
		return scales[best], nil
	}
	left, right := sums[best-1]-sums[best], sums[best+1]-sums[best]
	offset := 0.5 * (left - right) / (left + right)
	if !(math.Abs(offset) <= 0.5) {
		offset = 0
	}
	return scales[best] * detmath.Exp(offset*math.Ln2), nil
}
