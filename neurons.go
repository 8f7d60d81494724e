// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
)

// Neurons is the map of random neurons for an arc-cosine kernel of order n (Cho and Saul 2009):
//
//	φ(x) = √(2/D)·(Θ(w₁·x)(w₁·x)ⁿ, …, Θ(w_D·x)(w_D·x)ⁿ)
//
// with standard normal wⱼ, the features of a random layer with the activation step, ReLU or
// squared ReLU. ⟨φ(x), φ(y)⟩ is an unbiased estimate of the kernel for points of any norm.
//
// The zero value is of no use: see NewNeurons.
type Neurons struct {
	kernel  Kernel
	arc     ArcCosine
	in, out int
	warp    *linear // the kernel is arc(Ax, Ay), with A nil for the identity
	stack   *projection.Stack
}

var (
	_ FeatureMap = (*Neurons)(nil)
	_ Variancer  = (*Neurons)(nil)
)

// NewNeurons returns a map R^in → R^out for k, an ArcCosine or a Project or Select of one, with
// weights drawn from a Split of s.
//
// It returns an error, and leaves s as it was, if k or s is nil, if k is of another kind or has a
// parameter that is refused, if in or out is less than 1, if the weights would not fit in memory, or
// if one is not finite.
func NewNeurons(k Kernel, in, out int, s *Sampler) (*Neurons, error) {
	m := &Neurons{kernel: k, in: in, out: out}
	if err := validateArguments(k, in, out, s); err != nil {
		return nil, err
	}
	base := bind(k, in)
	if p, ok := base.(projector); ok {
		a, inner := p.projection()
		m.warp, base = &a, inner
	}
	var ok bool
	if m.arc, ok = pointee(base).(ArcCosine); !ok {
		return nil, fmt.Errorf("%w: %T is not an ArcCosine", ErrNoMap, base)
	}
	if size, limit := 8*float64(in)*(float64(out)+24), float64(memory.Limit()); size > limit {
		return nil, fmt.Errorf("featuremap: out = %d with in = %d: the weights take %.3g bytes, and there are %.3g", out, in, size, limit)
	}
	before := *s
	if err := m.compile(s.Split()); err != nil {
		*s = before
		return nil, err
	}
	return m, nil
}

// compile draws the weights and packs them.
func (m *Neurons) compile(s *Sampler) error {
	d := m.in
	if m.warp != nil {
		d = m.warp.p
	}
	p := projection.New(m.out, m.in, projection.Store, 1)
	w, row := make([]float64, d), make([]float64, m.in)
	for i := range m.out {
		s.FillNormal(w)
		if m.warp == nil {
			p.Set(i, w, 0)
			continue
		}
		m.warp.pull(row, w)
		for j, v := range row {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return fmt.Errorf("featuremap: weight %d of neuron %d = %v behind a Project: must be finite", j, i, v)
			}
		}
		p.Set(i, row, 0)
	}
	m.stack = projection.NewStack(m.in, projection.Neurons{
		Projection: p, Activation: m.arc.neuron, Scale: 1 / math.Sqrt(float64(m.out)),
	})
	return nil
}

// Dims returns the numbers of coordinates in and features out.
func (m *Neurons) Dims() (in, out int) { return m.in, m.out }

// Kernel returns the kernel the map was made for.
func (m *Neurons) Kernel() Kernel { return m.kernel }

// TransformTo sets row i of dst to the features of row i of x, an n×in matrix with
// n ≥ 1: see FeatureMap.
func (m *Neurons) TransformTo(dst *mat.Dense, x mat.Matrix) {
	prepareTransform(dst, x, m.in, m.out)
	m.stack.Transform(dst, x)
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (m *Neurons) TransformVec(dst, x []float64) []float64 {
	dst = prepareVec(dst, x, m.in, m.out)
	m.stack.TransformVec(dst, x)
	return dst
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map, (2k₂ₙ − kₙ²)/D with the
// arc-cosine kernels of orders 2n and n: (2k₀ − k₀²)/D, (2k₂ − k₁²)/D and (2k₄ − k₂²)/D. It is exact.
func (m *Neurons) Variance(x, y []float64) float64 {
	if len(x) != m.in || len(y) != m.in {
		panic(mat.ErrShape)
	}
	if m.warp != nil {
		x, y = m.warp.image(x), m.warp.image(y)
	}
	v := m.arc.neuronMoment(x, y) - square(m.arc.Eval(x, y))
	if v < 0 {
		v = 0 // rounding
	}
	return v / float64(m.out)
}
