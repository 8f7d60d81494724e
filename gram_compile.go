// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// A pairwise kernel is a function of one number of two points, so that kernel matrices compute it by tiles.
type pairwise interface {
	// pairwise returns the number and the function, and a weight, nil for 1, of both points. It is not ok where the kernel
	// needs Eval.
	pairwise() (f pairFunction, ok bool)
}

// A gramProgram is a kernel on R^in, taken apart for blocks of pairs.
type gramProgram struct {
	root       gramNode
	images     []gramImage
	statistics []gramStatistic
	weights    []gramWeight
	evaluated  bool // some part of the kernel needs Eval
	work       int  // about the number of operations for a pair
}

// A gramStatistic is a statistic of the pairs of images.
type gramStatistic struct {
	measure gram.Measure
	image   int
	factors []float64
}

// A gramWeight is a function of an image.
type gramWeight struct {
	image  int
	weight func(x []float64) float64

	gradient func(dst, x []float64) // of weight; nil if weigher has none
	weigher  any
}

// evalWork is about the number of operations of a call of Eval, for each coordinate.
const evalWork = 8

// compileGram returns the program of k on R^in. It panics with mat.ErrShape if k has a Project, ARD or Select of points of
// another width.
func compileGram(k Kernel, in int) *gramProgram {
	p := new(gramProgram)
	p.root = p.node(k, nil, in)
	return p
}

// node returns the node of a kernel on R^in behind some linear maps, the first of which comes first.
func (p *gramProgram) node(k Kernel, warps []warp.Warp, in int) gramNode {
	if check.IsNil(k) || in == 0 || !isOwn(k) {
		return p.eval(k, warps, in)
	}
	if e, ok := k.(expression); ok && e.head().err != nil {
		return p.eval(k, warps, in)
	}
	parts := func(ks ...Kernel) []gramNode {
		nodes := make([]gramNode, len(ks))
		for i, k := range ks {
			nodes[i] = p.node(k, warps, in)
		}
		return nodes
	}
	switch k := k.(type) {
	case *sumKernel:
		return sumNode(parts(k.Terms...))
	case *productKernel:
		return productNode(parts(k.Factors...))
	case *scaleKernel:
		return scaleNode{k.C, parts(k.K)[0]}
	case *composeKernel:
		return functionNode{seriesFunction(k.F), parts(k.K)[0]}
	case *weightKernel:
		w := gramWeight{image: p.image(gramImage{warps: warps}), weight: k.W.Weight, weigher: k.W}
		if g, ok := k.W.(WeightGradienter); ok {
			w.gradient = g.GradientTo
		}
		return weightNode{p.weight(w), 1, parts(k.K)[0]}
	case fromMap:
		return p.features(k, warps, in)
	case interface{ linear() *behind }:
		return p.behind(k.linear(), warps, in)
	case interface{ evaluated() Kernel }:
		return parts(k.evaluated())[0]
	case interface{ constant() float64 }:
		return constantNode(k.constant())
	case pairwise:
		if f, ok := k.pairwise(); ok {
			return p.function(f, warps, in)
		}
	}
	return p.eval(k, warps, in)
}

// eval returns the node of a kernel that is evaluated pair by pair.
func (p *gramProgram) eval(k Kernel, warps []warp.Warp, in int) gramNode {
	p.work += evalWork * in
	p.evaluated = true
	if seesDifference(k, warps) {
		return evalNode{k, warps, p.image(gramImage{})}
	}
	return evalNode{k, nil, p.image(gramImage{warps: warps})}
}

// behind returns the node of what is behind a linear map.
func (p *gramProgram) behind(b *behind, warps []warp.Warp, in int) gramNode {
	if b.in != 0 && b.in != in || b.warp.Cols != nil && slices.Max(b.warp.Cols) >= in {
		panic(mat.ErrShape)
	}
	return p.node(b.k, append(slices.Clip(warps), b.warp), b.warp.Dim(in))
}

// features returns the node of the inner products of features.
func (p *gramProgram) features(k fromMap, warps []warp.Warp, in int) gramNode {
	if check.IsNil(k.M) {
		return p.eval(k, warps, in)
	}
	if d, _ := k.M.Dims(); d != in || d == 0 {
		return p.eval(k, warps, in)
	}
	image := p.image(gramImage{warps: warps, through: k.M})
	return functionNode{nil, p.statistic(gram.Measure{Of: gram.Inner}, image, nil)}
}

// function returns the node of a function of a number of two points.
func (p *gramProgram) function(f pairFunction, warps []warp.Warp, in int) gramNode {
	var n gramNode
	switch f.measure.Of {
	case gram.Inner, gram.Chords:
		n = p.statistic(f.measure, p.image(gramImage{warps: warps}), nil)
	default:
		n = p.difference(f.measure, warps)
	}
	p.work += in
	if f.extreme != nil {
		n = extremeNode{functionNode{f.function, n}, f.extreme, warps, p.image(gramImage{})}
	} else {
		n = functionNode{f.function, n}
	}
	if f.weight != nil {
		w := gramWeight{image: p.image(gramImage{warps: warps}), weight: f.weight, gradient: f.gradient}
		n = weightNode{p.weight(w), f.power, n}
	}
	return n
}

// difference returns the node of a statistic of differences. Those of points behind diagonal matrices are computed
// before they are multiplied, and those behind others from points less a centre.
func (p *gramProgram) difference(m gram.Measure, warps []warp.Warp) gramNode {
	var all warp.Warp
	for _, w := range warps {
		if w.Dense != nil {
			return p.statistic(m, p.image(gramImage{warps: warps, centred: true}), nil)
		}
		all = w.After(all)
	}
	moderate := func(v float64) bool { return v == 0 || isModerate(v) && isModerate(v*m.Scale) }
	if !slices.ContainsFunc(all.Diag, func(v float64) bool { return !moderate(v) }) {
		return p.scaled(m, all)
	}
	return p.statistic(m, p.image(gramImage{warps: warps}), nil)
}

// isModerate tells whether a number is neither infinite or NaN nor so small that products of it may have lost digits.
func isModerate(v float64) bool {
	return math.Abs(v) <= math.MaxFloat64 && math.Abs(v) > arith.TinyDistance
}

// scaled returns the node of a statistic of differences of selected coordinates, multiplied by factors.
func (p *gramProgram) scaled(m gram.Measure, all warp.Warp) gramNode {
	var image gramImage
	if all.Cols != nil {
		image.warps = []warp.Warp{{Cols: all.Cols}}
	}
	return p.statistic(m, p.image(image), all.Diag)
}

// statistic returns the node of a statistic, and adds it to those of the program if it is new.
func (p *gramProgram) statistic(m gram.Measure, image int, factors []float64) statisticNode {
	for i, s := range p.statistics {
		if s.measure == m && s.image == image && slices.Equal(s.factors, factors) {
			return statisticNode(i)
		}
	}
	p.statistics = append(p.statistics, gramStatistic{m, image, factors})
	return statisticNode(len(p.statistics) - 1)
}

// image returns the number of an image, and adds it to those of the program if it is new.
func (p *gramProgram) image(g gramImage) int {
	if i := slices.IndexFunc(p.images, g.equal); i >= 0 {
		return i
	}
	p.images = append(p.images, g)
	return len(p.images) - 1
}

// weight returns the number of a new weight.
func (p *gramProgram) weight(w gramWeight) int {
	p.weights = append(p.weights, w)
	return len(p.weights) - 1
}
