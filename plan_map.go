// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/plan"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// compiled is embedded by every map that has a plan: the plan, what it was drawn from, and its transform.
type compiled struct {
	noJSON
	plan  *Plan
	from  start
	stack *projection.Stack
	ends  []int        // of the parts of each segment in the stack
	where *plan.Domain // nil: everywhere
}

// Dims returns the numbers of coordinates in and features out.
func (m *compiled) Dims() (in, out int) {
	if m.plan == nil {
		return 0, 0 // a zero value
	}
	return m.plan.engine.In, m.stack.Out()
}

// Kernel returns the kernel that the map was made for; nil for a zero value.
func (m *compiled) Kernel() Kernel {
	if m.plan == nil {
		return nil
	}
	return m.plan.Kernel()
}

// drawnPlan returns the plan of the map. A zero value, which takes no points, panics with mat.ErrShape.
func (m *compiled) drawnPlan() *Plan {
	if m.plan == nil {
		panic(mat.ErrShape)
	}
	return m.plan
}

// TransformTo sets row i of dst to the features of row i of x, n×in with n ≥ 1: see FeatureMap.
func (m *compiled) TransformTo(dst *mat.Dense, x mat.Matrix) {
	check.Transform(dst, x, m.drawnPlan().engine.In, m.stack.Out())
	m.stack.Transform(dst, x)
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *compiled) TransformVec(dst, x []float64) []float64 {
	dst = check.Vector(dst, x, m.drawnPlan().engine.In, m.stack.Out())
	m.stack.TransformVec(dst, x)
	return dst
}

// String returns the kernel, the dimensions and options of the map, and the columns of each term.
func (m *compiled) String() string {
	if m.plan == nil {
		return zeroMap
	}
	return m.plan.engine.Describe([]int{m.stack.Out()})
}

func (m *compiled) common() *compiled { return m }

// derivative returns the derivative of the map: see Derivative. An error names the first segment without one.
func (m *compiled) derivative() (Differentiable, error) {
	back, part := m.stack.Pullback()
	if back != nil {
		in, out := m.Dims()
		return &pullback{in, out, back}, nil
	}
	b := m.segmentOf(part)
	return nil, b.Underivable(m.plan.engine.Kernel, slices.Contains(m.ends, part+1))
}

// segmentOf returns the segment that a part of the stack belongs to.
func (m *compiled) segmentOf(part int) *plan.Segment {
	at := 0
	for m.ends[at] <= part {
		at++
	}
	return &m.plan.engine.Segments[at]
}

// construct checks the arguments of a constructor and draws the map, from a Split of s. recipeOf returns its recipe for
// the canonical form of k.
func construct[M FeatureMap](k Kernel, in, out int, s *Sampler, recipeOf func(f form.Form) (recipe.Recipe, error)) (m M, err error) {
	k = plainKernel(k)
	if s, err = givenSampler(s); err != nil {
		return m, err
	}
	f, err := validateArguments(k, in, out)
	if err != nil {
		return m, err
	}
	r, err := recipeOf(f)
	if err != nil {
		return m, err
	}
	return drawnFrom[M](planOf(k, r), s)
}

// drawnFrom returns the map of a plan with one recipe, drawn from a Split of s. On an error it leaves s as it was.
func drawnFrom[M FeatureMap](p *Plan, s *Sampler) (m M, err error) {
	before := *s
	if m, err = builtFrom[M](p, start{sampler: *s.Split()}); err != nil {
		*s = before
	}
	return m, err
}

// builtFrom returns the map of a plan with one recipe, drawn from a start.
func builtFrom[M FeatureMap](p *Plan, from start) (m M, err error) {
	built, err := p.build(from, math.Inf(1))
	if err != nil {
		return m, err
	}
	return built.(M), nil
}

// validateArguments checks the arguments that all constructors share, and returns the form of k.
func validateArguments(k Kernel, in, out int) (form.Form, error) {
	if err := validateSizes(k, in, out); err != nil {
		return nil, err
	}
	return canonical(k, in)
}

// validateSizes checks that there is a kernel, and the numbers of coordinates and features.
func validateSizes(k Kernel, in, out int) error {
	switch {
	case check.IsNil(plainKernel(k)):
		return errors.New("featuremap: kernel k = nil")
	case in < 1:
		return fmt.Errorf("featuremap: in = %d: must be at least 1", in)
	case out < 1:
		return fmt.Errorf("featuremap: out = %d: must be at least 1", out)
	}
	b := recipe.NewBuilder(in, out, math.Inf(1))
	return b.Reserve(8 * (float64(in) + float64(out)))
}

// A sumMap is the map of a sum of kernels: the features of each term side by side.
type sumMap struct {
	compiled
	columns []int // of each segment, which may have fewer than its shape allows
}

// A variedMap is a sumMap whose variance is known.
type variedMap struct{ *sumMap }

// Variance returns the sum of the variances of the terms, which are drawn independently.
func (m variedMap) Variance(x, y []float64) float64 { return m.plan.Variance(x, y) }

// Bias returns the sum of the biases of the terms: see Plan.Bias.
func (m variedMap) Bias(x, y []float64) float64 { return m.plan.Bias(x, y) }

// String returns the kernel, the dimensions, and the columns of each term.
func (m *sumMap) String() string { return m.plan.engine.Describe(m.columns) }

// Domain returns the domain of the map, for package ridge: a linear.Domain.
func (m *sumMap) Domain() any { return mapDomain{m.where} }

// A mapDomain is a domain as package ridge sees it.
type mapDomain struct{ *plan.Domain }

// Lost returns the terms of the kernel that lose something somewhere, as kernels, and for each the root of the lost
// part.
func (d mapDomain) Lost() (terms []Kernel, roots []WeightGradienter) {
	below, lost := d.Domain.Lost()
	for i, k := range below {
		terms, roots = append(terms, kernelFrom(k)), append(roots, lost[i])
	}
	return terms, roots
}
