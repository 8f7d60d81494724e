// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/maclaurin"
	"github.com/seed-0f95ebc1/featuremap/internal/neurons"
	"github.com/seed-0f95ebc1/featuremap/internal/plan"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// A Plan is a map before its weights are drawn. Print it to see its choice, and Draw it. A plan is immutable, safe for
// concurrent use, and a Variancer. The zero value is no plan: its kernel is nil, its dimensions are 0, its numbers NaN,
// and Draw returns an error.
type Plan struct {
	engine plan.Plan // for the kernel inside a SymLog that is all of it
	scales []float64 // the scales of this SymLog; nil without one
	kernel Kernel    // as it was given, if there is a SymLog
}

var _ Variancer = (*Plan)(nil)

// String returns a table of the terms, with their columns, kind of map, options and predicted errors. The errors are
// over the pairs that the plan was made for, and over each point with its nearest one. Maps that were not chosen
// follow, with their errors.
//
// The error of the whole plan has a standard error, which holds for other rows like those of the plan. String warns if
// a few rows have most of the error: then other rows may have many times more or less, whatever the standard error.
// String also says what part of the error is a bias (see Bias), and warns if no map with this number of features is
// good.
func (p *Plan) String() string {
	if p.scales != nil {
		return fmt.Sprintf("%s\n  of %s", p.engine.Text(), describeLogarithms(p.scales))
	}
	return p.engine.Text()
}

// engineOf returns the internal plan, or nil for a nil Plan.
func (p *Plan) engineOf() *plan.Plan {
	if p == nil {
		return nil
	}
	return &p.engine
}

// planOf returns the plan of a map with one recipe, as the constructors of one kind of map make it.
func planOf(k Kernel, r recipe.Recipe) *Plan {
	return &Plan{engine: *plan.Of(plainKernel(k), r, seeded)}
}

// Dims returns the number of coordinates of a point and the number of features. For Compositional features the latter
// is a maximum, because equal draws are merged.
func (p *Plan) Dims() (in, out int) {
	return p.engine.Dims()
}

