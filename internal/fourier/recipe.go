// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package fourier implements the maps with frequencies: random ones of all designs, given ones, and lattices of Fourier
// series.
//
// Begin with recipe.go, a map before its frequencies are sampled. draw.go, cost.go, radii.go and sobol.go sample the
// frequencies and know what that costs. covariance.go and estimate.go predict errors. lattice.go and window.go have the
// frequencies that are not random.
package fourier

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// Waves are the frequencies and phases of a Fourier map, sampled or given.
type Waves interface {
	// Frequencies returns the frequencies as rows. Phases returns the phases, nil for pairs. Both are in
	// radians.
	Frequencies() *mat.Dense
	Phases() []float64
}

// Recipe is a Fourier map before its frequencies are sampled.
type Recipe struct {
	recipe.Frame
	spectrum.Spectrum // the spectrum of k in k(Ax, Ay), where A is the warp
	opts              Options
	seeded            random.New // makes the samplers of scrambles from which a variance is estimated

	// Each is made in the first call.
	Table  func() *Covariance   // for two frequencies of a block
	Law    func() *radial.Law   // for stratified radii
	Family func() *StrataFamily // for any number of stratified radii

	Quantiles   func() [][]TauQuantile         // for Sobol frequencies, for each factor
	strata      func() *strataTable            // the variance with stratified radii
	trials      func() *sobolTrials            // from which the variance of Sobol frequencies is estimated
	differences func() expr.DifferenceFunction // of the kernel behind the warp
}

// Options are the options of a map: see FourierOptions of the root package.
type Options struct {
	Design      design.Design
	RandomPhase bool
	Stratified  bool // the lengths of orthogonal and structured frequencies: see the root package
	Axes        mat.Matrix
}

// New returns the recipe of a map for a kernel behind a warp, or an error where the map is known to fail.
func New(warped spectrum.Warped, in, out int, o Options, seeded random.New) (*Recipe, error) {
	r := &Recipe{Frame: recipe.Frame{In: in, Warp: warped.Warp, Columns: out}, Spectrum: warped.Spectrum, opts: o, seeded: seeded}
	r.Table = sync.OnceValue(func() *Covariance { return newCovariance(PairCovarianceOf(r.Block()), r.TauNodes()) })
	r.differences = sync.OnceValue(func() expr.DifferenceFunction { return expr.AtDifferences(r.Kernel, r.Dim()) })
	r.Law = sync.OnceValue(func() *radial.Law { return radial.NewLaw(float64(r.Block()), r.Laws) })
	r.Family = sync.OnceValue(func() *StrataFamily { return newStrataFamily(r) })
	r.Quantiles = sync.OnceValue(r.tauQuantiles)
	r.strata = sync.OnceValue(func() *strataTable { return newStrataTable(r, r.Family()) })
	r.trials = sync.OnceValue(func() *sobolTrials { return newSobolTrials(r) })
	if !o.RandomPhase && out%2 != 0 {
		return nil, fmt.Errorf("featuremap: out = %d: must be even, for pairs of a cosine and a sine (or set RandomPhase)", out)
	}
	if err := r.validateLengths(); err != nil {
		return nil, err
	}
	if err := r.takeAxes(); err != nil {
		return nil, err
	}
	switch o.Design {
	case design.Independent:
	case design.Sobol:
		if err := r.validateSobol(); err != nil {
			return nil, err
		}
	case design.Orthogonal, design.Structured:
		if r.Mixture == nil {
			return nil, fmt.Errorf("%w: %v (Design = %v)", check.ErrNotRadial, r.Spectrum, o.Design)
		}
	default:
		return nil, fmt.Errorf("featuremap: Design = %v: unknown", o.Design)
	}
	return r, r.Spectrum.Validate()
}

func (r *Recipe) String() string {
	name := fmt.Sprintf("Fourier, %v frequencies in pairs", r.opts.Design)
	if r.opts.RandomPhase {
		name = fmt.Sprintf("Fourier, %v frequencies with random phases", r.opts.Design)
	}
	switch {
	case r.opts.Stratified:
		name += ", stratified radii"
	case r.opts.Axes != nil:
		name += ", along axes"
	}
	return name
}

// Forms returns the number of frequencies.
func (r *Recipe) Forms() int {
	if r.opts.RandomPhase {
		return r.Columns
	}
	return r.Columns / 2
}

