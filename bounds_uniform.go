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
	"github.com/seed-0f95ebc1/featuremap/series"
)

// Bounds on the largest error over all pairs of points of a set. The error is bounded at the points of a
// net, with probability 1 − (size of the net)·2exp(−…), and between them by its Lipschitz constant. A set
// in a ball of radius R of Rⁿ has a net of its own points, with one of them within r of every point, of
// size at most (1 + 2R/r)ⁿ ≤ (4R/r)ⁿ for r ≤ 2R, and of size 1 for r ≥ 2R.

// A Spectrum holds the numbers of a stationary kernel k, with κ = k/Mass, that uniform bounds depend on.
// SpectrumOf returns it for the kernels of the package. For any other, Gradient may be set to Sigma, or
// to Sigma/√d if the kernel is radial.
type Spectrum struct {
	Mass     float64 // k(x, x)
	Sigma    float64 // √E‖ω‖², in 1/length; may be +Inf
	Gradient float64 // a bound on ‖∇κ‖, in 1/length
}

// SpectrumOf returns the spectrum of a stationary kernel of the package, or of Project, ARD or Select of
// one, on R^in. With v = E ωᵢ², the same for every coordinate of these kernels, Sigma is √(in·v) and
// Gradient is √v. For a Project, Sigma is the Frobenius norm of its matrix times √v, and Gradient is
// multiplied by the spectral norm.
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
//	Compose(f, k)      that of k times m·f′(m)/f(m), m the mass of k
//
// It returns an error if in is less than 1, if constructors of maps refuse k, or if it is another kernel or
// its v is unknown.
func SpectrumOf(k Kernel, in int) (Spectrum, error) {
	if in < 1 {
		return Spectrum{}, fmt.Errorf("featuremap: in = %d: must be at least 1", in)
	}
	f, err := canonical(k, in)
	if err != nil {
		return Spectrum{}, err
	}
	warped, ok := f.Spectrum()
	if !ok || math.IsNaN(warped.Root) {
		return Spectrum{}, fmt.Errorf("featuremap: spectrum of %s: unknown, give one", gosyntax.Of(k))
	}
	frobenius, spectral := warped.Warp.Norms(in)
	if warped.Length > 0 {
		spectral /= math.Sqrt(math.E)
	}
	return Spectrum{warped.Mass, arith.Times(frobenius, warped.Root), arith.Times(spectral, warped.Root)}, nil
}

// net returns the least bound over nets of any radius r, with Markov's inequality for the p-th power of
// the error's Lipschitz constant: the minimum over r of
//
//	2(cover/r)ⁿ·exp(−features·θε²) + (slope·r/ε)ᵖ.
//
// With scale = cover·slope it is β·[2(scale/ε)ⁿ·exp(−features·θε²)]^{p/(n+p)}, where
// β = (n/p)^{−n/(n+p)} + (n/p)^{p/(n+p)}. Where it is below 1, r is below ε/slope, and so below cover, as
// such nets require, if the largest ε is at most scale.
func net(n, p int, scale, theta, largest float64, unit int) *TailBound {
	m, share := float64(n), float64(p)/float64(n+p)
	ratio := m / float64(p)
	logBeta := math.Log(math.Pow(ratio, share-1) + math.Pow(ratio, share))
	return &TailBound{unit, largest,
		func(eps float64) float64 { return logBeta + share*(math.Ln2+m*math.Log(scale/eps)) },
		func(eps float64) float64 { return share * theta * eps * eps },
	}
}

// UniformFourierBound returns the bound of Rahimi and Recht 2007, Claim 1, on the largest error of a
// Fourier map of n features with the given options (nil is the zero value) over all pairs of points of a
// set of R^d of the given diameter ℳ (before a Project, if there is one). With σ and g the Spectrum's
// Sigma and Gradient, for mass 1,
//
//	P(sup|k̂ − k| ≥ ε) ≤ 66(aℳ/ε)²·exp(−nε²/(8(d + 2))),   a = σ + g,    in the pair form,
//	                   ≤ 66(aℳ/ε)²·exp(−nε²/(32(d + 1))),  a = 2σ + √2g, with RandomPhase,
//
// for ε ≤ aℳ; for another mass ε/mass stands for ε. Prob has sharper factors in place of 66 and the
// square: the constant for each d, and the exponent 2d/(d + 2), or 2d/(d + 1) with RandomPhase
// (Sutherland and Schneider 2015, Propositions 1 and 2). The papers have σ in place of σ + g, which their
// proofs do not give: docs/bounds.md explains this, and compares the numbers of features with measured
// ones.
//
// It returns an error if the mass, Sigma or diameter is not positive and finite (Sigma is infinite for
// Laplacian and Matern with ν ≤ 1: there is no bound), if Gradient is negative or above Sigma, if d is
// less than 1, or if the design is not Independent.
func UniformFourierBound(k Spectrum, d int, diameter float64, opts *FourierOptions) (*TailBound, error) {
	if err := k.validate(); err != nil {
		return nil, err
	}
	if err := validateDomain("UniformFourierBound", d, "diameter", diameter); err != nil {
		return nil, err
	}
	phase, err := independentPhase(opts)
	if err != nil {
		return nil, err
	}
	// Both nets are of a ball of radius ℳ, so that cover is 4ℳ. Half of ε is for the net's points, the
	// other half for 2r times the slope.
	if phase {
		rise := diameter * (2*k.Sigma + math.Sqrt2*k.Gradient) * k.Mass
		return net(2*d, 2, 8*rise, 1/arith.Square(k.Mass)/32, rise, 1), nil
	}
	rise := diameter * (k.Sigma + k.Gradient) * k.Mass
	return net(d, 2, 8*rise, 1/arith.Square(k.Mass)/16, rise, 2), nil
}

