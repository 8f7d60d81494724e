// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/memory"
	"github.com/seed-0f95ebc1/featuremap/internal/projection"
	"github.com/seed-0f95ebc1/featuremap/internal/special"
)

// FourierOptions are the options of NewFourier; nil is the zero value.
type FourierOptions struct {
	// Design is the design of the frequencies; Independent if zero.
	Design Design

	// RandomPhase chooses one feature √2·cos(ω·x + b) a frequency, b uniform on
	// [0, 2π), in place of the pair cos(ω·x), sin(ω·x). For the same number of
	// features the pair costs half as much, and for most kernels its estimate has
	// the lower variance: see Variance.
	RandomPhase bool
}

// Fourier is the map of random Fourier features (Rahimi and Recht 2007, "Random
// features for large-scale kernel machines") for a stationary kernel of mass m:
//
//	φ(x) = √(2m/D)·(cos ω₁·x, …, cos ω_{D/2}·x, sin ω₁·x, …, sin ω_{D/2}·x),
//
// or, with RandomPhase, √(2m/D)·cos(ωⱼ·x + bⱼ) for j = 1 … D. Frequencies are drawn
// from the kernel's spectral measure. ⟨φ(x), φ(y)⟩ is an unbiased estimate of
// k(x, y) for every design. In the pair form it is a function of x − y; with
// RandomPhase it is not.
//
// A phase is rounded, by about 1e-16·|ω·x| radians: far from the origin, centre the
// data first. Where |ω·x| is above 1e16 nothing is left of the phase, and features
// are constant rather than random: for points within 1e7 length scales of the origin
// no kernel of the package has such frequencies to speak of.
//
// The zero value is of no use: see NewFourier.
type Fourier struct {
	kernel Kernel
	opts   FourierOptions
	in     int
	out    int

	// The kernel is base(Ax, Ay), with A nil for the identity.
	base Stationary
	warp *linear

	// What frequencies and phases are drawn from, as it was before.
	frequencies, phases Sampler

	projection transformer
}

// A transformer is a compiled projection.
type transformer interface {
	Transform(dst *mat.Dense, x mat.Matrix)
	TransformVec(dst, x []float64)
}

var (
	_ FeatureMap = (*Fourier)(nil)
	_ Variancer  = (*Fourier)(nil)
)

// NewFourier returns a map R^in → R^out for the stationary kernel k, with weights
// drawn from a Split of s.
//
// It returns an error, and leaves s as it was, if k or s is nil, if a parameter of
// k is refused, if k is not Stationary (ErrNotStationary) or not Radial where the
// design needs it (ErrNotRadial; Project and ARD of a radial kernel are fine), if in
// or out is less than 1, if in is not the number of columns of k's Project or ARD,
// if out is odd in the pair form, if the design is unknown, if the weights would not
// fit in memory, if k's mass is not from 0 to 1e150, or if a frequency that it draws
// is not finite. Kernels of other packages are trusted with their own parameters, and
// with those of the kernels they wrap.
//
// Construction draws and packs about in·out numbers; orthogonal frequencies cost
// about d multiply-adds for each of these besides. Structured ones take some numbers for
// each frequency only.
func NewFourier(k Kernel, in, out int, s *Sampler, opts *FourierOptions) (*Fourier, error) {
	f := &Fourier{kernel: k, in: in, out: out}
	if opts != nil {
		f.opts = *opts
	}
	if s == nil {
		return nil, fmt.Errorf("featuremap: sampler s = nil")
	}
	if err := f.validate(); err != nil {
		return nil, err
	}
	before := *s
	child := s.Split()
	f.frequencies, f.phases = *child.Split(), *child.Split()
	if err := f.compile(); err != nil {
		*s = before
		return nil, err
	}
	return f, nil
}

