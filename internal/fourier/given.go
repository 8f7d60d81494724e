// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package fourier

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
)

// Given returns the recipe of a map with given frequencies, as rows, and phases, nil for pairs. Its kernel has this
// mass.
func Given(frequencies mat.Matrix, phases []float64, mass float64, out int) *givenRecipe {
	w := GivenWaves{mat.DenseCopyOf(frequencies), slices.Clone(phases)}
	_, in := frequencies.Dims()
	return &givenRecipe{recipe.Frame{In: in, Columns: out}, w, mass}
}

// GivenWaves are frequencies as rows, and their phases, nil for pairs; both in radians.
type GivenWaves struct {
	Rows    *mat.Dense
	Radians []float64
}

func (w GivenWaves) Frequencies() *mat.Dense { return mat.DenseCopyOf(w.Rows) }
func (w GivenWaves) Phases() []float64       { return slices.Clone(w.Radians) }

// givenRecipe is a Fourier map with given frequencies. Nothing is random, and its error is not known.
type givenRecipe struct {
	recipe.Frame
	waves GivenWaves
	mass  float64
}

func (r *givenRecipe) String() string {
	if r.waves.Radians != nil {
		return "Fourier, given frequencies with given phases"
	}
	return "Fourier, given frequencies in pairs"
}

func (r *givenRecipe) Known() bool                          { return false }
func (r *givenRecipe) Statistics() int                      { return 0 }
func (r *givenRecipe) Add([]float64, *sample.Pair, float64) {}
func (r *givenRecipe) Variance([]float64) float64           { return math.NaN() }
func (r *givenRecipe) Key() any                             { return nil }

func (r *givenRecipe) Document() any {
	return r.waves
}

// Draw packs the given frequencies. Nothing is sampled.
func (r *givenRecipe) Draw(b *recipe.Builder, _ func() random.Sampler) (any, error) {
	n, _ := r.waves.Rows.Dims()
	if err := b.Reserve(8 * (float64(n) + 24) * (float64(r.In) + 1)); err != nil {
		return nil, err
	}
	var phase func(i int) float64
	if r.waves.Radians != nil {
		phase = func(i int) float64 { return r.waves.Radians[i] / (2 * math.Pi) }
	}
	packWaves(b, r.mass, n, phase, func(set func(i int, w []float64)) {
		for i := range n {
			set(i, r.waves.Rows.RawRowView(i))
		}
	})
	return r.waves, nil
}
