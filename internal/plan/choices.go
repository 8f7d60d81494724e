// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package plan

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// ChosenMap is one of the maps that a planner chooses from, as a plan with only this map.
type ChosenMap struct {
	Plan *Plan
	Name string
	MSE  float64 // the mean squared error by which it is chosen
}

// Choices returns all maps of all candidates for the first term of a kernel k of form f, including those that are too
// bad at far points. Tests compare predictions for each. A Maclaurin map by the data comes once with each law, or with
// one law in step.
func Choices(k expr.Kernel, f form.Form, in, out int, s *sample.Sample, step int, seeded random.New) (all []ChosenMap, err error) {
	t := newPlanner(k, f, in, s, seeded).newTerms(f, false)[0]
	t.find()
	add := func(from candidate, law string) error {
		choices, err := from.choices(out, newLimit())
		for _, c := range choices {
			r, refused := c.make()
			if refused != nil {
				return refused
			}
			all = append(all, t.chosen(k, c, r, law))
		}
		return err
	}
	for _, c := range t.found {
		m, ok := c.(*maclaurinCandidate)
		if !ok || s.Center == nil || m.table == nil {
			if err := add(c, ""); err != nil {
				return nil, err
			}
			continue
		}
		for weight := 0; weight <= mostFarLaws; weight += step {
			if err := add(m.withFarWeight(weight), fmt.Sprint(", law ", weight)); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// chosen returns a choice for a term of k, with its recipe, as a separate plan.
func (t *plannedTerm) chosen(k expr.Kernel, c choice, r recipe.Recipe, law string) ChosenMap {
	s := Segment{Term: c.side.Term, Recipe: r, Given: t.Term, SquaredError: c.squaredError, MaxNorm: maxNormOf(t.sample, c.side, r)}
	p := &Plan{Kernel: k, In: t.in, Sample: func() (*sample.Sample, error) { return t.sample, nil }, Segments: []Segment{s}}
	p.RMSE = func() float64 { return math.Sqrt(c.squaredError) }
	return ChosenMap{p, fmt.Sprintf("%s, %d columns%s", s.Name(), r.Shape().Columns, law), c.squaredError}
}

// withFarWeight returns a candidate whose laws all give far points the weight with this number. The planner would
// choose the weight by a limit.
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
