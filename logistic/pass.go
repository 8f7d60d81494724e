// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A pass goes through the rows in parts, which goroutines share, and through a part in blocks, whose features stay in
// the cache from the scores, ΦWᵀ, to their part of the gradient, (P − Y)ᵀΦ. Each element of the gradient is one chain
// for each part, in the order of its rows, and so are the loss and the sums of P − Y; the results of the parts are
// added up in their order.

// blockElements is the size of a block of features, and most and least are its numbers of rows.
const (
	blockElements = 1 << 16
	mostBlock     = 144
	leastBlock    = 16
)

// blockRows returns the number of rows of a block.
func blockRows(stride int) int { return min(max(blockElements/stride&^3, leastBlock), mostBlock) }

// chunkElements is the size of a part, and of a chunk of features, 8 MB, so that each weight of the map that is fetched
// is used for many rows.
const chunkElements = 1 << 20

// partRows returns the number of rows of a part.
func partRows(stride int) int { return max(chunkElements/stride, blockRows(stride)) }

// taskRows is the number of rows whose scores are one task.
const taskRows = 16

// A partial is the result of a part of the rows, with memory for a block.
type partial struct {
	gradient functions
	sum      float64 // of losses
	scores   blas64.General
	losses   []float64 // of each row, times its weight
}

// partials are memory for passes. Trainings that take turns share them.
type partials struct {
	all    []*partial
	scores []float64 // of tiled.BlockRows rows: see pin
}

// block returns memory for scores of tiled.BlockRows rows.
func (p *partials) block(classes int) []float64 {
	if p.scores == nil {
		p.scores = make([]float64, tiled.BlockRows*classes)
	}
	return p.scores
}

// mostPartial bounds the elements of the gradients of parts that are computed at the same time: 256 MB.
const mostPartial = 1 << 25

// partial returns a partial.
func (t *training) partial() *partial {
	size := blockRows(t.stride)
	return &partial{
		gradient: t.newFunctions(),
		scores:   blas64.General{Cols: t.count, Stride: t.count, Data: make([]float64, size*t.count)},
		losses:   make([]float64, size),
	}
}

// parts calls do with the centered features of all parts of the rows, and the number of the first row of each, from
// several goroutines, and then add, in the order of the parts. All sums start at 0.
func (t *training) parts(do func(p *partial, first int, features blas64.General), add func(p *partial)) error {
	memory := t.partials
	next := func(k int) *partial {
		if k == len(memory.all) {
			memory.all = append(memory.all, t.partial())
		}
		p := memory.all[k]
		clear(p.gradient.w.Data)
		clear(p.gradient.intercept)
		p.sum = 0
		return p
	}
	if !t.keeping {
		return t.chunks(func(first int, features blas64.General) error {
			p := next(0)
			do(p, first, features)
			add(p)
			return nil
		})
	}
	type part struct {
		first    int
		features blas64.General
	}
	var all []part
	size := partRows(t.stride)
	t.chunks(func(first int, features blas64.General) error {
		for lo := 0; lo < features.Rows; lo += size {
			f := features
			f.Rows, f.Data = min(size, features.Rows-lo), features.Data[lo*features.Stride:]
			all = append(all, part{first + lo, f})
		}
		return nil
	})
	together := max(min(2*runtime.GOMAXPROCS(0), mostPartial/len(next(0).gradient.w.Data)), 1)
	for window := range slices.Chunk(all, together) {
		for k := range window {
			next(k)
		}
		parallel.Run(parallel.Func(func(lo, hi int) {
			for k := lo; k < hi; k++ {
				do(memory.all[k], window[k].first, window[k].features)
			}
		}), len(window), 1)
		for k := range window {
			add(memory.all[k])
		}
	}
	return nil
}

