// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package matrix

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// A Node is a kernel as part of a program.
type Node interface {
	// to sets dst to the values at the pairs of the strip. Other elements of dst may get any value.
	to(dst []float64, s *strip)

	derivableNode
}

// A statisticNode is a statistic, by its number.
type statisticNode int

func (n statisticNode) to(dst []float64, s *strip) { copy(dst, s.statistic(int(n))) }

// functionNode applies a function to another node, or is that node if the function is nil.
type functionNode struct {
	f    gram.Function
	part Node
}

func (n functionNode) to(dst []float64, s *strip) {
	from := dst
	if statistic, ok := n.part.(statisticNode); ok {
		from = s.statistic(int(statistic))
	} else {
		n.part.to(dst, s)
	}
	if n.f != nil {
		n.f.To(dst, from)
	} else {
		copy(dst, from)
	}
}

// extremeNode is a function of a sum of squares. Where the sum overflows or underflows, it is another function: of the
// images of the two points under some linear maps, or of their difference.
type extremeNode struct {
	functionNode
	extreme func(x, y []float64) float64
	warps   []warp.Warp
	points  int // the number of the image that is the points themselves
}

func (n extremeNode) to(dst []float64, s *strip) {
	n.functionNode.to(dst, s)
	squares := s.statistic(int(n.part.(statisticNode)))
	if slices.ContainsFunc(squares, isExtreme) {
		s.each(func(e, i, j int) {
			if isExtreme(squares[e]) {
				x, y := s.pair(n.points, i, j)
				if len(n.warps) == 0 {
					dst[e] = n.extreme(x, y)
				} else {
					dst[e] = warp.AtImages(n.warps, x, y, func(p *warp.Pair) float64 { return p.AtDifference(n.extreme) })
				}
			}
		})
	}
}

// Sum is the sum of its parts, and a Product their product.
type (
	Sum     []Node
	Product []Node
)

func (n Sum) to(dst []float64, s *strip) {
	n[0].to(dst, s)
	v := s.get()[:len(dst)]
	for _, part := range n[1:] {
		part.to(v, s)
		gram.Add(dst, v)
	}
	s.put(v[:cap(v)])
}

func (n Product) to(dst []float64, s *strip) {
	n[0].to(dst, s)
	v := s.get()[:len(dst)]
	for _, part := range n[1:] {
		part.to(v, s)
		gram.Multiply(dst, v)
	}
	s.put(v[:cap(v)])
}

// A scaleNode is a multiple of another node.
type scaleNode struct {
	c    float64
	part Node
}

func (n scaleNode) to(dst []float64, s *strip) {
	n.part.to(dst, s)
	for e := range dst {
		dst[e] *= n.c
	}
}

// A Constant has the same value everywhere.
type Constant float64

func (n Constant) to(dst []float64, _ *strip) {
	for e := range dst {
		dst[e] = float64(n)
	}
}

// weightNode is another node times a power of the product of a weight's values at both points. The weight is given by
// its number.
type weightNode struct {
	weight, power int
	part          Node
}

func (n weightNode) to(dst []float64, s *strip) {
	n.part.to(dst, s)
	rows, points := s.b.weights[n.weight], s.points().weights[n.weight]
	s.each(func(e, i, j int) { dst[e] *= arith.PowInt(rows[i]*points[j], n.power) })
}

// evaluated is a kernel of which only the values are known.
type evaluated interface{ Eval(x, y []float64) float64 }

// evalNode is a kernel that is evaluated pair by pair, behind some linear maps, at an image.
type evalNode struct {
	k     evaluated
	pair  func(*warp.Pair) float64 // for the points behind the maps, if there are any
	warps []warp.Warp
	image int
}

func (n evalNode) to(dst []float64, s *strip) {
	s.each(func(e, i, j int) {
		x, y := s.pair(n.image, i, j)
		if len(n.warps) == 0 {
			dst[e] = n.k.Eval(x, y)
		} else {
			dst[e] = warp.AtImages(n.warps, x, y, n.pair)
		}
	})
}

// Scale returns a node times a constant.
func Scale(c float64, part Node) Node { return scaleNode{c, part} }

// Apply returns a function of the values of a node.
func Apply(f gram.Function, part Node) Node { return functionNode{f, part} }
