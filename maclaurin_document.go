// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"math"
	"slices"
)

// A maclaurinDocument is a maclaurinRecipe as it is saved.
type maclaurinDocument struct {
	Law           DegreeLaw `save:"law,omitempty"`
	Sketch        string    `save:"sketch,omitempty"`
	ExactDegrees  int       `save:"exactDegrees,omitempty"` // how many of the lowest degrees are exact: 2 with ExactLow
	Complex       bool      `save:"complex,omitempty"`
	SumOfProducts bool      `save:"sumOfProducts,omitempty"`
}

func (r *maclaurinRecipe) document() any {
	d := maclaurinDocument{Sketch: r.opts.Sketch.String(), ExactDegrees: len(r.low.a), Complex: r.opts.Complex}
	if d.SumOfProducts = r.terms != nil; !d.SumOfProducts {
		d.Law = r.law
	}
	return d
}

func (d maclaurinDocument) recipe(asked request) (recipe, error) {
	f, w, ok := asked.series()
	if !ok {
		return nil, nil
	}
	sketch, err := option[Sketch](d.Sketch, "sketch", RademacherSketch, GaussianSketch, TensorSRHT)
	if err != nil {
		return nil, err
	}
	if d.ExactDegrees < 0 {
		return nil, under("exactDegrees", refused("exactDegrees = %d: must be at least 0", d.ExactDegrees))
	}
	if err := asked.take(0, d.steps(f, asked.columns)); err != nil {
		return nil, err
	}
	r, err := newMaclaurinFrom(f, w, asked.in, asked.columns, d.ExactDegrees, MaclaurinOptions{
		Law: d.Law, Sketch: sketch, Complex: d.Complex, SumOfProducts: d.SumOfProducts,
	})
	if err != nil {
		return nil, err
	}
	return r, asked.take(r.low.spare())
}

// steps returns about how many steps newMaclaurinFrom takes: see tableSteps.
func (d maclaurinDocument) steps(f Series, out int) float64 {
	const evaluation, pair = 64, 16                 // of a leaf; of blockPairs
	from := min(d.ExactDegrees, highestDegree(f)+1) // beyond, it is refused
	steps := exactSteps(f, from+lawGap)
	if d.SumOfProducts {
		degree, _ := degreeOf(f)
		return steps + tableSteps(f, min(degree, maxFactors))
	}
	if steps > maxCost { // which is too much for a look at the coefficients
		return steps
	}
	steps += 4*evaluation*profileOf(f).radius + 32*profileOf(f).evaluationSteps()
	l := lawOf(d.Law)
	t, ok := l.(TruncatedLaw)
	if ok && t.nested(mostLaws) {
		return steps // it is refused
	}
	if ok && t.Degrees == nil && t.Error != 0 {
		l, steps = TruncatedLaw{Law: t.Law, Degree: t.mostDegree(f)}, steps+2*tableSteps(f, t.mostDegree(f))
	}
	last := lastOfLaw(l, f, from)
	steps += 2 * tableSteps(f, last)
	if d.Sketch == TensorSRHT.String() { // blockPairs sums over 24 standard deviations of the draws of each degree, and 100
		n := float64(last - from + lawGap)
		steps += pair * (24*math.Sqrt(float64(out)*n) + 100*n)
	}
	return steps
}

// mostDegree returns a degree at which highest stops looking for an Error.
func (l TruncatedLaw) mostDegree(f Series) int {
	square := float64(l.Norm * l.Norm)
	if most := errorDegrees(f); !(l.Error > 1e-12*f.Eval(square)) { // it may be less than the rounding of the sum
		return most
	} else {
		return min(most, degreeBelow(f, square, math.Log(l.Error)))
	}
}

// lawGap is how far newDegrees looks at least.
const lawGap = 64

// lastOfLaw returns a degree at which newDegrees stops, for the degrees from one on.
func lastOfLaw(l law, f Series, from int) int {
	const empty = 1 << 12 // where newDegrees stops looking for the first degree
	gaps, most := gapsIn(l, f), highestDegree(f)
	if gaps > most {
		return from // it refuses this before
	}
	if degree, ok := degreeOf(f); ok {
		most = min(most, degree)
	}
	most = max(most, gaps) + lawGap
	n := most
	a := coefficients(f, from+lawGap)
	first := slices.IndexFunc(a[from:], func(v float64) bool { return v > 0 }) + from
	if t, ok := l.(TruncatedLaw); ok {
		switch inner := lawOf(t.Law); {
		case t.Degrees != nil:
			return min(most, max(gaps, empty)+lawGap)
		case first < from || first > t.Degree:
			return min(most, max(t.Degree, empty)+lawGap)
		default:
			return min(max(t.Degree, gaps)+lawGap, lastOfLaw(inner, f, from))
		}
	}
	if first < from {
		return most
	}
	below := func(root, share float64) int { // share of the first degree's term, over that of others
		return degreeBelow(f, root, math.Log(a[first])+float64(first)*math.Log(root)+math.Log(share)-61*math.Ln2)
	}
	switch l := l.(type) {
	case GeometricLaw:
		if p := l.p(); p > 1 {
			n = first + int(min((61*math.Ln2-math.Log(1-1/p))/math.Log(p), maxDegree))
		}
	case OptimalLaw:
		n = below(l.root(), 1)
	case dataLaw:
		n = max(below(l.Root, l.factor(first)/l.Factors[len(l.Factors)-1]), len(l.Factors))
	}
	return min(most, max(n, gaps, from)+lawGap)
}

// work returns about how many multiply-adds a transform takes for a point.
func (r *maclaurinRecipe) work() float64 {
	if r.terms == nil {
		return r.frame.work()
	}
	return float64(r.draws()) * sumFactors(r.terms) * float64(r.in)
}
