// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// derivative returns the derivative of x ↦ Rφ(x), if the base φ has one: with J its Jacobian matrix, J(x)ᵀRᵀg.
func (m *DataDependent) derivative() (Differentiable, error) {
	base, err := Derivative(m.base)
	if err != nil {
		return nil, fmt.Errorf("featuremap: base of a DataDependent: %w", check.Unprefix(err))
	}
	if m.root == nil {
		return base, nil
	}
	back, _ := m.root.Pullback() // of dense forms, which have one
	return &deformedPullback{m.in, m.out, base, back}, nil
}

// A deformedPullback is the derivative of a DataDependent.
type deformedPullback struct {
	in, out int
	base    Differentiable
	root    *projection.Pullback // g ↦ Rᵀg at any point, since R is linear
}

// PullbackTo sets row i of dst to J(xᵢ)ᵀRᵀgᵢ: see Differentiable.
func (p *deformedPullback) PullbackTo(dst *mat.Dense, x, g mat.Matrix) {
	preparePullback(dst, x, g, p.in, p.out)
	n, _ := x.Dims()
	var points, gradients, to rows.Reader
	points.Reset(x)
	gradients.Reset(g)
	to.Reset(dst)
	var deformed mat.Dense
	for lo, step := 0, max(rootElements/p.out, minRootRows); lo < n; lo += step {
		hi := min(lo+step, n)
		deformed.Reset()
		deformed.ReuseAs(hi-lo, p.out)
		window := gradients.Window(lo, hi)
		p.root.PullbackTo(&deformed, window, window)
		p.base.PullbackTo(to.Matrix(lo, hi).(*mat.Dense), points.Window(lo, hi), &deformed)
	}
}
