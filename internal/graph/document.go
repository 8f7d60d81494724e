// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package graph

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// A Document is a Recipe as it is saved.
type Document struct {
	Draws int `save:"draws,omitempty"`
}

func (r *Recipe) Document() any {
	return Document{r.Draws}
}

// Recipe makes the recipe of a term, or of a skeleton in the form in which it was saved.
func (d Document) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	t := asked.Form[0]
	k, written := t.Base.(Kernel)
	if asked.Whole && !(written && len(asked.Form) == 1 && t.Weights == nil && t.Scale == 1 && t.Warp.Identity()) {
		return nil, nil
	}
	g := k.Graph
	if !asked.Whole {
		var err error
		if g, err = GraphOf(t, asked.In); err != nil {
			return nil, NoMap(err)
		}
	}
	// Plans and constructors never sample more features. Without this limit a file could ask for any number,
	// to exhaust memory.
	if most := MostPerColumn * float64(asked.Columns); float64(d.Draws) > most {
		return nil, document.Under("draws", document.Refused("draws = %d in %d columns: must be at most %v", d.Draws, asked.Columns, most))
	}
	r := &Recipe{Frame: recipe.Frame{In: g.In, Columns: asked.Columns}, Graph: g, Draws: d.Draws, Planted: !written}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return r, asked.Take(0, r.drawSteps())
}

// MostPerColumn is the largest number of sampled features per column of a plan.
const MostPerColumn = 64

// GraphOf returns the graph of the term, without its weights, for points of R^in.
func GraphOf(t form.Term, in int) (*Graph, error) {
	if k, ok := t.Base.(Kernel); ok && t.Scale == 1 && t.Warp.Identity() {
		return k.Graph, k.Graph.validateDraws()
	}
	sk := NewBuilder(in)
	t.Weights = nil
	sk.plantTerm(t, IndicesUpTo(in))
	g, err := sk.Graph()
	if err != nil {
		return nil, err
	}
	return g, g.validateDraws()
}

// NoMap returns the error for a term without a map. It omits the node, because the caller wrote no
// skeleton.
func NoMap(err error) error {
	var n *nodeError
	if errors.As(err, &n) {
		err = n.err
	}
	if errors.Is(err, check.ErrNoMap) || errors.Is(err, check.ErrNotPSD) {
		return err
	}
	return fmt.Errorf("%w: %w", check.ErrNoMap, err)
}

// drawSteps returns about how many steps sampling takes, in addition to a fixed number for each column: for the tables
// of degrees, and for the nodes and numbers that are visited.
func (r *Recipe) drawSteps() (steps float64) {
	const node, number, column = 8, 8, 1 << 10 // for a visit, a variate, and a column without its numbers
	type key struct {
		layer int
		c     float64
	}
	laws := make(map[key]bool)
	g, widest := r.Graph, 1.0
	for i, n := range g.Nodes {
		cost := float64(len(n.Cols))
		switch b := n.Base.(type) {
		case stationaryScheme:
			cost *= b.Spectrum.Cost()
		case *dotScheme:
			steps += power.DrawerSteps(b.f, b.c)
		case nil:
			if k := (key{n.layer, g.arguments[i]}); n.Series != nil && !laws[k] {
				laws[k] = true
				steps += power.DrawerSteps(n.Series, k.c)
			}
		}
		widest = max(widest, cost)
	}
	visits, err := g.visits()
	if err != nil {
		return math.Inf(1)
	}
	drawn := float64(r.Draws) * (node*visits + number*g.Complexity()*widest)
	return steps + max(drawn-float64(r.Columns)*(column+2*number*float64(r.In)), 0)
}
