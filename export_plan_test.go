// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/plan"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// NearQuantile is what estimates for Sobol frequencies take for quantiles.
var NearQuantile = fourier.NearQuantile

// Moments returns what Variance and Bias return, at once.
func (p *Plan) Moments(x, y []float64) (variance, bias float64) { return p.moments(x, y) }

// Judges returns the norms of the rows that judge maps of points, and for how many rows each stands.
func Judges(points mat.Matrix) (norms, shares []float64) {
	_, in := points.Dims()
	s, err := plan.SampleOf(points, in, seeded)
	if err != nil {
		panic(err)
	}
	j := s.Judges(warp.Warp{}, sample.MostRows)
	for _, row := range j.Rows {
		norms = append(norms, floats.Norm(row.Values, 2))
	}
	return norms, j.Shares
}

// BalancedPairs are the pairs of rows that judge, in steps.
var BalancedPairs = plan.BalancedPairs

// A PlannedChoice is a map that NewPlan chooses from, as a plan of it alone.
type PlannedChoice struct {
	*Plan
	Name string
	MSE  float64 // the mean squared error that the choice is made by
}

// PlannedChoices returns all maps of all candidates for the first term of k: see plan.Choices.
func PlannedChoices(k Kernel, in, out int, points mat.Matrix, step int) (all []PlannedChoice) {
	f, err := canonical(k, in)
	if err != nil {
		panic(err)
	}
	s, err := plan.SampleOf(points, in, seeded)
	if err != nil {
		panic(err)
	}
	choices, err := plan.Choices(k, f, in, out, s, step, seeded)
	if err != nil {
		panic(err)
	}
	for _, c := range choices {
		all = append(all, PlannedChoice{&Plan{engine: *c.Plan}, c.Name, c.MSE})
	}
	return all
}

// Recipe returns the kind of map and its options.
func (c PlannedChoice) Recipe() string { return c.engine.Segments[0].Name() }

// PlanSides returns for each block of a plan whether it is of points less their mean, and whether it is
// weighted by an exponential.
func PlanSides(p *Plan) (centered, weighted []bool) {
	for _, b := range p.engine.Segments {
		centered = append(centered, b.Warp.Center != nil || b.Shape().Warp.Center != nil)
		weighted = append(weighted, b.WeightedByExponential())
	}
	return centered, weighted
}

// PlanPoints returns the points that a plan was made for: rows of those that were given, or points of the sphere.
func PlanPoints(p *Plan) *mat.Dense {
	s, err := p.engine.Sample()
	if err != nil {
		panic(err)
	}
	x := mat.NewDense(len(s.Rows), s.In, nil)
	for i := range len(s.Rows) {
		copy(x.RawRowView(i), sample.Full(make([]float64, s.In), s.Rows[i]))
	}
	return x
}

// PlanMoments calls each with the variance and bias of a plan at some pairs of the rows that it was made for, as
// planning computes them, and with all coordinates of the rows. It tells whether the rows are lists.
func PlanMoments(p *Plan, most int, each func(variance, bias float64, x, y []float64)) (lists bool) {
	s, err := p.engine.Sample()
	if err != nil {
		panic(err)
	}
	at := p.engine.MomentsOver(s)
	for _, n := range s.Numbers(most)[:most] {
		v, b := at(n[0], n[1])
		each(v, b, sample.Full(make([]float64, s.In), s.Rows[n[0]]), sample.Full(make([]float64, s.In), s.Rows[n[1]]))
	}
	return s.Wide
}

// SegmentBiases returns the bias of each segment of p at x and y: their sum is Bias.
func SegmentBiases(p *Plan, x, y []float64) (biases []float64) {
	for _, b := range p.engine.Segments {
		part := plan.Plan{Kernel: p.engine.Kernel, In: p.engine.In, Segments: []plan.Segment{b}}
		_, bias := part.Moments(x, y)
		biases = append(biases, bias)
	}
	return biases
}

// PlanMaxNorm returns the largest norm behind the warp of points that the plan was made for.
func PlanMaxNorm(p *Plan) float64 {
	largest := math.Inf(1)
	for _, b := range p.engine.Segments {
		largest = min(largest, b.MaxNorm)
	}
	return largest
}
