// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/matrix"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// A pairwise kernel is a function of one number of two points, so that kernel matrices compute it by tiles.
type pairwise interface {
	// pairwise returns the number and the function, and a weight, nil for 1, of both points. It is not ok where the kernel
	// needs Eval.
	pairwise() (f matrix.Function, ok bool)
}

// A gramCompiler translates a kernel into the program of its values.
type gramCompiler struct{ *matrix.Program }

// compileGram returns the program of k on R^in. It panics with mat.ErrShape if k has a Project, ARD or Select of points of
// another width.
func compileGram(k Kernel, in int) *matrix.Program {
	p := new(matrix.Program)
	p.Root = gramCompiler{p}.node(k, nil, in)
	return p
}

// node returns the node of a kernel on R^in behind some linear maps, the first of which comes first.
func (p gramCompiler) node(k Kernel, warps []warp.Warp, in int) matrix.Node {
	if check.IsNil(k) || in == 0 || !check.Own(k) {
		return p.eval(k, warps, in)
	}
	if e, ok := k.(expression); ok && e.head().err != nil {
		return p.eval(k, warps, in)
	}
	parts := func(ks ...Kernel) []matrix.Node {
		nodes := make([]matrix.Node, len(ks))
		for i, k := range ks {
			nodes[i] = p.node(k, warps, in)
		}
		return nodes
	}
	switch k := k.(type) {
	case *sumKernel:
		return matrix.Sum(parts(k.Terms...))
	case *productKernel:
		return matrix.Product(parts(k.Factors...))
	case *scaleKernel:
		return matrix.Scale(k.C, parts(k.K)[0])
	case *composeKernel:
		return matrix.Apply(seriesFunction(k.F), parts(k.K)[0])
	case *weightKernel:
		w := matrix.Weight{Image: p.Image(matrix.Image{Warps: warps}), Weight: k.W.Weight, Weigher: k.W}
		if g, ok := k.W.(WeightGradienter); ok {
			w.Gradient = g.GradientTo
		}
		return p.Weighted(w, 1, parts(k.K)[0])
	case fromMap:
		return p.features(k, warps, in)
	case interface{ linear() *behind }:
		return p.behind(k.linear(), warps, in)
	case interface{ evaluated() Kernel }:
		return parts(k.evaluated())[0]
	case interface{ constant() float64 }:
		return matrix.Constant(k.constant())
	case pairwise:
		if f, ok := k.pairwise(); ok {
			return p.Function(f, warps, in)
		}
	}
	return p.eval(k, warps, in)
}

// eval returns the node of a kernel that is evaluated pair by pair.
func (p gramCompiler) eval(k Kernel, warps []warp.Warp, in int) matrix.Node {
	var pair func(*warp.Pair) float64
	if seesDifference(k, warps) {
		pair = func(images *warp.Pair) float64 { return valueAt(k, images) }
	}
	return p.Evaluate(k, pair, warps, in)
}

// behind returns the node of what is behind a linear map.
func (p gramCompiler) behind(b *behind, warps []warp.Warp, in int) matrix.Node {
	if b.in != 0 && b.in != in || b.warp.Cols != nil && slices.Max(b.warp.Cols) >= in {
		panic(mat.ErrShape)
	}
	return p.node(b.k, append(slices.Clip(warps), b.warp), b.warp.Dim(in))
}

// features returns the node of the inner products of features.
func (p gramCompiler) features(k fromMap, warps []warp.Warp, in int) matrix.Node {
	if check.IsNil(k.M) {
		return p.eval(k, warps, in)
	}
	if d, _ := k.M.Dims(); d != in || d == 0 {
		return p.eval(k, warps, in)
	}
	return p.InnerProducts(k.M, warps)
}
