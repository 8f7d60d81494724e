// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A PlannedChoice is a map that NewPlan chooses from, as a plan of it alone.
type PlannedChoice struct {
	*Plan
	Name string
	MSE  float64 // the mean squared error that the choice is made by
}

// PlannedChoices returns all maps of all candidates for the first term of k, the ones that no limit excludes.
// A Maclaurin map comes with
// each law by the data, or with one in so many if step is more than 1.
func PlannedChoices(k Kernel, in, out int, points mat.Matrix, step int) (all []PlannedChoice) {
	f, err := canonical(k, in)
	if err != nil {
		panic(err)
	}
	s, err := newSample(points, in)
	if err != nil {
		panic(err)
	}
	p := &planner{kernel: k, in: in, sample: s, pairs: max(samplePairs, manyPairs/len(f)), mixed: make(map[int]*plannedTerm)}
	t := p.newTerms(f, false)[0]
	t.find()
	for _, c := range t.found {
		add := func(of choice, law int) {
			r, err := of.make()
			if err != nil {
				panic(err)
			}
			b := block{term: of.side.term, recipe: r, of: t.term, near: of.near, reach: s.reachOf(of.side, r)}
			plan := &Plan{kernel: k, in: in, sample: func() (*sample, error) { return s, nil }, blocks: []block{b}}
			plan.rmse = func() float64 { return math.Sqrt(of.near) }
			one := PlannedChoice{Plan: plan, Name: fmt.Sprintf("%s, %d columns", b.name(), r.shape().columns), MSE: of.near}
			if law >= 0 {
				one.Name += fmt.Sprint(", law ", law)
			}
			all = append(all, one)
		}
		m, ok := c.(*maclaurinCandidate)
		if !ok || points == nil || m.table == nil {
			choices, err := c.choices(out, &limit{near: math.Inf(1), reach: math.Inf(1)})
			if err != nil {
				panic(err)
			}
			for _, of := range choices {
				add(of, optimal)
			}
			continue
		}
		for _, of := range m.allLaws(out, step) {
			add(of.choice, of.law)
		}
	}
	return all
}

// Recipe returns the kind of map and its options.
func (c PlannedChoice) Recipe() string { return c.blocks[0].name() }

type lawChoice struct {
	choice
	law int
}

// allLaws returns the choices of every step-th law by the data.
func (c *maclaurinCandidate) allLaws(out, step int) (all []lawChoice) {
	for from, exact := range c.counts {
		for parts := realDraws; parts <= complexDraws; parts++ {
			draws := (out - exact) / (1 + parts)
			if draws < 1 || from > 0 && exact == c.counts[from-1] {
				continue
			}
			for far := 0; far <= mostFarLaws; far += step {
				law := c.planned(lawKey{parts, from, far})
				if law == nil {
					continue
				}
				for _, sketch := range []Sketch{RademacherSketch, TensorSRHT} {
					o := MaclaurinOptions{Law: law.dataLaw, Complex: parts == complexDraws, Sketch: sketch}
					all = append(all, lawChoice{c.choice(exact+draws*(1+parts), from, draws, parts, law, o), far})
				}
			}
		}
	}
	return all
}

// PlanSides returns for each block of a plan whether it is of points less their mean, and whether it is
// weighted by an exponential.
func PlanSides(p *Plan) (centred, weighted []bool) {
	for _, b := range p.blocks {
		centred = append(centred, b.warp.centre != nil || b.shape().warp.centre != nil)
		weighted = append(weighted, b.weightedByExponential())
	}
	return centred, weighted
}

// PlanPairs returns the pairs of the points that a plan was made for.
func PlanPairs(p *Plan) (pairs [][2][]float64) {
	s, err := p.sample()
	if err != nil {
		panic(err)
	}
	for _, n := range s.numbers(math.MaxInt) {
		pairs = append(pairs, [2][]float64{slices.Clone(s.rows[n[0]]), slices.Clone(s.rows[n[1]])})
	}
	return pairs
}
