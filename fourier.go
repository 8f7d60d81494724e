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

// FourierOptions are the options of NewFourier; nil is the zero value.
type FourierOptions struct {
	// Design is the design of the frequencies; Independent if zero.
	Design Design

	// RandomPhase gives each frequency one feature √2·cos(ω·x + b), with b uniform on [0, 2π), instead of the pair
	// cos(ω·x), sin(ω·x). Pairs are usually better: for the same number of features they take half the time, and for
	// most kernels they have the lower variance: see Variance.
	RandomPhase bool

	// Stratified spreads the lengths of Orthogonal and Structured frequencies evenly. The variance at the median
	// distance is mostly 0.55 to 0.85 times the variance with independent lengths.
	//
	// One length comes from each of n equally likely intervals, for n frequencies, in random order: the length of
	// frequency j is the (π(j) + uⱼ)/n quantile of the distribution of χ_d·√τ, with a random permutation π and u
	// uniform on (0, 1). Each length alone has this distribution, so there is no more bias than with independent
	// lengths (Yu et al. 2016).
	//
	// The distribution must be known: Gaussian, Matern, RationalQuadratic, sums of these, and products of Gaussian
	// kernels. Stratified must be false for other designs.
	Stratified bool

	// Axes contains, as rows, the directions along which Sobol frequencies are spread, the most important first. The
	// principal axes of the points by descending variance are best, for points as the kernel sees them, behind its ARD
	// or Project. There must be as many rows as coordinates, orthogonal and of length 1 to 1e-8; nil means the
	// coordinate axes. In a product only the radial factor is rotated. The estimate is unbiased for any axes. Axes must
	// be nil for other designs.
	Axes mat.Matrix
}

// String returns the Go expression that makes the options. It omits Stratified and Axes if they are zero.
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

// engine returns the options in the form of the recipe.
func (o *FourierOptions) engine() fourier.Options {
	if o == nil {
		return fourier.Options{}
	}
	return fourier.Options{Design: design.Design(o.Design), RandomPhase: o.RandomPhase, Stratified: o.Stratified, Axes: o.Axes}
}

// Fourier is the map of random Fourier features (Rahimi and Recht 2007, "Random features for large-scale kernel
// machines") for a stationary kernel of mass m = k(x, x),
//
//	φ(x) = √(2m/D)·(cos ω₁·x, …, cos ω_{D/2}·x, sin ω₁·x, …, sin ω_{D/2}·x),
//
// or, with RandomPhase, √(2m/D)·cos(ωⱼ·x + bⱼ) for j = 1 … D. The frequencies are drawn from the spectral measure of
// the kernel. ⟨φ(x), φ(y)⟩ is an unbiased estimate of k(x, y); with Structured frequencies the bias is negligible.
//
// Where the kernel is tiny, the estimate may be negative, by about 1/√D. Do not divide by sums of it, such as the
// degrees of spectral clustering or the denominators of attention.
//
// Center data that are far from the origin: a phase is rounded by 1e-16·|ω·x| radians.
//
// The zero value is no map (see FeatureMap): use NewFourier, or NewFourierFrom for given frequencies.
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
// It draws and packs about in·out numbers. Orthogonal frequencies take about d multiply-adds more for each of these.
// Structured frequencies take only about five numbers each.
//
// It returns an error, and leaves s as it was, if k is nil, has a refused parameter, or is not Stationary
// (ErrNotStationary). A design for radial kernels needs a Radial k, or a Project or ARD of one (ErrNotRadial). in and
// out must be at least 1, in must be the number of columns of the kernel's Project or ARD, and out must be even in the
// pair form. Also refused are an unknown design, a mass that is not from 0 to 1e150, weights that do not fit in memory,
// and a drawn frequency that is not finite. The parameters of kernels of other packages, and of kernels inside them,
// are not checked.
func NewFourier(k Kernel, in, out int, s *Sampler, opts *FourierOptions) (*Fourier, error) {
	return construct[*Fourier](k, in, out, s, func(f form.Form) (recipe.Recipe, error) {
		warped, ok := f.Spectrum()
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrNotStationary, gosyntax.Of(k))
		}
		return fourier.New(warped, in, out, opts.engine(), seeded)
	})
}

