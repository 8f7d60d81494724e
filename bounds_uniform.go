// Copyright ©2026 The featuremap Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package featuremap

import (
	"fmt"
	"math"

	"github.com/seed-0f95ebc1/featuremap/internal/arith"
	"github.com/seed-0f95ebc1/featuremap/internal/check"
	"github.com/seed-0f95ebc1/featuremap/internal/gosyntax"
	"github.com/seed-0f95ebc1/featuremap/internal/power"
	"github.com/seed-0f95ebc1/featuremap/internal/spectrum"
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Bounds on the largest error over all pairs of points of a set. The error is bounded at the points of a net, with
// probability 1 − (size of the net)·2exp(−…), and between them by its Lipschitz constant. A set in a ball of radius R
// of Rⁿ has a net of its own points, with one of them within r of every point. Its size is at most (1 + 2R/r)ⁿ ≤
// (4R/r)ⁿ for r ≤ 2R, and 1 for r ≥ 2R.

// net returns the least bound over nets of any radius r, with Markov's inequality for the p-th power of the error's
// Lipschitz constant: the minimum over r of
//
//	2(cover/r)ⁿ·exp(−features·θε²) + (slope·r/ε)ᵖ.
//
// With scale = cover·slope it is β·[2(scale/ε)ⁿ·exp(−features·θε²)]^{p/(n+p)}, where β = (n/p)^{−n/(n+p)} +
// (n/p)^{p/(n+p)}. Where it is below 1, r is below ε/slope. Such nets require that r is also below cover, which holds
// if the largest ε is at most scale.
func net(n, p int, scale, theta, largest float64, unit int) *TailBound {
	m, share := float64(n), float64(p)/float64(n+p)
	ratio := m / float64(p)
	logBeta := math.Log(math.Pow(ratio, share-1) + math.Pow(ratio, share))
	return &TailBound{unit, largest,
		func(eps float64) float64 { return logBeta + share*(math.Ln2+m*math.Log(scale/eps)) },
		func(eps float64) float64 { return share * theta * eps * eps },
	}
}

// A FourierBound bounds the error of a Fourier map for a stationary kernel of mass m = k(x, x): of one value, or of all
// values on a set. The Design must be Independent. docs/theory/bounds.md has measured probabilities.
type FourierBound struct {
	// Kernel is a stationary kernel. The bound of one value takes only its mass. For a set, a kernel of another package
	// needs Sigma.
	Kernel Kernel

	// In is the number of coordinates of points. For one value it may be 0 if the kernel takes any number of them.
	In int

	// Diameter is the largest distance of two points of the set, before any Project. 0 means one pair of points.
	Diameter float64

	// RandomPhase says whether the map has random phases: see FourierOptions.
	RandomPhase bool

	// Sigma is √E‖ω‖² over the frequencies ω, in 1/length, and Gradient is a bound on ‖∇k‖/m. If Sigma is 0, both come
	// from the kernel, with v = E ωᵢ², the same for every coordinate: Sigma is √(In·v) and Gradient √v. For a Project,
	// Sigma is the Frobenius norm of its matrix times √v, and Gradient is multiplied by the spectral norm.
	//
	//	kernel             v
	//	Gaussian           1/ℓ², and Gradient is e^{−½}/ℓ, the maximum, at distance ℓ
	//	Matern             ν/((ν − 1)ℓ²), +Inf for ν ≤ 1
	//	RationalQuadratic  1/ℓ²
	//	Cauchy             2/ℓ²
	//	Laplacian          +Inf
	//	Periodic           (2π/p)²/ℓ²
	//	SpectralMixture    in R the mean of μ² + σ² by the weights, else unknown
	//	Constant           0
	//	products, sums     the sum over the factors, the mean of the terms by their masses
	//	Compose(f, k)      v of k times m·f′(m)/f(m), m the mass of k
	//
	// If Sigma is set, a Gradient of 0 means Sigma, which is a bound, and Sigma/√In if the kernel is Radial.
	Sigma, Gradient float64
}

// Tail returns the bound. For one value it is Hoeffding's (1963), because the estimate has n/2 terms in [−m, m], or n
// in [−2m, 2m],
//
//	P(|k̂(x, y) − k(x, y)| ≥ ε) ≤ 2exp(−nε²/(4m²))   in the pair form,
//	                            ≤ 2exp(−nε²/(8m²))   with RandomPhase.
//
// Where |k| is near m, Variance is the better guide. For a set of diameter ℳ it is Rahimi and Recht 2007, Claim 1. With
// d = In, σ = Sigma, g = Gradient, ε ≤ aℳ, and m = 1 (else take ε/m for ε),
//
//	P(sup|k̂ − k| ≥ ε) ≤ 66(aℳ/ε)²·exp(−nε²/(8(d + 2))),   a = σ + g,      in the pair form,
//	                   ≤ 66(aℳ/ε)²·exp(−nε²/(32(d + 1))),  a = 2σ + √2g,  with RandomPhase.
//
// Prob has sharper factors: see docs/theory/bounds.md. For a Gaussian, in the pair form without Sigma, for any ε,
//
//	P(sup|k̂ − k| ≥ ε) ≤ [2(1 + 4(ℳ/ℓ)(√d + e^{−½} + ε/2)/ε)^d + 1]·exp(−nε²/16).
//
// It returns an error if constructors refuse Kernel, if it is not stationary (ErrNotStationary), or if a field is out
// of range. Sigma is infinite for Laplacian and for Matern with ν ≤ 1.
func (b FourierBound) Tail() (*TailBound, error) {
	warped, err := b.spectrum()
	if err != nil {
		return nil, err
	}
	mass := warped.Mass
	if b.Diameter == 0 {
		if b.RandomPhase {
			return hoeffding(2*mass, 1), nil
		}
		return hoeffding(mass, 2), nil
	}
	if err := validateDomain("FourierBound", b.In, "Diameter", b.Diameter); err != nil {
		return nil, err
	}
	if b.Sigma == 0 && b.Gradient == 0 && warped.Length > 0 && !b.RandomPhase {
		_, spectral := warped.Warp.Norms(b.In)
		return uniformGaussian(mass, warped.Warp.Dim(b.In), b.Diameter*spectral/warped.Length), nil
	}
	sigma, gradient, err := b.slopes(warped)
	if err != nil {
		return nil, err
	}
	// Both nets are of a ball of radius ℳ, so that cover is 4ℳ. Half of ε is for the net's points, the
	// other half for 2r times the slope.
	if b.RandomPhase {
		rise := b.Diameter * (2*sigma + math.Sqrt2*gradient) * mass
		return net(2*b.In, 2, 8*rise, 1/arith.Square(mass)/32, rise, 1), nil
	}
	rise := b.Diameter * (sigma + gradient) * mass
	return net(b.In, 2, 8*rise, 1/arith.Square(mass)/16, rise, 2), nil
}

// spectrum returns the spectrum of the kernel.
func (b FourierBound) spectrum() (warped spectrum.Warped, err error) {
	if b.In < 0 {
		return warped, fmt.Errorf("featuremap: FourierBound In = %d: must be at least 0", b.In)
	}
	f, err := canonical(b.Kernel, b.In)
	if err != nil {
		return warped, err
	}
	warped, ok := f.Spectrum()
	if !ok {
		return warped, fmt.Errorf("%w: %s", ErrNotStationary, gosyntax.Of(b.Kernel))
	}
	return warped, check.Positive("FourierBound", "mass", warped.Mass)
}

// slopes returns Sigma and Gradient, or the values from the kernel if they are 0.
func (b FourierBound) slopes(warped spectrum.Warped) (sigma, gradient float64, err error) {
	sigma, gradient = b.Sigma, b.Gradient
	switch {
	case sigma != 0:
		if gradient == 0 {
			gradient = sigma
			if _, isRadial := stationaryOf(b.Kernel).(Radial); isRadial {
				gradient /= math.Sqrt(float64(b.In))
			}
		}
	case gradient != 0:
		return 0, 0, fmt.Errorf("featuremap: FourierBound Gradient = %v without Sigma", gradient)
	default:
		if math.IsNaN(warped.Root) {
			return 0, 0, fmt.Errorf("featuremap: FourierBound Sigma of %s is not known: must be given", gosyntax.Of(b.Kernel))
		}
		sigma, gradient = slopesOf(warped, b.In)
	}
	if err := check.Positive("FourierBound", "Sigma", sigma); err != nil {
		return 0, 0, err
	}
	if !(gradient >= 0 && gradient <= sigma*(1+1e-9)) {
		return 0, 0, fmt.Errorf("featuremap: FourierBound Gradient = %v: must be from 0 to Sigma = %v", gradient, sigma)
	}
	return sigma, gradient, nil
}

// slopesOf returns √E‖ω‖² and a bound on ‖∇k‖/m of a spectrum.
func slopesOf(warped spectrum.Warped, in int) (sigma, gradient float64) {
	frobenius, spectral := warped.Warp.Norms(in)
	if warped.Length > 0 {
		spectral /= math.Sqrt(math.E)
	}
	return arith.Times(frobenius, warped.Root), arith.Times(spectral, warped.Root)
}

// uniformGaussian returns the bound for a Gaussian kernel in the pair form, for a set whose diameter is given in length
// scales. Its exponent has no factor of 2/(d + 2), because concentration (Tsirelson, Ibragimov and Sudakov 1976) bounds
// the Lipschitz constant and not Markov's inequality: see docs/theory/bounds.md.
func uniformGaussian(mass float64, d int, diameter float64) *TailBound {
	dim := float64(d)
	slope := math.Sqrt(dim) + 1/math.Sqrt(math.E)
	return &TailBound{2, math.Inf(1),
		func(eps float64) float64 {
			size := dim * math.Log1p(4*diameter*(slope/(eps/mass)+0.5))
			return size + math.Log(2+math.Exp(-size))
		},
		func(eps float64) float64 { return arith.Square(eps/mass) / 16 },
	}
}

// validateDomain checks the dimension of a set and its size.
func validateDomain(bound string, d int, size string, v float64) error {
	if d < 1 {
		return fmt.Errorf("featuremap: %s In = %d: must be at least 1", bound, d)
	}
	return check.Positive(bound, size, v)
}

// A MaclaurinBound bounds the error of a Maclaurin map with RademacherSketch for a kernel f(⟨x, y⟩): of one value, or
// of all values on a set. It does not hold with ExactDegree, which changes the law, nor for the other sketches:
// Gaussian features are not bounded, and features of TensorSRHT depend on each other.
type MaclaurinBound struct {
	Kernel Kernel              // a function of ⟨x, y⟩, without Project
	Law    series.GeometricLaw // the law of the degrees
	In     int                 // d, the number of coordinates of the set; 0 means one pair of points
	Radius float64             // R: ‖x‖₁ ≤ R for all points; R is √d·r for Euclidean norms up to r
}

// Tail returns the bound for n draws, each of one feature, or two with Complex. For one value it is Hoeffding's (1963),
//
//	P(|k̂(x, y) − k(x, y)| ≥ ε) ≤ 2exp(−nε²/(2C²)),  C = sup (aₘ/qₘ)·R²ᵐ,
//
// with the supremum over degrees m of probability qₘ and coefficient aₘ. C is at most (p/(p − 1))·f(pR²) for the law's
// p, and often far less. (Lemma 8 of Kar and Karnick 2012 lacks the factor 1/(p − 1).) For all pairs of points of a set
// of R^d it is Kar and Karnick's uniform bound,
//
//	P(sup|k̂ − k| ≥ ε) ≤ 2(16RL/ε)^{2d}·exp(−nε²/(8C²)),  L = R·f′(R²) + (p²/(p − 1))·R√d·f′(pR²),
//
// for ε ≤ 8RL. The second term of L is smaller where the law leaves out degrees with aₙ = 0. docs/theory/papers.md
// lists the corrections.
//
// It returns an error if constructors refuse Kernel, if it is no function of ⟨x, y⟩ (ErrNotDotProduct), if Law is
// refused, if Radius is not positive and finite, if p·R² is not inside the radius of convergence, or if In is negative.
func (b MaclaurinBound) Tail() (*TailBound, error) {
	if err := check.Positive("MaclaurinBound", "Radius", b.Radius); err != nil {
		return nil, err
	}
	if b.In < 0 {
		return nil, fmt.Errorf("featuremap: MaclaurinBound In = %d: must be at least 0", b.In)
	}
	if _, err := canonical(b.Kernel, b.In); err != nil {
		return nil, err
	}
	f := seriesOf(b.Kernel)
	if f == nil {
		return nil, fmt.Errorf("%w: %s", ErrNotDotProduct, gosyntax.Of(b.Kernel))
	}
	r2 := b.Radius * b.Radius
	c, total, err := boundedness(f, b.Law, r2)
	if err != nil {
		return nil, err
	}
	if b.In == 0 {
		return hoeffding(c, 1), nil
	}
	dim, p := float64(b.In), power.GeometricLaw(b.Law).Base()
	slope := b.Radius*f.Deriv(r2) + total*p*b.Radius*math.Sqrt(dim)*f.Deriv(p*r2)
	if err := check.Positive("MaclaurinBound", "L", slope); err != nil {
		return nil, err
	}
	// Half of ε is for the net's points, the other half for 2L·r between them (a pair has two points): r = ε/(4L).
	return &TailBound{1, 8 * b.Radius * slope,
		func(eps float64) float64 { return math.Ln2 + 2*dim*math.Log(16*b.Radius*slope/eps) },
		func(eps float64) float64 { return arith.Square(eps/c) / 8 },
	}, nil
}

// boundedness returns most = sup (aₙ/qₙ)xⁿ over the degrees n, and total = p^{−n}/qₙ, which is the same for all n that the
// law draws.
func boundedness(f series.Series, law series.GeometricLaw, x float64) (most, total float64, err error) {
	if err := power.Validate(f); err != nil {
		return 0, 0, err
	}
	if err := law.Validate(f); err != nil {
		return 0, 0, err
	}
	d, err := power.NewDegrees(power.GeometricLaw(law), f, 0, power.MaxDegree)
	if err != nil {
		return 0, 0, err
	}
	px := power.GeometricLaw(law).Base() * x
	if v := f.Eval(px); !(px < f.Radius() && v <= math.MaxFloat64) {
		return 0, 0, fmt.Errorf("featuremap: P·Radius² = %v: must be inside the series' radius of convergence %v, and its value %v finite",
			px, f.Radius(), v)
	}
	return d.Total * largestAddend(f, px), d.Total, nil
}

// largestAddend returns the largest aₙtⁿ, for t inside the radius of convergence. (If that takes too many
// terms, it returns the sum of the remaining ones where this is larger.)
func largestAddend(f series.Series, t float64) float64 {
	table, rest, most := power.Table{F: power.Dilate(f, t)}, f.Eval(t), 0.0
	for n := 0; rest > most && n <= power.HighestDegree(f); n++ {
		a := table.Coeff(n)
		most = max(most, a)
		rest -= a
	}
	return max(most, rest)
}

// A CompositionalBound bounds the largest error over a set of R^d for a kernel f(K(x, y)). Its features are products of
// independent copies of a random feature W of K, with E W(x)W(y) = K(x, y); the number of factors is a degree drawn
// from a law (Kar and Karnick 2012, Algorithm 1 of the supplement).
type CompositionalBound struct {
	Series series.Series       // f
	Law    series.GeometricLaw // the law of the number of factors

	In     int     // d
	Radius float64 // R: the set is convex and inside a Euclidean ball of this radius

	FeatureMax      float64 // √C_W, a bound on |W| over the set
	FeatureGradient float64 // L_W, a bound on E sup‖∇W‖, with the supremum over the set
	KernelMax       float64 // C_K, a bound on |K|; 0 means FeatureMax²
	KernelGradient  float64 // L_K, a bound on ‖∇ₓK‖
}

// Tail returns the bound on the largest error of n features over all pairs of points of the set (Kar and Karnick 2012,
// Theorem 15 of the supplement). With C_W = FeatureMax², C₁ = sup (aₘ/qₘ)·C_Wᵐ and L₁ = L_K·f′(C_K) + √C_W·L_W·f′(C_W)
// it is
//
//	P(sup|k̂ − k| ≥ ε) ≤ (41RL₁/ε)·exp(−nε²/(8(2d + 1)C₁²))
//
// for ε ≤ 16RL₁, with the paper's radius of the net, which makes both terms equal. Prob uses the best radius, with a
// constant of at most 39 and RL₁/ε to the power 2d/(2d + 1). The paper's statement does not hold: docs/theory/bounds.md
// lists the corrections.
//
// It returns an error if a field is out of range, if Series or Law is refused, or if P·C_W is not inside the radius of
// convergence.
func (c CompositionalBound) Tail() (*TailBound, error) {
	if err := validateDomain("CompositionalBound", c.In, "Radius", c.Radius); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"FeatureMax", c.FeatureMax}, {"FeatureGradient", c.FeatureGradient}, {"KernelGradient", c.KernelGradient}} {
		if err := check.Positive("CompositionalBound", f.name, f.value); err != nil {
			return nil, err
		}
	}
	cw := c.FeatureMax * c.FeatureMax
	ck := c.KernelMax
	if ck == 0 {
		ck = cw
	}
	if !(ck > 0 && ck <= cw*(1+1e-9)) {
		return nil, fmt.Errorf("featuremap: CompositionalBound KernelMax = %v: must be positive and at most FeatureMax² = %v", c.KernelMax, cw)
	}
	c1, _, err := boundedness(c.Series, c.Law, cw)
	if err != nil {
		return nil, err
	}
	slope := c.KernelGradient*c.Series.Deriv(ck) + c.FeatureMax*c.FeatureGradient*c.Series.Deriv(cw)
	if err := check.Positive("CompositionalBound", "L₁", slope); err != nil {
		return nil, err
	}
	scale := 16 * c.Radius * slope
	return net(2*c.In, 1, scale, 1/arith.Square(c1)/8, scale, 1), nil
}
