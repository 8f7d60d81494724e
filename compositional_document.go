// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
)

// A compositionalDocument is a compositionalRecipe as it is saved.
type compositionalDocument struct {
	Draws int `save:"draws,omitempty"`
}

func (r *compositionalRecipe) document() any {
	return compositionalDocument{r.draws}
}

// recipe makes the recipe of a term, or of a skeleton as it was written.
func (d compositionalDocument) recipe(asked request) (recipe, error) {
	t := asked.form[0]
	k, written := t.base.(skeletonKernel)
	if asked.whole && !(written && len(asked.form) == 1 && t.weights == nil && t.scale == 1 && t.warp.identity()) {
		return nil, nil
	}
	g := k.graph
	if !asked.whole {
		var err error
		if g, err = t.graph(asked.in); err != nil {
			return nil, noMap(err)
		}
	}
	// No plan and no constructor has more draws than that. A file could ask for any number, to exhaust memory.
	if most := mostPerColumn * float64(asked.columns); float64(d.Draws) > most {
		return nil, under("draws", refused("draws = %d in %d columns: must be at most %v", d.Draws, asked.columns, most))
	}
	r := &compositionalRecipe{frame: frame{in: g.in, columns: asked.columns}, graph: g, draws: d.Draws, planted: !written}
	return r, r.validate()
}

// mostPerColumn is the largest number of draws per column of a plan.
const mostPerColumn = 64

// graph returns the graph of the term, without its weights, for points of R^in.
func (t term) graph(in int) (*graph, error) {
	if k, ok := t.base.(skeletonKernel); ok && t.scale == 1 && t.warp.identity() {
		return k.graph, k.graph.validateDraws()
	}
	sk := NewSkeleton(in)
	t.weights = nil
	sk.plantTerm(t, indicesUpTo(in))
	g, err := sk.graph()
	if err != nil {
		return nil, err
	}
	return g, g.validateDraws()
}

// noMap returns the error of a term without a map. It removes the node: the caller wrote no skeleton.
func noMap(err error) error {
	var n *nodeError
	if errors.As(err, &n) {
		err = n.err
	}
	if errors.Is(err, ErrNoMap) || errors.Is(err, ErrNotPSD) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoMap, err)
}

// drawWork returns about how many multiply-adds draw takes.
func (r *compositionalRecipe) drawWork() float64 {
	visits, err := r.graph.visits()
	if err != nil {
		return math.Inf(1)
	}
	return float64(r.draws) * numberWork * (visits + r.graph.complexity()*r.graph.widest())
}

// widest returns how many random numbers it takes to draw a base feature, for the input that takes the most.
func (p *graph) widest() float64 {
	widest := 1.0
	for _, n := range p.nodes {
		cost := float64(len(n.cols))
		if s, ok := n.base.(stationaryScheme); ok {
			cost *= s.spectrum.cost()
		}
		widest = max(widest, cost)
	}
	return widest
}
