// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ridge

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap"
)

// Options are the options of Fit; nil is the zero value.
type Options struct {
	// Lambda is the ridge λ, which is added to the diagonal of ΦᵀΦ, and in whose units it is. 0: the λ of Path with the
	// largest evidence.
	Lambda float64

	// Path has the λ to choose from, in any order. Nil: 13 powers of ten, from 1e-6 to 1e6, times tr(ΦᵀΦ)/D (of
	// features less their mean, unless NoIntercept is set; 1 if the trace is 0). A λ of 0 is least squares; its
	// evidence is −Inf, so that it is taken only if there is no other.
	Path []float64

	// NoIntercept leaves out the intercept. It is the default to have one: then features and targets are taken less
	// their means, and the intercept is not penalised.
	NoIntercept bool

	// Progress, if not nil, is called by the function Fit while it adds rows, with the number of rows so far, every
	// 144 rows.
	Progress func(rows int)
}

// powers are the default path, in units of tr(ΦᵀΦ)/D.
var powers = [...]float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}

// validate refuses a λ that is negative or not finite, an empty path, and a λ beside a path.
func (o *Options) validate() error {
	switch {
	case o.Lambda != 0 && o.Path != nil:
		return fmt.Errorf("ridge: Lambda = %v and a Path: must be one of them", o.Lambda)
	case !validLambda(o.Lambda):
		return fmt.Errorf("ridge: Lambda = %v: must be finite and at least 0", o.Lambda)
	case o.Path != nil && len(o.Path) == 0:
		return errors.New("ridge: Path is empty: must be nil or have an element")
	}
	for i, l := range o.Path {
		if !validLambda(l) {
			return fmt.Errorf("ridge: Path[%d] = %v: must be finite and at least 0", i, l)
		}
	}
	return nil
}

func validLambda(l float64) bool { return l >= 0 && l <= math.MaxFloat64 }

// candidates returns the λ to choose from, where scale is the unit of the default ones.
func (o *Options) candidates(scale float64) []float64 {
	switch {
	case o.Lambda > 0:
		return []float64{o.Lambda}
	case o.Path != nil:
		return o.Path
	}
	path := make([]float64, len(powers))
	for i, p := range powers {
		path[i] = p * scale
	}
	return path
}

// Fit fits a model on the features of phi: it is NewAccumulator, Add and Accumulator.Fit, where x is n×in points and y
// n×T targets, one column a target. nil opts are the zero value.
//
// It panics with mat.ErrZeroLength if x has no rows, and with mat.ErrShape if its width is not phi's or y has not as many
// rows. It returns an error where those do.
func Fit(phi featuremap.FeatureMap, x, y mat.Matrix, opts *Options) (*Model, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	_, targets := y.Dims()
	a, err := NewAccumulator(phi, targets)
	if err != nil {
		return nil, err
	}
	if err := a.add(x, y, o.Progress); err != nil {
		return nil, err
	}
	a.flush()
	a.pending, a.buffer = nil, nil // memory for the factor
	return a.fit(&o)
}

// Fit returns the model of the rows so far; nil opts are the zero value. It leaves the accumulator as it is: more
// rows can be added, and it can be fitted again, with the same bits as one fit of all rows.
//
// With A = ΦᵀΦ + λI and b = ΦᵀY the weights are w = A⁻¹b, the mean of the Gaussian process of kernel
// ⟨φ(x), φ(y)⟩·σ²/λ with noise of variance σ², the one of largest evidence for each target. An intercept has a flat
// prior. Of the path that λ is taken which has the largest sum of log evidences over targets: see docs/fitting.md
// for the formulas. A λ is skipped if it is so small beside the squares of the features that A cannot be factorised
// to any accuracy.
//
// The cost is D³/6 multiply-adds, and T·D²/2, for each λ, and D²/2 numbers of memory besides the sums.
//
// It returns an error if an option is refused, if there are no rows, or one and an intercept, if no λ is left, or if
// the accumulator has no map. For least squares (λ = 0) that names a feature which depends linearly on those before
// it.
func (a *Accumulator) Fit(opts *Options) (*Model, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := a.validateMap(); err != nil {
		return nil, err
	}
	a.flush()
	return a.fit(&o)
}

// fit is Fit of an accumulator without pending rows.
func (a *Accumulator) fit(o *Options) (*Model, error) {
	switch {
	case a.rows == 0:
		return nil, errors.New("ridge: no rows: must be at least 1")
	case a.rows == 1 && !o.NoIntercept:
		return nil, errors.New("ridge: 1 row: must be at least 2 with an intercept")
	}
	e := newEquations(a, !o.NoIntercept)
	s, err := e.best(o.candidates(e.scale))
	if err != nil {
		return nil, err
	}
	return newModel(a.phi, e.model(s)), nil
}
