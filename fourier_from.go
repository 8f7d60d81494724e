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

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// NewFourierFrom returns the Fourier map of given frequencies, such as those of another library, learned
// ones, or a quadrature's of equal weights: for D rows ωⱼ of frequencies, in radians per unit of x, and a
// kernel of mass m
//
//	√(m/D)·(cos ω₁·x, …, cos ω_D·x, sin ω₁·x, …, sin ω_D·x)   if phases is nil,
//	√(2m/D)·(cos(ω₁·x + b₁), …, cos(ω_D·x + b_D))              for phases b, in radians.
//
// Only m is taken from k: the matrix of a Project or an ARD in k is not applied to the frequencies. That
// ⟨φ(x), φ(y)⟩ estimates k is up to the caller, and nothing here is random. So Variance is NaN, and
// PlanOf returns an error. With RBFSampler's random_weights_, transposed, its random_offset_ and RBF(gamma)
// the features are scikit-learn's: see docs/maps.md.
//
// It returns an error if k is nil or refused by NewFourier, if it is not Stationary (ErrNotStationary), if
// frequencies is nil, empty, or has an element that is not finite, if phases has another length than
// frequencies has rows, or an element that is not finite, if a Project, ARD or SpectralMixture in k is for
// points of another dimension, or if the weights do not fit in memory.
func NewFourierFrom(k Kernel, frequencies mat.Matrix, phases []float64) (*Fourier, error) {
	if check.IsNil(frequencies) {
		return nil, errors.New("featuremap: frequencies = nil")
	}
	n, in := frequencies.Dims()
	if n < 1 || in < 1 {
		return nil, fmt.Errorf("featuremap: frequencies is %d×%d: must not be empty", n, in)
	}
	b := recipe.NewBuilder(in, n, math.Inf(1))
	if err := b.Reserve(8 * 2 * float64(n) * float64(in)); err != nil { // for a copy of the frequencies, and packed ones
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
	w := givenWaves{mat.DenseCopyOf(frequencies), slices.Clone(phases)}
	return builtFrom[*Fourier](recipePlan(k, &givenRecipe{recipe.Frame{In: in, Columns: out}, w, warped.Mass}), start{})
}

// givenWaves are frequencies as rows, and their phases, nil for pairs; both in radians.
type givenWaves struct {
	rows    *mat.Dense
	radians []float64
}

func (w givenWaves) frequencies() *mat.Dense { return mat.DenseCopyOf(w.rows) }
func (w givenWaves) phases() []float64       { return slices.Clone(w.radians) }

// A givenRecipe is a Fourier map of given frequencies: nothing is random, and nothing is known of its error.
type givenRecipe struct {
	recipe.Frame
	waves givenWaves
	mass  float64
}

func (r *givenRecipe) String() string {
	if r.waves.radians != nil {
		return "Fourier, given frequencies with given phases"
	}
	return "Fourier, given frequencies in pairs"
}

func (r *givenRecipe) Known() bool                          { return false }
func (r *givenRecipe) Statistics() int                      { return 0 }
func (r *givenRecipe) Add([]float64, *sample.Pair, float64) {}
func (r *givenRecipe) Variance([]float64) float64           { return math.NaN() }
func (r *givenRecipe) Key() any                             { return nil }

// A givenDocument is a map of NewFourierFrom as it is saved.
type givenDocument struct {
	Kernel      Kernel     `save:"kernel"`
	Frequencies mat.Matrix `save:"frequencies"`
	Phases      []float64  `save:"phases,omitempty"`
}

func (r *givenRecipe) Document() any {
	return givenDocument{Frequencies: r.waves.rows, Phases: r.waves.radians}
}

// Draw packs the frequencies that were given. Nothing is drawn.
func (r *givenRecipe) Draw(b *recipe.Builder, _ func() random.Sampler) (any, error) {
	n, _ := r.waves.rows.Dims()
	if err := b.Reserve(8 * (float64(n) + 24) * (float64(r.In) + 1)); err != nil {
		return nil, err
	}
	var phase func(i int) float64
	if r.waves.radians != nil {
		phase = func(i int) float64 { return r.waves.radians[i] / (2 * math.Pi) }
	}
	packWaves(b, r.mass, n, phase, func(set func(i int, w []float64)) {
		for i := range n {
			set(i, r.waves.rows.RawRowView(i))
		}
	})
	return r.waves, nil
}
