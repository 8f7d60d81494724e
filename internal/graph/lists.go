// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// pairMoments returns the kernel of a scheme and its moments (see scheme) at two points that are lists. It takes time
// proportional to the number of entries, if the scheme allows it.
type pairMoments func(p *sample.Pair) (k, abs, sq float64)

// listMoments returns the pairMoments of each input of the graph, and nil for other nodes.
func (p *Graph) listMoments() []pairMoments {
	all := make([]pairMoments, len(p.Nodes))
	for i, n := range p.Nodes {
		if n.Base == nil {
			continue
		}
		if all[i] = listMomentsOf(n.Base, len(n.Cols)); len(n.Cols) < p.In || !slices.IsSorted(n.Cols) {
			all[i] = all[i].behind(warp.Warp{Cols: n.Cols})
		}
	}
	return all
}

// behind returns the moments at the images of points under a warp.
func (f pairMoments) behind(w warp.Warp) pairMoments {
	if w.Identity() {
		return f
	}
	lists := sample.NewListWarp(w)
	return func(p *sample.Pair) (k, abs, sq float64) {
		behind := sample.NewPair(sample.NewPoint(lists.Image(p.A.List), nil), sample.NewPoint(lists.Image(p.B.List), nil), p.Memory)
		return f(&behind)
	}
}

// listMomentsOf returns the pairMoments of a scheme on R^d.
func listMomentsOf(s scheme, d int) pairMoments {
	switch s := s.(type) {
	case scaledScheme:
		unscaled := listMomentsOf(s.scheme, d)
		return func(p *sample.Pair) (k, abs, sq float64) {
			k, abs, sq = unscaled(p)
			return s.c * k, abs, sq
		}
	case stationaryScheme:
		at, m := expr.AtDifferences(s.Kernel, d), s.mass()
		return func(p *sample.Pair) (k, abs, sq float64) {
			delta := p.Difference()
			if k = at(delta); m == 0 {
				return k, 1, 1
			}
			floats.Scale(2, delta.Values)
			return k, 1, at(delta) / m
		}
	case *dotScheme:
		return pairMoments(func(p *sample.Pair) (k, abs, sq float64) {
			abs, sq = s.momentsOf(p.T, p.A.Square*p.B.Square, p.S)
			return s.Scale * s.f.Eval(p.T), abs, sq
		}).behind(s.Warp)
	case *functionScheme:
		if n, ok := s.Base.(form.Neuron); ok {
			return pairMoments(func(p *sample.Pair) (k, abs, sq float64) {
				x, y, _ := p.Coordinates()
				m := s.moment(x, y) / (s.size * s.size)
				return n.Order.Eval(x, y), m, m
			}).behind(s.Warp)
		}
	}
	return func(p *sample.Pair) (k, abs, sq float64) {
		x, y := sample.Full(make([]float64, d), p.A.List), sample.Full(make([]float64, d), p.B.List)
		abs, sq = s.moments(x, y)
		return s.Eval(x, y), abs, sq
	}
}
