// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"

	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/neurons"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// Neurons maps: random linear forms and an activation, for arc-cosine kernels.

// NeuronsOptions are the options of NewNeurons; nil is the zero value.
type NeuronsOptions struct {
	// Orthogonal makes the directions of the weights orthogonal in blocks, and with enough features half of the
	// kernel exact: see Neurons. The variance is far lower. Construction takes about d multiply-adds more for each
	// weight.
	Orthogonal bool
}

// String returns the Go expression that makes the options.
func (o NeuronsOptions) String() string { return gosyntax.Of(o) }

// Neurons is a map of random neurons for an arc-cosine kernel of order n, for points of any norm. Without options it is
// a random layer of a network (Cho and Saul 2009, "Kernel methods for deep learning"),
//
//	φ(x) = √(2/D)·(Θ(w₁·x)(w₁·x)ⁿ, …, Θ(w_D·x)(w_D·x)ⁿ),
//
// with standard normal wⱼ and a step, a ReLU or a squared ReLU as activation. With Orthogonal the directions of the
// weights are orthogonal in blocks, and their lengths are equal. Then either the odd or the even part of the kernel has
// exact features, which come first, or neurons come in pairs ±w: see docs/reference/maps.md.
//
// ⟨φ(x), φ(y)⟩ is always an unbiased estimate of the kernel. Variance says how good it is.
//
// The zero value is no map (see FeatureMap): use NewNeurons.
type Neurons struct {
	compiled
	drawn *neurons.Recipe
}

var (
	_ FeatureMap = (*Neurons)(nil)
	_ Variancer  = (*Neurons)(nil)
)

// NewNeurons returns a map R^in → R^out for k, which is an ArcCosine or a Scale, Project, ARD or Select of one. Weights
// are drawn from a Split of s.
//
// It returns an error, and leaves s as it was, if k is nil, of another kind or has a refused parameter, if in or out is
// less than 1, or if the weights do not fit in memory or are not finite.
func NewNeurons(k Kernel, in, out int, s *Sampler, opts *NeuronsOptions) (*Neurons, error) {
	return construct[*Neurons](k, in, out, s, func(f form.Form) (recipe.Recipe, error) {
		arc, ok := neurons.OrderOf(f)
		if !ok {
			return nil, fmt.Errorf("%w: %s is not an ArcCosine", ErrNoMap, gosyntax.Of(k))
		}
		return neurons.New(arc, f[0].Scale, f[0].Warp, in, out, opts != nil && opts.Orthogonal), nil
	})
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the randomness of the map. For independent weights it is exact,
//
//	(2k₂ₙ − kₙ²)/D,
//
// with the arc-cosine kernels k of the orders n and 2n, and D = out. For orthogonal directions the covariance of two
// directions of a block is added, a series over spherical harmonics that is summed to about 1e-5. It is negative for
// most angles, and removes most of the variance for n = 1. docs/theory/variance.md has the formulas.
func (m *Neurons) Variance(x, y []float64) float64 {
	return m.drawnPlan().Variance(x, y)
}
