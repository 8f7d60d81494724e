// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/region"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// GradientVec sets dst to the gradient at x of the prediction f(x) of a target, and returns it: J(x)ᵀw, where J is the
// Jacobian matrix of the map. A nil dst is allocated. The first call on a model copies the weights of the map into
// another order: see featuremap.Derivative.
//
// It panics with mat.ErrShape if the length of x or dst is not in, with mat.ErrColAccess if there is no such target, as
// gonum does if dst overlaps x, and with a text that names the part of the map that has no derivative. Call
// featuremap.Derivative(m.Map()) first to find out.
func (m *Model) GradientVec(dst, x []float64, target int) []float64 {
	dst = m.prepareGradient(dst, x, target)
	phi, weights := m.predictor.Served(target)
	pullback(m.servedDerivative(phi), dst, x, weights)
	return dst
}

// varianceGradientVec is Posterior.VarianceGradientVec.
func (m *Model) varianceGradientVec(dst, x []float64, target int) []float64 {
	dst = m.prepareGradient(dst, x, target)
	derivative := m.differentiable()
	w := m.predictor.Workspace()
	features := m.phi.TransformVec(w.Numbers(m.out), x)
	whole, diagonal := []float64(nil), m.diagonalGradient(x, target)
	if diagonal != nil && linear.DomainOf(m.phi) == nil {
		whole = slices.Clone(features)
	}
	_, left := m.leftVariance(target, m.remainder(x, features))
	left *= m.noise[target]
	m.center(features)
	m.solveBoth(features, target)
	for i := range features {
		features[i] *= 2 * m.noise[target]
	}
	for i, v := range whole { // minus ‖φ(x)‖² for landmarks
		features[i] -= float64(2 * v * left)
	}
	pullback(derivative, dst, x, features)
	for k, v := range diagonal {
		dst[k] += float64(v * left)
	}
	m.predictor.Release(w)
	return dst
}

// diagonalGradient returns the gradient of k(x, x) at x if landmarks miss a part of it, the gradient of r(x) for a map
// with a domain, and otherwise nil.
func (m *Model) diagonalGradient(x []float64, target int) []float64 {
	if d := linear.DomainOf(m.phi); d != nil && m.lambda(target) > 0 {
		dst := make([]float64, m.in)
		if err := d.LostGradientVec(dst, x); err != nil {
			panic(noGradient(err))
		}
		return dst
	}
	if linear.LandmarksOf(m.phi) == nil || m.lambda(target) == 0 {
		return nil
	}
	d, ok := m.differentiable().(interface {
		DiagonalGradientVec(dst, x []float64) bool
	})
	if !ok {
		return nil
	}
	if dst := make([]float64, m.in); d.DiagonalGradientVec(dst, x) {
		return dst
	}
	return nil
}

// leftGradient returns the gradient of the missing part of k(x, x), r(x) = k(x, x) − ‖φ(x)‖² for landmarks; nil if
// nothing is missing.
func (m *Model) leftGradient(x, features []float64, target int) []float64 {
	dst := m.diagonalGradient(x, target)
	if dst == nil || linear.LandmarksOf(m.phi) == nil {
		return dst
	}
	back := make([]float64, len(x))
	pullback(m.differentiable(), back, x, features)
	axpy(dst, -2, back)
	return dst
}

// prepareGradient checks the arguments of GradientVec and VarianceGradientVec, and returns dst, which may be nil.
func (m *Model) prepareGradient(dst, x []float64, target int) []float64 {
	switch {
	case len(x) != m.in || m.phi == nil || dst != nil && len(dst) != m.in:
		panic(mat.ErrShape)
	case target < 0 || target >= m.targets():
		panic(mat.ErrColAccess)
	case dst == nil:
		return make([]float64, m.in)
	}
	region.Check(region.Vector(dst), region.Vector(x))
	return dst
}

// A lazyDerivative is the derivative of a map, made when it is first needed.
type lazyDerivative struct {
	once sync.Once
	d    featuremap.Differentiable
	err  error // if the map has no derivative
}

// of returns the derivative of a map, the same one in each call. It panics with the part of the map that has no
// derivative.
func (l *lazyDerivative) of(phi featuremap.FeatureMap) featuremap.Differentiable {
	l.once.Do(func() { l.d, l.err = featuremap.Derivative(phi) })
	if l.err != nil {
		panic(noGradient(l.err))
	}
	return l.d
}

// noGradient is the text of the panic if there is no derivative.
func noGradient(err error) string { return fmt.Sprintf("ridge: no gradient: %v", err) }

// differentiable returns the derivative of the map.
func (m *Model) differentiable() featuremap.Differentiable { return m.derivative.of(m.phi) }

// servedDerivative returns the derivative of the map that predictions use. Raw features of landmarks have a derivative
// of their own, with weights that are solved for once and not at each point.
func (m *Model) servedDerivative(served featuremap.FeatureMap) featuremap.Differentiable {
	if linear.LandmarksOf(m.phi) != nil {
		return m.rawDerivative.of(served)
	}
	return m.differentiable()
}

// pullback sets dst to J(x)ᵀg.
func pullback(d featuremap.Differentiable, dst, x, g []float64) {
	var to, row, gradient mat.Dense
	to.SetRawMatrix(region.Vector(dst))
	row.SetRawMatrix(region.Vector(x))
	gradient.SetRawMatrix(region.Vector(g))
	d.PullbackTo(&to, &row, &gradient)
}

// solveBoth overwrites features by A⁻¹φ for a target, or by its estimate from samples δ, the mean of δ·(φᵀδ).
func (m *Model) solveBoth(features []float64, target int) {
	if inverse := m.inverse(target); inverse != nil {
		inverse.solve(features)
		return
	}
	n, deltas := m.samples(m.out), m.deltas(m.of[target])
	sum := make([]float64, m.out)
	for s := range n {
		delta := deltas[s*m.out:][:m.out]
		axpy(sum, tiled.Dot(features, delta)/float64(n), delta)
	}
	copy(features, sum)
}