// Frequencies returns the frequencies as rows, in radians per unit of x: out/2 in the pair form, out with RandomPhase.
// It draws them again, which takes as long as the construction. For a map of NewFourierFrom it copies them.
func (f *Fourier) Frequencies() *mat.Dense {
	if f.plan == nil {
		return new(mat.Dense)
	}
	return f.drawn.Frequencies()
}

// Phases returns the phases b with RandomPhase, in radians within [0, 2π) or as they were given. It returns nil in the
// pair form.
func (f *Fourier) Phases() []float64 {
	if f.plan == nil {
		return nil
	}
	return f.drawn.Phases()
}

// Variance returns the variance of ⟨φ(x), φ(y)⟩ over the randomness of the map. It is of the order of m²/D, with m =
// k(x, x) and D features. For Independent frequencies it is exact, with κ = k/m and Δ = x − y,
//
//	[m²(1 + κ(2Δ)) − 2k(Δ)²]/D   in the pair form; Gaussian: (1 − e^{−‖Δ‖²/ℓ²})²/D,
//	[m²(1 + ½κ(2Δ)) − k(Δ)²]/D   with RandomPhase
//
// (Sutherland and Schneider 2015, "On the error of random Fourier features", for m = 1). It is lower for pairs where
// κ(2Δ) < 2κ(Δ)². For Orthogonal frequencies it is right to about 1e-4, for products and series of kernels to 1 %. Up to
// about three length scales it is less than Independent's, above all at small distances; beyond, at most 1.5 % more.
// For Structured
// frequencies it is the same formula, which may be too small: by a fifth for 64 coordinates, a tenth for 128, a few
// percent from 256 on. For Sobol frequencies it is an estimate, the mean squared error of up to 16 scrambles from fixed
// seeds plus a share for rare frequencies. It is NaN for a map of NewFourierFrom, which is not random.
// docs/theory/variance.md has the formulas.
func (f *Fourier) Variance(x, y []float64) float64 {
	return f.drawnPlan().Variance(x, y)
}

// A Design says how the frequencies of a Fourier map, or the weights of Neurons, depend on each other.
type Design int

const (
	// Independent frequencies suit any stationary kernel (Rahimi and Recht 2007).
	Independent Design = iota

	// Orthogonal frequencies suit radial kernels (Yu et al. 2016, "Orthogonal random features"). They come in blocks,
	// with one frequency for each of the d coordinates; the last block may be partial. The directions of a block are
	// the rows of a Haar-distributed orthogonal matrix, and lengths are independent, χ_d·√τ. Each frequency alone has
	// the spectral measure of the kernel, so the estimate is unbiased.
	Orthogonal

	// Structured frequencies suit radial kernels of many coordinates, where they are by far the fastest. They come in
	// blocks S·H·D₃·H·D₂·H·D₁ of p frequencies, where p is the smallest power of two that is at least d (Yu et al.
	// 2016, section 4; the lengths by Choromanski, Rowland and Weller 2017). H is the normalized p×p Walsh-Hadamard
	// matrix, D₁, D₂ and D₃ are diagonal matrices of independent random signs, and S has independent lengths χ_p·√τ.
	// Points are padded with zeros.
	//
	// A block takes 3p·log₂p additions and 5p numbers instead of p·d multiply-adds and p·d numbers. Its directions are
	// not quite uniform. For p below 64, where that may cause a bias, Orthogonal frequencies are used; for p from 64 on
	// see docs/theory/variance.md.
	Structured

	// Sobol frequencies suit Gaussian kernels, mixtures of these over their scales such as Matern, and products with
	// them, of up to 64 coordinates as the kernel sees them. They are normal quantiles of the points of Sobol's
	// sequence (1967), scrambled by hashing (Owen 1995; Burley 2020), along FourierOptions.Axes. Of ω and −ω, whose
	// cosines are the same, the frequency with a positive component along the first axis is taken.
	//
	// All frequencies together are spread evenly. So the error falls faster than with other designs as their number
	// grows, most of all where few axes matter: docs/theory/planning.md has measurements. The variance is an estimate:
	// see Fourier.Variance.
	Sobol
)

// String returns the name of the design.
func (d Design) String() string {
	return design.Design(d).String()
}
