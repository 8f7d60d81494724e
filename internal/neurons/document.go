// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package neurons

import (
	"slices"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// A Document is a Recipe as it is saved.
type Document struct {
	Form string `save:"form,omitempty"` // "normal" if not Orthogonal, else "folded" or "paired"
}

var layouts = []string{Normal: "normal", Folded: "folded", Paired: "paired"}

func (r *Recipe) Document() any { return Document{layouts[r.Layout]} }

func (d Document) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	arc, ok := OrderOf(asked.Form)
	if !ok {
		return nil, nil
	}
	form := Layout(slices.Index(layouts, d.Form))
	if form < 0 {
		return nil, document.Under("form", document.Refused("neurons have no form %.40q", d.Form))
	}
	r := New(arc, asked.Form[0].Scale, asked.Form[0].Warp, asked.In, asked.Columns, false)
	if r.Layout = form; r.Exact() >= asked.Columns {
		return nil, document.Refused("columns = %d: must be more than the %d exact ones", asked.Columns, r.Exact())
	}
	return r, nil
}