// validate checks all that can be checked without drawing, and sets base and warp.
func (f *Fourier) validate() error {
	if f.in < 1 {
		return fmt.Errorf("featuremap: in = %d: must be at least 1", f.in)
	}
	if f.out < 1 {
		return fmt.Errorf("featuremap: out = %d: must be at least 1", f.out)
	}
	if !f.opts.RandomPhase && f.out%2 != 0 {
		return fmt.Errorf("featuremap: out = %d: must be even, for pairs of a cosine and a sine (or set RandomPhase)", f.out)
	}
	if err := validateMemory(f.in, f.out); err != nil {
		return err
	}
	if err := validateKernel(f.kernel, f.in); err != nil {
		return err
	}
	base := bind(f.kernel, f.in)
	if p, ok := base.(projector); ok {
		a, inner := p.projection()
		f.warp, base = &a, inner
	}
	var ok bool
	if f.base, ok = base.(Stationary); !ok {
		return fmt.Errorf("%w: %T", ErrNotStationary, base)
	}
	if m := f.base.Mass(); !(m >= 0 && m <= maxMass) {
		return fmt.Errorf("featuremap: %T Mass = %v: must be from 0 to %v", base, m, maxMass)
	}
	switch f.opts.Design {
	case Independent:
	case Orthogonal, Structured:
		if _, ok := base.(Radial); !ok {
			return fmt.Errorf("%w: %T (Design = %v)", ErrNotRadial, base, f.opts.Design)
		}
	default:
		return fmt.Errorf("featuremap: Design = %v: unknown", f.opts.Design)
	}
	return f.validateSize()
}

// validateSize refuses weights that neither an int nor the memory holds.
func (f *Fourier) validateSize() error {
	forms, d := float64(f.forms()), float64(f.dim())
	// The packed forms and biases, up to a panel more of them; and an orthogonal block,
	// with the normals it is made from.
	size := 8 * (forms + 24) * (float64(f.in) + 1)
	switch f.design() {
	case Orthogonal:
		size += 8 * 2 * d * min(d, forms)
	case Structured:
		// For each form a length, a phase and three signs, in whole blocks; and the matrix
		// of a Project.
		size = 8 * 5 * (forms + 2*d)
		if f.warp != nil {
			size += 8 * (d + 24) * (float64(f.in) + 1)
		}
	}
	if limit := float64(memory.Limit()); size > limit {
		return fmt.Errorf("featuremap: out = %d with in = %d: the weights take %.3g bytes, and there are %.3g",
			f.out, f.in, size, limit)
	}
	return nil
}

// forms returns the number of frequencies.
func (f *Fourier) forms() int {
	if f.opts.RandomPhase {
		return f.out
	}
	return f.out / 2
}

// dim returns the number of coordinates in which the frequencies are designed.
func (f *Fourier) dim() int {
	if f.warp != nil {
		return f.warp.p
	}
	return f.in
}

// compile draws the weights, and packs them in turns.
func (f *Fourier) compile() error {
	epilogue := projection.CosSin
	if f.opts.RandomPhase {
		epilogue = projection.Cos
	}
	scale := math.Sqrt(2 * f.base.Mass() / float64(f.out))
	if f.design() == Structured {
		return f.compileStructured(epilogue, scale)
	}
	p := projection.New(f.forms(), f.in, epilogue, scale)
	phases := f.phases
	turns := make([]float64, f.in)
	var err error
	f.draw(func(i int, w []float64) {
		for j, v := range w {
			turns[j] = v / (2 * math.Pi)
			if !(math.Abs(v) <= math.MaxFloat64) && err == nil {
				err = fmt.Errorf("featuremap: %T drew a frequency with coordinate %d = %v: must be finite", f.base, j, v)
			}
		}
		p.Set(i, turns, f.phase(&phases))
	})
	f.projection = p
	return err
}

// compileStructured draws the signs and lengths of structured frequencies, and packs
// them in turns.
func (f *Fourier) compileStructured(e projection.Epilogue, scale float64) error {
	d := f.dim()
	p := projection.NewStructured(f.forms(), d, paddedDim(d), e, scale, f.warp.before())
	frequencies, phases := f.frequencies, f.phases
	var err error
	drawStructured(f.base.(Radial), f.forms(), paddedDim(d), &frequencies, func(b *structuredBlock) {
		for i, signs := range b.signs {
			copy(p.Signs(b.first, i), signs)
		}
		for i, length := range b.lengths {
			if !(length <= math.MaxFloat64) && err == nil {
				err = fmt.Errorf("featuremap: %T drew a frequency of length %v: must be finite", f.base, length)
			}
			p.Set(b.first+i, length/(2*math.Pi), f.phase(&phases))
		}
	})
	f.projection = projection.NewStack(f.in, p)
	return err
}