// Kernel returns the kernel that the plan was made for.
func (p *Plan) Kernel() Kernel {
	if p.scales != nil {
		return p.kernel
	}
	if p.engine.Kernel == nil {
		return nil
	}
	return p.engine.Kernel
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the randomness of the map: the sum over the terms, which are drawn
// independently. It is NaN if the variance of a term is unknown, as for a BlackBox.
func (p *Plan) Variance(x, y []float64) float64 {
	v, _ := p.moments(x, y)
	return v
}

// Bias returns the mean of ⟨φ(x), φ(y)⟩ − k(x, y) over the randomness of the map. It is 0, except for cut series and
// quadratures: plans for rows may take these (see PlanOptions.Unbiased), and the law of a Maclaurin map may cut its series.
// String says how large the bias is.
func (p *Plan) Bias(x, y []float64) float64 {
	_, b := p.moments(x, y)
	return b
}

// moments returns the variance and the bias.
func (p *Plan) moments(x, y []float64) (variance, bias float64) {
	if p != nil && p.scales != nil {
		x, y = logarithms(x, p.scales), logarithms(y, p.scales)
	}
	return p.engineOf().Moments(x, y)
}

// RMSE returns the predicted root mean square error of ⟨φ(x), φ(y)⟩ over pairs of rows like those of the plan. It is
// NaN if the variance is unknown. String shows its standard error.
//
// All pairs of up to 300 rows choose the map (for Compositional maps about 2,000 of these pairs). A fixed pseudo-random
// rule takes rows from all parts of the matrix, so regular orders of the rows make no difference. The rows of largest
// norm count as well. If there are more than 300 rows, RMSE is the error over up to 300 other rows, with a preference
// for rows that are far out, or over up to 1,200 if fewer cannot tell the error of all rows to 10 %. If several terms
// have a bias, their biases are added as if they were proportional, which is an upper bound. docs/theory/planning.md
// has the rules.
func (p *Plan) RMSE() float64 {
	return p.engine.PredictedError()
}

// Draw returns a map with weights drawn from a Split of s, or of NewSampler(0) if s is nil. Two maps drawn from one
// sampler are independent.
//
// The map is a *Fourier, *Maclaurin, *Neurons or *Compositional if the plan has a single random term, without weight
// and of known variance, and the map is not restricted to points near the rows of the plan (see NewPlan).
//
// Draw returns an error, and leaves s as it was, if s or the plan is the zero value, if the weights do not fit in
// memory, if a weight is not finite, if a degree is too high, or if a BlackBox returns an error.
func (p *Plan) Draw(s *Sampler) (FeatureMap, error) {
	s, err := givenSampler(s)
	if err != nil {
		return nil, err
	}
	if p.engine.Kernel == nil {
		return nil, errors.New("featuremap: the Plan is a zero value, which is no plan")
	}
	before := *s
	m, err := p.build(start{*s.Split(), p.splits()}, math.Inf(1))
	if err != nil {
		*s = before
		return nil, err
	}
	return m, nil
}

// A start is the sampler that a map is drawn from, and the number of successive splits that lead from it to the sampler
// of each random segment.
type start struct {
	sampler Sampler
	splits  int
}

// drawn tells whether there is a sampler. There is not if all weights were given.
func (s *start) drawn() bool { return s.sampler.seeded }

// splits returns the number of splits for a map of Draw. Constructors have 0.
func (p *Plan) splits() int {
	if p.engine.Single() {
		return 1
	}
	return 2
}

// build draws the map, whose weights may take room bytes. If the map has one random segment, and a constructor makes it
// or it has no weights and a known variance, its type is the type of its recipe, such as *Fourier. Otherwise it is a
// sumMap or a variedMap.
func (p *Plan) build(from start, room float64) (FeatureMap, error) {
	if p.scales != nil {
		base, err := (&Plan{engine: p.engine}).build(from, room)
		if err != nil {
			return nil, err
		}
		return p.ofLogarithms(base), nil
	}
	sampler := from.sampler
	next := func() random.Sampler {
		s := &sampler
		for range from.splits {
			s = s.Split()
		}
		return drawing{s}
	}
	where := p.engine.Domain(rowDerivative)
	alone := from.splits == 0 || p.engine.Single() && p.engine.Segments[0].Known() && where == nil
	c, err := p.engine.Compile(next, room)
	if err != nil {
		return nil, err
	}
	made := compiled{plan: p, from: from, stack: c.Stack, ends: c.Ends, where: where}
	if alone && c.Drawn != nil {
		return mapOf(c.Drawn, made), nil
	}
	m := &sumMap{made, c.Columns}
	if c.Known {
		return variedMap{m}, nil
	}
	return m, nil
}

// mapOf returns the map whose kind belongs to what was drawn.
func mapOf(drawn any, c compiled) FeatureMap {
	switch d := drawn.(type) {
	case *maclaurin.Draws:
		return &Maclaurin{c, d}
	case *neurons.Recipe:
		return &Neurons{c, d}
	case *graph.Draws:
		return &Compositional{c, d}
	}
	return &Fourier{c, drawn.(fourier.Waves)}
}

// drawnFromPlan returns the plan that a map of the package was drawn from. It returns an error if m is nil, of another
// package, a DataDependent, a Nystrom, or made by NewFourierFrom. The plan of a map of NewFourier, NewMaclaurin,
// NewNeurons or NewCompositional is for points uniform on the unit sphere.
func drawnFromPlan(m FeatureMap) (*Plan, error) {
	if l, ok := m.(interface{ planned() *Plan }); ok && check.Own(m) {
		return l.planned(), nil
	}
	if c, ok := m.(interface{ common() *compiled }); ok && !check.IsNil(m) && check.Own(m) && c.common().plan != nil && c.common().from.drawn() {
		return c.common().plan, nil
	}
	return nil, fmt.Errorf("featuremap: a %T was drawn from no plan", m)
}
