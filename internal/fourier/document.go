// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// A Document is a Recipe as it is saved.
type Document struct {
	Design      string `save:"design,omitempty"`
	RandomPhase bool   `save:"randomPhase,omitempty"`
	Stratified  bool   `save:"stratified,omitempty"`

	Axes mat.Matrix `save:"axes,omitempty"`
}

func (r *Recipe) Document() any {
	return Document{Design: r.opts.Design.String(), RandomPhase: r.opts.RandomPhase, Stratified: r.opts.Stratified, Axes: r.opts.Axes}
}

func (d Document) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	s, ok := asked.Spectrum()
	if !ok {
		return nil, nil
	}
	kind, err := recipe.Option[design.Design](d.Design, "design", design.Independent, design.Orthogonal, design.Structured, design.Sobol)
	if err != nil {
		return nil, err
	}
	o := Options{Design: kind, RandomPhase: d.RandomPhase, Stratified: d.Stratified, Axes: d.Axes}
	r, err := New(s, asked.In, asked.Columns, o, asked.Seeded)
	if err != nil {
		return nil, err
	}
	return r, asked.Take(r.drawSteps())
}
