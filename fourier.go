// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/expr"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/radial"
	"github.com/seed-0f95ebc1/featuremap/internal/random"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
	"github.com/seed-0f95ebc1/featuremap/internal/rows"
	"github.com/seed-0f95ebc1/featuremap/internal/sample"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
)

// Fourier maps: cosines and sines of random frequencies, for stationary kernels.

// FourierOptions are the options of NewFourier; nil is the zero value. Whatever they are, estimates may be
// negative: see Fourier.
type FourierOptions struct {
	// Design is the design of the frequencies; Independent if zero.
	Design Design

	// RandomPhase gives each frequency one feature √2·cos(ω·x + b), b uniform on [0, 2π), in place of the
	// pair cos(ω·x), sin(ω·x). For the same number of features the pair costs half as much, and for most
	// kernels has the lower variance: see Variance.
	RandomPhase bool

	// Radii says how the lengths of Orthogonal and Structured frequencies are drawn; RandomRadii if zero. It must be zero
	// for other designs.
	Radii Radii

	// Axes has the directions, as rows, along which Sobol frequencies are spread, the most important first: best the
	// principal axes of the points as the kernel sees them, behind its ARD or Project, by descending variance.
	// They must be orthogonal, of length 1 to 1e-8, and as many as coordinates; nil stands for the coordinates
	// themselves. Whatever they are, the estimate is unbiased. Of a product only the radial factor is rotated. It must be nil
	// for other designs.
	Axes mat.Matrix
}

// String returns the Go expression that makes the options. Radii and Axes are left out if they are zero.
func (o FourierOptions) String() string { return gosyntax.Of(o) }

// GoString returns what String does.
func (o FourierOptions) GoString() string {
	var w strings.Builder
	fmt.Fprintf(&w, "FourierOptions{Design: %v, RandomPhase: %v", o.Design, o.RandomPhase)
	if o.Radii != RandomRadii {
		fmt.Fprintf(&w, ", Radii: %v", o.Radii)
	}
	if !check.IsNil(o.Axes) {
		fmt.Fprintf(&w, ", Axes: %s", gosyntax.Of(o.Axes))
	}
	w.WriteString("}")
	return w.String()
}

// Fourier is the map of random Fourier features (Rahimi and Recht 2007, "Random features for large-scale
// kernel machines") for a stationary kernel of mass m = k(x, x):
//
//	φ(x) = √(2m/D)·(cos ω₁·x, …, cos ω_{D/2}·x, sin ω₁·x, …, sin ω_{D/2}·x),
//
// or, with RandomPhase, √(2m/D)·cos(ωⱼ·x + bⱼ) for j = 1 … D. Frequencies are drawn from the kernel's
// spectral measure. ⟨φ(x), φ(y)⟩ is an unbiased estimate of k(x, y); with Structured frequencies no bias is
// detectable.
//
// The estimate may be negative where the kernel is not: by about 1/√D where the kernel is tiny. Do not divide
// by sums of it, such as the degrees of spectral clustering or the denominators of attention.
//
// Centre data that is far from the origin: a phase is rounded by 1e-16·|ω·x| radians.
//
// The zero value is no map (see FeatureMap): see NewFourier, and NewFourierFrom for given frequencies.
type Fourier struct {
	compiled
	drawn waves
}

// waves are the frequencies and phases of a Fourier map, which were drawn or given.
type waves interface {
	// frequencies returns the frequencies as rows, and phases the phases, nil for pairs; both in radians.
	frequencies() *mat.Dense
	phases() []float64
}

var (
	_ FeatureMap = (*Fourier)(nil)
	_ Variancer  = (*Fourier)(nil)
)

// NewFourier returns a map R^in → R^out for the stationary kernel k, with weights drawn from a Split of s.
//
// It returns an error, and leaves s as it was, if k or s is nil, if a parameter of k is refused, if k is
// not Stationary (ErrNotStationary) or not Radial where the design needs it (ErrNotRadial; Project and ARD
// of a radial kernel are fine), if in or out is less than 1, if in is not the number of columns of k's
// Project or ARD, if out is odd in the pair form, if the design is unknown, if the weights do not fit in
// memory, if k's mass is not from 0 to 1e150, or if a drawn frequency is not finite. The parameters of
// kernels of other packages, and of kernels that they wrap, are not checked.
//
// Construction draws and packs about in·out numbers. Orthogonal frequencies take about d multiply-adds more
// for each of these; Structured ones take only about five numbers for each frequency.
func NewFourier(k Kernel, in, out int, s *Sampler, opts *FourierOptions) (*Fourier, error) {
	return construct[*Fourier](k, in, out, s, func(f form.Form) (recipe.Recipe, error) {
		warped, ok := f.Spectrum()
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrNotStationary, gosyntax.Of(k))
		}
		var o FourierOptions
		if opts != nil {
			o = *opts
		}
		return newFourierRecipe(warped, in, out, o)
	})
}

