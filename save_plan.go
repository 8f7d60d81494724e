// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"reflect"
)

// A planDocument is a plan as it is saved: docs/saving.md describes its JSON.
type planDocument struct {
	Kernel    Kernel          `save:"kernel"`
	In        int             `save:"in"`
	Out       int             `save:"out"`
	RMSE      *float64        `save:"rmse,omitempty"`
	ForPoints bool            `save:"forPoints,omitempty"` // it was made for given points, which are not saved
	Maps      []blockDocument `save:"maps,omitempty"`      // none: NewPlan is to make the plan
}

// A blockDocument is the map of a term, or of the whole kernel.
type blockDocument struct {
	// Terms has the numbers of the terms of the kernel's canonical form, of several for the mixture of stationary
	// ones. It is empty if the map is that of a constructor, for the whole kernel.
	Terms []int `save:"terms,omitempty"`
	Split bool  `save:"split,omitempty"` // exponentials are terms of their own

	// Side is the side of the exponential that the term is written as, and Centre the point that is subtracted.
	Side   string    `save:"side,omitempty"`
	Centre []float64 `save:"centre,omitempty"`

	Map     string `save:"map"`
	Columns int    `save:"columns"`

	// Fourier, and Neurons.
	Design      string `save:"design,omitempty"`
	RandomPhase bool   `save:"randomPhase,omitempty"` // also of Compositional
	Form        string `save:"form,omitempty"`        // of Neurons

	// Maclaurin.
	Law           DegreeLaw `save:"law,omitempty"`
	Sketch        string    `save:"sketch,omitempty"`
	ExactDegrees  int       `save:"exactDegrees,omitempty"` // how many of the lowest degrees are exact: 2 with ExactLow
	Complex       bool      `save:"complex,omitempty"`
	SumOfProducts bool      `save:"sumOfProducts,omitempty"`

	// Compositional.
	Draws          int  `save:"draws,omitempty"`
	KeepDuplicates bool `save:"keepDuplicates,omitempty"`

	// What the plan tells of it.
	SquaredError *float64 `save:"squaredError,omitempty"`
	Reach        *float64 `save:"reach,omitempty"`
	ExactWith    int      `save:"exactWith,omitempty"` // the number of columns that would make it exact
}

// Kinds of maps.
const (
	kindFourier       = "Fourier"
	kindMaclaurin     = "Maclaurin"
	kindNeurons       = "Neurons"
	kindCompositional = "Compositional"
	kindExact         = "exact"
)

var neuronForms = []string{normalNeurons: "normal", foldedNeurons: "folded", pairedNeurons: "paired"}

// plan returns a plan as it is saved.
func (s *saver) plan(p *Plan) planDocument {
	_, out := p.Dims()
	d := planDocument{Kernel: p.kernel, In: p.in, Out: out}
	if !p.constructed() {
		rmse := p.RMSE()
		d.RMSE = &rmse
		d.ForPoints = p.forPoints
	}
	for _, b := range p.blocks {
		d.Maps = append(d.Maps, s.block(b))
	}
	return d
}

func (s *saver) block(b block) blockDocument {
	d := blockDocument{Terms: b.from.terms, Split: b.from.split, Side: b.side, Columns: b.shape().columns}
	if b.side == sideDot || b.side == sideCentred {
		d.Centre = b.warp.centre
	}
	if b.from.terms != nil {
		near, reach := b.near, b.reach
		d.SquaredError, d.Reach, d.ExactWith = &near, &reach, b.exact
	}
	switch r := b.recipe.(type) {
	case *exactRecipe:
		d.Map = kindExact
	case *fourierRecipe:
		d.Map, d.Design, d.RandomPhase = kindFourier, r.opts.Design.String(), r.opts.RandomPhase
	case *neuronsRecipe:
		d.Map, d.Form = kindNeurons, neuronForms[r.form]
	case *compositionalRecipe:
		d.Map, d.Draws, d.KeepDuplicates, d.RandomPhase = kindCompositional, r.draws, r.opts.KeepDuplicates, r.opts.RandomPhase
	case *maclaurinRecipe:
		d.Map, d.Sketch, d.Complex = kindMaclaurin, r.opts.Sketch.String(), r.opts.Complex
		d.ExactDegrees = len(r.low.a)
		if d.SumOfProducts = r.terms != nil; !d.SumOfProducts {
			d.Law = r.law
		}
	default:
		s.fail("a %T cannot be saved", r)
	}
	return d
}

// MarshalJSON returns the plan as JSON, which a person can read and write: docs/saving.md describes it. The points that
// a plan was made for and the maps that were not chosen are not part of it.
//
// It returns an error if the kernel has a part that cannot be saved: see Encode.
func (p Plan) MarshalJSON() ([]byte, error) { // of a value too, which would marshal as {}
	if p.kernel == nil {
		return nil, errors.New("featuremap: the zero Plan cannot be saved")
	}
	s := &saver{}
	return s.json(s.value(reflect.ValueOf(s.plan(&p))))
}

// MarshalBinary returns the plan as a file. See MarshalJSON for what it holds.
func (p *Plan) MarshalBinary() ([]byte, error) {
	if p.kernel == nil {
		return nil, errors.New("featuremap: the zero Plan cannot be saved")
	}
	s := &saver{data: new([][]float64)}
	return s.file(planFile, s.value(reflect.ValueOf(s.plan(p))))
}
