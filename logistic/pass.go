// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package logistic

import (
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/seed-0f95ebc1/featuremap/internal/chain"
	"github.com/seed-0f95ebc1/featuremap/internal/detmath"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/parallel"
	"github.com/seed-0f95ebc1/featuremap/internal/slabs"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A pass goes through the rows in parts, which goroutines share, and through a part in blocks, whose features stay in the cache from the
// scores, ΦWᵀ, to their part of the gradient, (P − Y)ᵀΦ. Each element of the gradient is one chain for each part, in the order of its rows, and
// so are the loss and the sums of P − Y; those of the parts are added up in their order.

// blockElements is the size of a block of features, and most and least are its numbers of rows.
const (
	blockElements = 1 << 16
	mostBlock     = 144
	leastBlock    = 16
)

// blockRows returns the number of rows of a block.
func blockRows(stride int) int { return min(max(blockElements/stride&^3, leastBlock), mostBlock) }

// chunkElements is the size of a part, and of a chunk of features: 8 MB of them, so that each weight of the map that is fetched is used for
// many rows.
const chunkElements = 1 << 20

// partRows returns the number of rows of a part.
func partRows(stride int) int { return max(chunkElements/stride, blockRows(stride)) }

// taskRows is the number of rows whose scores are one task.
const taskRows = 16

// A partial is what a part of the rows comes to, with memory for a block.
type partial struct {
	gradient functions
	sums     []float64 // of losses
	scores   blas64.General
	losses   []float64 // of each row and sum, times its weight
	scaled   []float64 // scores
}

// mostPartial bounds the elements of the gradients of parts that are computed together: 256 MB.
const mostPartial = 1 << 25

// partial returns one with room for so many sums.
func (t *training) partial(sums int) *partial {
	size := blockRows(t.stride)
	return &partial{
		gradient: t.newFunctions(),
		sums:     make([]float64, sums),
		scores:   blas64.General{Cols: t.count, Stride: t.count, Data: make([]float64, size*t.count)},
		losses:   make([]float64, size*sums),
		scaled:   make([]float64, size*t.count),
	}
}

// parts calls do with the features, less the mean, of all parts of the rows, and the number of the first row of each, from several
// goroutines, and then add, in the order of the parts. Partials have so many sums, and all are 0.
func (t *training) parts(sums int, do func(p *partial, first int, features blas64.General), add func(p *partial)) error {
	some := t.partials[sums]
	next := func(k int) *partial {
		if k == len(some) {
			some = append(some, t.partial(sums))
		}
		clear(some[k].gradient.w.Data)
		clear(some[k].gradient.intercept)
		clear(some[k].sums)
		return some[k]
	}
	defer func() {
		if t.partials == nil {
			t.partials = make(map[int][]*partial)
		}
		t.partials[sums] = some
	}()
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
				do(some[k], window[k].first, window[k].features)
			}
		}), len(window), 1)
		for k := range window {
			add(some[k])
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
	err = t.parts(1, func(p *partial, first int, part blas64.General) {
		p.blocks(first, part, func(first int, features, scores blas64.General) { t.descendBlock(p, at, first, features, scores) })
	}, func(p *partial) {
		sum += p.sums[0]
		for i, v := range p.gradient.w.Data {
			gradient.w.Data[i] += v
		}
		for c, v := range p.gradient.intercept {
			gradient.intercept[c] += v
		}
	})
	return sum, err
}

// descendBlock adds the losses of a block, and their gradient, to those of its part.
func (t *training) descendBlock(p *partial, at functions, first int, features, scores blas64.General) {
	tasks(at, features, scores, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := scores.Data[i*scores.Stride:][:scores.Cols]
			for c, v := range at.intercept {
				row[c] += v
			}
			shiftRow(row)
			p.losses[i] = row[t.classes[first+i]]
		}
		some := scores.Data[lo*scores.Stride : (hi-1)*scores.Stride+scores.Cols]
		gram.Exponential{Rate: 1}.To(some, some)
		for i := lo; i < hi; i++ {
			row := scores.Data[i*scores.Stride:][:scores.Cols]
			p.losses[i] = detmath.Log(normalize(row)) - p.losses[i]
			if t.spread.rows != nil {
				t.spread.rows[first+i] = max(1-chain.Dot(row, row), 0)
			}
			row[t.classes[first+i]]--
			if t.weights != nil {
				p.losses[i] = weigh(row, p.losses[i], t.weights[first+i])
			}
		}
	})
	for i := range scores.Rows {
		p.sums[0] += p.losses[i]
		for c, v := range scores.Data[i*scores.Stride:][:scores.Cols] {
			p.gradient.intercept[c] += v
		}
	}
	slabs.CombineBlock(p.gradient.w, features, scores)
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
	err = t.parts(len(scales), func(p *partial, first int, part blas64.General) {
		p.blocks(first, part, func(first int, features, scores blas64.General) { t.scaleBlock(p, at, first, features, scores) })
	}, func(p *partial) {
		for j, v := range p.sums {
			sums[j] += v
		}
	})
	return sums, err
}

// scaleBlock adds the losses of a block to those of its part.
func (t *training) scaleBlock(p *partial, at functions, first int, features, scores blas64.General) {
	tasks(at, features, scores, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, class := scores.Data[i*scores.Stride:][:scores.Cols], t.classes[first+i]
			for c, v := range at.intercept {
				row[c] += v
			}
			shiftRow(row)
			e := p.scaled[i*t.count:][:t.count]
			for j, scale := range scales {
				gram.Exponential{Rate: scale}.To(e, row)
				loss := detmath.Log(normalize(e)) - float64(scale*row[class])
				p.losses[i*len(scales)+j] = loss * t.weight(first+i)
			}
		}
	})
	for i := range scores.Rows {
		for j := range scales {
			p.sums[j] += p.losses[i*len(scales)+j]
		}
	}
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