func (k Spectrum) validate() error {
	if err := check.Positive("Spectrum", "Mass", k.Mass); err != nil {
		return err
	}
	if err := check.Positive("Spectrum", "Sigma", k.Sigma); err != nil {
		return err
	}
	if !(k.Gradient >= 0 && k.Gradient <= k.Sigma*(1+1e-9)) {
		return fmt.Errorf("featuremap: Spectrum Gradient = %v: must be from 0 to Sigma = %v", k.Gradient, k.Sigma)
	}
	return nil
}

// validateDomain checks the dimension of a set and its size.
func validateDomain(bound string, d int, size string, v float64) error {
	if d < 1 {
		return fmt.Errorf("featuremap: %s d = %d: must be at least 1", bound, d)
	}
	return check.Positive(bound, size, v)
}

// UniformGaussianBound returns a sharper bound than UniformFourierBound, above all for small
// probabilities, for Gaussian{LengthScale: lengthScale} by n features in the pair form with independent
// frequencies, over all pairs of points of a set of R^d of the given diameter ℳ: for any ε
//
//	P(sup|k̂ − k| ≥ ε) ≤ [2(1 + 4(ℳ/ℓ)(√d + e^{−½} + ε/2)/ε)^d + 1]·exp(−nε²/16).
//
// The exponent has no factor of 2/(d + 2), since the Lipschitz constant is bounded by concentration
// (Tsirelson, Ibragimov and Sudakov 1976) and not by Markov's inequality: see docs/bounds.md.
//
// It returns an error if a length is not positive and finite or d is less than 1.
func UniformGaussianBound(lengthScale float64, d int, diameter float64) (*TailBound, error) {
	if err := check.Length("UniformGaussianBound", "lengthScale", lengthScale); err != nil {
		return nil, err
	}
	if err := validateDomain("UniformGaussianBound", d, "diameter", diameter); err != nil {
		return nil, err
	}
	dim := float64(d)
	slope := math.Sqrt(dim) + 1/math.Sqrt(math.E)
	return &TailBound{2, math.Inf(1),
		func(eps float64) float64 {
			size := dim * math.Log1p(4*(diameter/lengthScale)*(slope/eps+0.5))
			return size + math.Log(2+math.Exp(-size))
		},
		func(eps float64) float64 { return eps * eps / 16 },
	}, nil
}