// A fourierRecipe is a Fourier map before its frequencies are drawn.
type fourierRecipe struct {
	recipe.Frame
	spectrum.Spectrum // of k in k(Ax, Ay), A being the warp
	opts              FourierOptions

	// Each is made in the first call.
	table  func() *covariance   // of two frequencies of a block
	law    func() *radial.Law   // of stratified radii
	family func() *strataFamily // of stratified radii in any number

	quantiles   func() [][]tauQuantile         // of Sobol frequencies, for each factor
	strata      func() *strataTable            // the variance with stratified radii
	trials      func() *sobolTrials            // by which the variance of Sobol frequencies is estimated
	differences func() expr.DifferenceFunction // of the kernel behind the warp
}

// newFourierRecipe returns the recipe of a map for a kernel behind a warp, or an error if it can be told without a draw.
func newFourierRecipe(warped spectrum.Warped, in, out int, o FourierOptions) (*fourierRecipe, error) {
	r := &fourierRecipe{Frame: recipe.Frame{In: in, Warp: warped.Warp, Columns: out}, Spectrum: warped.Spectrum, opts: o}
	r.table = sync.OnceValue(func() *covariance { return newCovariance(pairCovarianceOf(r.block()), r.TauNodes()) })
	r.differences = sync.OnceValue(func() expr.DifferenceFunction { return expr.AtDifferences(r.Kernel, r.Dim()) })
	r.law = sync.OnceValue(func() *radial.Law { return radial.NewLaw(float64(r.block()), r.Laws) })
	r.family = sync.OnceValue(func() *strataFamily { return newStrataFamily(r) })
	r.quantiles = sync.OnceValue(r.tauQuantiles)
	r.strata = sync.OnceValue(func() *strataTable { return newStrataTable(r, r.family()) })
	r.trials = sync.OnceValue(func() *sobolTrials { return newSobolTrials(r) })
	if !o.RandomPhase && out%2 != 0 {
		return nil, fmt.Errorf("featuremap: out = %d: must be even, for pairs of a cosine and a sine (or set RandomPhase)", out)
	}
	if err := r.validateRadii(); err != nil {
		return nil, err
	}
	if err := r.takeAxes(); err != nil {
		return nil, err
	}
	switch o.Design {
	case Independent:
	case Sobol:
		if err := r.validateSobol(); err != nil {
			return nil, err
		}
	case Orthogonal, Structured:
		if r.Mixture == nil {
			return nil, fmt.Errorf("%w: %v (Design = %v)", ErrNotRadial, r.Spectrum, o.Design)
		}
	default:
		return nil, fmt.Errorf("featuremap: Design = %v: unknown", o.Design)
	}
	return r, r.Spectrum.Validate()
}

func (r *fourierRecipe) String() string {
	name := fmt.Sprintf("Fourier, %v frequencies in pairs", r.opts.Design)
	if r.opts.RandomPhase {
		name = fmt.Sprintf("Fourier, %v frequencies with random phases", r.opts.Design)
	}
	switch {
	case r.opts.Radii != RandomRadii:
		name += ", stratified radii"
	case r.opts.Axes != nil:
		name += ", along axes"
	}
	return name
}

// forms returns the number of frequencies.
func (r *fourierRecipe) forms() int {
	if r.opts.RandomPhase {
		return r.Columns
	}
	return r.Columns / 2
}