// phase draws a phase, in turns: none in the pair form.
func (f *Fourier) phase(s *Sampler) float64 {
	if !f.opts.RandomPhase {
		return 0
	}
	return s.Float64()
}

// Dims returns the numbers of coordinates in and features out.
func (f *Fourier) Dims() (in, out int) { return f.in, f.out }

// Kernel returns the kernel the map was made for.
func (f *Fourier) Kernel() Kernel { return f.kernel }

// TransformTo sets row i of dst to the features of row i of x, an n×in matrix with
// n ≥ 1: see FeatureMap. In the pair form the cosines are in columns 0 … out/2 − 1,
// the sines of the same frequencies in columns out/2 … out − 1.
func (f *Fourier) TransformTo(dst *mat.Dense, x mat.Matrix) {
	prepareTransform(dst, x, f.in, f.out)
	f.projection.Transform(dst, x)
}

// TransformVec writes the features of x to dst and returns it: see FeatureMap.
func (f *Fourier) TransformVec(dst, x []float64) []float64 {
	dst = prepareVec(dst, x, f.in, f.out)
	f.projection.TransformVec(dst, x)
	return dst
}

// Frequencies returns the frequencies, one a row, in radians per unit of x: out/2 of
// them in the pair form, out with RandomPhase. They are drawn anew from the state
// the map keeps of its sampler, at the cost of the construction.
func (f *Fourier) Frequencies() *mat.Dense {
	w := mat.NewDense(f.forms(), f.in, nil)
	f.draw(func(i int, row []float64) { w.SetRow(i, row) })
	return w
}

