// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import "slices"

// A listMoments returns the kernel of a scheme and its moments (see scheme) at a pair of points that are lists of
// non-zeros: in a time proportional to the number of entries, if the scheme allows that.
type listMoments func(xy *pair) (k, abs, sq float64)

// listMoments returns the listMoments of each input of the graph, and nil for other nodes.
func (p *graph) listMoments() []listMoments {
	all := make([]listMoments, len(p.nodes))
	for i, n := range p.nodes {
		if n.base == nil {
			continue
		}
		moments := listMomentsOf(n.base, len(n.cols))
		if all[i] = moments; len(n.cols) < p.in || !slices.IsSorted(n.cols) {
			w := newListWarp(warp{cols: n.cols}, p.in)
			all[i] = func(pair *pair) (k, abs, sq float64) {
				image := w.pair(pair)
				return moments(&image)
			}
		}
	}
	return all
}

// listMomentsOf returns the listMoments of a scheme on R^d.
func listMomentsOf(s scheme, d int) listMoments {
	switch s := s.(type) {
	case scaledScheme:
		unscaled := listMomentsOf(s.scheme, d)
		return func(p *pair) (k, abs, sq float64) {
			k, abs, sq = unscaled(p)
			return s.c * k, abs, sq
		}
	case stationaryScheme:
		at, m := atLists(s.Kernel, d), s.mass()
		return func(p *pair) (k, abs, sq float64) {
			if k = at(p.listDifference(1)); m == 0 {
				return k, 1, 1
			}
			return k, 1, at(p.listDifference(2)) / m
		}
	case *dotScheme:
		w := newListWarp(s.warp, d)
		return func(p *pair) (k, abs, sq float64) {
			behind := w.pair(p)
			abs, sq = s.momentsOf(behind.t, behind.a.square*behind.b.square, behind.s)
			return s.scale * s.f.Eval(behind.t), abs, sq
		}
	case *functionScheme:
		if _, ok := s.base.(neuron); ok {
			w := newListWarp(s.warp, d)
			unwarped := *s
			unwarped.warp = warp{}
			unwarped.Kernel = unwarped.term.kernel()
			return func(p *pair) (k, abs, sq float64) {
				behind := w.pair(p)
				x, y := behind.unequal()
				abs, sq = unwarped.moments(x, y)
				return unwarped.Eval(x, y), abs, sq
			}
		}
	}
	return func(p *pair) (k, abs, sq float64) {
		x, y := p.dense()
		abs, sq = s.moments(x, y)
		return s.Eval(x, y), abs, sq
	}
}
