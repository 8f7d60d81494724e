// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package maclaurin

import (
	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A Document is a Recipe as it is saved.
type Document struct {
	Law           series.Law `save:"law,omitempty"`
	Sketch        string     `save:"sketch,omitempty"`
	ExactDegrees  int        `save:"exactDegrees,omitempty"` // the number of exact degrees, from the lowest: one more than ExactDegree
	Complex       bool       `save:"complex,omitempty"`
	SumOfProducts bool       `save:"sumOfProducts,omitempty"`
}

func (r *Recipe) Document() any {
	d := Document{Sketch: r.opts.Sketch.String(), ExactDegrees: len(r.low.A), Complex: r.opts.Complex}
	if d.SumOfProducts = r.terms != nil; !d.SumOfProducts {
		d.Law = r.law.Given()
	}
	return d
}

func (d Document) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	f, w, ok := asked.Series()
	if !ok {
		return nil, nil
	}
	sketch, err := recipe.Option[Sketch](d.Sketch, "sketch", RademacherSketch, GaussianSketch, TensorSRHT)
	if err != nil {
		return nil, err
	}
	if d.ExactDegrees < 0 {
		return nil, document.Under("exactDegrees", document.Refused("exactDegrees = %d: must be at least 0", d.ExactDegrees))
	}
	const value = 64 // the steps of a value of a series
	steps := recipe.ExactSteps(f, d.ExactDegrees) + 4*value*power.ProfileOf(f).Radius + power.ProfileOf(f).EvaluationSteps()
	if degree, ok := power.DegreeOf(f); ok && d.SumOfProducts {
		steps += power.TableSteps(f, min(degree, maxFactors))
	}
	for t, ok := power.LawOf(d.Law).(power.TruncatedLaw); ok; t, ok = power.LawOf(t.Law).(power.TruncatedLaw) {
		if t.Error != 0 { // validate and frozen look for the highest degree
			steps += 2 * power.TableSteps(f, power.ErrorDegrees(f))
		}
	}
	if err := asked.Take(0, steps); err != nil {
		return nil, err
	}
	r, err := New(f, w, asked.In, asked.Columns, d.ExactDegrees, power.MostWithin(f, asked.Left()/2), Options{
		Law: d.Law, Sketch: sketch, Complex: d.Complex, SumOfProducts: d.SumOfProducts,
	})
	if err != nil {
		return nil, err
	}
	if err := asked.Take(0, 2*power.TableSteps(f, r.degrees.From+len(r.degrees.Weights))); err != nil { // those of power.NewDegrees
		return nil, err
	}
	return r, asked.Take(r.low.Spare())
}

// Work returns about how many multiply-adds a transform takes for a point.
func (r *Recipe) Work() float64 {
	if r.terms == nil {
		return r.Frame.Work()
	}
	return float64(r.Number()) * sumFactors(r.terms) * float64(r.In)
}
