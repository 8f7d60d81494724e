// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// A taylorRecipe is the map of all monomials up to a degree: ⟨φ(x), φ(y)⟩ is the Taylor polynomial of f(⟨w(x), w(y)⟩), w the
// warp. Nothing is random, and the terms of higher degrees are the bias.
type taylorRecipe struct {
	frame
	seriesLoss
	low  exactDegrees
	tail func() *tail // the terms that are left out; made in the first call
}

// newTaylorRecipe returns the recipe of the monomials up to a degree.
func newTaylorRecipe(f series.Series, w warp.Warp, in, degree int) (*taylorRecipe, error) {
	r := &taylorRecipe{frame: frame{in: in, warp: w}}
	if err := power.Validate(f); err != nil {
		return nil, err
	}
	var err error
	if r.low, err = newExactDegrees(f, r.dim(), degree+1); err != nil {
		return nil, err
	}
	if !(r.low.count >= 1 && r.low.count <= maxExactColumns) {
		return nil, fmt.Errorf("featuremap: the monomials up to degree %d take %.15g columns: must be from 1 to %d", degree, r.low.count, maxExactColumns)
	}
	r.columns = int(r.low.count)
	r.seriesLoss = seriesLoss{f, r.low.a, w}
	r.tail = sync.OnceValue(func() *tail { return newTail(f, r.low) })
	return r, nil
}

func (r *taylorRecipe) String() string {
	return fmt.Sprintf("Taylor polynomial of degree %d", len(r.low.a)-1)
}

func (r *taylorRecipe) statistics() int                      { return 0 }
func (r *taylorRecipe) add([]float64, *sample.Pair, float64) {}
func (r *taylorRecipe) variance([]float64) float64           { return 0 }
func (r *taylorRecipe) key() any                             { return len(r.low.a) }
func (r *taylorRecipe) bias(p *sample.Pair) float64          { return -r.tail().at(p.T) }
func (r *taylorRecipe) work() float64                        { return 2 * float64(r.columns) }

// cheapAtPairs says that judges may look at all pairs of rows: a value at a pair is that of a series.
func (r *taylorRecipe) cheapAtPairs() {}

func (r *taylorRecipe) draw(b *builder, _ func() random.Sampler) (any, error) {
	if err := b.reserve(r.low.bytes(r.in)); err != nil {
		return nil, err
	}
	b.add(r.columns, r.low.parts(b.in, b.at, r.warp, 1)...)
	return nil, nil
}

// A taylorDocument is a taylorRecipe as it is saved.
type taylorDocument struct {
	Degree int `save:"degree,omitempty"`
}

func (r *taylorRecipe) document() any { return taylorDocument{len(r.low.a) - 1} }

func (d taylorDocument) recipe(asked request) (recipe, error) {
	f, w, ok := asked.Series()
	if !ok || asked.whole {
		return nil, nil
	}
	if d.Degree < 0 {
		return nil, document.Under("degree", document.Refused("degree = %d: must be at least 0", d.Degree))
	}
	if err := asked.take(0, exactSteps(f, d.Degree)); err != nil {
		return nil, err
	}
	r, err := newTaylorRecipe(f, w, asked.in, d.Degree)
	if err != nil || r.columns != asked.columns {
		return nil, err
	}
	return r, asked.take(r.low.spare())
}
