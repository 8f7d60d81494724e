// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A Posterior is the Gaussian process that f is, given the rows that a Model was fitted on: of the function alone, without the noise that
// observations have besides. Its mean is the model's predictions. See Model.Posterior. It is safe for concurrent use. What takes points panics with mat.ErrShape
// if it is the zero value.
type Posterior struct {
	m *Model // that has one
}

// Posterior returns the posterior of the function, of which Predict has the mean, and with the noise the deviation. It takes no time.
//
// It returns an error, which says what to do, if the model is the zero value, if a target is constant, as nothing tells how that varies, and
// if the model is one of MeanOnly, of float32, or of FitIterative or FitPasses without Samples.
func (m *Model) Posterior() (*Posterior, error) {
	if err := m.noPosterior(); err != nil {
		return nil, err
	}
	return &Posterior{m}, nil
}

// noPosterior returns the error of a model without a posterior.
func (m *Model) noPosterior() error {
	switch {
	case m.phi == nil:
		return errors.New("ridge: no posterior: the zero value of a Model")
	case slices.Contains(m.noise, 0):
		return fmt.Errorf("ridge: no posterior: nothing tells how a constant target varies (%s): fit the others without it; PredictVec has the constant", strings.Join(m.constant(), ", "))
	case m.rowSide() != nil:
		return m.rowSide().refusal()
	case m.hasPosterior(m.out):
		return nil
	case m.iterative != nil:
		return errors.New("ridge: no posterior: the model is of FitIterative or FitPasses without Samples, of MeanOnly or float32: set IterativeOptions.Samples; PredictVec has the mean")
	}
	return errors.New("ridge: no posterior: the model is of MeanOnly or float32, without the factors for it: take the model that was fitted in float64; PredictVec has the mean")
}

// needPosterior panics with the text of noPosterior.
func (m *Model) needPosterior() {
	if err := m.noPosterior(); err != nil {
		panic(err.Error())
	}
}

// model returns the model, of the zero value that of a Model.
func (p *Posterior) model() *Model {
	if p.m == nil {
		return new(Model)
	}
	return p.m
}

// VarianceTo sets row i of dst, n×T, to the variances of the posterior of f(x), for row i of x, n×in points,
//
//	σ²·(1/n + (φ(x) − φ̄)ᵀA⁻¹(φ(x) − φ̄)), without an intercept σ²·φ(x)ᵀA⁻¹φ(x),
//
// where n is the number of rows that the model was fitted on, and σ² the variance of the noise that was fitted. For landmarks
// it adds the variance of what they leave of the kernel, r(x) = k(x, x) − ‖φ(x)‖². With a λ that was given it is NoiseVariance·r(x)/λ, the prior's. With
// one that the rows chose it is σ²·c·r(x)/r̄, with the
// mean r̄ of r over the rows fitted and c = r̄/λ, or ½ if that is less; what r(x) has above 2r̄, and all of it where the noise is known, is
// times σ²/λ. For a map that was planned for points it adds the prior's variance of what that loses of k(x, x): see
// docs/theory/lambda.md. A new observation has Model.NoiseVariance besides, σ²·(1 − c), so that nothing is counted twice: see
// Model.Predict. It takes D²/2 multiply-adds a row. After FitIterative with S Samples it is estimated, to a relative standard error of √(2/S). Shapes, sizes
// and panics are those of Model.PredictTo.
func (p *Posterior) VarianceTo(dst *mat.Dense, x mat.Matrix) { p.model().varianceTo(dst, x) }

// VarianceVec writes the variances of the posterior of f(x), one for each target, to dst and returns dst: see VarianceTo,
// whose bits they have. A nil dst is allocated, otherwise nothing is. It panics as Model.PredictVec does.
func (p *Posterior) VarianceVec(dst, x []float64) []float64 { return p.model().varianceVec(dst, x) }

// VarianceGradientVec writes the gradient at x of the variance of the posterior of f(x) (see VarianceTo) of a target to dst
// and returns dst:
//
//	2σ²·J(x)ᵀA⁻¹(φ(x) − φ̄), without an intercept 2σ²·J(x)ᵀA⁻¹φ(x).
//
// For landmarks it adds the gradient of what they leave, as VarianceTo does. It takes D² multiply-adds besides. It panics as Model.GradientVec does.
func (p *Posterior) VarianceGradientVec(dst, x []float64, target int) []float64 {
	return p.model().varianceGradientVec(dst, x, target)
}
