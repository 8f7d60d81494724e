// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/graph"
)

// Compositional maps: features of skeletons, for any kernel that the algebra makes.

// Compositional is the map of random features of a skeleton (Daniely, Frostig, Gupta and Singer 2017, "Random features
// for compositional kernels", Algorithm 1). Each random feature ψ is a product of base features. It starts at the
// output: a unit with the series Σ aₙtⁿ draws a degree n, and n of its children independently; a product takes all of
// its children; an input takes a random feature of its base. Features ψ₁, …, ψ_q give the columns Re ψⱼ/√q and Im
// ψⱼ/√q, and ⟨φ(x), φ(y)⟩ is an unbiased estimate of the skeleton's kernel.
//
// Equal ψⱼ, of which there are often many, are merged into one of weight √(count/q). So the number of columns is random
// (see Dims). Each column reads a handful of coordinates (see Support). docs/reference/maps.md has the order of the
// columns, the probabilities, and what counts as equal.
//
// The zero value is no map (see FeatureMap): use NewCompositional.
type Compositional struct {
	compiled
	drawn *graph.Draws
}

var (
	_ FeatureMap = (*Compositional)(nil)
	_ Variancer  = (*Compositional)(nil)
)

// NewCompositional returns a map from the points of a skeleton. It draws the given number of random features from a
// Split of s, with at most two columns for each. For bases of few columns the time is proportional to draws times
// Complexity.
//
// It returns an error, and leaves s as it was, if sk is nil or has an error (see Skeleton), or if draws is less than 1
// or above 2³⁰ − 1. For each unit, f(c) and f′(c) must be finite at the mean c of its children's masses, and its
// expected degree at most 2¹⁴. (f′ of StepDual is infinite at 1: it gives a kernel, but no random features of finite
// expected cost.) Complexity must be at most 2¹⁴. NewCompositional also returns an error if a BlackBox returns one, if
// a drawn frequency or form is not finite, or if the features do not fit in memory.
func NewCompositional(sk *Skeleton, draws int, s *Sampler) (*Compositional, error) {
	if sk == nil {
		return nil, errors.New("featuremap: skeleton sk = nil")
	}
	s, err := givenSampler(s)
	if err != nil {
		return nil, err
	}
	g, err := sk.graph()
	if err != nil {
		return nil, err
	}
	r, err := graph.New(g, draws, 2*draws, false)
	if err != nil {
		return nil, err
	}
	return drawnFrom[*Compositional](planOf(skeletonKernel{graph.Kernel{Graph: g}, slices.Clip(sk.steps)}, r), s)
}

// Draws returns the number of random features that were drawn, before equal ones were merged.
func (m *Compositional) Draws() int {
	if m.plan == nil {
		return 0
	}
	return m.drawn.Number()
}

// Distinct returns the number of different features among the draws.
func (m *Compositional) Distinct() int {
	if m.plan == nil {
		return 0
	}
	return m.drawn.Distinct()
}

// Count returns the number of draws that were merged into output column i.
func (m *Compositional) Count(i int) int {
	if m.plan == nil {
		panic(mat.ErrColAccess)
	}
	return m.drawn.Count(i)
}

// Support returns the coordinates that output column i reads, in ascending order.
func (m *Compositional) Support(i int) []int {
	if m.plan == nil {
		panic(mat.ErrColAccess)
	}
	return m.drawn.Support(i)
}

// Validate returns an error that names the row and column of the first element of x off its base space: see
// Skeleton.Validate. Features of such points follow the formula, except that powers equal to 1 on the base space are
// left out. They estimate nothing.
func (m *Compositional) Validate(x mat.Matrix) error {
	if err := validateMap("map m", m); err != nil {
		return err
	}
	return m.drawn.Validate(x)
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the randomness of the map, for points on the base spaces. It is
// exact; merging does not change it. With k = k(x, y) and q draws it is [½(M + M′) − k²]/q, where M = E|ψ(x)|²|ψ(y)|²
// and M′ = E(ψ(x)·conj ψ(y))² are moments of a draw, computed from the inputs up.
//
// It is +Inf where a moment is outside the radius of convergence of a series, and NaN if there is a BlackBox, whose
// moments are unknown, or a NaN in a point. Where the terms cancel, the absolute error is about 1e-15·M.
// docs/theory/variance.md has the recurrence.
func (m *Compositional) Variance(x, y []float64) float64 {
	return m.drawnPlan().Variance(x, y)
}