// MaclaurinBound returns Hoeffding's bound for one value of a dot product kernel f(⟨x, y⟩), estimated by
// n draws of the Maclaurin map with RademacherSketch and the given law, at points with ‖x‖₁ ≤ radius,
//
//	P(|k̂(x, y) − k(x, y)| ≥ ε) ≤ 2exp(−nε²/(2C²)),  C = sup (aₘ/qₘ)·radius²ᵐ,
//
// the supremum over degrees m with probability qₘ and coefficient aₘ. A draw is one feature, or two with
// Complex. The bound does not apply with ExactDegree, which changes the law, nor to the other sketches:
// Gaussian features are not bounded, and those of TensorSRHT depend on each other. C is at most
// (p/(p − 1))·f(p·radius²), p being that of the law: the value of Lemma 8 of Kar and Karnick 2012 but for
// its missing factor 1/(p − 1), and often far below it: see docs/bounds.md.
//
// It returns an error if f or law is refused, if radius is not positive and finite, or if p·radius² is
// not inside f's radius of convergence.
func MaclaurinBound(f series.Series, law series.GeometricLaw, radius float64) (*TailBound, error) {
	if err := check.Positive("MaclaurinBound", "radius", radius); err != nil {
		return nil, err
	}
	c, _, err := boundedness(f, law, radius*radius)
	if err != nil {
		return nil, err
	}
	return hoeffding(c, 1), nil
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
		return 0, 0, fmt.Errorf("featuremap: P·radius² = %v: must be inside the series' radius of convergence %v, and its value %v finite",
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

// UniformMaclaurinBound returns the uniform bound of Kar and Karnick 2012 on the largest error of n draws
// of a Maclaurin map, as for MaclaurinBound, over all pairs of points of a set of R^d in the ℓ1 ball of
// the given radius R: with C as there and
//
//	L = R·f′(R²) + (p²/(p − 1))·R√d·f′(pR²),
//	P(sup|k̂ − k| ≥ ε) ≤ 2(16RL/ε)^{2d}·exp(−nε²/(8C²))
//
// for ε ≤ 8RL. (Points of Euclidean norm at most r have R = √d·r.) The second term of L is smaller where
// the law leaves out degrees with aₙ = 0. docs/bounds.md lists what is corrected in the paper.
//
// It returns an error as MaclaurinBound does, and if d is less than 1.
func UniformMaclaurinBound(f series.Series, law series.GeometricLaw, d int, radius float64) (*TailBound, error) {
	if err := validateDomain("UniformMaclaurinBound", d, "radius", radius); err != nil {
		return nil, err
	}
	c, total, err := boundedness(f, law, radius*radius)
	if err != nil {
		return nil, err
	}
	dim, p, r2 := float64(d), power.GeometricLaw(law).Base(), radius*radius
	slope := radius*f.Deriv(r2) + total*p*radius*math.Sqrt(dim)*f.Deriv(p*r2)
	if err := check.Positive("UniformMaclaurinBound", "L", slope); err != nil {
		return nil, err
	}
	// Half of ε is for the net's points, the other half for 2L·r between them (a pair has two points): r = ε/(4L).
	return &TailBound{1, 8 * radius * slope,
		func(eps float64) float64 { return math.Ln2 + 2*dim*math.Log(16*radius*slope/eps) },
		func(eps float64) float64 { return arith.Square(eps/c) / 8 },
	}, nil
}

// A Composition describes a kernel f(K(x, y)) on a set of R^d, and features that are products of
// independent copies of a random feature W of K, E W(x)W(y) = K(x, y); their number is a degree drawn
// from a law (Kar and Karnick 2012, Algorithm 1 of the supplement).
type Composition struct {
	Series series.Series
	Law    series.GeometricLaw

	Dim    int     // d
	Radius float64 // R: the set is convex, and in a Euclidean ball of this radius

	FeatureMax      float64 // a bound on |W| over the set, √C_W in the paper
	FeatureGradient float64 // L_W, a bound on E sup‖∇W‖, the supremum over the set
	KernelMax       float64 // C_K, a bound on |K|; 0 stands for FeatureMax²
	KernelGradient  float64 // L_K, a bound on ‖∇ₓK‖
}

// UniformCompositionalBound returns the bound of Kar and Karnick 2012, Theorem 15 of the supplement, on
// the largest error of n features of a Composition over all pairs of points of the set. With
// C_W = FeatureMax², C₁ = sup (aₘ/qₘ)·C_Wᵐ and L₁ = L_K·f′(C_K) + √C_W·L_W·f′(C_W) it is
//
//	P(sup|k̂ − k| ≥ ε) ≤ (41RL₁/ε)·exp(−nε²/(8(2d + 1)C₁²))
//
// for ε ≤ 16RL₁. (That is for the paper's radius of the net, which makes both terms equal. Prob uses the
// best radius, with a constant of at most 39 and RL₁/ε to the power 2d/(2d + 1).) The paper's statement
// does not hold: docs/bounds.md lists what is corrected, and has an example.
//
// It returns an error if a field is out of range, if Series or Law is refused, or if P·C_W is not inside
// the radius of convergence.
func UniformCompositionalBound(c Composition) (*TailBound, error) {
	if err := validateDomain("Composition", c.Dim, "Radius", c.Radius); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"FeatureMax", c.FeatureMax}, {"FeatureGradient", c.FeatureGradient}, {"KernelGradient", c.KernelGradient}} {
		if err := check.Positive("Composition", f.name, f.value); err != nil {
			return nil, err
		}
	}
	cw := c.FeatureMax * c.FeatureMax
	ck := c.KernelMax
	if ck == 0 {
		ck = cw
	}
	if !(ck > 0 && ck <= cw*(1+1e-9)) {
		return nil, fmt.Errorf("featuremap: Composition KernelMax = %v: must be positive and at most FeatureMax² = %v", c.KernelMax, cw)
	}
	c1, _, err := boundedness(c.Series, c.Law, cw)
	if err != nil {
		return nil, err
	}
	slope := c.KernelGradient*c.Series.Deriv(ck) + c.FeatureMax*c.FeatureGradient*c.Series.Deriv(cw)
	if err := check.Positive("Composition", "L₁", slope); err != nil {
		return nil, err
	}
	scale := 16 * c.Radius * slope
	return net(2*c.Dim, 1, scale, 1/arith.Square(c1)/8, scale, 1), nil
}
