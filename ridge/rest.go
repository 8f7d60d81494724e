// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/linear"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
)

// The part of its kernel that a map misses is a kernel ρ, with ρ(x, x) = r(x): k(x, y) − ⟨φ(x), φ(y)⟩ for landmarks,
// and for a map that was planned for points the sum of √(pₜ(x)·pₜ(y))·kₜ(x, y), with pₜ the part that it has lost of
// the term kₜ. Its covariance in the posterior is
//
//	s(x)·s(y)·ρ(x, y),  s(x)² = v(x)/r(x),
//
// with the variance v that VarianceTo adds. Samples of it are made from features ψ of the terms and normal numbers ζ:
// ⟨ψ(x), ζ⟩·√p(x). For landmarks S their projection is subtracted, ⟨ψ(x) − Ψᵀk(S, S)⁻¹k(S, x), ζ⟩ (pathwise
// conditioning: Wilson, Borovitskiy, Terenin, Mostowsky and Deisenroth 2020, "Efficiently sampling functions from
// Gaussian process posteriors").
//
// Near landmarks of a smooth kernel r is small, and consists of frequencies, or degrees, that random features mostly
// lack, and in a few cases overrepresent. So ψ are features that are planned for the landmarks, if these are nearly
// exact there, plus random ones for what such a map loses elsewhere; otherwise they are random.

const (
	// drawnFeatures is the largest number of features of a term in samples, unless there are more landmarks.
	drawnFeatures = 1024

	// nearlyExact is the error of planned features, as a part of k(x, x), up to which they are used.
	nearlyExact = 1e-4
)

// lostTerms returns the terms of which a map with landmarks or a domain misses a part, as kernels, and the root of that
// part for each, nil for landmarks. It returns no terms if nothing is missing.
func (m *Model) lostTerms() (terms []featuremap.Kernel, roots []featuremap.WeightGradienter) {
	if linear.LandmarksOf(m.phi) != nil {
		return []featuremap.Kernel{m.phi.Kernel()}, []featuremap.WeightGradienter{nil}
	}
	if d := linear.DomainOf(m.phi); d != nil {
		return d.Lost()
	}
	return nil, nil
}

// leaves reports whether samples of a target have a missing part.
func (m *Model) leaves(target int) bool {
	return (linear.LandmarksOf(m.phi) != nil || linear.DomainOf(m.phi) != nil) && m.noise[target] > 0 && m.lambda(target) > 0
}

// leftDeviation returns s(x) of a target where r(x) is missing, and its derivative by r. It is constant up to 2r̄: see
// leftVariance.
func (m *numbers) leftDeviation(target int, r float64) (deviation, slope float64) {
	variance, rate := m.leftVariance(target, r)
	if m.steady(target) || r <= 2*m.left {
		return math.Sqrt(m.noise[target] * rate), 0
	}
	mean := variance / r
	if deviation = math.Sqrt(m.noise[target] * mean); deviation == 0 {
		return 0, 0
	}
	return deviation, m.noise[target] * (rate - mean) / (2 * r * deviation)
}

// steady reports whether s(x) of a target is the same everywhere, with the prior variance.
func (m *numbers) steady(target int) bool {
	if m.left == 0 || m.known || m.domain || m.given {
		return true
	}
	lambda := m.lambda(target)
	return m.left <= mostLeft*lambda && m.mostPrior(target) >= 1/lambda
}

// A restTerm is a plan for features of a term, which are multiplied by a root, 1 if that is nil.
type restTerm struct {
	plan *featuremap.Plan
	root featuremap.WeightGradienter
}

// lazyTerms are the terms of the missing part, planned when they are first needed.
type lazyTerms struct {
	once  sync.Once
	terms []restTerm
	err   error
}

// restTerms returns the terms from which the missing part is sampled, the same ones in each call.
func (m *Model) restTerms() ([]restTerm, error) {
	m.rest.once.Do(func() {
		if m.rest.terms, m.rest.err = m.planRest(); m.rest.err != nil {
			m.rest.err = fmt.Errorf("ridge: Sample: features of what the map leaves of its kernel: %w", m.rest.err)
		}
	})
	return m.rest.terms, m.rest.err
}

func (m *Model) planRest() (terms []restTerm, err error) {
	kernels, roots := m.lostTerms()
	if l, ok := m.phi.(*featuremap.Nystrom); ok {
		if plan, phi := m.planNear(l); plan != nil {
			terms = append(terms, restTerm{plan, nil})
			if kernels, roots = nil, nil; linear.DomainOf(phi) != nil {
				kernels, roots = linear.DomainOf(phi).Lost()
			}
		}
	}
	for i, k := range kernels {
		columns := drawnFeatures
		if roots[i] == nil {
			columns = max(columns, m.out)
		}
		plan, err := featuremap.NewPlan(k, nil, columns, &featuremap.PlanOptions{In: m.in})
		if err != nil {
			return nil, err
		}
		terms = append(terms, restTerm{plan, roots[i]})
	}
	return terms, nil
}

