// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// compiled is embedded by every map of the package: the plan it was drawn from, and its transform.
type compiled struct {
	plan  *Plan
	from  start
	stack *projection.Stack
}

// Dims returns the numbers of coordinates in and features out.
func (m *compiled) Dims() (in, out int) {
	if m.plan == nil {
		return 0, 0 // a zero value
	}
	return m.plan.in, m.stack.Out()
}

// Kernel returns the kernel the map was made for.
func (m *compiled) Kernel() Kernel { return m.plan.kernel }

// TransformTo sets row i of dst to the features of row i of x, n×in with n ≥ 1: see FeatureMap.
func (m *compiled) TransformTo(dst *mat.Dense, x mat.Matrix) {
	in, out := m.Dims()
	prepareTransform(dst, x, in, out)
	m.stack.Transform(dst, x)
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *compiled) TransformVec(dst, x []float64) []float64 {
	in, out := m.Dims()
	dst = prepareVec(dst, x, in, out)
	m.stack.TransformVec(dst, x)
	return dst
}

// String returns the kernel, the dimensions and options of the map, and the columns of each term.
func (m *compiled) String() string {
	if m.plan == nil {
		return "a zero value, which is no map"
	}
	return m.plan.describe([]int{m.stack.Out()})
}

func (m *compiled) common() *compiled { return m }

// construct draws the map of the recipe that of returns for the canonical form of k, from a Split of s.
func construct[M FeatureMap](k Kernel, in, out int, s *Sampler, of func(f form) (recipe, error)) (m M, err error) {
	if err := validateSampler(s); err != nil {
		return m, err
	}
	f, err := validateArguments(k, in, out)
	if err != nil {
		return m, err
	}
	r, err := of(f)
	if err != nil {
		return m, err
	}
	return drawnFrom[M](recipePlan(k, r), s)
}

// drawnFrom returns the map of a plan with one recipe, drawn from a Split of s.
func drawnFrom[M FeatureMap](p *Plan, s *Sampler) (m M, err error) {
	before := *s
	if m, err = builtFrom[M](p, start{sampler: *s.Split()}); err != nil {
		*s = before
	}
	return m, err
}

// builtFrom returns the map of a plan with one recipe.
func builtFrom[M FeatureMap](p *Plan, from start) (m M, err error) {
	of, err := p.build(from, nil)
	if err != nil {
		return m, err
	}
	return of.(M), nil
}

// validateArguments checks the arguments that all constructors share, and returns the form of k.
func validateArguments(k Kernel, in, out int) (form, error) {
	switch {
	case isNil(k):
		return nil, errors.New("featuremap: kernel k = nil")
	case in < 1:
		return nil, fmt.Errorf("featuremap: in = %d: must be at least 1", in)
	case out < 1:
		return nil, fmt.Errorf("featuremap: out = %d: must be at least 1", out)
	}
	b := builder{in: in, out: out}
	if err := b.reserve(8 * (float64(in) + float64(out))); err != nil {
		return nil, err
	}
	return canonical(k, in)
}

// A sumMap is the map of a sum of kernels: the features of each term side by side.
type sumMap struct {
	compiled
	blocks []drawnBlock
}

// A variedMap is a sumMap whose variance is known.
type variedMap struct{ *sumMap }

// A drawnBlock is the drawn features of a term.
type drawnBlock struct {
	block
	columns int
	drawn   drawing // nil if the features are exact
}

// Variance returns the sum of the variances of the terms, which are drawn independently.
func (m variedMap) Variance(x, y []float64) float64 { return m.plan.Variance(x, y) }

// String returns the kernel, the dimensions, and the columns of each term.
func (m *sumMap) String() string {
	columns := make([]int, len(m.blocks))
	for i, b := range m.blocks {
		columns[i] = b.columns
	}
	return m.plan.describe(columns)
}

// evidence adds up those of the independent terms; degrees of freedom by Satterthwaite (1946).
func (m *sumMap) evidence(fx, fy, x, y []float64) (evidence, error) {
	var sum evidence
	var variances []evidence
	for _, b := range m.blocks {
		fb, gb := fx[:b.columns], fy[:b.columns]
		fx, fy = fx[b.columns:], fy[b.columns:]
		if b.drawn == nil {
			sum.mean += inner(fb, gb)
			continue
		}
		// e.mean includes the weights, except in the bias that was subtracted.
		w := b.weight(x) * b.weight(y)
		e, err := b.drawn.evidence(fb, gb, x, y)
		if err != nil {
			return evidence{}, err
		}
		if _, bias := moments(b.recipe, x, y); bias != 0 {
			e.mean += bias - w*bias
		}
		sum.mean += e.mean
		sum.variance += e.variance
		variances = append(variances, e)
	}
	var squares float64
	for _, e := range variances {
		squares += square(e.variance/sum.variance) / float64(e.freedom)
	}
	sum.freedom = 1
	if squares > 0 {
		sum.freedom = max(int(1/squares), 1)
	}
	return sum, nil
}
