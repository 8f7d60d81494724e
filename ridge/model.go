// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
	"github.com/seed-0f95ebc1/featuremap/internal/tiled"
)

// A Model is a linear model on features: for each target the function
//
//	f(x) = ⟨φ(x), w⟩ + c
//
// and, unless it was dropped, the factor of A = ΦᵀΦ + λI that gives the posterior of f. See Accumulator.Fit.
//
// A Model is immutable and safe for concurrent use. Predictions have the same bits by row and in batches of any size, on
// any number of goroutines and on every architecture, where the features have.
type Model struct {
	phi     featuremap.FeatureMap
	in, out int
	numbers
	workspaces sync.Pool // of *workspace
}

// numbers are all there is to a model besides its map.
type numbers struct {
	rows      int // that it was fitted on
	lambda    float64
	evidence  float64
	condition func() float64 // found when it is asked for; then it is the same forever
	weights   []float64      // of each target in turn
	intercept []float64
	noise     []float64     // σ²
	mean      []float64     // φ̄; nil without an intercept
	factor    *tiled.Factor // of A; nil if the variance is not known, or 0
	sampled   bool          // a function drawn from a posterior: its variance is 0
}

// weight returns the weights of target t.
func (m *numbers) weight(t, out int) []float64 { return m.weights[t*out:][:out] }

func newModel(phi featuremap.FeatureMap, n numbers) *Model {
	m := &Model{phi: phi, numbers: n}
	m.in, m.out = phi.Dims()
	return m
}

// targets returns the number of targets.
func (m *Model) targets() int { return len(m.noise) }

// Map returns the map that the model was fitted with.
func (m *Model) Map() featuremap.FeatureMap { return m.phi }

// Lambda returns the ridge λ, in units of ΦᵀΦ.
func (m *Model) Lambda() float64 { return m.lambda }

// Weights returns a copy of the weights w, D×T, a column for each target.
func (m *Model) Weights() *mat.Dense {
	w := mat.NewDense(m.out, m.targets(), nil)
	for t := range m.targets() {
		w.SetCol(t, m.weight(t, m.out))
	}
	return w
}

// Intercept returns a copy of the intercepts c = ȳ − ⟨φ̄, w⟩, one for each target; zeros if the model was fitted without.
func (m *Model) Intercept() []float64 { return slices.Clone(m.intercept) }

// Noise returns a copy of the variances σ² of the noise, one for each target: see Accumulator.Fit.
func (m *Model) Noise() []float64 { return slices.Clone(m.noise) }

// LogEvidence returns the logarithm of the density of the targets, without their noise-free function, summed over
// targets: see Accumulator.Fit. Of two maps, or two length scales, that were fitted on the same rows and targets, the one
// with the larger evidence is the likelier. It is −Inf for least squares.
func (m *Model) LogEvidence() float64 { return m.evidence }

// Condition returns an estimate from below, most often within a factor of 3, of the condition number of
// A = ΦᵀΦ + λI in the 1-norm. Some log₁₀ of it of the 16 digits of a weight are lost to rounding. The first call takes
// some ten times D² multiply-adds.
func (m *Model) Condition() float64 { return m.condition() }

// MeanOnly returns the model without the factor of A, of which D²/2 of its numbers are: it predicts the same. Its
// variance is NaN, and Sample panics.
func (m *Model) MeanOnly() *Model {
	return newModel(m.phi, m.withoutFactor())
}

// withoutFactor returns the numbers without the factor of A.
func (m *numbers) withoutFactor() numbers {
	n, condition := *m, m.condition()
	n.factor = nil
	n.condition = func() float64 { return condition } // which does not hold on to the factor
	return n
}

// dot returns ⟨a, b⟩.
func dot(a, b []float64) float64 {
	var sum [1]float64
	tiled.Dots(sum[:], a, b, len(b))
	return sum[0]
}
