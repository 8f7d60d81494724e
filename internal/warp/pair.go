// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package warp

import (
	"slices"
	"sync"
)

// Pair is two points behind linear maps, and their difference. Far from the origin the images of near points are
// rounded to fewer digits than the image of their difference, on which stationary kernels depend.
type Pair struct {
	front *Pair // the pair in front of the warp; nil: x and y
	x, y  []float64
	warp  *Warp // without a center

	seen      bool // whether the images are computed
	left      []float64
	right     []float64
	different bool // whether the image of the difference is computed
	delta     []float64
	zero      []float64
}

// pairs holds pairs that are not in use, for their memory.
var pairs = sync.Pool{New: func() any { return new(Pair) }}

// NewPair returns the images behind a warp of a pair, or of two points if the pair is nil.
func NewPair(front *Pair, w *Warp, x, y []float64) *Pair {
	p := pairs.Get().(*Pair)
	p.front, p.warp, p.x, p.y, p.seen, p.different = front, w, x, y, false, false
	return p
}

// AtImages returns a function of the images of two points under at least one linear map, in the order of application.
func AtImages(warps []Warp, x, y []float64, f func(p *Pair) float64) float64 {
	p := NewPair(nil, &warps[0], x, y)
	for i := range warps[1:] {
		p = NewPair(p, &warps[1+i], nil, nil)
	}
	v := f(p)
	p.Free(nil)
	return v
}

// Free returns the memory of the pair, and of pairs in front of it up to another.
func (p *Pair) Free(end *Pair) {
	for p != end {
		front := p.front
		p.front, p.x, p.y, p.warp = nil, nil, nil, nil
		pairs.Put(p)
		p = front
	}
}

// AtDifference returns a function of the difference of two points.
func (p *Pair) AtDifference(f func(x, y []float64) float64) float64 {
	if delta, zero, ok := p.Difference(); ok {
		return f(delta, zero)
	}
	return f(p.Points())
}

// Points returns the two images.
func (p *Pair) Points() (x, y []float64) {
	if !p.seen {
		p.seen = true
		x, y = p.x, p.y
		if p.front != nil {
			x, y = p.front.Points()
		}
		p.left, p.right = p.applied(p.left, x), p.applied(p.right, y)
	}
	return p.left, p.right
}

// applied returns the image of x, in the memory of dst.
func (p *Pair) applied(dst, x []float64) []float64 {
	n := p.warp.Dim(len(x))
	dst = slices.Grow(dst[:0], n)[:n]
	p.warp.Apply(dst, x)
	return dst
}

// Difference returns the image of the difference of the points, and the image of the zero difference. ok is false if
// the former overflows or is NaN.
func (p *Pair) Difference() (delta, zero []float64, ok bool) {
	delta = p.differences()
	p.zero = slices.Grow(p.zero[:0], len(delta))[:len(delta)]
	clear(p.zero)
	var sum float64
	for _, v := range delta {
		sum += v - v // 0, or NaN
	}
	return delta, p.zero, sum == 0
}

func (p *Pair) differences() []float64 {
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

// Dim returns the number of coordinates of the images.
func (p *Pair) Dim() int {
	if p.front == nil {
		return p.warp.Dim(len(p.x))
	}
	return p.warp.Dim(p.front.Dim())
}