// Draw draws the frequencies and packs them.
func (r *fourierRecipe) Draw(b *recipe.Builder, next func() random.Sampler) (any, error) {
	if err := b.Reserve(r.bytes()); err != nil {
		return nil, err
	}
	s := next()
	drawn := &drawnWaves{r, s.Split(), s.Split()}
	if r.design() == Structured {
		return drawn, drawn.packStructured(b)
	}
	var err error
	packWaves(b, r.Mass, r.forms(), drawn.phase(), func(set func(i int, w []float64)) {
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

// packWaves adds the columns of n frequencies to b. each calls set with one frequency after another, in radians per unit of
// x. phase returns the phase of frequency i in turns, that is, over 2π, and is called in ascending order; it is nil for pairs.
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

// waveColumns returns how n frequencies become columns: by an epilogue, times a factor, and in what number.
func waveColumns(mass float64, n int, pairs bool) (e projection.Epilogue, scale float64, columns int) {
	if pairs {
		return projection.CosSin, math.Sqrt(2 * mass / float64(2*n)), 2 * n
	}
	return projection.Cos, math.Sqrt(2 * mass / float64(n)), n
}

// Frequencies returns the frequencies as rows, in radians per unit of x: out/2 in the pair form, out with
// RandomPhase. It draws them again, at the cost of the construction, or copies those of NewFourierFrom.
func (f *Fourier) Frequencies() *mat.Dense {
	if f.plan == nil {
		return new(mat.Dense)
	}
	return f.drawn.frequencies()
}

// Phases returns the phases b with RandomPhase, in radians within [0, 2π) or as they were given, and nil in
// the pair form.
func (f *Fourier) Phases() []float64 {
	if f.plan == nil {
		return nil
	}
	return f.drawn.phases()
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map. It is of the order of m²/D, with
// m = k(x, x) and D features. For Independent frequencies it is exact, with κ = k/m and Δ = x − y,
//
//	[m²(1 + κ(2Δ)) − 2k(Δ)²]/D   in the pair form; Gaussian: (1 − e^{−‖Δ‖²/ℓ²})²/D,
//	[m²(1 + ½κ(2Δ)) − k(Δ)²]/D   with RandomPhase
//
// (Sutherland and Schneider 2015, "On the error of random Fourier features", for m = 1). The pair form has
// the lower variance where κ(2Δ) < 2κ(Δ)².
//
// For Orthogonal frequencies it is computed to some 1e-4, for products and series of kernels to a per cent.
// It is lower up to a distance of about three length scales, most of all at small ones, and beyond at most
// 1.5 per cent higher. For Structured frequencies it is that of Orthogonal ones, and may be too small: by a
// fifth for 64 coordinates, a tenth for 128 and a few per cent from 256 on. For Sobol frequencies it is an
// estimate, the mean squared error of 16 scrambles from fixed seeds, and what rare frequencies add. For the map of NewFourierFrom,
// which was not drawn, it is NaN. docs/variance.md has the formulas, and what rounding does to them.
func (f *Fourier) Variance(x, y []float64) float64 {
	return f.drawnPlan().Variance(x, y)
}

func (r *fourierRecipe) Bounded() bool { return true }

// Key has the number of frequencies too where statistics depend on it.
func (r *fourierRecipe) Key() any {
	if r.opts.Radii == RandomRadii && r.design() != Sobol {
		return r.opts
	}
	return fourierKey{r.opts, r.forms()}
}

type fourierKey struct {
	opts  FourierOptions
	forms int
}

// ByDistance is false for a caller's radial kernel too, whose Frequency and Mixture may draw for different kernels.
func (r *fourierRecipe) ByDistance() bool {
	return r.Mixture != nil && r.Trusted && r.design() != Sobol
}

// The Statistics are D times the variance for independent frequencies, and m²·c, c being the covariance: see covariance.
func (r *fourierRecipe) Statistics() int { return 2 }

func (r *fourierRecipe) Add(sums []float64, p *sample.Pair, part float64) {
	m2, block := r.Mass*r.Mass, r.block()
	switch {
	case r.design() == Sobol:
		sums[0] += part * r.ofTogether(r.trials().squaredError(r, p))
		return
	case r.opts.Radii == StratifiedRadii:
		sums[0] += part * r.ofTogether(m2*r.strata().at(p.Distance)/float64(r.forms()))
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
func (r *fourierRecipe) values(p *sample.Pair) (k, k2 float64) {
	delta := rows.List{Values: []float64{p.Distance}} // a radial kernel depends on the distance alone
	at := func(delta rows.List) float64 { return r.Eval(delta.Values, []float64{0}) }
	if !r.ByDistance() {
		delta, at = p.Difference(), r.differences()
	}
	k = at(delta)
	floats.Scale(2, delta.Values)
	return k, at(delta)
}

func (r *fourierRecipe) Variance(sums []float64) float64 {
	n := r.forms()
	shared := blockPairs(n, r.block()) / float64(n) * sums[1]
	if !r.opts.RandomPhase {
		shared *= 2
	}
	return max(sums[0]+shared, 0) / float64(r.Columns) // rounding may leave less than 0
}
