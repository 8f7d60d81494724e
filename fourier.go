// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/design"
	"github.com/seed-0f95ebc1/featuremap/internal/form"
	"github.com/seed-0f95ebc1/featuremap/internal/fourier"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/recipe"
)

// Fourier maps: cosines and sines of random frequencies, for stationary kernels.

// FourierOptions are the options of NewFourier; nil is the zero value. Whatever they are, estimates may be
// negative: see Fourier.
type FourierOptions struct {
	// Design is the design of the frequencies; Independent if zero.
	Design Design

	// RandomPhase gives each frequency one feature √2·cos(ω·x + b), b uniform on [0, 2π), instead of the
	// pair cos(ω·x), sin(ω·x). For the same number of features the pair costs half as much, and for most
	// kernels has the lower variance: see Variance.
	RandomPhase bool

	// Stratified draws the lengths of Orthogonal and Structured frequencies one from each of as many equally likely
	// intervals as there are frequencies, in random order: that of frequency j of n is the (π(j) + uⱼ)/n quantile of the
	// law of χ_d·√τ, π a random permutation and u uniform on (0, 1). Every length alone has that law, so the estimate is
	// as unbiased as with independent lengths (Yu et al. 2016), which are drawn otherwise; the variance at the median
	// distance is mostly .55 to .85 of theirs. It is for kernels of which the law is known: Gaussian, Matern,
	// RationalQuadratic, sums of these, and products of Gaussian kernels. It must be false for other designs.
	Stratified bool

	// Axes has the directions, as rows, along which Sobol frequencies are spread, the most important first: best the
	// principal axes of the points as the kernel sees them, behind its ARD or Project, by descending variance.
	// They must be orthogonal, of length 1 to 1e-8, and as many as coordinates; nil stands for the coordinates
	// themselves. Whatever they are, the estimate is unbiased. Of a product only the radial factor is rotated. It must be nil
	// for other designs.
	Axes mat.Matrix
}

// String returns the Go expression that makes the options. Stratified and Axes are left out if they are zero.
func (o FourierOptions) String() string { return gosyntax.Of(o) }

// GoString returns what String does.
func (o FourierOptions) GoString() string {
	var w strings.Builder
	fmt.Fprintf(&w, "FourierOptions{Design: %v, RandomPhase: %v", o.Design, o.RandomPhase)
	if o.Stratified {
		w.WriteString(", Stratified: true")
	}
	if !check.IsNil(o.Axes) {
		fmt.Fprintf(&w, ", Axes: %s", gosyntax.Of(o.Axes))
	}
	w.WriteString("}")
	return w.String()
}

// engine returns the options as the recipe has them.
func (o *FourierOptions) engine() fourier.Options {
	if o == nil {
		return fourier.Options{}
	}
	return fourier.Options{Design: design.Design(o.Design), RandomPhase: o.RandomPhase, Stratified: o.Stratified, Axes: o.Axes}
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
// Center data that is far from the origin: a phase is rounded by 1e-16·|ω·x| radians.
//
// The zero value is no map (see FeatureMap): see NewFourier, and NewFourierFrom for given frequencies.
type Fourier struct {
	compiled
	drawn fourier.Waves
}

var (
	_ FeatureMap = (*Fourier)(nil)
	_ Variancer  = (*Fourier)(nil)
)

// NewFourier returns a map R^in → R^out for the stationary kernel k, with weights drawn from a Split of s.
//
// It returns an error, and leaves s as it was, if k is nil, if a parameter of k is refused, if k is
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
		return fourier.New(warped, in, out, opts.engine(), seeded)
	})
}

// Frequencies returns the frequencies as rows, in radians per unit of x: out/2 in the pair form, out with
// RandomPhase. It draws them again, at the cost of the construction, or copies those of NewFourierFrom.
func (f *Fourier) Frequencies() *mat.Dense {
	if f.plan == nil {
		return new(mat.Dense)
	}
	return f.drawn.Frequencies()
}

// Phases returns the phases b with RandomPhase, in radians within [0, 2π) or as they were given, and nil in
// the pair form.
func (f *Fourier) Phases() []float64 {
	if f.plan == nil {
		return nil
	}
	return f.drawn.Phases()
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
// For Orthogonal frequencies it is computed to about 1e-4, for products and series of kernels to a percent.
// It is lower up to a distance of about three length scales, most of all at small ones, and beyond at most
// 1.5 % higher. For Structured frequencies it is that of Orthogonal ones, and may be too small: by a
// fifth for 64 coordinates, a tenth for 128 and a few percent from 256 on. For Sobol frequencies it is an
// estimate, the mean squared error of 16 scrambles from fixed seeds, and what rare frequencies add. For the map of NewFourierFrom,
// which was not drawn, it is NaN. docs/theory/variance.md has the formulas, and what rounding does to them.
func (f *Fourier) Variance(x, y []float64) float64 {
	return f.drawnPlan().Variance(x, y)
}

// A Design says how the frequencies of a Fourier map, or the weights of Neurons, relate to each other.
type Design int

const (
	// Independent frequencies, for any stationary kernel (Rahimi and Recht 2007).
	Independent Design = iota

	// Orthogonal frequencies, for radial kernels, in blocks of one for each of the d coordinates (Yu et al.
	// 2016, "Orthogonal random features"): directions are the rows of a Haar-distributed orthogonal matrix,
	// lengths are independent, χ_d·√τ. Each frequency alone has the kernel's spectral measure, so the
	// estimate is unbiased. The last block may be partial.
	Orthogonal

	// Structured frequencies, for radial kernels, in blocks S·H·D₃·H·D₂·H·D₁ of p frequencies, p the
	// smallest power of two not under d (Yu et al. 2016, section 4; the lengths by Choromanski, Rowland and
	// Weller 2017): H is the normalized p×p Walsh-Hadamard matrix, D₁, D₂ and D₃ are diagonal matrices of
	// independent random signs, S has independent lengths χ_p·√τ. Points are padded with zeros.
	//
	// A block takes 3p·log₂p additions and 5p numbers instead of p·d multiply-adds and p·d numbers: by far
	// the fastest design for many coordinates. Its directions are not quite uniform: for p under 64, where
	// that may cause a bias, Orthogonal frequencies are used; for p from 64 on see docs/theory/variance.md.
	Structured

	// Sobol frequencies, for Gaussian kernels, scale mixtures of these such as Matern, and products with them, of up to 64
	// coordinates as the kernel sees them: normal quantiles of the points of Sobol's sequence (1967), scrambled by hashing
	// (Owen 1995; Burley 2020), along FourierOptions.Axes. All are spread evenly together, so that the error falls faster
	// than with their number, most where few axes matter: of a Gaussian kernel at the 8 correlated coordinates of California
	// housing, by principal axes, the variance is a twentieth of that of Orthogonal frequencies at 1024 features, and at
	// 4096 a fortieth. Of ω and −ω, whose cosines are the same, the one with a positive component along the first axis is taken. The variance is estimated, from some scrambles: see Fourier.Variance.
	Sobol
)

// String returns the name of the design.
func (d Design) String() string {
	return design.Design(d).String()
}
