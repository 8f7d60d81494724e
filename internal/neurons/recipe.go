// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package neurons implements the maps of random neurons, for arc-cosine kernels. It is the smallest kind
// of map, and the one to read first: recipe.go, draw.go, variance.go, document.go.
package neurons

import (
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/arccosine"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// OrderOf returns the order of the arc-cosine kernel k if f is scale·k(w(x), w(y)) with the warp w: one term without
// weights.
func OrderOf(f form.Form) (n arccosine.Order, ok bool) {
	neuron, ok := f[0].Base.(form.Neuron)
	return neuron.Order, ok && len(f) == 1 && f[0].Weights == nil
}

// Recipe is a Neurons map for scale·arc(w(x), w(y)), where w is the warp, before its weights are
// sampled.
type Recipe struct {
	recipe.Frame
	arc    arccosine.Order
	scale  float64
	Layout Layout

	shares func() []float64 // see blockShares
}

func New(arc arccosine.Order, scale float64, w warp.Warp, in, out int, orthogonal bool) *Recipe {
	r := &Recipe{Frame: recipe.Frame{In: in, Warp: w, Columns: out}, arc: arc, scale: scale}
	r.Layout = layoutOf(int(arc), r.Dim(), out, orthogonal)
	r.shares = sync.OnceValue(func() []float64 { return blockShares(int(arc), r.Dim()) })
	return r
}

// Layout says what the features of a Neurons map are: see docs/reference/maps.md.
type Layout int

const (
	Normal Layout = iota // one feature for each vector of independent normal weights
	Folded               // exact features for the odd or the even part, and one feature for each direction
	Paired               // two features for each direction u, of u and −u
)

// layoutOf returns the layout of the features. Exact features pay if there are at least a third more
// columns than they take: see docs/theory/variance.md.
func layoutOf(order, d, out int, orthogonal bool) Layout {
	exact := [...]float64{1, float64(d), float64(d) * float64(d+1) / 2}[order]
	switch {
	case !orthogonal:
		return Normal
	case 3*float64(out) > 4*exact:
		return Folded
	}
	return Paired
}

func (r *Recipe) String() string {
	switch r.Layout {
	case Folded:
		return "Neurons, Orthogonal directions and exact features"
	case Paired:
		return "Neurons, Orthogonal directions in pairs"
	}
	return "Neurons"
}

// Exact returns the number of exact columns.
func (r *Recipe) Exact() int {
	if r.Layout != Folded {
		return 0
	}
	d := r.Dim()
	return [...]int{1, d, d * (d + 1) / 2}[r.arc]
}
