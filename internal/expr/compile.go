// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package expr

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/gram"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Compile returns the program that computes kernel matrices of k on R^in. It panics with mat.ErrShape if k contains a
// Project, ARD or Select for points of another dimension.
func Compile(k Kernel, in int) *matrix.Program {
	p := new(matrix.Program)
	p.Root = compiler{p}.node(k, nil, in)
	return p
}

// A compiler adds a kernel to a program.
type compiler struct{ *matrix.Program }

// node returns the node of a kernel behind warps, on R^in. If in is 0 the kernel itself refuses it.
func (p compiler) node(k Kernel, warps []warp.Warp, in int) matrix.Node {
	if in == 0 {
		return p.eval(k, warps, in)
	}
	switch k := k.(type) {
	case *Leaf:
		return p.leaf(k, warps, in)
	case Constant:
		return matrix.Constant(k.Value)
	case Gaussian:
		return p.Function(k.pairwise(), warps, in)
	case Dot:
		return p.Function(OfInner(SeriesFunction(k.F)), warps, in)
	case Sum:
		return matrix.Sum(p.nodes(k, warps, in))
	case Product:
		return matrix.Product(p.nodes(k, warps, in))
	case *Scale:
		return matrix.Scale(k.C, p.node(k.K, warps, in))
	case *Compose:
		return matrix.Apply(SeriesFunction(k.F), p.node(k.K, warps, in))
	case *Weight:
		w := matrix.Weight{Image: p.Image(matrix.Image{Warps: warps}), Weight: k.W.Weight, Weigher: k.W}
		if g, ok := k.W.(Gradienter); ok {
			w.Gradient = g.GradientTo
		}
		return p.Weighted(w, 1, p.node(k.K, warps, in))
	case *Behind:
		if k.In != 0 && k.In != in || k.Warp.Cols != nil && slices.Max(k.Warp.Cols) >= in {
			panic(mat.ErrShape)
		}
		return p.node(k.K, append(slices.Clip(warps), k.Warp), k.Warp.Dim(in))
	case *SymLog:
		if len(k.Scales) != in {
			panic(mat.ErrShape)
		}
		return p.InLogarithms(k.Scales, func() matrix.Node { return p.node(k.K, warps, in) })
	}
	return p.eval(k, warps, in)
}

// nodes returns the nodes of kernels.
func (p compiler) nodes(ks []Kernel, warps []warp.Warp, in int) []matrix.Node {
	nodes := make([]matrix.Node, len(ks))
	for i, k := range ks {
		nodes[i] = p.node(k, warps, in)
	}
	return nodes
}

// leaf returns the node of a leaf.
func (p compiler) leaf(l *Leaf, warps []warp.Warp, in int) matrix.Node {
	switch {
	case l.Features != nil && l.In == in:
		return p.InnerProducts(l.Features, warps)
	case l.As != nil:
		return p.node(l.As, warps, in)
	case l.Function != nil:
		if f, ok := l.Function(); ok {
			return p.Function(f, warps, in)
		}
	}
	return p.eval(l, warps, in)
}

// eval returns the node of a kernel that is evaluated pair by pair.
func (p compiler) eval(k Kernel, warps []warp.Warp, in int) matrix.Node {
	var pair func(*warp.Pair) float64
	if seesDifference(k, warps) {
		pair = func(images *warp.Pair) float64 { return At(k, images) }
	}
	return p.Evaluate(k, pair, warps, in)
}

// seesDifference tells whether a kernel behind linear maps has other digits when it is computed
// from the mapped difference than from the mapped points.
func seesDifference(k Kernel, warps []warp.Warp) bool {
	_, ok := k.(Imager)
	if l, leaf := k.(*Leaf); leaf {
		ok = l.Difference
	}
	return ok && slices.ContainsFunc(warps, func(w warp.Warp) bool { return !w.Factorless() })
}

// SeriesFunction returns a series as a function that is applied to many numbers.
func SeriesFunction(f series.Series) gram.Function {
	if e, ok := f.(series.Exp); ok {
		return gram.Exponential{Rate: e.Rate, Shift: e.Shift}
	}
	return gram.WithSlope{Function: gram.Each(f.Eval), Slope: gram.Each(f.Deriv)}
}
