// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/special"
)

// FourierOptions are the options of NewFourier; nil is the zero value. Whatever they are, estimates may be
// negative: see Fourier.
type FourierOptions struct {
	// Design is the design of the frequencies; Independent if zero.
	Design Design

	// RandomPhase gives each frequency one feature √2·cos(ω·x + b), b uniform on [0, 2π), in place of the
	// pair cos(ω·x), sin(ω·x). For the same number of features the pair costs half as much, and for most
	// kernels has the lower variance: see Variance.
	RandomPhase bool
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
// The zero value is of no use: see NewFourier, and NewFourierFrom for given frequencies.
type Fourier struct {
	compiled
	recipe *fourierRecipe

	// The samplers of frequencies and phases, in their state before the draw; unused if these were given.
	frequencies, phases Sampler
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
	return construct[*Fourier](k, in, out, s, func(f form) (recipe, error) {
		of, ok := f.spectrum()
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrNotStationary, source(k))
		}
		var o FourierOptions
		if opts != nil {
			o = *opts
		}
		return newFourierRecipe(of, in, out, o)
	})
}

// A fourierRecipe is a Fourier map before its frequencies are drawn.
type fourierRecipe struct {
	frame
	spectrum // of k in k(Ax, Ay), A being the warp
	opts     FourierOptions

	given *waves // nil if they are drawn

	table func() *covariance // of two frequencies of a block
}

// newFourierRecipe makes all checks that need no draw.
func newFourierRecipe(of warpedSpectrum, in, out int, o FourierOptions) (*fourierRecipe, error) {
	r := &fourierRecipe{frame: frame{in, of.warp, out}, spectrum: of.spectrum, opts: o}
	r.table = sync.OnceValue(func() *covariance { return newCovariance(r.block(), r.tauNodes()) })
	if !o.RandomPhase && out%2 != 0 {
		return nil, fmt.Errorf("featuremap: out = %d: must be even, for pairs of a cosine and a sine (or set RandomPhase)", out)
	}
	switch o.Design {
	case Independent:
	case Orthogonal, Structured:
		if r.mixture == nil {
			return nil, fmt.Errorf("%w: %v (Design = %v)", ErrNotRadial, r.spectrum, o.Design)
		}
	default:
		return nil, fmt.Errorf("featuremap: Design = %v: unknown", o.Design)
	}
	return r, r.spectrum.validate()
}

func (r *fourierRecipe) String() string {
	switch {
	case r.given != nil && r.opts.RandomPhase:
		return "Fourier, given frequencies with given phases"
	case r.given != nil:
		return "Fourier, given frequencies in pairs"
	}
	if r.opts.RandomPhase {
		return fmt.Sprintf("Fourier, %v frequencies with random phases", r.opts.Design)
	}
	return fmt.Sprintf("Fourier, %v frequencies in pairs", r.opts.Design)
}

// layout says which columns belong to one frequency, and which frequencies depend on each other.
func (r *fourierRecipe) layout() layout {
	return layout{draws: r.forms(), parts: r.columns / r.forms(), block: r.block()}
}

// forms returns the number of frequencies.
func (r *fourierRecipe) forms() int {
	if r.opts.RandomPhase {
		return r.columns
	}
	return r.columns / 2
}

// draw draws the frequencies and packs them in turns (units of 2π).
func (r *fourierRecipe) draw(b *builder, next func() *Sampler) (drawing, error) {
	if err := b.reserve(r.bytes()); err != nil {
		return nil, err
	}
	f := &Fourier{recipe: r}
	if r.given == nil {
		s := next()
		f.frequencies, f.phases = *s.Split(), *s.Split()
	}
	epilogue := projection.CosSin
	if r.opts.RandomPhase {
		epilogue = projection.Cos
	}
	scale := math.Sqrt(2 * r.mass / float64(r.columns))
	if r.design() == Structured {
		return f, r.packStructured(b, f, epilogue, scale)
	}
	p := projection.New(r.forms(), r.in, epilogue, scale)
	phases := f.phases
	turns := make([]float64, r.in)
	var err error
	f.draw(func(i int, w []float64) {
		for j, v := range w {
			turns[j] = v / (2 * math.Pi)
			if !(math.Abs(v) <= math.MaxFloat64) && err == nil {
				err = fmt.Errorf("featuremap: %v drew a frequency with coordinate %d = %v: must be finite", r.spectrum, j, v)
			}
		}
		p.Set(i, turns, r.phase(i, &phases))
	})
	b.add(r.columns, projection.Forms{Projection: p, At: b.at})
	return f, err
}