// Phases returns the phases b of the random-phase form, in radians within [0, 2π),
// and nil for the pair form.
func (f *Fourier) Phases() []float64 {
	if !f.opts.RandomPhase {
		return nil
	}
	s := f.phases
	b := make([]float64, f.forms())
	s.FillFloat64(b)
	for i := range b {
		b[i] *= 2 * math.Pi
	}
	return b
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the draw of the map. With m the
// mass, κ = k/m, Δ = x − y and D = out, it is for independent frequencies
//
//	[m²(1 + κ(2Δ)) − 2k(Δ)²]/D   in the pair form; Gaussian: (1 − e^{−‖Δ‖²/ℓ²})²/D,
//	[m²(1 + ½κ(2Δ)) − k(Δ)²]/D   with RandomPhase
//
// (Sutherland and Schneider 2015, "On the error of random Fourier features", for
// m = 1). The pair form has the lower variance of the two where κ(2Δ) < 2κ(Δ)².
//
// For orthogonal frequencies of the Gaussian kernel it is that plus m²·n_same·c/f². Here
// f is the number of frequencies (D/2, or D with RandomPhase) in R^d (d = in; behind
// a Project d is the matrix's number of rows, and Δ is A(x − y)), n_same the number of
// ordered pairs of different ones that share a block, and c the covariance of
// cos ω₁·Δ and cos ω₂·Δ for two that do,
//
//	n_same = ⌊f/d⌋d(d−1) + r(r−1),  r = f mod d,
//	c = ₁F₁(d; d/2; −‖Δ‖²/2ℓ²) − k(Δ)²
//
// (Choromanski, Rowland and Weller 2017). So far it is exact. The covariance c is
// negative at the distances that matter, and slightly positive near 3.5ℓ for d ≥ 3:
// with whole blocks the pair form's variance is above that of independent
// frequencies by 1.5 per cent there for d = 4, and by less for every other d.
//
// Where the terms cancel, at small distances in the pair form, the absolute error is
// some 1e-16·m²/D; for the Gaussian kernel the relative one is as small.
//
// For orthogonal frequencies of other kernels than the Gaussian it is the
// independent design's value. The true variance is lower up to some 3ℓ, and may be
// above it by one or two per cent beyond. For one full block of R¹⁶ their ratio is
//
//	                               pair form              random phase
//	‖Δ‖/ℓ                          ½    1    2    4       ½    1    2    4
//	Matern{Nu: 0.5}               0.86 0.84 0.92 0.99    0.95 0.93 0.96 1.00
//	Matern{Nu: 1.5}               0.64 0.59 0.84 1.00    0.93 0.84 0.92 1.00
//	Matern{Nu: 2.5}               0.51 0.46 0.81 1.00    0.94 0.80 0.91 1.00
//	RationalQuadratic{Alpha: 0.5} 0.74 0.73 0.84 0.95    0.97 0.92 0.93 0.97
//	RationalQuadratic{Alpha: 2}   0.47 0.43 0.71 0.98    0.97 0.83 0.86 0.99
//	Gaussian, for comparison      0.15 0.16 0.67 1.00    0.96 0.76 0.84 1.00
//
// For structured frequencies (where the padded d, p, is under 64: for orthogonal ones,
// which they are then) it is the independent design's value too. No bias is seen, by
// 400,000 maps of one block at p = 64: less than 0.0005 at every distance. The variance
// depends on the direction of Δ; for one full block, the pair form and the Gaussian
// kernel its ratio to the independent design's is
//
//	          ‖Δ‖/ℓ           ½     1     2    3    4
//	p = 64    along an axis   0.044 0.098 0.70 0.99 1.00
//	          between two     0.045 0.114 0.82 1.04 1.01
//	          orthogonal      0.044 0.098 0.69 0.99 1.00
//	p = 128   along an axis   0.025 0.089 0.69 0.99 1.00
//	          between two     0.025 0.096 0.75 1.00 1.00
//	          orthogonal      0.025 0.088 0.69 0.99 1.00
//	p = 256   along an axis   0.015 0.083 0.69 0.99 1.00
//	          between two     0.015 0.087 0.71 1.00 1.00
//	          orthogonal      0.015 0.084 0.69 0.99 1.00
//	p = 1024  along an axis   0.008 0.080 0.69 1.00 1.01
//	          between two     0.008 0.080 0.69 0.98 1.00
//	          orthogonal      0.008 0.081 0.70 0.99 1.00
//
// (errors of the structured ones up to one in the last digit at p = 64, and three at
// p = 1024). Other directions are like an axis: the diagonal is within these errors.
func (f *Fourier) Variance(x, y []float64) float64 {
	if len(x) != f.in || len(y) != f.in {
		panic(mat.ErrShape)
	}
	delta := f.difference(x, y)
	d := len(delta)
	origin := make([]float64, d)
	m, k := f.base.Mass(), f.base.Eval(delta, origin)
	out := float64(f.out)
	var same float64 // n_same·c/f
	if l, ok := gaussianLength(f.base); ok {
		w := 0.5 * squaredDistance(delta, origin, l)
		if n := f.forms(); f.design() == Orthogonal && d > 1 {
			same = blockPairs(n, d) / float64(n) * special.OrthogonalCovariance(d, w)
		}
		if !f.opts.RandomPhase {
			e := math.Expm1(-2 * w) // where 1 + κ(2Δ) − 2κ(Δ)² would cancel
			return m * m * (e*e + 2*same) / out
		}
	}
	for i := range delta {
		delta[i] *= 2
	}
	k2 := f.base.Eval(delta, origin)
	if f.opts.RandomPhase {
		return (m*m*(1+same) + 0.5*m*k2 - k*k) / out
	}
	// Rounding may leave a negative of some 1e-16·m².
	return max(m*m+m*k2-2*k*k, 0) / out
}

// gaussianLength returns the length scale of a Gaussian kernel, of any mass, and whether k is one:
// itself, and not another kernel that embeds it, to which its methods are promoted; or a product
// of Gaussian kernels and constants, with 1/ℓ² = Σ 1/ℓᵢ².
func gaussianLength(k Kernel) (l float64, ok bool) {
	switch k := k.(type) {
	case Gaussian:
		return k.LengthScale, true
	case *Gaussian:
		return k.LengthScale, true
	case radialProduct:
		var inverse float64
		for _, k := range k.ks {
			l, ok := gaussianLength(k)
			if _, constant := k.(Constant); constant {
				continue
			} else if !ok {
				return 0, false
			}
			inverse += 1 / (l * l)
		}
		return 1 / math.Sqrt(inverse), inverse > 0
	}
	return 0, false
}

// difference returns x − y in the coordinates of the base kernel.
func (f *Fourier) difference(x, y []float64) []float64 {
	delta := make([]float64, f.in)
	for i, v := range x {
		delta[i] = v - y[i]
	}
	if f.warp == nil {
		return delta
	}
	image := make([]float64, f.warp.p)
	f.warp.apply(image, delta)
	return image
}
