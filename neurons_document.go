// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// A neuronsDocument is a neuronsRecipe as it is saved.
type neuronsDocument struct {
	Form string `save:"form,omitempty"` // "normal" if Independent, else "folded" or "paired"
}

var neuronForms = []string{normalNeurons: "normal", foldedNeurons: "folded", pairedNeurons: "paired"}

func (r *neuronsRecipe) Document() any { return neuronsDocument{neuronForms[r.form]} }

func (d neuronsDocument) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	arc, ok := neuronOf(asked.Form)
	if !ok {
		return nil, nil
	}
	form := neuronForm(slices.Index(neuronForms, d.Form))
	if form < 0 {
		return nil, document.Under("form", document.Refused("neurons have no form %.40q", d.Form))
	}
	r, err := newNeuronsRecipe(arc, asked.Form[0].Scale, asked.Form[0].Warp, asked.In, asked.Columns, design.Independent)
	if err != nil {
		return nil, err
	}
	if r.form = form; r.Exact() >= asked.Columns {
		return nil, document.Refused("columns = %d: must be more than the %d exact ones", asked.Columns, r.Exact())
	}
	return r, nil
}
