// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// Neurons is the map of random neurons for an arc-cosine kernel of order n (Cho and Saul 2009):
//
//	φ(x) = √(2/D)·(Θ(w₁·x)(w₁·x)ⁿ, …, Θ(w_D·x)(w_D·x)ⁿ)
//
// with standard normal wⱼ: a random layer with the activation step, ReLU or squared ReLU. ⟨φ(x), φ(y)⟩ is
// an unbiased estimate of the kernel for points of any norm.
//
// The zero value is of no use: see NewNeurons.
type Neurons struct {
	compiled
	recipe *neuronsRecipe
}

var (
	_ FeatureMap = (*Neurons)(nil)
	_ Variancer  = (*Neurons)(nil)
)

// NewNeurons returns a map R^in → R^out for k, an ArcCosine or a Scale, Project or Select of one, with
// weights drawn from a Split of s.
//
// It returns an error, and leaves s as it was, if k or s is nil, if k is of another kind or has a parameter
// that is refused, if in or out is less than 1, or if the weights do not fit in memory or are not finite.
func NewNeurons(k Kernel, in, out int, s *Sampler) (*Neurons, error) {
	return construct[*Neurons](k, in, out, s, func(f form) (recipe, error) {
		of, ok := f[0].base.(neuron)
		if !ok || len(f) > 1 || f[0].weights != nil {
			return nil, fmt.Errorf("%w: %s is not an ArcCosine", ErrNoMap, source(k))
		}
		return &neuronsRecipe{frame{in, f[0].warp, out}, of.ArcCosine, f[0].scale}, nil
	})
}

// A neuronsRecipe is a Neurons map for scale·arc(w(x), w(y)), w the warp, before its weights are drawn.
type neuronsRecipe struct {
	frame
	arc   ArcCosine
	scale float64
}

func (r *neuronsRecipe) String() string { return "Neurons" }
func (r *neuronsRecipe) layout() layout { return layout{draws: r.columns, parts: 1, block: 1} }

// draw draws the weights and packs them.
func (r *neuronsRecipe) draw(b *builder, next func() *Sampler) (drawing, error) {
	s := next()
	if err := b.reserve(8 * float64(r.in) * (float64(r.columns) + 24)); err != nil {
		return nil, err
	}
	p := projection.New(r.columns, r.in, projection.Store, 1)
	w, row := make([]float64, r.dim()), make([]float64, r.in)
	for i := range r.columns {
		s.FillNormal(w)
		r.warp.pull(row, w)
		for j, v := range row {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return nil, fmt.Errorf("featuremap: weight %d of neuron %d = %v behind a Project: must be finite", j, i, v)
			}
		}
		p.Set(i, row, 0)
	}
	b.add(r.columns, projection.Neurons{
		Forms:      projection.Forms{Projection: p, At: b.at},
		Activation: r.arc.neuron,
		Scale:      math.Sqrt(r.scale) / math.Sqrt(float64(r.columns)),
	})
	return &Neurons{recipe: r}, nil
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map. It is exact: with the arc-cosine
// kernels k of orders 2n and n, (2k₂ₙ − kₙ²)/D.
func (m *Neurons) Variance(x, y []float64) float64 {
	return m.plan.Variance(x, y)
}

func (r *neuronsRecipe) add(sums []float64, p *pair, part float64) {
	norms := p.a.norm * p.b.norm
	if p.a.norm == 0 || p.b.norm == 0 {
		return
	}
	n, a := r.arc.Order, oppositeAngle(p.a.x, p.b.x, p.a.norm, p.b.norm)
	value, second := arcCosineAt(n, norms, a), 2*arcCosineAt(2*n, norms, a)
	if !math.IsInf(second, 1) {
		second = max(second-value*value, 0) // rounding
	}
	sums[0] += part * square(r.scale) * second
}

func (r *neuronsRecipe) variance(sums []float64) float64 { return sums[0] / float64(r.columns) }

func (m *Neurons) evidence(fx, fy, x, y []float64) (evidence, error) {
	return m.recipe.layout().evidence(fx, fy, 0)
}
