// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// NewFourierFrom returns the Fourier map of given frequencies, such as those of another library, learned
// ones, or a quadrature's of equal weights: for D rows ωⱼ of frequencies, in radians per unit of x, and a
// kernel of mass m
//
//	√(m/D)·(cos ω₁·x, …, cos ω_D·x, sin ω₁·x, …, sin ω_D·x)   if phases is nil,
//	√(2m/D)·(cos(ω₁·x + b₁), …, cos(ω_D·x + b_D))              for phases b, in radians.
//
// Only m is taken from k: the matrix of a Project or an ARD in k is not applied to the frequencies. That
// ⟨φ(x), φ(y)⟩ estimates k is up to the caller, and nothing here is random. So Variance is NaN, Interval and
// PlanOf return an error. With RBFSampler's random_weights_, transposed, its random_offset_ and RBF(gamma)
// the features are scikit-learn's: see docs/maps.md.
//
// It returns an error if k is nil or refused by NewFourier, if it is not Stationary (ErrNotStationary), if
// frequencies is nil, empty, or has an element that is not finite, if phases has another length than
// frequencies has rows, or an element that is not finite, if a Project, ARD or SpectralMixture in k is for
// points of another dimension, or if the weights do not fit in memory.
func NewFourierFrom(k Kernel, frequencies mat.Matrix, phases []float64) (*Fourier, error) {
	if isNil(frequencies) {
		return nil, errors.New("featuremap: frequencies = nil")
	}
	n, in := frequencies.Dims()
	if n < 1 || in < 1 {
		return nil, fmt.Errorf("featuremap: frequencies is %d×%d: must not be empty", n, in)
	}
	b := builder{in: in, out: n}
	if err := b.reserve(8 * 2 * float64(n) * float64(in)); err != nil { // a copy, and packed
		return nil, err
	}
	o := FourierOptions{RandomPhase: phases != nil}
	out := n
	if !o.RandomPhase {
		out *= 2
	}
	f, err := validateArguments(k, in, out)
	if err != nil {
		return nil, err
	}
	of, ok := f.spectrum()
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotStationary, source(k))
	}
	if err := validateFinite("frequencies", frequencies, 0); err != nil {
		return nil, err
	}
	if o.RandomPhase && len(phases) != n {
		return nil, fmt.Errorf("featuremap: phases has length %d: must have one for each of the %d frequencies", len(phases), n)
	}
	for i, v := range phases {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return nil, fmt.Errorf("featuremap: phases[%d] = %v: must be finite", i, v)
		}
	}
	of.warp = warp{}
	r, err := newFourierRecipe(of, in, out, o)
	if err != nil {
		return nil, err
	}
	r.given = &waves{mat.DenseCopyOf(frequencies), slices.Clone(phases)}
	p := recipePlan(k, r)
	p.given = true
	return builtFrom[*Fourier](p, start{})
}

// waves are given frequencies as rows, and their phases, nil for pairs; both in radians.
type waves struct {
	frequencies *mat.Dense
	phases      []float64
}

// errGiven says why nothing is known of the error of given frequencies.
var errGiven = errors.New("featuremap: the frequencies were given, not drawn: there is no interval")
