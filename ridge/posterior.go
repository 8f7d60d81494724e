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

// A Posterior is the Gaussian process of the function f, given the training rows of a Model: see Model.Posterior. Its
// mean is the predictions of the model. It describes the function alone, without the noise of observations. It is safe
// for concurrent use. The zero value panics with mat.ErrShape when it is given points.
type Posterior struct {
	m *Model // has a posterior
}

// Posterior returns the posterior of the function f. Predict returns its mean, and the standard deviation with noise.
// The call itself takes no time.
//
// It returns an error, which says what to do, if the model is the zero value, if a target is constant (which does not
// tell how it varies), and if the model is from MeanOnly, from a fit in float32, or from FitIterative or FitPasses
// without Samples.
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

// model returns the model, for the zero value an empty Model.
func (p *Posterior) model() *Model {
	if p.m == nil {
		return new(Model)
	}
	return p.m
}

// VarianceTo sets row i of dst, n×T, to the posterior variances of f(x) for row i of x, n×in: with n training rows and
// noise variance σ²
//
//	σ²·(1/n + (φ(x) − φ̄)ᵀA⁻¹(φ(x) − φ̄)), without an intercept σ²·φ(x)ᵀA⁻¹φ(x)
//
// For landmarks it adds the variance of what they miss of the kernel, r(x) = k(x, x) − ‖φ(x)‖². If λ was given, that is
// the prior's, NoiseVariance·r(x)/λ. If the rows chose λ, it is σ²·c·r(x)/r̄, with the mean r̄ of r over the training
// rows and c ≤ min(r̄/λ, ½); the part of r(x) above 2r̄, and all of it if the noise is known, counts σ²/λ times at
// most. For a map that was planned for points it adds the prior variance of what the map loses of k(x, x): see
// docs/theory/lambda.md.
//
// The variance of a new observation adds Model.NoiseVariance, which is σ²·(1 − c) so that nothing counts twice: see
// Model.Predict. It takes D²/2 multiply-adds a row. After FitIterative with S Samples it is an estimate, with a
// relative standard error of √(2/S). Shapes and panics are as in Model.PredictTo.
func (p *Posterior) VarianceTo(dst *mat.Dense, x mat.Matrix) { p.model().varianceTo(dst, x) }

// VarianceVec sets dst to the posterior variances of f(x), one for each target, and returns it. They have the same bits
// as in VarianceTo. A nil dst is allocated; otherwise nothing is. It panics as Model.PredictVec does.
func (p *Posterior) VarianceVec(dst, x []float64) []float64 { return p.model().varianceVec(dst, x) }

// VarianceGradientVec sets dst to the gradient at x of the posterior variance of f(x) for a target (see VarianceTo),
// and returns it:
//
//	2σ²·J(x)ᵀA⁻¹(φ(x) − φ̄), without an intercept 2σ²·J(x)ᵀA⁻¹φ(x).
//
// For landmarks it adds the gradient of what they miss, as VarianceTo does. It takes D² multiply-adds in addition to
// the Jacobian matrix. It panics as Model.GradientVec does.
func (p *Posterior) VarianceGradientVec(dst, x []float64, target int) []float64 {
	return p.model().varianceGradientVec(dst, x, target)
}
