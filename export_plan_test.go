// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
)

// NearQuantile is what estimates for Sobol frequencies take for quantiles.
var NearQuantile = fourier.NearQuantile

// Judges returns the norms of the rows that judge maps of points, and for how many rows each stands.
func Judges(points mat.Matrix) (norms, shares []float64) {
	_, in := points.Dims()
	s, err := sampleOf(points, in)
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
var BalancedPairs = balancedPairs

// A PlannedChoice is a map that NewPlan chooses from, as a plan of it alone.
type PlannedChoice struct {
	*Plan
	Name string
	MSE  float64 // the mean squared error that the choice is made by
}

// PlannedChoices returns all maps of all candidates for the first term of k, those included that are too bad far out. A
// Maclaurin map by the data comes once with each law, or with one law in step.
func PlannedChoices(k Kernel, in, out int, points mat.Matrix, step int) (all []PlannedChoice) {
	f, err := canonical(k, in)
	if err != nil {
		panic(err)
	}
	s, err := sampleOf(points, in)
	if err != nil {
		panic(err)
	}
	t := newPlanner(k, f, in, s).newTerms(f, false)[0]
	t.find()
	add := func(from candidate, law string) {
		choices, err := from.choices(out, newLimit())
		if err != nil {
			panic(err)
		}
		for _, c := range choices {
			all = append(all, t.plannedChoice(k, c, law))
		}
	}
	for _, c := range t.found {
		m, ok := c.(*maclaurinCandidate)
		if !ok || points == nil || m.table == nil {
			add(c, "")
			continue
		}
		for weight := 0; weight <= mostFarLaws; weight += step {
			add(m.withFarWeight(weight), fmt.Sprint(", law ", weight))
		}
	}
	return all
}

// plannedChoice returns a choice of a term of k as a plan of its own.
func (t *plannedTerm) plannedChoice(k Kernel, c choice, law string) PlannedChoice {
	r, err := c.make()
	if err != nil {
		panic(err)
	}
	s := segment{Term: c.side.Term, Recipe: r, given: t.Term, squaredError: c.squaredError, maxNorm: maxNormOf(t.sample, c.side, r)}
	p := &Plan{kernel: k, in: t.in, sample: func() (*sample.Sample, error) { return t.sample, nil }, segments: []segment{s}}
	p.rmse = func() float64 { return math.Sqrt(c.squaredError) }
	return PlannedChoice{Plan: p, Name: fmt.Sprintf("%s, %d columns%s", s.name(), r.Shape().Columns, law), MSE: c.squaredError}
}

// Recipe returns the kind of map and its options.
func (c PlannedChoice) Recipe() string { return c.segments[0].name() }

// withFarWeight returns a candidate whose laws all give points far out one weight, by its number, where the planner chooses the
// weight by a limit.
func (c *maclaurinCandidate) withFarWeight(weight int) *maclaurinCandidate {
	one := *c
	one.laws = make(map[lawKey]*plannedLaw)
	for parts := realDraws; parts <= complexDraws; parts++ {
		for from := range c.counts {
			law := c.planned(lawKey{parts, degreeBand{from, noEnd}, weight})
			for key := noFarWeight; key <= mostFarLaws; key++ {
				one.laws[lawKey{parts, degreeBand{from, noEnd}, key}] = law
			}
		}
	}
	return &one
}

// PlanSides returns for each block of a plan whether it is of points less their mean, and whether it is
// weighted by an exponential.
func PlanSides(p *Plan) (centred, weighted []bool) {
	for _, b := range p.segments {
		centred = append(centred, b.Warp.Centre != nil || b.Shape().Warp.Centre != nil)
		weighted = append(weighted, b.weightedByExponential())
	}
	return centred, weighted
}

// PlanPoints returns the points that a plan was made for: rows of those that were given, or points of the sphere.
func PlanPoints(p *Plan) *mat.Dense {
	s, err := p.sample()
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
	s, err := p.sample()
	if err != nil {
		panic(err)
	}
	at := p.momentsOver(s)
	for _, n := range s.Numbers(most)[:most] {
		v, b := at(n[0], n[1])
		each(v, b, sample.Full(make([]float64, s.In), s.Rows[n[0]]), sample.Full(make([]float64, s.In), s.Rows[n[1]]))
	}
	return s.Wide
}

// SegmentBiases returns the bias of each segment of p at x and y: their sum is Bias.
func SegmentBiases(p *Plan, x, y []float64) (biases []float64) {
	for _, b := range p.segments {
		part := Plan{kernel: p.kernel, in: p.in, segments: []segment{b}}
		_, bias := part.moments(x, y)
		biases = append(biases, bias)
	}
	return biases
}

// PlanMaxNorm returns the largest norm behind the warp of points that the plan was made for.
func PlanMaxNorm(p *Plan) float64 {
	largest := math.Inf(1)
	for _, b := range p.segments {
		largest = min(largest, b.maxNorm)
	}
	return largest
}
