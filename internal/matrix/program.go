// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package matrix

import (
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// Program is a kernel on R^in, divided into parts that are computed for blocks of pairs.
type Program struct {
	Root       Node
	images     []Image
	statistics []Statistic
	weights    []Weight
	Evaluated  int       // how many parts of the kernel are evaluated pair by pair
	work       int       // about the number of operations for a pair
	logs       []float64 // for images that are added
}

// NewProgram returns the program for a function of the points themselves.
func NewProgram(f Function, in int) *Program {
	p := new(Program)
	p.Root = p.Function(f, nil, in)
	return p
}

// A Statistic is a statistic of the pairs of images.
type Statistic struct {
	measure gram.Measure
	image   int
	factors []float64
}

// A Weight is a function of an image.
type Weight struct {
	Image  int
	Weight func(x []float64) float64

	Gradient func(dst, x []float64) // of Weight; nil if Weigher has none
	Weigher  any
}

// evalWork is about the number of operations of a call of Eval, per coordinate.
const evalWork = 8

// Function returns the node of a function of one statistic of two points.
func (p *Program) Function(f Function, warps []warp.Warp, in int) Node {
	var n Node
	switch f.Measure.Of {
	case gram.Inner, gram.Chords:
		n = p.statistic(f.Measure, p.Image(Image{Warps: warps}), nil)
	default:
		n = p.difference(f.Measure, warps)
	}
	p.work += in
	if f.Extreme != nil {
		n = extremeNode{functionNode{f.Function, n}, f.Extreme, warps, p.Image(Image{})}
	} else {
		n = functionNode{f.Function, n}
	}
	if f.Weight != nil {
		w := Weight{Image: p.Image(Image{Warps: warps}), Weight: f.Weight, Gradient: f.Gradient}
		n = p.Weighted(w, f.Power, n)
	}
	return n
}

// difference returns the node of a statistic of differences. Behind diagonal matrices, differences are computed
// before they are multiplied. Behind other matrices they are computed from points minus a center.
func (p *Program) difference(m gram.Measure, warps []warp.Warp) Node {
	var all warp.Warp
	for _, w := range warps {
		if w.Dense != nil {
			return p.statistic(m, p.Image(Image{Warps: warps, centered: true}), nil)
		}
		all = w.After(all)
	}
	moderate := func(v float64) bool { return v == 0 || isModerate(v) && isModerate(v*m.Scale) }
	if !slices.ContainsFunc(all.Diag, func(v float64) bool { return !moderate(v) }) {
		return p.scaled(m, all)
	}
	return p.statistic(m, p.Image(Image{Warps: warps}), nil)
}

// isModerate tells whether a number is finite, and not so small that products with it may have lost digits.
func isModerate(v float64) bool {
	return math.Abs(v) <= math.MaxFloat64 && math.Abs(v) > arith.TinyDistance
}

// scaled returns the node of a statistic of differences of selected coordinates, multiplied by factors.
func (p *Program) scaled(m gram.Measure, all warp.Warp) Node {
	var image Image
	if all.Cols != nil {
		image.Warps = []warp.Warp{{Cols: all.Cols}}
	}
	return p.statistic(m, p.Image(image), all.Diag)
}

// statistic returns the node of a statistic. If it is new it is added to the program.
func (p *Program) statistic(m gram.Measure, image int, factors []float64) statisticNode {
	for i, s := range p.statistics {
		if s.measure == m && s.image == image && slices.Equal(s.factors, factors) {
			return statisticNode(i)
		}
	}
	p.statistics = append(p.statistics, Statistic{m, image, factors})
	return statisticNode(len(p.statistics) - 1)
}

// Image returns the number of an image. If it is new it is added to the program.
func (p *Program) Image(g Image) int {
	g.logs = p.logs
	if i := slices.IndexFunc(p.images, g.equal); i >= 0 {
		return i
	}
	p.images = append(p.images, g)
	return len(p.images) - 1
}

// Weighted returns a node times a power of the product of a weight's values at both points.
func (p *Program) Weighted(w Weight, power int, part Node) Node {
	p.weights = append(p.weights, w)
	return weightNode{len(p.weights) - 1, power, part}
}

// InLogarithms returns the node that part makes of the logarithms of the points, with a scale for each
// coordinate.
func (p *Program) InLogarithms(scales []float64, part func() Node) Node {
	p.logs = scales
	defer func() { p.logs = nil }()
	return part()
}

// InnerProducts returns the inner product of features of both points' images.
func (p *Program) InnerProducts(through FeatureMap, warps []warp.Warp) Node {
	image := p.Image(Image{Warps: warps, through: through})
	return functionNode{nil, p.statistic(gram.Measure{Of: gram.Inner}, image, nil)}
}

// Evaluate returns a kernel that is evaluated pair by pair. If pair is not nil it computes the values, from the points
// and their images.
func (p *Program) Evaluate(k evaluated, pair func(*warp.Pair) float64, warps []warp.Warp, in int) Node {
	p.work += evalWork * in
	p.Evaluated++
	if pair != nil {
		return evalNode{k, pair, warps, p.Image(Image{})}
	}
	return evalNode{k, nil, nil, p.Image(Image{Warps: warps})}
}
