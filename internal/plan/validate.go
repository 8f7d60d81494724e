// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/graph"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// validate refuses a plan for given points if a value of the kernel of a random segment is not finite on them, because
// its features would not be finite either. It also refuses a predicted error that is known and not finite. A segment
// that may diverge may have an infinite variance, and k(x, x) need not be finite: only values at different rows are
// checked.
func (p *planner) validate(plan *Plan) error {
	if p.sample.Center == nil {
		return nil
	}
	overflow, known, values := true, true, 0.0
	outer := slices.Concat(p.sample.Long, p.sample.Distant)
	x, y := make([]float64, p.in), make([]float64, p.in)
	for _, b := range plan.Segments {
		known = known && b.Known()
		if b.Recipe.Exact() == b.Shape().Columns {
			if err := p.validateExact(b, outer); err != nil {
				return err
			}
			continue
		}
		if !b.Known() {
			continue
		}
		apart := 0
		if termMayDiverge(b.Given) {
			overflow, apart = false, 1
		}
		k := b.Given.Expr()
		for i := range len(outer) - apart {
			v := k.Eval(sample.Full(x, outer[i]), sample.Full(y, outer[i+apart]))
			values += math.Abs(v) / float64(len(outer)*len(plan.Segments))
		}
	}
	switch rmse := plan.PredictedError(); {
	case !arith.Finite(values):
		return fmt.Errorf("featuremap: x: values of %s are not finite on the points; %s", gosyntax.Of(p.kernel), sampleAdvice(p.sample))
	case known && overflow && !arith.Finite(rmse):
		return fmt.Errorf("featuremap: x: the predicted error for %s is %v, since values, weights or variances overflow; %s", gosyntax.Of(p.kernel), rmse, sampleAdvice(p.sample))
	}
	return nil
}

// validateExact refuses exact features that are not finite at rows. It computes them only at rows x for which k(x, x),
// the square of their norm, is not finite.
func (p *planner) validateExact(b Segment, outer []rows.List) error {
	var m *projection.Stack
	k, row := b.Given.Expr(), make([]float64, p.in)
	for _, l := range outer {
		x := sample.Full(row, l)
		if arith.Finite(k.Eval(x, x)) {
			continue
		}
		if m == nil {
			c, err := (&Plan{Kernel: p.kernel, In: p.in, Segments: []Segment{b}}).Compile(nil, math.Inf(1))
			if err != nil {
				return err
			}
			m = c.Stack
		}
		features := make([]float64, m.Out())
		m.TransformVec(features, x)
		for _, v := range features {
			if !arith.Finite(v) {
				return fmt.Errorf("featuremap: x: exact features of %s are not finite on the points; %s", gosyntax.Of(p.kernel), sampleAdvice(p.sample))
			}
		}
	}
	return nil
}

// termMayDiverge tells whether a term has a series of a finite radius of convergence, or may have.
func termMayDiverge(t form.Term) bool {
	switch b := t.Base.(type) {
	case form.Dot:
		return !math.IsInf(b.F.Radius(), 1)
	case form.Product:
		return slices.ContainsFunc(b.Factors, mayDiverge)
	case form.Composed:
		return !math.IsInf(b.F.Radius(), 1) || mayDiverge(b.K)
	case graph.Kernel:
		return true
	}
	return false
}

func mayDiverge(f form.Form) bool { return slices.ContainsFunc(f, termMayDiverge) }
