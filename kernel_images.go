// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"slices"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// An imagePair is two points behind linear maps, and their difference. Far from the origin the images of near points are
// rounded to fewer digits than the image of their difference has, of which stationary kernels are functions.
type imagePair struct {
	front *imagePair // the pair in front of the warp; nil: x and y are
	x, y  []float64
	warp  *warp.Warp // without a centre

	seen      bool // the images are computed
	left      []float64
	right     []float64
	different bool // the image of the difference is computed
	delta     []float64
	zero      []float64
}

// imagePairs has pairs that are not in use, for their memory.
var imagePairs = sync.Pool{New: func() any { return new(imagePair) }}

// newImages returns the images of a pair behind a warp.
func newImages(front *imagePair, w *warp.Warp) *imagePair {
	p := imagePairs.Get().(*imagePair)
	p.front, p.warp, p.seen, p.different = front, w, false, false
	return p
}

// withImages returns a function of the images of two points under some linear maps, one at least, the first of which comes first.
func withImages(warps []warp.Warp, x, y []float64, f func(p *imagePair) float64) float64 {
	p := newImages(nil, &warps[0])
	p.x, p.y = x, y
	for i := range warps[1:] {
		p = newImages(p, &warps[1+i])
	}
	v := f(p)
	p.free(nil)
	return v
}

// free gives back the memory of the pair, and of those in front of it up to another.
func (p *imagePair) free(end *imagePair) {
	for p != end {
		front := p.front
		p.front, p.x, p.y, p.warp = nil, nil, nil, nil
		imagePairs.Put(p)
		p = front
	}
}

// An imageKernel is a kernel with parts that may be stationary. Its Eval is that of a pair without linear maps.
type imageKernel interface {
	atImages(p *imagePair) float64
}

// seesDifference tells whether a kernel behind linear maps has other digits than at the images.
func seesDifference(k Kernel, warps []warp.Warp) bool {
	switch k.(type) {
	case imageKernel, Stationary:
		return !check.IsNil(k) && slices.ContainsFunc(warps, func(w warp.Warp) bool { return !w.Factorless() })
	}
	return false
}

// value returns a kernel at the images, and what is stationary in it at their difference.
func (p *imagePair) value(k Kernel) float64 {
	switch k := k.(type) {
	case imageKernel:
		return k.atImages(p)
	case Stationary:
		return p.atDifference(k.Eval)
	case interface{ evaluated() Kernel }:
		if part := k.evaluated(); isOwn(k) && !check.IsNil(part) {
			return p.value(part)
		}
	}
	return k.Eval(p.points())
}

// atDifference returns a function of the difference of two points.
func (p *imagePair) atDifference(f func(x, y []float64) float64) float64 {
	if delta, zero, ok := p.difference(); ok {
		return f(delta, zero)
	}
	return f(p.points())
}

// points returns the two images.
func (p *imagePair) points() (x, y []float64) {
	if !p.seen {
		p.seen = true
		x, y = p.x, p.y
		if p.front != nil {
			x, y = p.front.points()
		}
		p.left, p.right = p.applied(p.left, x), p.applied(p.right, y)
	}
	return p.left, p.right
}

// applied returns the image of x, in the memory of dst.
func (p *imagePair) applied(dst, x []float64) []float64 {
	n := p.warp.Dim(len(x))
	dst = slices.Grow(dst[:0], n)[:n]
	p.warp.Apply(dst, x)
	return dst
}

// difference returns the image of the difference of the points, and that of no difference. It is not ok where that overflows or
// is NaN.
func (p *imagePair) difference() (delta, zero []float64, ok bool) {
	delta = p.differences()
	p.zero = slices.Grow(p.zero[:0], len(delta))[:len(delta)]
	clear(p.zero)
	var sum float64
	for _, v := range delta {
		sum += v - v // 0, or NaN
	}
	return delta, p.zero, sum == 0
}

func (p *imagePair) differences() []float64 {
	switch {
	case p.different:
	case p.front != nil:
		p.delta = p.applied(p.delta, p.front.differences())
	default:
		p.zero = p.zero[:0]
		for i, v := range p.x {
			p.zero = append(p.zero, v-p.y[i])
		}
		p.delta = p.applied(p.delta, p.zero)
	}
	p.different = true
	return p.delta
}

// dim returns the number of coordinates of the images.
func (p *imagePair) dim() int {
	if p.front == nil {
		return p.warp.Dim(len(p.x))
	}
	return p.warp.Dim(p.front.dim())
}