// packStructured draws the signs and lengths of structured frequencies, and packs them in turns.
func (r *fourierRecipe) packStructured(b *builder, f *Fourier, e projection.Epilogue, scale float64) error {
	d := r.dim()
	p := projection.NewStructured(b.at, r.forms(), d, paddedDim(d), e, scale, r.warp.before(r.in))
	frequencies, phases := f.frequencies, f.phases
	var err error
	drawStructured(r.mixture, r.forms(), paddedDim(d), &frequencies, func(b *structuredBlock) {
		for i, signs := range b.signs {
			copy(p.Signs(b.first, i), signs)
		}
		for i, length := range b.lengths {
			if !(length <= math.MaxFloat64) && err == nil {
				err = fmt.Errorf("featuremap: %v drew a frequency of length %v: must be finite", r.spectrum, length)
			}
			p.Set(b.first+i, length/(2*math.Pi), r.phase(b.first+i, &phases))
		}
	})
	b.add(r.columns, p)
	return err
}

// phase draws phase i, in turns, unless it was given. In the pair form it is 0, and nothing is drawn.
func (r *fourierRecipe) phase(i int, s *Sampler) float64 {
	switch {
	case !r.opts.RandomPhase:
		return 0
	case r.given != nil:
		return r.given.phases[i] / (2 * math.Pi)
	}
	return s.Float64()
}

// Frequencies returns the frequencies as rows, in radians per unit of x: out/2 in the pair form, out with
// RandomPhase. It draws them again, at the cost of the construction, or copies those of NewFourierFrom.
func (f *Fourier) Frequencies() *mat.Dense {
	w := mat.NewDense(f.recipe.forms(), f.recipe.in, nil)
	f.draw(func(i int, row []float64) { w.SetRow(i, row) })
	return w
}

// Phases returns the phases b with RandomPhase, in radians within [0, 2π) or as they were given, and nil in
// the pair form.
func (f *Fourier) Phases() []float64 {
	switch {
	case !f.recipe.opts.RandomPhase:
		return nil
	case f.recipe.given != nil:
		return slices.Clone(f.recipe.given.phases)
	}
	s := f.phases
	b := make([]float64, f.recipe.forms())
	s.FillFloat64(b)
	for i := range b {
		b[i] *= 2 * math.Pi
	}
	return b
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
// fifth for 64 coordinates, a tenth for 128 and a few per cent from 256 on. For the map of NewFourierFrom,
// which was not drawn, it is NaN. docs/variance.md has the formulas, and what rounding does to them.
func (f *Fourier) Variance(x, y []float64) float64 {
	return f.plan.Variance(x, y)
}

// known: nothing is random in a map of given frequencies.
func (r *fourierRecipe) known() bool { return r.given == nil }

// The statistics are D times the variance for independent frequencies, and m² times c: see Variance.
func (r *fourierRecipe) statistics() int { return 2 }

func (r *fourierRecipe) add(sums []float64, p *pair, part float64) {
	if r.given != nil {
		return
	}
	m2, block := r.mass*r.mass, r.block()
	switch {
	case block == 1:
	case r.length > 0:
		sums[1] += part * m2 * special.OrthogonalCovariance(block, 0.5*square(p.distance/r.length))
	default:
		sums[1] += part * m2 * r.table().at(p.distance)
	}
	if r.length > 0 && !r.opts.RandomPhase {
		e := math.Expm1(-square(p.distance / r.length)) // 1 + κ(2Δ) − 2κ(Δ)² without cancellation
		sums[0] += part * m2 * e * e
		return
	}
	var delta, zero []float64
	if r.mixture != nil && r.trusted {
		delta, zero = []float64{p.distance}, []float64{0} // a radial kernel depends on no more
	} else {
		delta, zero = p.difference()
	}
	k := r.Eval(delta, zero)
	floats.Scale(2, delta)
	k2 := r.Eval(delta, zero)
	if r.opts.RandomPhase {
		sums[0] += part * (m2 + 0.5*r.mass*k2 - k*k)
	} else {
		// Rounding may leave about −1e-16·m².
		sums[0] += part * max(m2+r.mass*k2-2*k*k, 0)
	}
}

func (r *fourierRecipe) variance(sums []float64) float64 {
	if r.given != nil {
		return math.NaN()
	}
	n := r.forms()
	shared := blockPairs(n, r.block()) / float64(n) * sums[1]
	if !r.opts.RandomPhase {
		shared *= 2
	}
	return max(sums[0]+shared, 0) / float64(r.columns) // rounding may leave less
}

func (f *Fourier) evidence(fx, fy, x, y []float64) (evidence, error) {
	if f.recipe.given != nil {
		return evidence{}, errGiven
	}
	return f.recipe.layout().evidence(fx, fy, 0)
}
