// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// A fourierDocument is a fourierRecipe as it is saved.
type fourierDocument struct {
	Design      string `save:"design,omitempty"`
	RandomPhase bool   `save:"randomPhase,omitempty"`

	Radii string     `save:"radii,omitempty"` // left out if they are random
	Axes  mat.Matrix `save:"axes,omitempty"`
}

func (r *fourierRecipe) Document() any {
	d := fourierDocument{Design: r.opts.Design.String(), RandomPhase: r.opts.RandomPhase, Axes: r.opts.Axes}
	if r.opts.Radii != RandomRadii {
		d.Radii = r.opts.Radii.String()
	}
	return d
}

func (d fourierDocument) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	s, ok := asked.Spectrum()
	if !ok {
		return nil, nil
	}
	design, err := recipe.Option[Design](d.Design, "design", Independent, Orthogonal, Structured, Sobol)
	if err != nil {
		return nil, err
	}
	radii, err := recipe.Option[Radii](d.Radii, "radii", RandomRadii, StratifiedRadii)
	if err != nil {
		return nil, err
	}
	r, err := newFourierRecipe(s, asked.In, asked.Columns, FourierOptions{Design: design, RandomPhase: d.RandomPhase, Radii: radii, Axes: d.Axes})
	if err != nil {
		return nil, err
	}
	return r, asked.Take(r.drawSteps())
}