// Draw draws the frequencies and packs them.
func (r *Recipe) Draw(b *recipe.Builder, next func() random.Sampler) (any, error) {
	if err := b.Reserve(r.bytes()); err != nil {
		return nil, err
	}
	s := next()
	drawn := &drawnWaves{r, s.Split(), s.Split()}
	if r.Design() == design.Structured {
		return drawn, drawn.packStructured(b)
	}
	var err error
	packWaves(b, r.Mass, r.Forms(), drawn.phase(), func(set func(i int, w []float64)) {
		drawn.each(func(i int, w []float64) {
			for j, v := range w {
				if !(math.Abs(v) <= math.MaxFloat64) && err == nil {
					err = fmt.Errorf("featuremap: %v drew a frequency with coordinate %d = %v: must be finite", r.Spectrum, j, v)
				}
			}
			set(i, w)
		})
	})
	return drawn, err
}

// packWaves adds the columns of n frequencies to b. each calls set with one frequency after another, in radians per
// unit of x. phase returns the phase of frequency i in turns, that is, over 2π; it is called in ascending order, and is
// nil for pairs.
func packWaves(b *recipe.Builder, mass float64, n int, phase func(i int) float64, each func(set func(i int, w []float64))) {
	epilogue, scale, columns := waveColumns(mass, n, phase == nil)
	p := projection.New(n, b.In, epilogue, scale)
	turns, bias := make([]float64, b.In), 0.0
	each(func(i int, w []float64) {
		for j, v := range w {
			turns[j] = v / (2 * math.Pi)
		}
		if phase != nil {
			bias = phase(i)
		}
		p.Set(i, turns, bias)
	})
	b.Add(columns, projection.Forms{Projection: p, At: b.At})
}

// waveColumns says how n frequencies become columns: by which epilogue, times which factor, and how many
// columns.
func waveColumns(mass float64, n int, pairs bool) (e projection.Epilogue, scale float64, columns int) {
	if pairs {
		return projection.CosSin, math.Sqrt(2 * mass / float64(2*n)), 2 * n
	}
	return projection.Cos, math.Sqrt(2 * mass / float64(n)), n
}

func (r *Recipe) Bounded() bool { return true }

// Key includes the number of frequencies where statistics depend on it.
func (r *Recipe) Key() any {
	if !r.opts.Stratified && r.Design() != design.Sobol {
		return r.opts
	}
	return recipeKey{r.opts, r.Forms()}
}

type recipeKey struct {
	opts  Options
	forms int
}

// ByDistance is also false for a caller's radial kernel, whose Frequency and Mixture may belong to different
// kernels.
func (r *Recipe) ByDistance() bool {
	return r.Mixture != nil && r.Trusted && r.Design() != design.Sobol
}

// Statistics are D times the variance for independent frequencies, and m²·c, where c is the covariance: see Covariance.
func (r *Recipe) Statistics() int { return 2 }

func (r *Recipe) Add(sums []float64, p *sample.Pair, part float64) {
	m2, block := r.Mass*r.Mass, r.Block()
	switch {
	case r.Design() == design.Sobol:
		sums[0] += part * r.ofTogether(r.trials().squaredError(r, p))
		return
	case r.opts.Stratified:
		sums[0] += part * r.ofTogether(m2*r.strata().at(p.Distance)/float64(r.Forms()))
		return
	case block > 1:
		sums[1] += part * m2 * r.covarianceAt(p.Distance)
	}
	if r.Length > 0 && !r.opts.RandomPhase {
		e := math.Expm1(-arith.Square(p.Distance / r.Length)) // 1 + κ(2Δ) − 2κ(Δ)² without cancellation
		sums[0] += part * m2 * e * e
		return
	}
	k, k2 := r.values(p)
	if r.opts.RandomPhase {
		sums[0] += part * (m2 + 0.5*r.Mass*k2 - k*k)
	} else {
		// Rounding may leave about −1e-16·m².
		sums[0] += part * max(m2+r.Mass*k2-2*k*k, 0)
	}
}

// values returns the kernel at Δ = x − y, and at 2Δ.
func (r *Recipe) values(p *sample.Pair) (k, k2 float64) {
	delta := rows.List{Values: []float64{p.Distance}} // a radial kernel depends on the distance alone
	at := func(delta rows.List) float64 { return r.Eval(delta.Values, []float64{0}) }
	if !r.ByDistance() {
		delta, at = p.Difference(), r.differences()
	}
	k = at(delta)
	floats.Scale(2, delta.Values)
	return k, at(delta)
}

func (r *Recipe) Variance(sums []float64) float64 {
	n := r.Forms()
	shared := design.BlockPairs(n, r.Block()) / float64(n) * sums[1]
	if !r.opts.RandomPhase {
		shared *= 2
	}
	return max(sums[0]+shared, 0) / float64(r.Columns) // rounding may leave less than 0
}
