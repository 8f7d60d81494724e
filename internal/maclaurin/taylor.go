// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package maclaurin

import (
	"fmt"
	"sync"

	"github.com/seed-0f95ebc1/featuremap/internal/document"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/warp"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Taylor is the map of all monomials up to a degree: ⟨φ(x), φ(y)⟩ is the Taylor polynomial of f(⟨w(x), w(y)⟩), where w
// is the warp. Nothing is random, and the terms of higher degrees are the bias.
type Taylor struct {
	recipe.Frame
	seriesLoss
	low  recipe.Monomials
	tail func() *recipe.Tail // the omitted terms; made in the first call
}

// NewTaylor returns the recipe of the monomials up to a degree.
func NewTaylor(f series.Series, w warp.Warp, in, degree int) (*Taylor, error) {
	r := &Taylor{Frame: recipe.Frame{In: in, Warp: w}}
	if err := power.Validate(f); err != nil {
		return nil, err
	}
	var err error
	if r.low, err = recipe.NewMonomials(f, r.Dim(), degree+1); err != nil {
		return nil, err
	}
	if !(r.low.Count >= 1 && r.low.Count <= recipe.MaxExactColumns) {
		return nil, fmt.Errorf("featuremap: the monomials up to degree %d take %.15g columns: must be from 1 to %d", degree, r.low.Count, recipe.MaxExactColumns)
	}
	r.Columns = int(r.low.Count)
	r.seriesLoss = seriesLoss{f, r.low.A, w}
	r.tail = sync.OnceValue(func() *recipe.Tail { return recipe.NewTail(f, r.low) })
	return r, nil
}

func (r *Taylor) String() string {
	return fmt.Sprintf("Taylor polynomial of degree %d", len(r.low.A)-1)
}

func (r *Taylor) Statistics() int                      { return 0 }
func (r *Taylor) Add([]float64, *sample.Pair, float64) {}
func (r *Taylor) Variance([]float64) float64           { return 0 }
func (r *Taylor) Key() any                             { return len(r.low.A) }
func (r *Taylor) Bias(p *sample.Pair) float64          { return -r.tail().At(p.T) }
func (r *Taylor) Work() float64                        { return 2 * float64(r.Columns) }

// CheapAtPairs says that judges may use all pairs of rows, because a value at a pair is one value of
// a series.
func (r *Taylor) CheapAtPairs() {}

func (r *Taylor) Draw(b *recipe.Builder, _ func() random.Sampler) (any, error) {
	if err := b.Reserve(r.low.Bytes(r.In)); err != nil {
		return nil, err
	}
	b.Add(r.Columns, r.low.Parts(b.In, b.At, r.Warp, 1)...)
	return nil, nil
}

// A TaylorDocument is a Taylor as it is saved.
type TaylorDocument struct {
	Degree int `save:"degree,omitempty"`
}

func (r *Taylor) Document() any { return TaylorDocument{len(r.low.A) - 1} }

func (d TaylorDocument) Recipe(asked recipe.Request) (recipe.Recipe, error) {
	f, w, ok := asked.Series()
	if !ok || asked.Whole {
		return nil, nil
	}
	if d.Degree < 0 {
		return nil, document.Under("degree", document.Refused("degree = %d: must be at least 0", d.Degree))
	}
	if err := asked.Take(0, recipe.ExactSteps(f, d.Degree)); err != nil {
		return nil, err
	}
	r, err := NewTaylor(f, w, asked.In, d.Degree)
	if err != nil || r.Columns != asked.Columns {
		return nil, err
	}
	return r, asked.Take(r.low.Spare())
}