// blocks calls f with the features of a part, block by block, and memory for their scores.
func (p *partial) blocks(first int, part blas64.General, f func(first int, features, scores blas64.General)) {
	size := blockRows(part.Stride)
	for lo := 0; lo < part.Rows; lo += size {
		block, scores := part, p.scores
		block.Rows, block.Data = min(size, part.Rows-lo), part.Data[lo*part.Stride:]
		scores.Rows = block.Rows
		f(first+lo, block, scores)
	}
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

// copy makes f the functions of g.
func (f functions) copy(g functions) {
	copy(f.w.Data, g.w.Data)
	copy(f.intercept, g.intercept)
}

// add adds some functions.
func (f functions) add(g functions) {
	for i, v := range g.w.Data {
		f.w.Data[i] += v
	}
	for c, v := range g.intercept {
		f.intercept[c] += v
	}
}

// multiply multiplies the functions.
func (f functions) multiply(factor float64) {
	for i := range f.w.Data {
		f.w.Data[i] *= factor
	}
	for c := range f.intercept {
		f.intercept[c] *= factor
	}
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

// traverse sets gradient to the gradient of the sum of the losses, and returns the sum.
func (t *training) traverse(at, gradient functions) (sum float64, err error) {
	clear(gradient.w.Data)
	clear(gradient.intercept)
	t.scores.of(at)
	err = t.parts(func(p *partial, first int, part blas64.General) {
		p.blocks(first, part, func(first int, features, scores blas64.General) { t.descendBlock(p, at, first, features, scores) })
	}, func(p *partial) {
		sum += p.sum
		gradient.add(p.gradient)
	})
	return sum, err
}

// descendBlock adds the losses of a block, and their gradient, to its part.
func (t *training) descendBlock(p *partial, at functions, first int, features, scores blas64.General) {
	tasks(at, features, scores, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := scores.Data[i*scores.Stride:][:scores.Cols]
			t.scores.keep(first+i, row)
			for c, v := range at.intercept {
				row[c] += v
			}
			shiftRow(row)
			p.losses[i] = row[t.classes[first+i]]
			if t.wrong != nil {
				class := int(t.classes[first+i])
				p.losses[i] = math.FMA(t.wrong[class], likeliestOther(row, class)-p.losses[i], p.losses[i])
			}
		}
		some := scores.Data[lo*scores.Stride : (hi-1)*scores.Stride+scores.Cols]
		gram.Exponential{Rate: 1}.To(some, some)
		for i := lo; i < hi; i++ {
			row := scores.Data[i*scores.Stride:][:scores.Cols]
			p.losses[i] = detmath.Log(normalize(row)) - p.losses[i]
			if t.spreads != nil {
				t.spreads[first+i] = max(1-chain.Dot(row, row), 0)
			}
			row[t.classes[first+i]]--
			if t.weights != nil {
				p.losses[i] = weigh(row, p.losses[i], t.weights[first+i])
			}
		}
	})
	for i := range scores.Rows {
		p.sum += p.losses[i]
		for c, v := range scores.Data[i*scores.Stride:][:scores.Cols] {
			p.gradient.intercept[c] += v
		}
	}
	slabs.CombineBlock(p.gradient.w, features, scores)
}

// likeliestOther returns the largest element except for one.
func likeliestOther(row []float64, class int) float64 {
	largest := math.Inf(-1)
	for c, v := range row {
		if c != class && v > largest {
			largest = v
		}
	}
	return largest
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
	if weight == 0 { // the row does not count, even if its loss is infinite
		clear(row)
		return 0
	}
	for c := range row {
		row[c] *= weight
	}
	return loss * weight
}

// leastScale and mostScale bound the factor of a start.
const (
	leastScale = 1. / 4096
	mostScale  = 64
)

// bestScale returns the factor for functions, whose scores are kept, at the start of a descent. It takes the power of
// two with the least loss, which is convex, and from there the minimum of a parabola through it and its neighbors, over
// the logarithm of the factor.
func (t *training) bestScale(at functions, lambda float64) float64 {
	var square float64
	for k := range at.w.Rows {
		w := at.w.Data[k*at.w.Stride:][:at.w.Cols]
		square += chain.Dot(w, w)
	}
	losses := make([]float64, len(t.classes))
	buffers := &sync.Pool{New: func() any { b := make([]float64, taskRows*t.count); return &b }}
	loss := func(scale float64) float64 {
		return t.scaledLoss(losses, buffers, at.intercept, scale) + float64(0.5*lambda*float64(scale*scale)*square)
	}
	scale := 1.0
	value, left, right := loss(scale), loss(scale/2), loss(2*scale)
	for right < value && scale < mostScale {
		scale, value, left = 2*scale, right, value
		right = loss(2 * scale)
	}
	for left < value && scale > leastScale {
		scale, value, right = scale/2, left, value
		left = loss(scale / 2)
	}
	if offset := 0.5 * (left - right) / (left + right - 2*value); math.Abs(offset) <= 0.5 {
		return scale * detmath.Exp(offset*math.Ln2)
	}
	return scale
}
