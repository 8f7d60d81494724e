// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// NewFourierFrom returns the Fourier map of given frequencies, such as frequencies of another library, learned ones, or
// a quadrature with equal weights. For a kernel of mass m and the D rows ωⱼ of frequencies, in radians per unit of x,
// it is
//
//	√(m/D)·(cos ω₁·x, …, cos ω_D·x, sin ω₁·x, …, sin ω_D·x)   if phases is nil,
//	√(2m/D)·(cos(ω₁·x + b₁), …, cos(ω_D·x + b_D))              for phases b, in radians.
//
// Only m is taken from k. The matrix of a Project or an ARD in k is not applied to the frequencies, and whether ⟨φ(x),
// φ(y)⟩ estimates k is up to you. Variance is NaN, because nothing is random.
//
// For scikit-learn's features pass the transposed random_weights_ of its RBFSampler, random_offset_, and RBF(gamma):
// see docs/reference/maps.md.
//
// It returns an error if k is nil, not Stationary (ErrNotStationary) or refused by NewFourier, or if frequencies is nil
// or empty. Phases, if given, must be as many as rows of frequencies. Elements of both must be finite. A Project, ARD
// or SpectralMixture in k must be for points of the same dimension, and the weights must fit in memory.
func NewFourierFrom(k Kernel, frequencies mat.Matrix, phases []float64) (*Fourier, error) {
	if check.IsNil(frequencies) {
		return nil, errors.New("featuremap: frequencies = nil")
	}
	n, in := frequencies.Dims()
	if n < 1 || in < 1 {
		return nil, fmt.Errorf("featuremap: frequencies is %d×%d: must not be empty", n, in)
	}
	b := recipe.NewBuilder(in, n, math.Inf(1))
	if err := b.Reserve(8 * 2 * float64(n) * float64(in)); err != nil { // for a copy of the frequencies, and the packed frequencies
		return nil, err
	}
	out := n
	if phases == nil {
		out *= 2
	}
	f, err := validateArguments(k, in, out)
	if err != nil {
		return nil, err
	}
	warped, ok := f.Spectrum()
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotStationary, gosyntax.Of(k))
	}
	if err := check.Finite("frequencies", frequencies, 0); err != nil {
		return nil, err
	}
	if phases != nil && len(phases) != n {
		return nil, fmt.Errorf("featuremap: phases has length %d: must have one for each of the %d frequencies", len(phases), n)
	}
	for i, v := range phases {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return nil, fmt.Errorf("featuremap: phases[%d] = %v: must be finite", i, v)
		}
	}
	if err := warped.Spectrum.Validate(); err != nil {
		return nil, err
	}
	return builtFrom[*Fourier](planOf(k, fourier.Given(frequencies, phases, warped.Mass, out)), start{})
}

// A givenDocument is the saved form of a map of NewFourierFrom.
type givenDocument struct {
	Kernel      Kernel     `save:"kernel"`
	Frequencies mat.Matrix `save:"frequencies"`
	Phases      []float64  `save:"phases,omitempty"`
}