// planNear returns a plan of features that are nearly exact at landmarks, and a map of it, or nil if there is no such
// plan.
func (m *Model) planNear(l *featuremap.Nystrom) (*featuremap.Plan, featuremap.FeatureMap) {
	points := l.Landmarks()
	n, _ := points.Dims()
	diagonal, mean := make([]float64, n), 0.0
	l.DiagonalTo(diagonal, points)
	for _, v := range diagonal {
		mean += v / float64(n)
	}
	plan, err := featuremap.NewPlan(l.Kernel(), points, max(m.out, drawnFeatures), nil)
	if err != nil || !(plan.RMSE() <= nearlyExact*mean) {
		return nil, nil
	}
	phi, err := plan.Draw(featuremap.NewSampler(1))
	if err != nil {
		return nil, nil
	}
	return plan, phi
}

// A rest is a sample of what a map misses: the sum of parts, times s(x).
type rest struct {
	of     featuremap.FeatureMap // the map
	parts  []restPart
	varies bool // s(x) varies, and is not in the weights of the parts
}

// A restPart is a linear function of features times a root, 1 if that is nil.
type restPart struct {
	f    *Model
	root featuremap.WeightGradienter
}

// drawRest samples what the map misses, and subtracts from the weights of the sampled function what belongs to its
// projection.
func (m *Model) drawRest(s *featuremap.Sampler, terms []restTerm, weights []float64) (*rest, error) {
	r := &rest{of: m.phi}
	for t := range m.noise {
		r.varies = r.varies || !m.steady(t)
	}
	for _, term := range terms {
		psi, err := term.plan.Draw(s)
		if err != nil {
			return nil, fmt.Errorf("ridge: Sample: features of what the map leaves of its kernel: %w", err)
		}
		_, columns := psi.Dims()
		zeta := make([]float64, m.targets()*columns)
		s.FillNormal(zeta)
		for t := range m.noise {
			switch row := zeta[t*columns:][:columns]; {
			case !m.leaves(t):
				clear(row)
			case !r.varies:
				deviation, _ := m.leftDeviation(t, 0)
				floats.Scale(deviation, row)
			}
		}
		r.parts = append(r.parts, restPart{linearModel(psi, zeta), term.root})
	}
	if l, ok := r.of.(*featuremap.Nystrom); ok {
		projection := r.projected(l, m.targets())
		if r.varies {
			floats.Scale(-1, projection)
			r.parts = append(r.parts, restPart{linearModel(l, projection), nil})
		} else {
			floats.Sub(weights, projection)
		}
	}
	return r, nil
}

// projected returns the weights of the features of landmarks with the values of the parts at these, U⁻ᵀf(S), for each
// target in turn. A landmark that was dropped has no features.
func (r *rest) projected(l *featuremap.Nystrom, targets int) []float64 {
	n, _ := l.Landmarks().Dims()
	values := mat.NewDense(n, targets, nil)
	plain := rest{parts: r.parts}
	plain.addTo(values.RawMatrix(), l.Landmarks(), nil, nil)
	of := mat.DenseCopyOf(values.T()).RawMatrix()
	rawsOf(l).u.SolveTransVecs(of)
	return of.Data
}

// linearModel returns the model of these weights of features, without an intercept or a posterior.
func linearModel(phi featuremap.FeatureMap, weights []float64) *Model {
	_, out := phi.Dims()
	targets := len(weights) / out
	return newModel(phi, numbers{weights: weights, intercept: make([]float64, targets), noise: make([]float64, targets)})
}

// addTo adds the values at the rows of x to dst. left is the missing part of k(x, x) there, if s varies.
func (r *rest) addTo(dst blas64.General, x mat.Matrix, m *numbers, left []float64) {
	var reader rows.Reader
	reader.Reset(x)
	for _, p := range r.parts {
		roots := slices.Repeat([]float64{1}, dst.Rows)
		if p.root != nil {
			for i := range roots {
				roots[i] = p.root.Weight(reader.Row(i))
			}
		}
		if !slices.ContainsFunc(roots, func(v float64) bool { return v != 0 }) {
			continue
		}
		var values mat.Dense
		p.f.PredictTo(&values, x)
		for i, root := range roots {
			at := 0.0
			if r.varies {
				at = left[i]
			}
			r.addRow(dst.Data[i*dst.Stride:][:dst.Cols], values.RawRowView(i), root, m, at)
		}
	}
}

// addRow adds the values of a part to those of a point.
func (r *rest) addRow(dst, values []float64, root float64, m *numbers, left float64) {
	if root == 0 {
		return
	}
	for t, v := range values {
		if r.varies {
			deviation, _ := m.leftDeviation(t, left)
			v *= deviation
		}
		dst[t] += float64(root * v)
	}
}

// at returns the sum of the parts for a target at x, without s(x) if that varies, and its gradient.
func (r *rest) at(x []float64, target int) (value float64, gradient []float64) {
	gradient = make([]float64, len(x))
	part, slope := make([]float64, len(x)), make([]float64, len(x))
	for _, p := range r.parts {
		root := 1.0
		if clear(slope); p.root != nil {
			if root = p.root.Weight(x); root == 0 {
				continue
			}
			p.root.GradientTo(slope, x)
		}
		v := p.f.PredictVec(nil, x)[target]
		p.f.GradientVec(part, x, target)
		for j := range gradient {
			gradient[j] += math.FMA(root, part[j], float64(slope[j]*v))
		}
		value = math.FMA(root, v, value)
	}
	return value, gradient
}
